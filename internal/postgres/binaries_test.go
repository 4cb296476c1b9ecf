package postgres

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// installation makes a directory whose programs tell a version and do nothing else.
func installation(t *testing.T, version string) string {
	t.Helper()
	dir := t.TempDir()
	for _, program := range []string{"postgres", "initdb"} {
		script := "#!/bin/sh\necho '" + program + " (PostgreSQL) " + version + "'\n"
		err := os.WriteFile(filepath.Join(dir, program), []byte(script), 0o755)
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestChoiceAmongInstallations(t *testing.T) {
	t.Parallel()
	old, fifteen, eighteen := installation(t, "13.22"), installation(t, "15.18 (Debian 15.18-0)"), installation(t, "18.4")
	empty := t.TempDir()
	for _, test := range []struct {
		name    string
		dirs    []string
		wanted  int
		chosen  string
		refusal []string
	}{
		{name: "the first supported one", dirs: []string{empty, old, eighteen, fifteen}, chosen: eighteen},
		{name: "the one that made the data", dirs: []string{eighteen, fifteen}, wanted: 15, chosen: fifteen},
		{name: "only an old one", dirs: []string{old}, refusal: []string{"13", "too old", "15", "make postgres"}},
		{name: "none", dirs: []string{empty}, refusal: []string{"no PostgreSQL was found", "make postgres"}},
		{name: "another than the data's", dirs: []string{eighteen}, wanted: 16, refusal: []string{"made by PostgreSQL 16", "only PostgreSQL 18"}},
		{name: "none for the data", wanted: 16, refusal: []string{"made by PostgreSQL 16", "install PostgreSQL 16"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			found, err := choose(t.Context(), test.dirs, test.wanted)
			if found.dir != test.chosen {
				t.Errorf("chose %q, want %q", found.dir, test.chosen)
			}
			if (err != nil) != (len(test.refusal) != 0) {
				t.Fatalf("got error %v", err)
			}
			for _, word := range test.refusal {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("the refusal does not say %q: %v", word, err)
				}
			}
		})
	}
}

func TestNewestInstallationFirst(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, version := range []string{"9.6", "15", "17"} {
		err := os.MkdirAll(filepath.Join(root, version, "bin"), 0o750)
		if err != nil {
			t.Fatal(err)
		}
	}
	got := newestFirst(filepath.Join(root, "*", "bin"))
	want := []string{filepath.Join(root, "17", "bin"), filepath.Join(root, "15", "bin"), filepath.Join(root, "9.6", "bin")}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
