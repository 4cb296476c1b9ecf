package views

import (
	"github.com/a-h/templ"

	"countersign/internal/i18n"
	"countersign/views/ui"
)

// SignIn is the sign-in form. POST /signin sends realm, username, password and next (where to go afterwards).
type SignIn struct {
	Layout   Layout
	Realm    string
	UserName string
	Next     string // path to return to; empty for the dashboard
	Ended    string // why the session ended, a key of endings; "" for no session that ended
	Problems []ui.Problem
	// Provider: the realm has an identity provider. AskRealm: it is not known which realm, so the way through its provider asks.
	Provider, AskRealm bool
	DemoHint           i18n.Text // shown in the demo only: which users there are
}

// The reasons for the end of a session in the address of the sign-in page, beside those of the store. EndedSomehow is an unknown reason.
const (
	EndedSomehow = "yes"
	EndedIdle    = "idle"
	EndedByAge   = "age"
)

// endedElsewhere has a notice of its own.
const endedElsewhere = "elsewhere"

// endings explain the end of a session.
var endings = map[string]i18n.Text{
	EndedIdle:  "You were signed out because you were inactive for 15 minutes, or for 5 minutes on an approval page.",
	EndedByAge: "A session lasts at most 12 hours.",
	"ended":    "You ended this session from another session.",
}

// EndedWords puts the reason for the end of a session, where it is known, before what follows from it.
func EndedWords(why string, follows i18n.Text) i18n.Text {
	if endings[why] == "" {
		return follows
	}
	return i18n.Join(" ", endings[why], follows)
}

func (m SignIn) field(id string, label i18n.Text, value string) ui.Field {
	return ui.Field{ID: id, Label: label, Value: value, Problem: ui.ProblemOf(m.Problems, id)}
}

func (m SignIn) userName() ui.Field {
	field := m.field("username", "User name", m.UserName)
	field.Autocomplete = "username"
	return field
}

func (m SignIn) password() ui.Field {
	field := m.field("password", "Password", "")
	field.Kind, field.Autocomplete = "password", "current-password"
	return field
}

// SignedOut is the page after signing out.
type SignedOut struct {
	Layout Layout
}

// in is the address of a page before the sign-in in another language; next is the page that follows the sign-in, or "".
func in(offered i18n.Language, path, next string) templ.SafeURL {
	return templ.SafeURL(ui.Address(path, "language", string(offered), "next", next))
}
