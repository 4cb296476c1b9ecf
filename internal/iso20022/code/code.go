// Package code holds the external code sets of ISO 20022 that payment messages use: for each code its definition. The sets change quarterly
// outside of the schemas, so a code that is missing here is not necessarily wrong; which codes a scheme allows in which message is for the
// rule book to say.
//
// Source: TransactionAuthorizationProtocol/iso20022-external-code-sets at commit a325faf (MIT licence), derived from the ISO publication
// that Published names.
package code

import (
	"embed"
	"encoding/json"
	"fmt"
	"sort"
	"sync"
	"time"
)

// Published is the month of the ISO publication the sets are taken from, as YYYY-MM.
const Published = "2025-05"

//go:embed data/*.json
var data embed.FS

// Definition is one code with its meaning.
type Definition struct {
	Code string
	// Set is the ISO name of the code set, such as ExternalStatusReason1Code.
	Set string
	// Text is the definition in English, one or more sentences.
	Text string
}

// Set is one external code set; the zero value has no codes.
type Set struct {
	file string
}

// The code sets.
var (
	CancellationReasons    = Set{"cancellation_reason"} // of a recall, camt.056
	CategoryPurposes       = Set{"category_purpose"}
	CancellationRejections = Set{"payment_cancellation_rejection"} // reason of a negative camt.029
	GroupStatuses          = Set{"payment_group_status"}
	OrganisationIDs        = Set{"organisation_identification"} // kinds of other identifications of organisations
	PersonIDs              = Set{"person_identification"}
	TransactionStatuses    = Set{"payment_transaction_status"}
	Purposes               = Set{"purpose"}
	ReturnReasons          = Set{"return_reason"} // of a pacs.004
	StatusReasons          = Set{"status_reason"} // of pacs.002 and pain.002
)

// Find looks up a code of the set.
func (s Set) Find(code string) (Definition, bool) {
	definition, found := load()[s.file].byCode[code]
	return definition, found
}

// Has reports whether the set contains the code.
func (s Set) Has(code string) bool {
	_, found := s.Find(code)
	return found
}

// All returns the codes of the set in alphabetical order.
func (s Set) All() []Definition {
	content := load()[s.file]
	return append([]Definition(nil), content.ordered...)
}

// Name is the ISO name of the set, such as ExternalReturnReason1Code.
func (s Set) Name() string {
	return load()[s.file].name
}

// setContent is a set as it is in memory.
type setContent struct {
	name    string
	byCode  map[string]Definition
	ordered []Definition
}

// load reads the embedded files once. They are part of the program, and a test reads them all, so a file that cannot be read is a broken
// build: it panics.
var load = sync.OnceValue(func() map[string]setContent {
	sets := map[string]setContent{}
	files, err := data.ReadDir("data")
	if err != nil {
		panic(fmt.Errorf("read code sets: %w", err))
	}
	for _, file := range files {
		content, err := read("data/" + file.Name())
		if err != nil {
			panic(fmt.Errorf("read code set %s: %w", file.Name(), err))
		}
		sets[short(file.Name())] = content
	}
	return sets
})

// short takes external_ and _code.json off a file name.
func short(file string) string {
	return file[len("external_") : len(file)-len("_code.json")]
}

func read(path string) (setContent, error) {
	raw, err := data.ReadFile(path)
	if err != nil {
		return setContent{}, err
	}
	var file struct {
		Name  string            `json:"name"`
		Codes map[string]string `json:"codes"`
	}
	err = json.Unmarshal(raw, &file)
	if err != nil {
		return setContent{}, err
	}
	return contentOf(file.Name, file.Codes), nil
}

func contentOf(name string, codes map[string]string) setContent {
	content := setContent{name: name, byCode: make(map[string]Definition, len(codes))}
	for code, text := range codes {
		definition := Definition{Code: code, Set: name, Text: text}
		content.byCode[code] = definition
		content.ordered = append(content.ordered, definition)
	}
	sort.Slice(content.ordered, func(i, j int) bool { return content.ordered[i].Code < content.ordered[j].Code })
	return content
}

// builtin parses the embedded edition once.
var builtin = sync.OnceValue(func() *Edition {
	month, err := time.Parse(monthLayout, Published)
	if err != nil {
		panic(fmt.Errorf("read the month of the code sets: %w", err))
	}
	made := &Edition{published: month.AddDate(0, 1, -1), sets: map[string]setContent{}}
	for _, content := range load() {
		made.sets[content.name] = content
	}
	return made
})
