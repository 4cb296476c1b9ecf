package portal

import (
	"errors"
	"net/http"
	"time"

	"countersign/internal/i18n"
	"countersign/internal/iso20022"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// showCheckPage shows the check page of a recall, return or resolution, with problems if there are any. A draft that is no longer correct
// goes back to its form.
func (v *Request) showCheckPage(draft store.Draft, f form, status int, problems []ui.Problem) error {
	a, err := v.check(f)
	if err != nil {
		return err
	}
	a.draft = draft
	fine, err := v.passes(a)
	if err != nil || !fine {
		return err
	}
	policy := a.preview.About.Policy
	says := a.wording()
	model := views.RequestCheck{
		Layout: v.FormShell("Check your answers", rtransactionPlaces[f.Kind], status), Problems: problems, Checked: draft.Digest(),
		Action:    "/payments/" + draft.ID.String() + "/submit",
		ChangeURL: f.addressOf(draft.ID), Cards: v.cards(a.Subject), Title: says.title, Words: says.sentence(),
		Submit: says.submit(policy.ApprovalsRequired > 0), Next: NextSteps(f.Kind, policy, time.Time{}),
	}
	reason := a.reason()
	document, err := v.Config.Submission.RTransactionToClearing(v.By, f.asked(draft.ID, a.keeps), a.preview.About)
	if err != nil {
		return err
	}
	model.Message = a.message(document)
	banks, err := v.banks(model.Message.Message)
	if err != nil {
		return err
	}
	model.Message.Sent.Banks = banks
	by := saidIn(document).by
	model.Rows = append(model.Rows, ui.Row{
		Term: "Reason",
		Text: i18n.Text("%s (%s)").With(reason.Text, reason.Code),
	})
	if len(by.Information) > 0 { // as it is sent
		model.Rows = append(model.Rows, plainLines(by.Information))
	}
	if charge := a.keeps; !charge.IsZero() {
		model.Rows = append(model.Rows,
			ui.Row{Term: "Charge deducted", Value: charge.Format(), Numeric: true},
			ui.Row{Term: "Amount returned", Value: says.amount.Format(), Numeric: true})
	}
	for i := range model.Rows {
		model.Rows[i].ChangeURL, model.Rows[i].ChangeName = model.ChangeURL, model.Rows[i].Term
	}
	if by.Originator != "" { // the reason says who
		model.Rows = append(model.Rows, wantedBy(by, banks))
	}
	return v.Render(status, views.RequestCheckPage(model))
}

// message returns the message that the request would make, with the content of its document to clearing.
func (a asked) message(document iso20022.Document) views.Message {
	original := a.preview.About.Original
	m := payment.Message{
		Kind: a.form.Kind, Scheme: original.Scheme, Direction: payment.DirectionOut, Reason: a.Reason, Summary: original.Summary,
	}
	m.Summary.Amount = a.preview.Amount
	return views.Message{Message: m, Sent: views.SentOf(document, m, shownByRequest(original, saidIn(document))...)}
}

// passes reports whether a checked form is valid. If not, it has rendered the problem and the typed values.
func (v *Request) passes(a asked) (fine bool, err error) {
	if barred := a.barred(); barred != "" {
		return false, v.cannot(a, barred)
	}
	if len(a.problems) > 0 {
		return false, v.renderRequestForm(http.StatusUnprocessableEntity, a, views.RequestForm{Problems: a.problems})
	}
	return true, nil
}

// submitForm hands a checked form to the submission service. A repeat of the same draft is the same message.
func (v *Request) submitForm(draft store.Draft, f form) error {
	charge, problems, err := f.charge(money.Currency(f.Currency))
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return v.showCheckPage(draft, f, http.StatusOK, nil)
	}
	result, err := v.Config.Submission.CreateRTransaction(v.Context(), v.By, f.asked(draft.ID, charge))
	var refused *payment.RefusalError
	if errors.As(err, &refused) {
		return v.refuse(asked{form: f, draft: draft}, refused)
	}
	return v.Submitted(draft, result.Message.InternalID, err)
}

// refuse shows a refusal: beside the fields that caused it, else in place of the form.
func (v *Request) refuse(typed asked, refused *payment.RefusalError) error {
	a, err := v.previewRequest(typed.form)
	if err != nil {
		return err
	}
	a.draft = typed.draft
	problems := typed.form.problems(nil, refused.Findings)
	for _, p := range problems {
		if p.Field != "" {
			return v.renderRequestForm(http.StatusUnprocessableEntity, a, views.RequestForm{Problems: problems})
		}
	}
	return v.cannot(a, refusalText(refused))
}
