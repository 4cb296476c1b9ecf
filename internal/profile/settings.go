package profile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"countersign/internal/rulebook"
)

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
