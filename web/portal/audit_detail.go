package portal

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"countersign/internal/administration"
	"countersign/internal/auditlog"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// eventWords names an event; an unknown event keeps its stored name.
func eventWords(event string) i18n.Text {
	if words, known := auditlog.RealmEvents[event]; known {
		return words
	}
	kind, step, _ := strings.Cut(event, ".")
	step, refused := strings.CutSuffix(step, "-refused")
	words, known := actionWords[payment.Action(strings.ReplaceAll(step, "-", " "))]
	switch {
	case !known:
		return i18n.Data(event)
	case refused:
		words = i18n.Text("%s (attempt refused)").With(words)
	}
	return i18n.Text("%s: %s").With(ui.KindLabel(strings.ReplaceAll(kind, "-", " ")), words)
}

// auditedSteps are the steps of people, whose events the trail is searched for.
var auditedSteps = []payment.Action{
	payment.ActionSubmit, payment.ActionAmend, payment.ActionWithdraw, payment.ActionApprove, payment.ActionReject, payment.ActionAsk,
	payment.ActionAnswer,
}

// eventOptions are the events that the trail can be narrowed to, and the one in the address.
func eventOptions(chosen string) []ui.Option {
	options := []ui.Option{{Label: "All events"}}
	add := func(event string) { options = append(options, ui.Option{Value: event, Label: eventWords(event)}) }
	for _, kind := range []payment.Kind{payment.KindInstruction, payment.KindRecall, payment.KindReturn, payment.KindResolution} {
		for _, step := range auditedSteps {
			add(auditlog.EventOf(string(kind), string(step)))
		}
	}
	for _, event := range slices.Sorted(maps.Keys(auditlog.RealmEvents)) {
		add(event)
	}
	if chosen != "" && !slices.ContainsFunc(options, func(o ui.Option) bool { return o.Value == chosen }) {
		add(chosen)
	}
	return options
}

// auditDetail holds the members of the details of all events (package auditlog).
type auditDetail struct {
	From, To, Refused, Reason string
	Change, Kind, Subject     string
	Factor, Name, Purpose     string
	Ended                     json.RawMessage // an id, or rights
	Granted                   []auditlog.AuditRight
	Rows                      json.RawMessage // some, or how many
	Accounts, Clients         []json.RawMessage
}

// detailWords describes the stored detail of an event; a detail of another form is shown unchanged.
func detailWords(e store.HistoryEvent) i18n.Text {
	var d auditDetail
	err := json.Unmarshal([]byte(e.Detail), &d)
	reason := cmp.Or(e.Reason, views.RejectReason(d.Reason))
	switch {
	case err != nil:
		return i18n.Data(e.Detail)
	case d.Refused != "":
		return i18n.Text("Refused: %s").With(reason)
	case d.From != "" && d.To != "":
		return because(moveWords(d.From, d.To), reason)
	case e.Event == auditlog.EventUserRights:
		return d.rights()
	case d.Kind != "":
		return because(d.change(), reason)
	case d.Factor != "":
		return d.factor()
	case e.Event == auditlog.EventAccessReview:
		return i18n.Text("Access confirmed for %d user accounts and clients").With(len(d.Accounts) + len(d.Clients))
	case e.Event == auditlog.EventRealmRows:
		return i18n.Text("Master data records saved: %d").With(d.rows())
	case len(d.Ended) > 0:
		return endWords(d.Reason)
	case d.Subject != "":
		return because(i18n.Data(d.Subject), reason)
	}
	return i18n.Data(e.Detail)
}

// because appends a reason to a text; an empty reason adds nothing.
func because(words, reason i18n.Text) i18n.Text {
	if reason == "" {
		return words
	}
	return i18n.Text("%s: %s").With(words, storedReason(reason))
}

// moveWords describes a move from one state to another, or into the first one.
func moveWords(from, to string) i18n.Text {
	switch from {
	case "None":
		return ui.StateLabel(to)
	case to:
		return i18n.Join(", ", ui.StateLabel(to), "as before")
	}
	return i18n.Join(" → ", ui.StateLabel(from), ui.StateLabel(to))
}

// change names a change of master data as the page of the change does.
func (d auditDetail) change() i18n.Text {
	words := ChangeHeading(administration.Kind(d.Kind), d.Subject)
	if words == "" || administration.Kind(d.Kind).DecidedUnder() != identity.RoleAdministrator {
		return i18n.Data(d.Kind + " " + d.Subject)
	}
	return words
}

// rights describes the given and ended roles of an account.
func (d auditDetail) rights() i18n.Text {
	var ended []auditlog.AuditRight
	_ = json.Unmarshal(d.Ended, &ended) // of what is no list there are none
	var parts []i18n.Text
	for _, part := range []struct {
		words  i18n.Text
		rights []auditlog.AuditRight
	}{{"Roles given to %s: %s", d.Granted}, {"Roles removed from %s: %s", ended}} {
		roles := make([]identity.Role, len(part.rights))
		for i, right := range part.rights {
			roles[i] = identity.Role(right.Role)
		}
		if len(roles) > 0 {
			parts = append(parts, part.words.With(d.Subject, RoleWords(roles)))
		}
	}
	return i18n.Join("; ", parts...)
}

// factor describes a second factor with the purpose of its use.
func (d auditDetail) factor() i18n.Text {
	kinds := map[string]i18n.Text{
		string(identity.FactorTOTP): "Authenticator app", string(identity.FactorPasskey): "Passkey",
		string(identity.FactorRecovery): "Recovery codes",
	}
	purposes := map[string]i18n.Text{
		string(identity.PurposeSignIn): "to sign in", string(identity.PurposeApproval): "to approve",
		string(identity.PurposeProfile): "to change the second factors",
	}
	words := kinds[d.Factor]
	if d.Name != "" && d.Factor != string(identity.FactorRecovery) {
		words = i18n.Join(" ", words, i18n.Data(d.Name))
	}
	if purpose, known := purposes[d.Purpose]; known {
		words = i18n.Join(", ", words, purpose)
	}
	return words
}

// rows returns the number of rows that the event lists.
func (d auditDetail) rows() int {
	var rows []json.RawMessage
	_ = json.Unmarshal(d.Rows, &rows) // what is no list tells of none
	return len(rows)
}

// endWords describes why a session or a sign-in ended.
func endWords(reason string) i18n.Text {
	words, known := map[string]i18n.Text{
		"sign-out": "Signed out", "logout": "Signed out", "sign-in": "Signed out by a new sign-in with the same browser",
		"ended": "Signed out by the same user from another session", "elsewhere": "The checker signed in elsewhere",
		"revocation": "Signed out by the system", "reuse": "A token was used more than once",
	}[reason]
	if !known {
		return i18n.Data(reason)
	}
	return words
}

// changeURL returns the address at which the reader of the trail can read the change of an event; "" for none.
func (v *Request) changeURL(stored string) string {
	var d auditDetail
	err := json.Unmarshal([]byte(stored), &d)
	administrators := err == nil && d.Change != "" &&
		(d.Kind == "" || administration.Kind(d.Kind).DecidedUnder() == identity.RoleAdministrator)
	switch {
	case administrators && v.By.Has(identity.RoleAdministrator):
		return "/admin/changes/" + d.Change
	case administrators && v.By.Has(identity.RoleSupervisor):
		return "/reports/changes/" + d.Change
	}
	return ""
}
