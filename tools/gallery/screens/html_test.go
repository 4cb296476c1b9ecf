//go:build long

package screens

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"countersign/internal/i18n"
)

// TestPagesAreValidHTML has html-validate read every page, in German, whose texts are the longest. make html installs it. Three of its
// rules are off: templ writes the doctype in small letters; lists of ids are hidden fields of one name; a passkey is made by a script, so
// its form has no button that sends it.
func TestPagesAreValidHTML(t *testing.T) {
	t.Parallel()
	checker := os.Getenv("COUNTERSIGN_HTML_VALIDATE")
	if checker == "" {
		t.Skip("make html installs the checker and runs this")
	}
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	pages := 0
	for _, one := range Exhibits() {
		if one.Fragment {
			continue
		}
		page, err := os.Create(filepath.Join(folder, one.Name+".html"))
		if err != nil {
			t.Fatal(err)
		}
		if err := one.Page.Render(i18n.In(t.Context(), i18n.German), page); err != nil {
			t.Fatal(err)
		}
		if err := page.Close(); err != nil {
			t.Fatal(err)
		}
		pages++
	}
	settings, err := filepath.Abs("../../../tools/html/htmlvalidate.json")
	if err != nil {
		t.Fatal(err)
	}
	said, err := exec.CommandContext(t.Context(), "node", checker, "--config", settings, "--formatter", "text", folder).CombinedOutput()
	if err != nil || pages == 0 {
		t.Errorf("%d pages: %v\n%s", pages, err, said)
	}
}
