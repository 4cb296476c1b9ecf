package views

import (
	"github.com/a-h/templ"

	"countersign/internal/i18n"
	"countersign/views/ui"
)

// SetUp is the form for the code of a set-up link and a new password. POST to the address of the link sends code, password and repeated.
type SetUp struct {
	Layout   Layout
	UserName string // "" while it cannot be asked, after too many tries
	Realm    string
	Action   string // the address of the link
	Over     bool   // the link is no longer good: there is no form
	Problems []ui.Problem
}

// signIn is the address of the sign-in to the realm, with the page that follows it.
func (m SetUp) signIn(next string) templ.SafeURL {
	return templ.SafeURL(ui.Address("/signin", "realm", m.Realm, "next", next))
}

func (m SetUp) code() ui.Field {
	return ui.Field{
		ID: "code", Label: "Code", Hint: "The 6-digit code that an administrator gave you", Problem: ui.ProblemOf(m.Problems, "code"),
		InputMode: "numeric", Autocomplete: "one-time-code", Width: "w-10",
	}
}

func (m SetUp) password(id string, label, hint i18n.Text) ui.Field {
	return ui.Field{ID: id, Label: label, Hint: hint, Kind: "password", Autocomplete: "new-password", Problem: ui.ProblemOf(m.Problems, id)}
}
