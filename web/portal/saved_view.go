package portal

import (
	"net/url"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// savedView is a saved view as pages show it. Its filter is parsed again, because an older version may have stored unknown parameters.
func savedView(one store.SavedView) views.NamedEntry {
	query, _ := url.ParseQuery(strings.TrimPrefix(one.Query, "?")) // what cannot be read narrows nothing
	f := ReadFilter(query, "/queue")
	return views.NamedEntry{
		ID: one.ID.String(), Name: one.Name, URL: "/queue" + savable(f), Words: i18n.Join(", ", f.Words()...), Shared: one.Shared,
		Own: one.Own, Owner: one.Owner,
	}
}

// viewTabs returns the saved views as tabs of the queue.
func (v *Request) viewTabs(f Filter) ([]ui.Tab, error) {
	saved, err := v.Config.Reader.Views(v.Context(), v.By)
	tabs := make([]ui.Tab, 0, len(saved)+1)
	here := "/queue" + savable(f)
	for _, one := range saved {
		shown := savedView(one)
		tabs = append(tabs, ui.Tab{
			Label: i18n.Data(shown.Name), Title: shown.Words, URL: shown.URL,
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

// savedViews returns the views of this person, and the filter in the address as a new one. A person without the right to read gets
// payment.ForbiddenError.
func (v *Request) savedViews() (named, error) {
	err := payment.MayRead(v.By)
	if err != nil {
		return named{}, err
	}
	ctx, desk := v.Context(), v.Config.Desk
	f := ReadFilter(v.Echo.QueryParams(), "/queue")
	query := savable(f)
	n := named{
		page: views.NamedList{
			Title: "Saved views", Place: views.PlaceQueue, Back: ui.Step{Label: "Back to the queue", URL: "/queue" + query}, URL: "/queue/views",
			Saved: i18n.Join(", ", f.Words()...), Limit: 40, Words: views.NamedWords{
				Heading: "Save this view of the queue", Save: "Save view", Sharing: "Visible to everyone in the realm",
				How: "Filter or sort the queue, then choose “Save as view” beside the filters.",
			},
		},
		after: "/queue" + query, empty: "Enter a name, such as “Large today”.", other: "You already have a view with this name.",
		most:  i18n.Text("You already have %d views, which is the maximum. Remove a view first.").With(store.MaxSavedViews),
		taken: store.ErrViewNameTaken, full: store.ErrTooManyViews,
		list: func() (entries []views.NamedEntry, err error) {
			saved, err := v.Config.Reader.Views(ctx, v.By)
			for _, one := range saved {
				entries = append(entries, savedView(one))
			}
			return entries, err
		},
		save: func(id uuid.UUID, name string, shared bool) error {
			return desk.SaveView(ctx, v.By, store.SavedView{ID: id, Name: name, Shared: shared, Query: query}, v.At)
		},
		change: func(id uuid.UUID, name string, shared bool) error {
			return desk.ChangeView(ctx, v.By, store.SavedView{ID: id, Name: name, Shared: shared})
		},
		remove: func(id uuid.UUID) error { return desk.RemoveView(ctx, v.By, id) },
	}
	switch {
	case query == "":
		n.unsaved = "Filter or sort the queue before you save it as a view."
	case len(query) > maxViewQuery:
		n.unsaved = "The search is too long to save as a view. Shorten the search."
	}
	if query != "" {
		n.page.SaveURL = "/queue/views" + query
	}
	return n, nil
}
