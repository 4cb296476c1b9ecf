package portal

import (
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/account"
	"countersign/internal/i18n"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// showCheck shows the whole draft for a last check. No form is submitted before this page; the ready lines of a file of many payments are
// submitted from its list.
func showCheck(v *Request, draft store.Draft) error {
	if draft.MessageID != uuid.Nil {
		return v.Echo.Redirect(http.StatusSeeOther, "/payments/"+draft.MessageID.String()+"/submitted")
	}
	return v.showDraft(draft, http.StatusOK, nil)
}

// showDraft renders the check page of a draft with problems above it.
func (v *Request) showDraft(draft store.Draft, status int, problems []ui.Problem) error {
	request, err := formIn(draft)
	if err != nil {
		return err
	}
	if request != nil {
		return v.showCheckPage(draft, *request, status, problems)
	}
	p, err := v.prepareDraft(draft)
	if err != nil {
		return err
	}
	if !p.fine() {
		return v.refuseDraft(p)
	}
	hits, _, err := v.duplicates(p, p.asked.Summary)
	if err != nil {
		return err
	}
	before, err := v.fileBefore(draft)
	if err != nil {
		return err
	}
	kept, err := v.Unsent(draft.ID)
	if err != nil {
		return err
	}
	return v.renderCheck(status, p, views.Check{
		Duplicates: hits, Acknowledged: kept.Fields.Get("duplicateAcknowledged") == "yes", Reason: kept.Fields.Get("duplicateReason"),
		Problems: problems, Before: before,
	})
}

// keepAnswer saves the reason for paying again while it is typed.
func keepAnswer(v *Request, draft store.Draft) error {
	return v.KeepTyped(draft.ID, "duplicateReason")
}

// refuseDraft shows the form of a draft that became invalid: its day may have passed, or an account was closed.
func (v *Request) refuseDraft(p prepared) error {
	if len(p.draft.File) > 0 {
		return v.refuseOrder(p.draft, v.readFile(p.draft.File), p.findings)
	}
	model := draftForm(p.draft, p.values)
	err := v.markAmending(&model, p.draft.Amends)
	if err != nil {
		return err
	}
	return v.refuseForm(model, p)
}

// duplicates finds payments like this one, but not the one it amends.
func (v *Request) duplicates(p prepared, summary payment.Summary) ([]views.Duplicate, *payment.SeenAlike, error) {
	seen := &payment.SeenAlike{Since: v.At.Add(-store.DuplicateWindow)}
	similar, err := v.Config.Reader.SimilarTo(v.Context(), v.By.Realm, store.Likeness{
		Summary: summary, Since: seen.Since, Except: p.draft.Amends,
	})
	if err != nil {
		return nil, nil, err
	}
	hits := make([]views.Duplicate, 0, len(similar))
	for _, s := range similar {
		seen.IDs = append(seen.IDs, s.MessageID)
		hits = append(hits, views.Duplicate{
			Reference: string(s.GlobalID), URL: "/payments/" + s.MessageID.String(), State: s.State,
			At: i18n.Join(" ", i18n.Data(ui.DateTime(s.CreatedAt)), i18n.Text("by %s").With(s.MakerName)),
		})
	}
	return hits, seen, nil
}

// renderCheck completes the page; the given model holds the additions of the submission.
func (v *Request) renderCheck(status int, p prepared, model views.Check) error {
	base := "/payments/" + p.draft.ID.String()
	place := views.PlaceNew
	if p.draft.Amends != uuid.Nil {
		place = views.PlaceMine
	}
	model.Layout = v.FormShell("Check your answers", place, status)
	model.Action, model.ChangeURL, model.KeepURL = base+"/submit", base+"/edit", base+"/check/keep"
	model.Checked = p.draft.Digest()
	found, err := v.payeeOf(p)
	if err != nil {
		return err
	}
	model.Payee = payeeView(p, found)
	model.Apart, err = v.differences(p, p.asked.Summary)
	if err != nil {
		return err
	}
	err = v.nameApprovers(p, &model)
	if err != nil {
		return err
	}
	model.Amount, model.CreditorName = ui.AmountOf(p.asked.Summary.Amount), p.asked.Summary.CreditorName
	model.Amends, model.NeedsApproval = p.draft.Amends != uuid.Nil, p.asked.ApprovalsRequired > 0
	model.Transliterated = views.ChangesView(p.built.Transliterated)
	banks, err := v.banks(p.preview())
	if err != nil {
		return err
	}
	model.Groups = v.checkGroups(p, banks)
	template, named, err := v.templateOf(p.values.Basis)
	if err != nil {
		return err
	}
	if named { // its author determined what this maker submits
		model.Groups = append(model.Groups, views.CheckGroup{Title: "Template", Rows: []ui.Row{{
			Term: "Name", Value: template.Name,
			Details: []i18n.Text{i18n.Text("Saved by %s on %s").With(template.Owner, ui.DateTime(template.SavedAt))},
		}}})
	}
	model.Changes, err = v.amendedBy(p)
	if err != nil {
		return err
	}
	model.Next = NextSteps(payment.KindInstruction, payment.Policy{
		ApprovalsRequired: p.asked.ApprovalsRequired, PendingFor: p.asked.PendingFor,
	}, p.laterDay(v.Today()))
	if len(p.draft.File) == 0 {
		model.TemplateURL = "/templates?draft=" + p.draft.ID.String()
	}
	model.NotForwarded, model.Warnings = p.notForwarded(), append(model.Warnings, overbooked(p.asked.Overbooked...)...)
	if len(p.draft.File) > 0 {
		model.Warnings = append(model.Warnings, v.fileWarnings(p)...)
	}
	return v.Render(status, views.CheckPage(model))
}

func (v *Request) checkGroups(p prepared, banks *account.Directory) []views.CheckGroup {
	summary := p.asked.Summary
	sent := p.sent()
	sent.Banks = banks
	change := func(row ui.Row, field string) ui.Row {
		if len(p.draft.File) == 0 {
			row.ChangeURL, row.ChangeName = "/payments/"+p.draft.ID.String()+"/edit#"+field, row.Term
		}
		return row
	}
	creditor := ui.Row{Term: "IBAN", Value: ui.GroupFours(summary.CreditorAccount), Numeric: true}
	if bank := views.BankName(summary.CreditorAccount, summary.CreditorAgent, sent.Banks); bank != "" {
		creditor.Details = []i18n.Text{bankNamed(bank)}
	}
	address := ui.Row{Term: "Address", Text: "None"}
	if lines := sent.CreditorAddress; len(lines) > 0 {
		address.Text, address.Details = lines[0], lines[1:]
	}
	execution := i18n.Text("Immediately, once approved")
	switch day := p.laterDay(v.Today()); {
	case !day.IsZero():
		execution = i18n.Text("On %s").With(ui.Day(day))
	case p.asked.ApprovalsRequired == 0:
		execution = "Immediately"
	}
	remittance := sent.Remittance
	if remittance.Term == "" {
		remittance = ui.Row{Term: "Reference", Text: "None"}
	}
	var groups []views.CheckGroup
	if p.draft.Amends != uuid.Nil {
		reason := ui.Row{Term: "Reason", Value: strings.TrimSpace(p.values.AmendReason)}
		groups = append(groups, views.CheckGroup{Title: "Your amendment", Rows: []ui.Row{change(reason, "amendReason")}})
	}
	groups = append(groups, []views.CheckGroup{
		{Title: "From (debtor)", Rows: []ui.Row{change(ui.Row{
			Term: "Account", Value: ui.GroupFours(summary.DebtorAccount), Details: views.DebtorLines(summary, sent), Numeric: true,
		}, "debtorAccount")}},
		{Title: "To (creditor)", Rows: []ui.Row{
			change(creditor, "creditorIban"), change(ui.Row{Term: "Name", Value: summary.CreditorName},
				"creditorName"), change(address, "street"),
		}},
		{Title: "Amount", Rows: []ui.Row{
			change(ui.Row{Term: "Amount", Value: summary.Amount.Format(), Numeric: true}, "amount"),
			change(ui.Row{Term: "Execution", Text: execution}, "executionDate"),
		}},
		{Title: "Reference", Rows: []ui.Row{
			change(remittance, "remittanceKind"), change(ui.Row{Term: "End-to-end ID", Value: summary.EndToEndID, Numeric: true},
				"endToEndId"),
		}},
	}...)
	if len(sent.Also) > 0 {
		groups = append(groups, views.CheckGroup{Title: views.AlsoSentTitle, Rows: sent.Also})
	}
	return groups
}

// preview returns the payment of the draft as a message.
func (p prepared) preview() payment.Message {
	return payment.Message{Kind: payment.KindInstruction, Scheme: p.draft.Scheme, Direction: payment.DirectionOut, Summary: p.asked.Summary}
}

// laterDay is the execution date of the payment of the draft if it is later than today; zero for none.
func (p prepared) laterDay(today time.Time) time.Time {
	info, _, single := p.built.Document.SinglePayment()
	if !single || !rulebook.IsLater(info, today) {
		return time.Time{}
	}
	return rulebook.ExecutionDay(info)
}

// sent returns the content of the document to clearing that the draft would become.
func (p prepared) sent() views.Sent { return views.SentOf(p.asked.Document, p.preview()) }

// notForwarded lists the elements of the draft's file that are not sent to clearing; a form has none.
func (p prepared) notForwarded() (texts []i18n.Text) {
	if len(p.draft.File) > 0 {
		for _, note := range interbank.Notes(p.draft.Scheme, p.built.Document) {
			texts = append(texts, note.Text)
		}
	}
	return texts
}

// bankNamed names a bank on the check page; of some banks only the number is known.
func bankNamed(bank string) i18n.Text {
	if strings.Trim(bank, "0123456789") == "" {
		return i18n.Text("Bank %s").With(bank)
	}
	return i18n.Data(bank)
}

// fileWarnings names the file that the payment was uploaded in, and warns of a format that ends.
func (v *Request) fileWarnings(p prepared) []views.Warning {
	warnings := []views.Warning{{
		Title: i18n.Text("This payment comes from the file %s").With(p.draft.FileName),
		Text:  "To change the payment, correct the file and upload it again.",
	}}
	if last, taken := v.previousTaken(); taken && p.message == iso20022.Pain001V03 {
		warnings = append(warnings, views.Warning{
			Title: i18n.Text("pain.001.001.03 is accepted until %s").With(last),
			Text:  "Files will soon be accepted only in the format pain.001.001.09. Have the program that creates your files updated.",
		})
	}
	return warnings
}

// showSubmitted confirms a submission. It may be opened again at any time.
func showSubmitted(v *Request, m payment.Message) error {
	later := time.Time{}
	if m.IsForLaterThan(v.At) {
		later = m.ExecutionDay
	}
	next := NextSteps(m.Kind, payment.Policy{
		ApprovalsRequired: m.ApprovalsRequired, PendingFor: m.ExpiresAt.Sub(m.CreatedAt),
	}, later)
	if m.State != payment.StateApprovalPending {
		next = []i18n.Text{i18n.Text("The state is now “%s”. You can follow what happens next under “My submissions”.").
			With(ui.StateLabel(m.State))}
	}
	again, err := v.copySteps(m)
	if err != nil {
		return err
	}
	return v.Render(http.StatusOK, views.SubmittedPage(views.Submitted{
		Layout: v.layout("Submitted", views.PlaceMine), Message: views.Message{Message: m}, Next: next, Again: again,
	}))
}

// NextSteps describes the steps after the submission of a message. later is the execution day if it is to come, else zero.
func NextSteps(kind payment.Kind, policy payment.Policy, later time.Time) []i18n.Text {
	sent, result := whatFollows[kind], i18n.Text("You will see the result under “My submissions”.")
	within := Span(policy.PendingFor)
	onceApproved := i18n.Text("Once approved, your submission will be sent immediately. %s").With(sent)
	unapproved := i18n.Text("Your submission will be sent immediately, without approval. %s").With(sent)
	if !later.IsZero() {
		onceApproved = i18n.Text("The payment will be checked again and sent on %s. Until then, it can be withdrawn.").With(ui.Day(later))
		unapproved = onceApproved
	}
	switch policy.ApprovalsRequired {
	case 0:
		return []i18n.Text{unapproved, result}
	case 1:
		return []i18n.Text{
			i18n.Text("Another person must check your submission and approve or reject it within %s.").With(within),
			onceApproved, result,
		}
	}
	return []i18n.Text{
		i18n.Text("%d other people must check your submission, one after the other, within %s.").With(policy.ApprovalsRequired, within),
		onceApproved, result,
	}
}

// whatFollows describes the effect of sending a message, for each kind.
var whatFollows = map[payment.Kind]i18n.Text{
	payment.KindInstruction: "Once the payment is sent, you cannot cancel it, but you can request a recall.",
	payment.KindRecall:      "The other bank will either return the money or refuse the recall. A payment can be recalled only once.",
	payment.KindReturn:      "The money will be sent back to the debtor. You cannot cancel a return that has been sent.",
	payment.KindResolution:  "The refusal ends the recall, and the money stays with the creditor.",
}

// Span formats a time limit of whole minutes in the largest unit that divides it; days from two on.
func Span(limit time.Duration) i18n.Text {
	const day = 24 * time.Hour
	switch {
	case limit >= 2*day && limit%day == 0:
		return i18n.Text("%d days").With(int(limit / day))
	case limit >= time.Hour && limit%time.Hour == 0:
		return i18n.Text("%d hours").With(int(limit / time.Hour))
	}
	return i18n.Text("%d minutes").With(int(limit / time.Minute))
}
