package code

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Edition is a publication of the external code sets. It never changes, so that many may look things up at once.
type Edition struct {
	published time.Time
	sets      map[string]setContent // by the ISO name of the set
}

// The most that a file of code sets may be, and hold: the publication of 2025 is some 700 KiB with 4,000 codes.
const (
	MaxBytes    = 8 << 20
	maxSets     = 500
	maxCodes    = 5_000 // of one set
	maxText     = 2_000 // bytes of a definition
	monthLayout = "2006-01"
)

// Builtin is the edition that comes with the program, of the month that Published names; its day is the last of that month.
func Builtin() *Edition { return builtin() }

// Day is the day an edition is of.
func (e *Edition) Day() time.Time { return e.published }

// Has reports whether a set of the edition contains the code. A set that an imported edition lacks is that of the program.
func (e *Edition) Has(set Set, code string) bool {
	_, found := e.of(set).byCode[code]
	return found
}

// All returns the codes of a set in alphabetical order.
func (e *Edition) All(set Set) []Definition {
	return slices.Clone(e.of(set).ordered)
}

// Len returns the number of codes in all sets of the edition.
func (e *Edition) Len() (codes int) {
	for _, set := range e.sets {
		codes += len(set.byCode)
	}
	return codes
}

func (e *Edition) of(set Set) setContent {
	content, found := e.sets[set.Name()]
	if !found {
		return load()[set.file]
	}
	return content
}

// needed are the sets without which a file is no edition: payments, recalls and answers are held against them.
var needed = []Set{
	CancellationReasons, CategoryPurposes, CancellationRejections, GroupStatuses, TransactionStatuses, Purposes, ReturnReasons, StatusReasons,
}

var (
	setName  = regexp.MustCompile(`^External[A-Za-z0-9]{1,80}Code$`)
	codeForm = regexp.MustCompile(`^[A-Za-z0-9+/ ._-]{1,35}$`)
)

// Parse reads a file of code sets, in the form published by ISO (JSON schema: under definitions an enumeration for each set, with the
// definitions in its description), or in that of Content. published is the date of the file; when it is zero, the date in the form of
// Content counts. The error names the remedy.
func Parse(content []byte, published time.Time) (*Edition, error) {
	var file struct {
		Edition     string                       `json:"edition"`
		Sets        map[string]map[string]string `json:"sets"`
		Definitions map[string]struct {
			Description string   `json:"description"`
			Enumeration []string `json:"enum"`
		} `json:"definitions"`
	}
	err := errors.New("the file is larger than 8 MiB, or no UTF-8")
	if len(content) <= MaxBytes && utf8.Valid(content) {
		err = json.Unmarshal(content, &file)
	}
	if err != nil {
		return nil, fmt.Errorf("read the code sets: %w: take the JSON file of the external code sets from iso20022.org", err)
	}
	sets := file.Sets
	if sets == nil {
		sets = make(map[string]map[string]string, len(file.Definitions))
	}
	for name, definition := range file.Definitions {
		texts := definitionsIn(definition.Description)
		sets[name] = make(map[string]string, len(definition.Enumeration))
		for _, code := range definition.Enumeration {
			sets[name][code] = cut(texts[code])
		}
	}
	if published.IsZero() {
		published, err = time.Parse(time.DateOnly, file.Edition)
		if err != nil {
			return nil, errors.New("say which day the file is of: it does not name one")
		}
	}
	return newEdition(sets, published)
}

func newEdition(sets map[string]map[string]string, published time.Time) (*Edition, error) {
	if len(sets) > maxSets {
		return nil, fmt.Errorf("the file has more than %d sets", maxSets)
	}
	made := &Edition{published: published, sets: make(map[string]setContent, len(sets))}
	for name, codes := range sets {
		if !setName.MatchString(name) || len(codes) > maxCodes {
			return nil, fmt.Errorf("%.90q is no external code set of at most %d codes", name, maxCodes)
		}
		for code, text := range codes {
			if !codeForm.MatchString(code) {
				return nil, fmt.Errorf("%s: %.40q is no code", name, code)
			}
			if len(text) > maxText {
				return nil, fmt.Errorf("%s: the definition of %s has more than %d bytes", name, code, maxText)
			}
		}
		made.sets[name] = contentOf(name, codes)
	}
	for _, set := range needed {
		if len(made.sets[set.Name()].byCode) == 0 {
			return nil, fmt.Errorf("the file lacks %s: take the whole publication, not a part of it", set.Name())
		}
	}
	return made, nil
}

// definitionsIn takes the definitions out of the description of a set: a line for each code, as in "*`ADEA`-Received too late".
func definitionsIn(description string) map[string]string {
	texts := map[string]string{}
	for line := range strings.SplitSeq(description, "\n") {
		code, text, found := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "*`"), "`-")
		if found {
			texts[code] = strings.TrimSpace(text)
		}
	}
	return texts
}

// cut shortens a definition to maxText bytes.
func cut(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "")
}

// Content is the edition in a form that Parse reads, the same bytes for the same codes.
func (e *Edition) Content() ([]byte, error) {
	sets := make(map[string]map[string]string, len(e.sets))
	for _, name := range slices.Sorted(maps.Keys(e.sets)) {
		sets[name] = make(map[string]string, len(e.sets[name].byCode))
		for code, definition := range e.sets[name].byCode {
			sets[name][code] = definition.Text
		}
	}
	return json.Marshal(struct {
		Edition string                       `json:"edition"`
		Sets    map[string]map[string]string `json:"sets"`
	}{e.published.Format(time.DateOnly), sets})
}
