package portal

import (
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// duplicateWindow is how far back a payment to the same account of the same amount is asked about.
const duplicateWindow = 7 * 24 * time.Hour

// showCheck shows everything once more. Nothing is submitted before this page.
func showCheck(v *visit) error {
	draft, err := v.openDraft()
	if err != nil {
		return err
	}
	if draft.MessageID != uuid.Nil {
		return v.echo.Redirect(http.StatusSeeOther, "/payments/"+draft.MessageID.String()+"/submitted")
	}
	asked, err := wishOf(draft)
	if err != nil {
		return err
	}
	if asked != nil {
		return v.showWishCheck(draft, *asked)
	}
	p, err := v.prepareDraft(draft)
	if err != nil {
		return err
	}
	if !p.fine() {
		return v.refuseDraft(p)
	}
	hits, err := v.duplicates(p)
	if err != nil {
		return err
	}
	return v.renderCheck(http.StatusOK, p, views.Check{Duplicates: hits})
}

// refuseDraft shows a draft that is no longer fine where it can be corrected: a day may have gone by, an account may be closed.
func (v *visit) refuseDraft(p prepared) error {
	if len(p.draft.File) > 0 {
		return v.refuseFile(p.draft.FileName, p.draft.File, p.findings)
	}
	model := views.NewPayment{
		Action: "/payments/" + p.draft.ID.String() + "/edit", Scheme: string(p.draft.Scheme), Values: p.answers.Values,
	}
	err := v.markAmending(&model, p.draft.Amends)
	if err != nil {
		return err
	}
	return v.refuseForm(model, p)
}

// duplicates finds payments like this one, but not the one it amends.
func (v *visit) duplicates(p prepared) ([]views.Duplicate, error) {
	similar, err := v.cfg.Reader.SimilarTo(v.ctx(), v.by.Realm, p.preview.Summary, v.at.Add(-duplicateWindow), p.draft.Amends)
	if err != nil {
		return nil, err
	}
	hits := make([]views.Duplicate, 0, len(similar))
	for _, s := range similar {
		hits = append(hits, views.Duplicate{
			Reference: string(s.GlobalID), URL: "/payments/" + s.MessageID.String(), At: ui.DateTime(s.CreatedAt) + " by " + s.MakerName,
			State: string(s.State),
		})
	}
	return hits, nil
}

// renderCheck completes the page; the given model holds what the submission added.
func (v *visit) renderCheck(status int, p prepared, model views.Check) error {
	base := "/payments/" + p.draft.ID.String()
	model.Shell = v.shell("Check your answers", views.PlaceNew)
	model.Shell.Failed = len(model.Problems) > 0
	model.Action, model.ChangeURL = base+"/submit", base+"/edit"
	model.Amount, model.CreditorName = amountView(p.preview.Summary.Amount), p.preview.Summary.CreditorName
	model.Amends, model.NeedsApproval = p.draft.Amends != uuid.Nil, p.preview.ApprovalsRequired > 0
	model.Transliterated, model.Groups = p.made.transliterated, v.checkGroups(p)
	model.Next = nextSteps(payment.KindInstruction, payment.Policy{
		ApprovalsRequired: p.preview.ApprovalsRequired, PendingFor: p.preview.PendingFor,
	})
	if len(p.draft.File) > 0 {
		model.Warnings = append(model.Warnings, fileWarnings(p.draft)...)
	}
	return v.render(status, views.CheckPage(model))
}

// policyOf is what the policy a message was made under still says of it.
func policyOf(m payment.Message) payment.Policy {
	return payment.Policy{ApprovalsRequired: m.ApprovalsRequired, PendingFor: m.ExpiresAt.Sub(m.CreatedAt)}
}

// nextSteps says what happens after the submission.
func nextSteps(kind payment.Kind, policy payment.Policy) []string {
	sent, result := whatFollows(kind), "You see the result under My submissions."
	switch policy.ApprovalsRequired {
	case 0:
		return []string{"It is sent at once, without an approval. " + sent, result}
	case 1:
		return []string{
			"Another person compares it and approves or rejects it, within " + span(policy.PendingFor) + ".",
			"Once approved it is sent at once. " + sent, result,
		}
	}
	return []string{
		ui.Plural(policy.ApprovalsRequired, "other person") + " compare it, one after the other, within " + span(policy.PendingFor) + ".",
		"Once approved it is sent at once. " + sent, result,
	}
}

// whatFollows is what sending a message of a kind means.
func whatFollows(kind payment.Kind) string {
	switch kind {
	case payment.KindRecall:
		return "The other bank sends the money back or refuses. A payment can be recalled once."
	case payment.KindReturn:
		return "The money goes back, and that is final."
	case payment.KindResolution:
		return "It ends the recall: the money stays."
	case payment.KindInstruction, payment.KindPayment, payment.KindReceivedRecall:
	}
	return "It is final. The way back is a recall."
}

// span writes a time limit in its largest whole unit.
func span(limit time.Duration) string {
	switch {
	case limit >= 48*time.Hour:
		return ui.Plural(int(limit.Hours()/24), "day")
	case limit >= time.Hour:
		return ui.Plural(int(limit.Hours()), "hour")
	}
	return ui.Plural(int(limit.Minutes()), "minute")
}

func (v *visit) checkGroups(p prepared) []views.CheckGroup {
	info, tx, _ := p.made.document.SinglePayment()
	summary := p.preview.Summary
	change := func(row ui.Row) ui.Row {
		if len(p.draft.File) == 0 {
			row.ChangeURL, row.ChangeName = "/payments/"+p.draft.ID.String()+"/edit", strings.ToLower(row.Term[:1])+row.Term[1:]
		}
		return row
	}
	creditor := ui.Row{Term: "IBAN", Value: ui.GroupFours(summary.CreditorAccount), Numeric: true}
	if bank := bankName(summary.CreditorAccount, summary.CreditorAgent); bank != "" {
		creditor.Details = []string{bank}
	}
	address := ui.Row{Term: "Address", Value: "None"}
	if lines := addressLines(tx.Creditor.PostalAddress); len(lines) > 0 {
		address.Value, address.Details = lines[0], lines[1:]
	}
	execution := "Immediately, once approved"
	if p.preview.ApprovalsRequired == 0 {
		execution = "Immediately"
	}
	kind, text := remittanceOf(tx.RemittanceInformation)
	remittance := ui.Row{Term: "Reference", Value: "None"}
	if kind != remittanceNone {
		remittance = ui.Row{Term: remittanceName(kind), Value: remittanceShown(kind, text), Numeric: kind != remittanceText}
	}
	return []views.CheckGroup{
		{Title: "From", Rows: []ui.Row{change(ui.Row{
			Term: "Account", Value: ui.GroupFours(summary.DebtorAccount), Details: []string{info.Debtor.Name}, Numeric: true,
		})}},
		{Title: "To", Rows: []ui.Row{change(ui.Row{Term: "Name", Value: summary.CreditorName}), change(creditor), change(address)}},
		{Title: "Amount", Rows: []ui.Row{
			change(ui.Row{Term: "Amount", Value: summary.Amount.Format(), Numeric: true}), {Term: "Execution", Value: execution},
		}},
		{Title: "Reference", Rows: []ui.Row{
			change(remittance), change(ui.Row{Term: "End-to-end ID", Value: summary.EndToEndID, Numeric: true}),
		}},
	}
}

// fileWarnings names the file a payment came in.
func fileWarnings(draft store.Draft) []views.Warning {
	return []views.Warning{{Title: "From the file " + draft.FileName, Text: "To change something, correct the file and upload it again."}}
}

// showSubmitted confirms a submission. It may be opened again at any time.
func showSubmitted(v *visit) error {
	m, err := v.readable()
	if err != nil {
		return err
	}
	next := nextSteps(m.Kind, policyOf(m))
	if m.State != payment.StateApprovalPending {
		next = []string{"It is " + strings.ToLower(ui.StateLabel(string(m.State))) + " now. You see what follows under My submissions."}
	}
	return v.render(http.StatusOK, views.SubmittedPage(views.Submitted{
		Shell: v.shell("Submitted", views.PlaceMine), Message: messageView(m), Next: next,
	}))
}

// readable loads the message the path names for somebody who may read payments.
func (v *visit) readable() (payment.Message, error) {
	err := payment.MayRead(v.by)
	if err != nil {
		return payment.Message{}, err
	}
	return v.message()
}

// message loads the message the path names.
func (v *visit) message() (payment.Message, error) {
	id, err := v.id("id")
	if err != nil {
		return payment.Message{}, err
	}
	return v.cfg.Reader.Message(v.ctx(), v.by.Realm, id)
}
