package portal

import (
	"errors"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/views/ui"
)

// Named describes a list of saved names of a person, views or templates: its rules for a name and its changes.
type Named struct {
	Limit int       // characters of a name
	Empty i18n.Text // refusal of an empty name

	List   string // address of the page that lists them
	Remove func(id uuid.UUID) error
	// Change renames one and shares it or not. It fails with Taken when another one of theirs has the name.
	Change func(id uuid.UUID, name string, shared bool) error
	Taken  error
	Other  i18n.Text // refusal when Change fails with Taken
	// Again shows the list with the typed text and the problem of the entry with this id.
	Again func(id, typed string, problem ui.Problem) error
}

// Name is the name of a form as it is stored: without spaces around it, and without marks that turn the text of a page around, because
// others read a name that is shared.
func (n Named) Name(form url.Values) string {
	read := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, Searchable(form.Get("name")))
	return strings.Join(strings.Fields(read), " ")
}

// Wrong returns the problem with a name; "" for none.
func (n Named) Wrong(name string) i18n.Text {
	switch length := utf8.RuneCountInString(name); {
	case !strings.ContainsFunc(name, unicode.IsGraphic): // nothing of it can be seen
		return n.Empty
	case length > n.Limit:
		return i18n.Text("Shorten the name to %d characters.").With(n.Limit)
	}
	return ""
}

// ChangeNamed renames, shares, unshares or removes the named entry in the path, as the form requests.
func (v *Visit) ChangeNamed(n Named) error {
	id, err := v.ID("id")
	if err != nil {
		return err
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	if form.Get("act") == "remove" {
		err = n.Remove(id)
		if err != nil {
			return err
		}
		return v.GoTo(n.List, "Removed.")
	}
	name := n.Name(form)
	problem := n.Wrong(name)
	if problem == "" {
		err = n.Change(id, name, form.Get("shared") == "yes")
	}
	if errors.Is(err, n.Taken) {
		problem = n.Other
	} else if err != nil {
		return err
	}
	if problem != "" {
		return n.Again(id.String(), form.Get("name"), ui.Problem{Field: "name-" + id.String(), Text: problem})
	}
	return v.GoTo(n.List, i18n.Text("Saved as “%s”.").With(name))
}
