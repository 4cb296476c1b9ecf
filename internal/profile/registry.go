package profile

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/rulebook"
)

//go:embed profiles.yaml
var shipped []byte

// Shipped is the file of the profiles that come with the program, in the form of an operator's own.
func Shipped() []byte { return bytes.Clone(shipped) }

// MaxBytes is the largest file of profiles.
const MaxBytes = 256 << 10

// maxProfiles bounds the profiles of a file.
const maxProfiles = 50

// Registry holds profiles and says which of them is in force. The zero Registry writes every document as it is made.
type Registry struct {
	profiles []*Profile
	chosen   map[string][]period // by scheme, the latest first
	ends     map[string]Ends     // by scheme, as they were set
}

// period is the time from which a profile is in force.
type period struct {
	from    time.Time // midnight UTC of the day; zero for ever
	profile *Profile
}

// NewRegistry is the profiles shipped, and those of an operator's file, which replace shipped ones of the same name; nil for none.
// Nothing is chosen yet.
func NewRegistry(own []byte) (Registry, error) {
	profiles, err := parse(shipped)
	if err != nil {
		return Registry{}, fmt.Errorf("read the profiles shipped: %w", err)
	}
	if own == nil {
		return Registry{profiles: profiles}, nil
	}
	added, err := parse(own)
	if err != nil {
		return Registry{}, err
	}
	for _, p := range added {
		profiles = slices.DeleteFunc(profiles, func(known *Profile) bool { return known.Name == p.Name })
	}
	return Registry{profiles: append(profiles, added...)}, nil
}

// parse reads a file of profiles. Fields it does not know are refused.
func parse(content []byte) ([]*Profile, error) {
	if len(content) > MaxBytes {
		return nil, fmt.Errorf("the file is larger than %d KiB", MaxBytes>>10)
	}
	var file struct {
		Profiles []*Profile `yaml:"profiles"`
	}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	decoder.KnownFields(true)
	err := decoder.Decode(&file)
	if err != nil {
		return nil, fmt.Errorf("read the profiles: %w", err)
	}
	if !errors.Is(decoder.Decode(new(any)), io.EOF) {
		return nil, errors.New("read the profiles: write one YAML document")
	}
	if len(file.Profiles) == 0 || len(file.Profiles) > maxProfiles {
		return nil, fmt.Errorf("name 1 to %d profiles under profiles", maxProfiles)
	}
	seen := map[string]bool{}
	for i, p := range file.Profiles {
		if p == nil {
			return nil, fmt.Errorf("profile %d is empty", i+1)
		}
		err = p.check()
		if err != nil {
			return nil, fmt.Errorf("profile %d (%s): %w", i+1, p.Name, err)
		}
		if seen[p.Name] {
			return nil, fmt.Errorf("two profiles are named %s", p.Name)
		}
		seen[p.Name] = true
	}
	return file.Profiles, nil
}

// Profiles are all profiles of a scheme.
func (b Registry) Profiles(scheme string) []*Profile {
	var of []*Profile
	for _, p := range b.profiles {
		if p.Scheme == scheme {
			of = append(of, p)
		}
	}
	return of
}

// Named finds a profile.
func (b Registry) Named(name string) (*Profile, bool) {
	at := slices.IndexFunc(b.profiles, func(p *Profile) bool { return p.Name == name })
	if at < 0 {
		return nil, false
	}
	return b.profiles[at], true
}

// Ends are the two ends of a connection, for the headers of profiles with an envelope that name none. Each is a BIC, or "".
type Ends struct{ Sender, Receiver string }

// Choose puts profiles of a scheme in force: a name, or several with the day each begins, as in "sic-iso,sic-six@2026-11-21". The days
// are those of the banks' zone. It fails on a name that does not exist or is of another scheme, on a day that is none or comes twice,
// without a profile for the days before the first, and on an envelope without sender or receiver.
func (b Registry) Choose(scheme, choice string, ends Ends) (Registry, error) {
	var periods []period
	for part := range strings.SplitSeq(choice, ",") {
		one, err := b.period(scheme, strings.TrimSpace(part), ends)
		if err != nil {
			return Registry{}, err
		}
		if slices.ContainsFunc(periods, func(p period) bool { return p.from.Equal(one.from) }) {
			return Registry{}, fmt.Errorf("two profiles begin on the same day: write one without a day, and each other one as NAME@YYYY-MM-DD")
		}
		periods = append(periods, one)
	}
	slices.SortFunc(periods, func(x, y period) int { return y.from.Compare(x.from) })
	if !periods[len(periods)-1].from.IsZero() {
		return Registry{}, errors.New("name the profile of the days before the first one too, without a day")
	}
	return Registry{profiles: b.profiles, chosen: with(b.chosen, scheme, periods), ends: with(b.ends, scheme, ends)}, nil
}

// with is a map with another value of a key; the map itself stays as it is.
func with[V any](of map[string]V, key string, value V) map[string]V {
	other := make(map[string]V, len(of)+1)
	maps.Copy(other, of)
	other[key] = value
	return other
}

// period reads one part of a choice.
func (b Registry) period(scheme, part string, ends Ends) (period, error) {
	name, day, dated := strings.Cut(part, "@")
	found, known := b.Named(name)
	if !known || found.Scheme != scheme {
		return period{}, fmt.Errorf("%s has no profile %q: choose one of %s", scheme, name, strings.Join(b.names(scheme), ", "))
	}
	one := period{profile: found}
	if dated {
		from, err := time.Parse(time.DateOnly, day)
		if err != nil || from.Year() < 2000 {
			return period{}, fmt.Errorf("profile %s: write the day it begins such as %s@2026-11-21, not %q", name, name, day)
		}
		one.from = from
	}
	if found.Envelope == nil {
		return one, nil
	}
	filled, envelope := *found, *found.Envelope
	if envelope.Sender == "" {
		envelope.Sender = ends.Sender
	}
	if envelope.Receiver == "" {
		envelope.Receiver = ends.Receiver
	}
	if envelope.Sender == "" || envelope.Receiver == "" {
		return period{}, fmt.Errorf("profile %s sends headers: give the BICs of both ends of the connection, sender and receiver", name)
	}
	filled.Envelope, one.profile = &envelope, &filled
	return one, envelope.check()
}

func (b Registry) names(scheme string) []string {
	var names []string
	for _, p := range b.Profiles(scheme) {
		names = append(names, p.Name)
	}
	return names
}

// InForce is the profile of a scheme at a moment, by the day it is in its own location; nil where none is chosen: documents then leave as
// they are made.
func (b Registry) InForce(scheme string, at time.Time) *Profile {
	year, month, date := at.Date()
	day := time.Date(year, month, date, 0, 0, 0, 0, time.UTC)
	for _, p := range b.chosen[scheme] {
		if !p.from.After(day) {
			return p.profile
		}
	}
	return nil
}

// Wrote reports whether one of the profiles of the scheme, or none, writes the document as content. It so recognises a document that was
// stored before another profile came into force.
func (b Registry) Wrote(scheme string, document iso20022.Document, content []byte) bool {
	ways := append([]*Profile{nil}, b.Profiles(scheme)...)
	return slices.ContainsFunc(ways, func(p *Profile) bool {
		written, err := p.betweenEndsOf(content).Write(document)
		return err == nil && bytes.Equal(written, content)
	})
}

// betweenEndsOf returns the profile with the sender and receiver of the header in content. The ends of a connection are settings, which a
// reader of stored documents may not have.
func (p *Profile) betweenEndsOf(content []byte) *Profile {
	if p == nil || p.Envelope == nil {
		return p
	}
	header, _, _ := codec.DecodeEnvelope(content)
	if header == nil {
		return p
	}
	between, envelope := *p, *p.Envelope
	envelope.Sender, envelope.Receiver = bicAt(header.From), bicAt(header.To)
	between.Envelope = &envelope
	return &between
}

// Settings say in which form documents travel to clearing; docs/clearing.md shows the profiles side by side.
type Settings struct {
	ProfilesFile string `help:"File with clearing profiles of your own, in the form that countersign clearing profiles prints." name:"clearing-profiles-file" env:"COUNTERSIGN_CLEARING_PROFILES_FILE"`
	SICProfile   string `help:"Clearing profile of Swiss instant payments; NAME@YYYY-MM-DD after a comma begins on that day." name:"clearing-sic-profile" default:"sic-iso" env:"COUNTERSIGN_CLEARING_SIC_PROFILE"`
	SCTProfile   string `help:"Clearing profile of SEPA instant payments, likewise." name:"clearing-sct-profile" default:"sct-epc" env:"COUNTERSIGN_CLEARING_SCT_PROFILE"`
	SICEnds      string `help:"BICs of this side and of clearing, with a comma between, for a profile with headers." name:"clearing-sic-ends" env:"COUNTERSIGN_CLEARING_SIC_ENDS"`
	SCTEnds      string `help:"The same for SEPA instant payments." name:"clearing-sct-ends" env:"COUNTERSIGN_CLEARING_SCT_ENDS"`
}

// Registry reads the profiles and puts those chosen in force. Every wrong setting is a sentence that names it.
func (s *Settings) Registry() (Registry, error) {
	own, err := readProfiles(s.ProfilesFile)
	if err != nil {
		return Registry{}, fmt.Errorf("COUNTERSIGN_CLEARING_PROFILES_FILE: %w", err)
	}
	registry, err := NewRegistry(own)
	if err != nil {
		return Registry{}, fmt.Errorf("COUNTERSIGN_CLEARING_PROFILES_FILE: %w", err)
	}
	for _, one := range []struct {
		scheme                  rulebook.Scheme
		setting, choice, ending string
		ends                    string
	}{
		{rulebook.SchemeSIC, "COUNTERSIGN_CLEARING_SIC_PROFILE", s.SICProfile, "COUNTERSIGN_CLEARING_SIC_ENDS", s.SICEnds},
		{rulebook.SchemeSCT, "COUNTERSIGN_CLEARING_SCT_PROFILE", s.SCTProfile, "COUNTERSIGN_CLEARING_SCT_ENDS", s.SCTEnds},
	} {
		sender, receiver, both := strings.Cut(one.ends, ",")
		if one.ends != "" && !both {
			return Registry{}, fmt.Errorf("%s: write two BICs with a comma between: of this side, of clearing", one.ending)
		}
		ends := Ends{Sender: strings.TrimSpace(sender), Receiver: strings.TrimSpace(receiver)}
		registry, err = registry.Choose(string(one.scheme), one.choice, ends)
		if err != nil {
			return Registry{}, fmt.Errorf("%s: %w", one.setting, err)
		}
	}
	return registry, nil
}

// readProfiles reads a file of profiles; nil without one.
func readProfiles(path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	if err == nil && len(content) == 0 {
		err = errors.New("the file is empty")
	}
	return content, err
}
