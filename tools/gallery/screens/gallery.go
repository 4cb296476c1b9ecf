// Package screens shows each page of the portal in each state worth looking at, with fixed data and without a database: to people who draw
// the pages (`make gallery`), and to the tests that look at all of them. Nothing in it decides anything; what a page is like in a
// state that is rare in life (a conflict, a sealed row that does not fit) can be seen here at once, in each language.
package screens

import (
	"compress/gzip"
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"countersign/internal/i18n"
	"countersign/static"
)

// Exhibit is one page in one state, with fixed data.
type Exhibit struct {
	Name     string
	Page     templ.Component
	Fragment bool // a part of a page, without its frame
	Failed   bool // the answer to a refused form
}

// Exhibits lists every page in every state worth looking at.
func Exhibits() []Exhibit {
	return slices.Concat(entryExhibits(), queueExhibits(), bulkExhibits(), formExhibits(), payeeExhibits(), recordExhibits(),
		requestExhibits(), clearingExhibits(), makingExhibits(), administrationExhibits(), factorExhibits(), auditExhibits(),
		reportExhibits())
}

// Handler serves the exhibits at /{language}/{name}, a list of them at /, and what pages are made of at /static/. Fragments stand in no
// frame, so they are not listed. Nothing can be sent: what a page leads to is not there.
func Handler() http.Handler {
	shown := map[string]Exhibit{}
	for _, one := range Exhibits() {
		shown[one.Name] = one
	}
	mux := http.NewServeMux()
	mux.Handle(static.Prefix, static.Handler())
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { render(w, r, list(Exhibits())) })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		first, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		spoken, known := i18n.Parse(first)
		one, found := shown[name]
		if !known || !found || r.Method != http.MethodGet {
			absent(w, r)
			return
		}
		render(w, r.WithContext(i18n.In(r.Context(), spoken)), one.Page)
	})
	return mux
}

// absent answers what no exhibit is: a script that asks for a part of a page gets nothing to put there.
func absent(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("HX-Request") != "" || strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	http.Error(w, "The gallery shows pages; it leads nowhere and takes nothing. The list of pages is at /.", http.StatusNotFound)
}

func render(w http.ResponseWriter, r *http.Request, page templ.Component) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		_ = page.Render(r.Context(), w) // a reader that went away needs no answer
		return
	}
	w.Header().Set("Content-Encoding", "gzip") // as the portal sends it
	shorter := gzip.NewWriter(w)
	_ = page.Render(r.Context(), shorter)
	_ = shorter.Close()
}
