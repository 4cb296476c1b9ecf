package portal

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// showViews renders the page on which views are saved, renamed, shared and removed. Its address holds the filter to save, as that of the
// queue does.
func showViews(v *checkerVisit) error {
	return v.renderViews(http.StatusOK, views.SavedViews{})
}

// renderViews renders the page with the additions of a refused form: the typed text and the problems.
func (v *checkerVisit) renderViews(status int, model views.SavedViews) error {
	err := payment.MayRead(v.By)
	if err != nil {
		return err
	}
	saved, err := v.Config.Desk.Views(v.Context(), v.By)
	if err != nil {
		return err
	}
	f := ReadFilter(v.Echo.QueryParams(), "/queue")
	model.Shell = v.FormShell("Saved views", views.PlaceQueue, status)
	model.Query, model.Words = savable(f), f.Words()
	for _, one := range saved {
		model.Views = append(model.Views, savedView(one))
	}
	return v.Render(status, views.SavedViewsPage(model))
}

// savedView is a saved view as pages show it. Its address is read and written anew: what an older version of the queue knew may be gone.
func savedView(one store.SavedView) views.SavedView {
	query, _ := url.ParseQuery(strings.TrimPrefix(one.Query, "?")) // what cannot be read narrows nothing
	f := ReadFilter(query, "/queue")
	shown := views.SavedView{
		ID: one.ID.String(), Name: one.Name, URL: "/queue" + savable(f), Words: f.Words(), Shared: one.Shared, Own: one.Own,
	}
	if !one.Own {
		shown.Owner = one.Owner
	}
	return shown
}

// viewTabs are the saved views as tabs of the queue.
func (v *checkerVisit) viewTabs(f Filter) ([]ui.Tab, error) {
	saved, err := v.Config.Desk.Views(v.Context(), v.By)
	tabs := make([]ui.Tab, 0, len(saved)+1)
	here := "/queue" + savable(f)
	for _, one := range saved {
		shown := savedView(one)
		tabs = append(tabs, ui.Tab{
			Label: i18n.Data(shown.Name), Title: i18n.Join(", ", shown.Words...), URL: shown.URL,
			Current: shown.URL == here,
		})
	}
	if len(tabs) > 0 {
		tabs = append(tabs, ui.Tab{Label: "Edit views", URL: "/queue/views"})
	}
	return tabs, err
}

// savable returns the stored part of a filter: all parameters except the position in the list.
func savable(f Filter) string { return f.Query("after", "") }

// maxViewQuery limits the characters of a stored filter, as the table does.
const maxViewQuery = 1024

// saveView stores the filter in the address of the form.
func saveView(v *checkerVisit) error {
	err := payment.MayRead(v.By)
	if err != nil {
		return err
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	kept := v.savedViews()
	view := store.SavedView{
		ID: v.Config.NewID(), Name: kept.Name(form), Shared: form.Get("shared") == "yes",
		Query: savable(ReadFilter(v.Echo.QueryParams(), "/queue")),
	}
	problem := kept.Wrong(view.Name)
	switch {
	case problem != "":
	case view.Query == "":
		problem = "Narrow or order the queue first, then save it as a view."
	case len(view.Query) > maxViewQuery:
		problem = "What is looked for is too long for a view: shorten it."
	}
	if problem == "" {
		err = v.Config.Desk.SaveView(v.Context(), v.By, view, v.At)
	}
	if errors.Is(err, store.ErrTooManyViews) {
		problem = i18n.Text("You have %d views. Remove one first.").With(store.MaxSavedViews)
	} else if err != nil {
		return err
	}
	if problem != "" {
		return v.renderViews(http.StatusUnprocessableEntity, views.SavedViews{
			Name: form.Get("name"), Shared: view.Shared, Problems: []ui.Problem{{Field: "name", Text: problem}},
		})
	}
	return v.GoTo("/queue"+view.Query, i18n.Text("Saved as “%s”.").With(view.Name))
}

// changeView renames a view, shares it or not, or removes it.
func changeView(v *checkerVisit) error { return v.ChangeNamed(v.savedViews()) }

// savedViews are the views of this person.
func (v *checkerVisit) savedViews() Named {
	ctx, kept := v.Context(), v.Config.Desk
	return Named{
		Limit: views.SavedViewLimit, Empty: "Enter a name, such as “Large today”.", List: "/queue/views",
		Remove: func(id uuid.UUID) error { return kept.RemoveView(ctx, v.By, id) },
		Change: func(id uuid.UUID, name string, shared bool) error {
			return kept.ChangeView(ctx, v.By, store.SavedView{ID: id, Name: name, Shared: shared})
		},
		Taken: store.ErrViewNameTaken, Other: "Another view of yours has this name.",
		Again: func(id, typed string, problem ui.Problem) error {
			return v.renderViews(http.StatusUnprocessableEntity, views.SavedViews{
				Changed: id, ChangedName: typed, Problems: []ui.Problem{problem},
			})
		},
	}
}
