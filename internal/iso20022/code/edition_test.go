package code

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

var publishedDay = time.Date(2026, time.August, 31, 0, 0, 0, 0, time.UTC)

// asPublished is the built-in edition in the form in which ISO publishes code sets in JSON, with changes.
func asPublished(t *testing.T, change func(map[string]any)) []byte {
	t.Helper()
	definitions := map[string]any{}
	for _, set := range Sets() {
		var codes []string
		description := "What the set is for.\r\nExternal code sets can be downloaded.\n"
		for _, definition := range set.All() {
			codes = append(codes, definition.Code)
			description += "*`" + definition.Code + "`-" + strings.ReplaceAll(definition.Text, "\n", " ") + "\n"
		}
		definitions[set.Name()] = map[string]any{"type": "string", "minLength": 1, "maxLength": 4, "description": description, "enum": codes}
	}
	if change != nil {
		change(definitions)
	}
	content, err := json.Marshal(map[string]any{"$schema": "http://json-schema.org/draft-04/schema#", "definitions": definitions})
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestCodeSetsAreReadAsISOPublishesThem(t *testing.T) {
	t.Parallel()
	read, err := Parse(asPublished(t, func(definitions map[string]any) {
		purposes := definitions["ExternalPurpose1Code"].(map[string]any)
		purposes["enum"] = append(purposes["enum"].([]string), "ZZZ1")
		purposes["description"] = purposes["description"].(string) + "*`ZZZ1`-A purpose of tomorrow."
		delete(definitions, "ExternalLocalInstrument1Code")
	}), publishedDay)
	if err != nil {
		t.Fatal(err)
	}
	if !read.Day().Equal(publishedDay) || !read.Has(Purposes, "ZZZ1") || !read.Has(Purposes, "ACCT") || read.Has(Purposes, "ZZZ2") ||
		Builtin().Has(Purposes, "ZZZ1") || !read.Has(Set{"local_instrument"}, "INST") {
		t.Errorf("the edition of %v has ZZZ1: %v", read.Day(), read.Has(Purposes, "ZZZ1"))
	}
	all := read.All(Purposes)
	if last := all[len(all)-1]; last.Code != "ZZZ1" || last.Text != "A purpose of tomorrow." {
		t.Errorf("the new code is %+v", last)
	}
	content, err := read.Content()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse(content, time.Time{})
	if err != nil || !again.Day().Equal(publishedDay) || again.Len() != read.Len() || !again.Has(Purposes, "ZZZ1") {
		t.Errorf("what is stored is read as %+v: %v", again, err)
	}
	if Builtin().Day().Format(time.DateOnly) != "2025-05-31" || Builtin().Len() < 1000 {
		t.Errorf("the built-in edition is of %v with %d codes", Builtin().Day(), Builtin().Len())
	}
}

func TestAFileThatIsNoCodeSetsSaysWhy(t *testing.T) {
	t.Parallel()
	set := func(name string, value any) []byte {
		return asPublished(t, func(definitions map[string]any) { definitions[name] = value })
	}
	for name, test := range map[string]struct {
		content []byte
		at      time.Time
		says    string
	}{
		"no JSON":   {[]byte("PK\x03\x04"), publishedDay, "take the JSON file"},
		"no day":    {asPublished(t, nil), time.Time{}, "say which day"},
		"a part":    {asPublished(t, func(d map[string]any) { delete(d, "ExternalPurpose1Code") }), publishedDay, "lacks ExternalPurpose1Code"},
		"empty":     {set("ExternalReturnReason1Code", map[string]any{"enum": []string{}}), publishedDay, "lacks ExternalReturnReason1Code"},
		"no code":   {set("ExternalPurpose1Code", map[string]any{"enum": []string{"<b>"}}), publishedDay, "is no code"},
		"no set":    {set("Purpose", map[string]any{"enum": []string{"ACCT"}}), publishedDay, "is no external code set"},
		"too large": {append(asPublished(t, nil), make([]byte, MaxBytes)...), publishedDay, "larger than"},
		"nothing":   {[]byte("{}"), publishedDay, "lacks"},
		"long text": {
			[]byte(`{"sets": {"ExternalPurpose1Code": {"ACCT": "` + strings.Repeat("a", maxText+1) + `"}}}`), publishedDay,
			"the definition of ACCT has more than 2000 bytes",
		},
		"wrong kind": {[]byte(`{"definitions": []}`), publishedDay, "read the code sets"},
	} {
		_, err := Parse(test.content, test.at)
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v, want %q", name, err, test.says)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"definitions": {"ExternalPurpose1Code": {"description": "*` + "`A`-B" + `", "enum": ["A"]}}}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		read, err := Parse(content, publishedDay)
		if err != nil {
			return
		}
		stored, err := read.Content()
		if err != nil {
			t.Fatal(err)
		}
		if _, err = Parse(stored, time.Time{}); err != nil {
			t.Fatalf("%v\n%s", err, stored)
		}
	})
}
