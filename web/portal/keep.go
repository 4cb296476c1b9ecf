package portal

import (
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/views"
	"countersign/views/ui"
)

// lateForms are the forms about the message or draft of their path: the page that shows such a form again, and the field of the text that
// the browser saves while it is typed. Bare forms have nothing to save.
var lateForms = map[string]struct {
	page, text string
	bare       bool
}{
	"/queue/:id/approve":           {page: "/queue/:id", bare: true},
	"/queue/:id/reject":            {page: "/queue/:id"},
	"/queue/:id/reject/keep":       {page: "/queue/:id", text: "reason"},
	"/queue/:id/ask":               {page: "/queue/:id/ask"},
	"/queue/:id/ask/keep":          {page: "/queue/:id/ask", text: "question"},
	"/payments/:id/submit":         {page: "/payments/:id/check"},
	"/payments/:id/check/keep":     {page: "/payments/:id/check", text: "duplicateReason"},
	"/payments/:id/withdraw":       {page: "/payments/:id/withdraw"},
	"/payments/:id/withdraw/keep":  {page: "/payments/:id/withdraw", text: "reason"},
	"/payments/:id/answer":         {page: "/payments/:id/answer"},
	"/payments/:id/answer/keep":    {page: "/payments/:id/answer", text: "answer"},
	"/payments/batches/:id/submit": {page: "/payments/batches/:id", bare: true},
}

// keepLate saves such a form that was sent, or typed, after the session ended, for the session's person. It returns the address that opens
// it again; "" for another form, and for one about nothing.
func keepLate(v *Request) (string, error) {
	form, ours := lateForms[v.Echo.Path()]
	id, err := v.ID("id")
	if !ours || err != nil {
		return "", nil //nolint:nilerr // a form about nothing is not kept
	}
	page := strings.Replace(form.page, ":id", id.String(), 1)
	if strings.HasPrefix(page, ApprovalPath) {
		page += ReadFilter(v.Echo.QueryParams(), "/queue").Query()
	}
	switch {
	case form.bare:
		return page, nil
	case form.text != "": // the answer may be lost, because the page sends the form while it is closed
		_, err = v.keepTyped(id, form.text)
		return page, err
	}
	return v.Park(page, nil, "")
}

// keptReject loads the unsent rejection form of this person about a message.
func (v *Request) keptReject(about uuid.UUID) (views.Reject, error) {
	kept, err := v.Unsent(about)
	if err != nil || kept.ID == "" || !kept.Fields.Has("reason") {
		return views.Reject{}, err
	}
	reason := strings.ReplaceAll(kept.Fields.Get("reason"), "\r\n", "\n")
	return views.Reject{
		Open: true, Category: kept.Fields.Get("category"), Reason: reason, KeptAt: ui.ShortTime(kept.At, v.At),
	}, nil
}

// keepReject saves the reason of a rejection while it is typed, for a person who may decide the message or could before somebody else did.
func keepReject(v *Request, m payment.Message) error {
	err := m.MayDecide(v.By)
	if err != nil {
		return err
	}
	if decidedBy(m, v.By) {
		return v.Render(http.StatusOK, views.DraftKept(views.Kept{})) // it was sent meanwhile: there is nothing to keep
	}
	return v.KeepTyped(m.InternalID, "reason")
}

// decidedBy reports whether the person decided the message as it is now.
func decidedBy(m payment.Message, by identity.Principal) bool {
	return slices.ContainsFunc(m.Decisions, func(d payment.Decision) bool { return d.PersonID == by.PersonID })
}

// typed loads the unsent text of this person about a message, from the form of a rejection or after another person decided the message.
func (v *Request) typed(m payment.Message) (views.Decision, error) {
	kept, err := v.keptReject(m.InternalID)
	if err != nil || m.State.Pending() {
		return views.Decision{Reject: kept}, err
	}
	if kept.Reason == "" || decidedBy(m, v.By) {
		return views.Decision{}, nil
	}
	conflict := Conflict(&payment.StateError{Message: m}, m, kept.Reason)
	return views.Decision{Conflict: conflict}, v.leadOn(conflict, m)
}

// askCategory renders the form again because the category of the reason is missing, with all other problems of the form.
func (v *Request) askCategory(typed views.Reject) error {
	m, err := v.Readable()
	if err != nil {
		return err
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	said := readVerdict(m.InternalID, form)
	if !said.whole || said.input.Version != m.Version || *said.input.ContentHash != m.ContentHash {
		return v.refuseDecision(m, &payment.ContentError{Message: m}, typed)
	}
	_, err = m.Reject(payment.Verdict{By: v.By, At: v.At}, "-") // asks the domain; nothing is stored
	if err != nil {
		return v.refuseDecision(m, err, typed)
	}
	added := views.Decision{Reject: typed, Problems: []ui.Problem{{Field: "category", Text: "Choose a reason for the rejection."}}}
	if strings.TrimSpace(typed.Reason) == "" {
		added.Problems = append(added.Problems, ui.Problem{
			Field: "reason", Text: "Enter a reason for the rejection. The maker will see your reason.", Code: "CH21",
		})
	}
	if !v.Fragment() {
		return v.renderReject(http.StatusUnprocessableEntity, m, added)
	}
	return v.renderDecision(http.StatusUnprocessableEntity, m, added)
}
