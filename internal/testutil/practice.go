package testutil

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
)

// Practice is a file as a program writes it, or a sibling of one with another text in one place.
type Practice struct {
	Name    string // of the file, with what is other in a sibling
	Content []byte
	// Outcome of an upload: "payment", "file" for the page of a file of many, "refused", or "-" where it depends on the time of day.
	Outcome string
	// JSON and Validate are the codes of the findings, sorted, each once; "-" for no case of one of the two.
	JSON, Validate string
	Says, Never    []string // by the portal, and by a refusal
}

// Practices reads the files in a folder, which its outcomes.tsv lists, dated on the day. Documents of clearing are not among them.
func Practices(t *testing.T, folder, day string) []Practice {
	t.Helper()
	files := os.DirFS(folder)
	table, err := fs.ReadFile(files, "outcomes.tsv")
	if err != nil {
		t.Fatal(err)
	}
	dated := strings.NewReplacer("2026-11-29", day, `\ufeff`, "\ufeff")
	list := func(text string) []string {
		return slices.DeleteFunc(strings.Split(text, "|"), func(s string) bool { return s == "" })
	}
	var all []Practice
	for _, line := range strings.Split(strings.TrimRight(string(table), "\n"), "\n")[1:] {
		cells := strings.Split(line, "\t")
		content, err := fs.ReadFile(files, cells[0])
		if err != nil {
			t.Fatal(err)
		}
		p := Practice{Name: cells[0], Content: []byte(dated.Replace(string(content))), Outcome: cells[3]}
		p.Says, p.Never = list(cells[5]), list(cells[6])
		var two bool
		p.JSON, p.Validate, two = strings.Cut(cells[4], "/")
		if !two {
			p.Validate = p.JSON
		}
		if was := dated.Replace(cells[1]); was != "" {
			if !strings.Contains(string(p.Content), was) {
				t.Errorf("%s has no %q", p.Name, was)
			}
			p.Name, p.Content = cells[2]+" in "+p.Name, []byte(strings.ReplaceAll(string(p.Content), was, dated.Replace(cells[2])))
		}
		all = append(all, p)
	}
	return all
}
