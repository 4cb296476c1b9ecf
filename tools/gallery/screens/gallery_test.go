package screens

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/a-h/templ"
)

func markup(t *testing.T, component templ.Component) string {
	t.Helper()
	var buffer bytes.Buffer
	if err := component.Render(t.Context(), &buffer); err != nil {
		t.Fatal(err)
	}
	return buffer.String()
}

func ask(address string, header ...string) *httptest.ResponseRecorder {
	recorder, request := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, address, nil)
	if len(header) == 2 {
		request.Header.Set(header[0], header[1])
	}
	Handler().ServeHTTP(recorder, request)
	return recorder
}

// TestEveryPageIsInTheGallery: a page that nobody shows here is looked at by no test.
func TestEveryPageIsInTheGallery(t *testing.T) {
	t.Parallel()
	sources, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var shown string
	for _, file := range sources {
		content, err := os.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(file.Name(), "_test.go") {
			shown += string(content)
		}
	}
	pages, err := os.ReadDir("../../../views")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range pages {
		if !strings.HasSuffix(file.Name(), ".templ") {
			continue
		}
		content, err := os.ReadFile("../../../views/" + file.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range regexp.MustCompile(`(?m)^templ ([A-Z]\w*Page)\(`).FindAllStringSubmatch(string(content), -1) {
			found++
			if !strings.Contains(shown, "views."+page[1]+"(") {
				t.Errorf("%s: %s is not in the gallery", file.Name(), page[1])
			}
		}
	}
	if found == 0 {
		t.Error("no page is found")
	}
}

// TestTheGalleryShowsEveryExhibit in every language, and nothing else.
func TestTheGalleryShowsEveryExhibit(t *testing.T) {
	t.Parallel()
	list := ask("/").Body.String()
	names := map[string]bool{}
	for _, one := range Exhibits() {
		if names[one.Name] {
			t.Errorf("two exhibits are called %q", one.Name)
		}
		names[one.Name] = true
		for _, spoken := range []string{"de", "fr", "it", "en"} {
			got := ask("/" + spoken + "/" + one.Name)
			if got.Code != http.StatusOK || (!one.Fragment && !strings.Contains(got.Body.String(), `<html lang="`+spoken+`"`)) {
				t.Errorf("%s in %s: %d", one.Name, spoken, got.Code)
			}
			if linked := strings.Contains(list, `href="/`+spoken+"/"+one.Name+`"`); linked == one.Fragment {
				t.Errorf("%s in %s is in the list: %v", one.Name, spoken, linked)
			}
		}
	}
	for _, address := range []string{"/de/nothing", "/pl/queue", "/queue", "/static/nothing.css"} {
		if got := ask(address); got.Code != http.StatusNotFound {
			t.Errorf("%s: %d", address, got.Code)
		}
	}
	if got := ask("/events", "Accept", "text/event-stream"); got.Code != http.StatusNoContent {
		t.Errorf("events: %d", got.Code)
	}
}

// TestExhibitsAreTheSameEachTime: pictures of them are compared.
func TestExhibitsAreTheSameEachTime(t *testing.T) {
	t.Parallel()
	first, second := Exhibits(), Exhibits()
	if !slices.EqualFunc(first, second, func(a, b Exhibit) bool { return markup(t, a.Page) == markup(t, b.Page) }) {
		t.Error("an exhibit differs from one time to the next")
	}
}
