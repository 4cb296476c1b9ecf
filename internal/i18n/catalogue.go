package i18n

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/message/catalog"
)

//go:embed catalogue/*.yaml
var files embed.FS

// entry is a text in each language: one sentence, or one for each plural form.
type entry map[Language]forms

// forms are the plural forms of a text, by their names in CLDR ("one", "other", "many"); a text without forms has "other" alone.
type forms map[string]string

// UnmarshalYAML reads a sentence or its plural forms.
func (f *forms) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*f = forms{"other": node.Value}
		return nil
	}
	var several map[string]string
	err := node.Decode(&several)
	*f = several
	return err
}

// catalogueSet holds all texts, parsed.
type catalogueSet struct {
	known    map[Text]bool                // all keys
	plain    map[Language]map[Text]string // texts as they stand, of those without plural forms
	printers map[Language]*message.Printer
}

// catalogues are read when the first text is said. They are part of the program and a test reads them, so they hold no fault.
var catalogues = sync.OnceValue(func() catalogueSet {
	entries, _ := readEntries("*.yaml")
	set, _ := compile(entries)
	return set
})

// readEntries reads the files of the catalogue that match. An error names every text that stands in two of them.
func readEntries(match string) (map[Text]entry, error) {
	all := map[Text]entry{}
	names, err := fs.Glob(files, "catalogue/"+match)
	if err != nil {
		return nil, err
	}
	var faults []error
	for _, name := range names {
		content, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var entries map[Text]entry
		err = yaml.Unmarshal(content, &entries)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", name, err))
		}
		for key, one := range entries {
			if all[key] != nil {
				faults = append(faults, fmt.Errorf("%s: %q stands in another file too", name, key))
			}
			all[key] = one
		}
	}
	return all, errors.Join(faults...)
}

// compile makes the texts ready to be said.
func compile(entries map[Text]entry) (catalogueSet, error) {
	set := catalogueSet{known: map[Text]bool{}, plain: map[Language]map[Text]string{}, printers: map[Language]*message.Printer{}}
	builder := catalog.NewBuilder(catalog.Fallback(language.English))
	var faults []error
	for key := range entries {
		set.known[key] = true
	}
	for _, l := range Languages() {
		set.plain[l] = map[Text]string{}
		tag := language.Make(string(l))
		for key, one := range entries {
			said := one[l]
			if len(said) == 0 {
				continue
			}
			if len(said) == 1 {
				set.plain[l][key] = said["other"]
			}
			faults = append(faults, builder.Set(tag, string(key), said.message(key)))
		}
		set.printers[l] = message.NewPrinter(tag, message.Catalog(builder))
	}
	return set, errors.Join(faults...)
}

// message is the text as the library knows it: a sentence, or one that the first number chooses.
func (f forms) message(key Text) catalog.Message {
	if len(f) == 1 {
		return catalog.String(f["other"])
	}
	var cases []any
	for _, form := range []string{"zero", "one", "two", "few", "many", "other"} {
		if sentence, has := f[form]; has {
			cases = append(cases, form, sentence)
		}
	}
	return plural.Selectf(numberOf(key), "", cases...)
}

// numberOf is the place of the first whole number among the values of a text with plural forms.
func numberOf(key Text) int {
	before, _, _ := strings.Cut(strings.ReplaceAll(string(key), "%%", ""), "%d")
	return strings.Count(before, "%") + 1
}
