package views_test

import (
	"bytes"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/a-h/templ"

	"countersign/static"
)

// exhibit is one page in one state, with fixed data.
type exhibit struct {
	name     string
	page     templ.Component
	fragment bool // a part of a page, without its frame
	failed   bool // the answer to a refused form
}

// exhibits lists every page in every state worth looking at.
func exhibits() []exhibit {
	return slices.Concat(entryExhibits(), queueExhibits(), bulkExhibits(), formExhibits(), recordExhibits(), requestExhibits(),
		clearingExhibits(), administrationExhibits())
}

func render(t *testing.T, component templ.Component) string {
	t.Helper()
	var buffer bytes.Buffer
	if err := component.Render(t.Context(), &buffer); err != nil {
		t.Fatal(err)
	}
	return buffer.String()
}

// TestWriteGallery writes every exhibit with its style sheet and scripts into
// the folder named by COUNTERSIGN_GALLERY, to be looked at in a browser; without one into a folder that is thrown away.
func TestWriteGallery(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("COUNTERSIGN_GALLERY")
	if folder == "" {
		folder = t.TempDir()
	}
	write := func(path string, content []byte) {
		target := filepath.Join(folder, path)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(target, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	address := regexp.MustCompile(`/static/[a-z.-]+\.[0-9a-f]{12}\.[a-z0-9]+`)
	for _, shown := range exhibits() {
		page := render(t, shown.page)
		write(shown.name+".html", []byte(page))
		for _, path := range address.FindAllString(page, -1) {
			write(path, fetch(t, path))
		}
	}
}

func fetch(t *testing.T, path string) []byte {
	t.Helper()
	recorder := httptest.NewRecorder()
	static.Handler().ServeHTTP(recorder, httptest.NewRequest("GET", path, nil))
	content, err := io.ReadAll(recorder.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
