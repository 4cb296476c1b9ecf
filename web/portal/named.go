package portal

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/views"
	"countersign/views/ui"
)

// named describes a list of entries that a person saves by name (views or templates): its page, refusals and changes.
type named struct {
	page  views.NamedList
	after string // the page that follows a new entry

	empty, other, most i18n.Text // refusals of an empty name, of a name that is taken, and of an entry too many
	taken, full        error

	list    func() ([]views.NamedEntry, error)
	save    func(id uuid.UUID, name string, shared bool) error
	unsaved i18n.Text // why what the address names cannot be saved; "" when it can
	change  func(id uuid.UUID, name string, shared bool) error
	remove  func(id uuid.UUID) error
}

// nameIn returns the name in a form as it is stored: trimmed, and without characters that reverse the direction of text, because others
// read a shared name.
func nameIn(form url.Values) string {
	read := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, Searchable(form.Get("name")))
	return strings.Join(strings.Fields(read), " ")
}

// wrong returns the problem with a name; "" for none.
func (n named) wrong(name string) i18n.Text {
	switch length := utf8.RuneCountInString(name); {
	case !strings.ContainsFunc(name, unicode.IsGraphic): // nothing of it can be seen
		return n.empty
	case length > n.page.Limit:
		return i18n.Text("Shorten the name to %d characters.").With(n.page.Limit)
	}
	return ""
}

// listNamed shows the list, and the form for a new entry when the address names one.
func (v *Request) listNamed(n named) error { return v.showNamed(http.StatusOK, n) }

func (v *Request) showNamed(status int, n named) (err error) {
	n.page.Layout = v.FormShell(n.page.Title, n.page.Place, status)
	n.page.Entries, err = n.list()
	if err != nil {
		return err
	}
	return v.Render(status, views.NamedPage(n.page))
}

// refuseNamed shows the list again with a problem beside a field.
func (v *Request) refuseNamed(n named, field string, problem i18n.Text) error {
	n.page.Problems = []ui.Problem{{Field: field, Text: problem}}
	return v.showNamed(http.StatusUnprocessableEntity, n)
}

// saveNamed stores the draft of the address under the name of the form.
func (v *Request) saveNamed(n named) error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	name, shared := nameIn(form), form.Get("shared") == "yes"
	problem := n.wrong(name)
	if problem == "" {
		problem = n.unsaved
	}
	if problem == "" {
		err = n.save(v.Config.NewID(), name, shared)
	}
	if errors.Is(err, n.full) {
		problem = n.most
	} else if err != nil {
		return err
	}
	if problem != "" {
		n.page.Name, n.page.Shared = form.Get("name"), shared
		return v.refuseNamed(n, "name", problem)
	}
	return v.GoTo(n.after, i18n.Text("Saved as “%s”.").With(name))
}

// changeNamed renames, shares, unshares or removes the entry in the path, as the form requests.
func (v *Request) changeNamed(n named) error {
	id, err := v.ID("id")
	if err != nil {
		return err
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	if form.Get("act") == "remove" {
		err = n.remove(id)
		if err != nil {
			return err
		}
		return v.GoTo(n.page.URL, "Entry removed.")
	}
	name := nameIn(form)
	problem := n.wrong(name)
	if problem == "" {
		err = n.change(id, name, form.Get("shared") == "yes")
	}
	if errors.Is(err, n.taken) {
		problem = n.other
	} else if err != nil {
		return err
	}
	if problem != "" {
		n.page.Changed, n.page.Typed = id.String(), form.Get("name")
		return v.refuseNamed(n, "name-"+id.String(), problem)
	}
	return v.GoTo(n.page.URL, i18n.Text("Saved as “%s”.").With(name))
}
