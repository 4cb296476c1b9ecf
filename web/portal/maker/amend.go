package maker

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/google/uuid"

	"countersign/internal/entry"
	"countersign/internal/iso20022"
	"countersign/internal/language"
	"countersign/internal/payment"
	"countersign/views"
	"countersign/views/ui"
	"countersign/web/portal/page"
	"countersign/web/portal/records"
)

// markAmending names the submission a form amends, if it amends one.
func (v *visit) markAmending(model *views.NewPayment, id uuid.UUID) error {
	if id == uuid.Nil {
		return nil
	}
	m, err := v.Config.Reader.Message(v.Context(), v.By.Realm, id)
	if err != nil {
		return err
	}
	model.Amending = amending(m)
	return nil
}

// amending names a submission above the form that amends it.
func amending(m payment.Message) *views.Amending {
	return &views.Amending{Reference: string(m.GlobalID), URL: "/payments/" + m.InternalID.String()}
}

// amendable loads the message of the path for an amendment and tells why it cannot be amended here.
func (v *visit) amendable() (payment.Message, *iso20022.CustomerCreditTransferInitiation, error) {
	m, err := v.Message()
	if err != nil {
		return m, nil, err
	}
	if m.Kind != payment.KindInstruction {
		return m, nil, payment.ErrNotFound
	}
	_, err = m.Amend(v.By, payment.Draft{}, v.At) // asks the domain; nothing is stored
	if err != nil {
		return m, nil, err
	}
	err = m.Trusted()
	if err != nil {
		return m, nil, err
	}
	document, err := payment.DocumentOf(m)
	if err != nil {
		return m, nil, err
	}
	account, err := v.debtorAccount(m.Summary.DebtorAccount)
	if err != nil {
		return m, nil, err
	}
	if !entry.FitsForm(m.Scheme, document, account) {
		return m, nil, &payment.ForbiddenError{
			Text: "This payment says more than the form can hold. Amend it where it came from, or withdraw it and submit a new one.",
		}
	}
	return m, document, nil
}

// showAmend is the form filled from a submission that waits.
func showAmend(v *visit) error {
	m, document, err := v.amendable()
	if err != nil {
		return v.cannotAmend(m, err)
	}
	model := views.NewPayment{
		Action: "/payments/" + m.InternalID.String() + "/amend?version=" + strconv.Itoa(m.Version), Scheme: string(m.Scheme),
		Values: views.PaymentValues(entry.ValuesOf(document)), Amending: amending(m),
	}
	return v.renderForm(http.StatusOK, model)
}

// checkAmend takes the form and keeps it as a draft that amends the submission. The scheme of a submission stays.
func checkAmend(v *visit) error {
	m, _, err := v.amendable()
	if err != nil {
		return v.cannotAmend(m, err)
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	seen, err := strconv.Atoi(v.Echo.QueryParam("version"))
	if err != nil {
		seen = m.Version
	}
	model := views.NewPayment{
		Action: "/payments/" + m.InternalID.String() + "/amend?version=" + strconv.Itoa(seen), Scheme: string(m.Scheme),
		Values: typed(form), Amending: amending(m),
	}
	if switched := form.Get("switchScheme"); switched != "" {
		return v.renderForm(http.StatusOK, model)
	}
	helped, err := v.helped(model, form)
	if helped || err != nil {
		return err
	}
	draft, err := v.newDraft(m.Scheme, entry.Values(model.Values))
	if err != nil {
		return err
	}
	draft.Amends, draft.AmendsVersion = m.InternalID, seen
	return v.checkForm(model, draft, v.Config.Drafts.Add)
}

// cannotAmend answers when the submission is not to be amended (any more).
func (v *visit) cannotAmend(m payment.Message, err error) error {
	sentence, lost := page.LostTo(err)
	if !lost {
		return err
	}
	shell := v.Shell("Too late", views.PlaceMine)
	return v.Render(http.StatusConflict, views.ProblemPage(views.Problem{
		Shell: shell, Heading: "This payment can no longer be amended", Text: sentence,
		NextLabel: "Show the payment", NextURL: "/payments/" + m.InternalID.String(),
	}))
}

// showWithdraw asks for the reason before a submission is taken back.
func showWithdraw(v *visit) error {
	m, err := v.Message()
	if err != nil {
		return err
	}
	_, err = m.Withdraw(v.By, "", v.At) // asks the domain; nothing is stored
	kept, lost := v.Unpark()
	if lost != nil {
		return lost
	}
	return v.renderWithdraw(m, views.Withdraw{Version: m.Version, Reason: kept.Fields.Get("reason")}, err)
}

// withdraw takes a submission back, in the version its maker saw.
func withdraw(v *visit) error {
	m, err := v.Message()
	if err != nil {
		return err
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	model := views.Withdraw{Version: m.Version, Reason: form.Get("reason")}
	if form.Get("version") != strconv.Itoa(m.Version) {
		return v.renderWithdraw(m, model, &payment.ContentError{Message: m})
	}
	seen, err := v.Config.Submission.Withdraw(v.Context(), v.By, m.InternalID, model.Reason)
	if err != nil {
		return v.renderWithdraw(seen, model, err)
	}
	return v.GoTo("/mine", language.Text("%s is withdrawn.").With(m.GlobalID))
}

// renderWithdraw shows the question, with what stood in the way when there is a cause.
func (v *visit) renderWithdraw(m payment.Message, model views.Withdraw, cause error) error {
	status := http.StatusOK
	model.Conflict = page.Conflict(cause, m, model.Reason)
	var malformed *payment.FieldError
	switch {
	case model.Conflict != nil:
		status = http.StatusConflict
		model.Conflict.Lost, model.Conflict.NextURL, model.Conflict.NextLabel = "It was not withdrawn.", "/mine", "Go to my submissions"
	case errors.As(cause, &malformed):
		status = http.StatusUnprocessableEntity
		for _, f := range malformed.Findings {
			model.Problems = append(model.Problems, ui.Problem{Field: "reason", Text: language.Sentence(f.Text), Code: f.Code})
		}
	case cause != nil:
		return cause
	}
	var err error
	model.Message, err = records.FullMessage(v.Visit, m)
	if err != nil {
		return err
	}
	model.Shell = v.Shell("Withdraw", views.PlaceMine)
	model.Shell.Failed = len(model.Problems) > 0
	return v.Render(status, views.WithdrawPage(model))
}
