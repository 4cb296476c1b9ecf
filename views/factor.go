package views

import (
	"encoding/base64"
	"time"

	"github.com/a-h/templ"

	"countersign/internal/i18n"
	"countersign/views/ui"
)

// Passkey is a request for a passkey for the page's script; the zero Passkey requests none.
type Passkey struct {
	Question string // JSON
	Ticket   string // comes back with the answer
}

// Asked reports whether there is a question.
func (p Passkey) Asked() bool { return p.Question != "" }

// Proof holds the fields that authorise a change of second factors: the password, and a present factor if there is one. Forms send
// password, and factorCode or passkeyTicket and passkeyResponse.
type Proof struct {
	HasFactor bool
	Passkey   Passkey
	Problems  []ui.Problem
}

func (p Proof) password() ui.Field {
	return ui.Field{
		ID: "password", Label: "Your password", Kind: "password", Autocomplete: "current-password",
		Problem: ui.ProblemOf(p.Problems, "password"),
	}
}

func (p Proof) code() ui.Field {
	return ui.Field{
		ID: "factorCode", Label: "Code from a second factor you already have",
		Hint:         "Enter the six-digit code from your app, or a recovery code. You can use each code only once.",
		Autocomplete: "one-time-code", Width: "w-10", Problem: ui.ProblemOf(p.Problems, "factorCode"),
	}
}

// SignInFactor is the second half of a sign-in. POST /signin/factor sends factorCode, or passkeyTicket and passkeyResponse.
type SignInFactor struct {
	Layout   Layout
	UserName string
	Apps     bool // there is an authenticator app
	Passkey  Passkey
	Problems []ui.Problem
}

func (m SignInFactor) code() ui.Field {
	field := ui.Field{
		ID: "factorCode", Label: "Recovery code", Hint: "Enter one of the recovery codes that you saved. You can use each code only " +
			"once.", Autocomplete: "one-time-code",
		Width: "w-10", Problem: ui.ProblemOf(m.Problems, "factorCode"),
	}
	if m.Apps {
		field.Label, field.Hint = "Code", "Enter the six-digit code from your authenticator app, or a recovery code. You can use each code "+
			"only once."
	}
	return field
}

// offered says why a person may want a second factor where nothing requires one.
const offered i18n.Text = "Two-step sign-in protects your account if somebody learns your password. To sign in, you also enter a code " +
	"or use a passkey."

// Factors is the list of a person's second factors.
type Factors struct {
	Layout Layout
	List   []Factor
	Wanted bool // the realm asks for one, and there is none yet
}

// Factor is a second factor.
type Factor struct {
	ID         string
	Kind       string // totp, passkey, recovery
	Name       string
	MadeAt     time.Time
	LastUsedAt time.Time
	CodesLeft  int
}

func (f Factor) kind() i18n.Text {
	switch f.Kind {
	case "totp":
		return "Authenticator app"
	case "passkey":
		return "Passkey"
	}
	return i18n.Text("%d codes left").With(f.CodesLeft)
}

// name returns the name the person gave; recovery codes have no name of their own.
func (f Factor) name() i18n.Text {
	if f.Kind == "recovery" {
		return "Recovery codes"
	}
	return i18n.Data(f.Name)
}

func (f Factor) removable() bool { return f.Kind != "recovery" }

// NewApp adds an authenticator app. POST /me/factors/app sends held, name, code and the proof.
type NewApp struct {
	Layout   Layout
	Key      string // base32
	QR       []byte // PNG
	Held     string
	Name     string
	Proof    Proof
	Problems []ui.Problem
}

func (m NewApp) picture() templ.SafeURL {
	return templ.SafeURL("data:image/png;base64," + base64.StdEncoding.EncodeToString(m.QR))
}

// groups formats the key in groups of four, as people type it.
func (m NewApp) groups() string {
	grouped := ""
	for at := 0; at < len(m.Key); at += 4 {
		if at > 0 {
			grouped += " "
		}
		grouped += m.Key[at:min(at+4, len(m.Key))]
	}
	return grouped
}

func (m NewApp) code() ui.Field {
	return ui.Field{
		ID: "code", Label: "Code shown in the app", InputMode: "numeric", Autocomplete: "one-time-code", Width: "w-10",
		Problem: ui.ProblemOf(m.Problems, "code"),
	}
}

func factorName(value string, problems []ui.Problem) ui.Field {
	return ui.Field{
		ID: "name", Label: "Name", Hint: "For example, work phone", Value: value, Width: "w-20",
		Problem: ui.ProblemOf(problems, "name"),
	}
}

// NewPasskey adds a passkey. POST /me/factors/passkey sends name, passkeyTicket, passkeyResponse and the proof.
type NewPasskey struct {
	Layout   Layout
	Question Passkey
	Name     string
	Proof    Proof
	Problems []ui.Problem
}

// RemoveFactor removes a factor. POST /me/factors/{id}/remove sends the proof.
type RemoveFactor struct {
	Layout Layout
	Factor Factor
	Last   bool // the recovery codes go too
	Proof  Proof
}

// RecoveryCodes shows new recovery codes once, or the button that makes new ones. POST /me/factors/codes sends the proof.
type RecoveryCodes struct {
	Layout Layout
	Codes  []string
	Proof  Proof
}
