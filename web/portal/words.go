package portal

import (
	"time"

	"countersign/internal/account"
	"countersign/internal/i18n"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/views"
	"countersign/views/ui"
)

// wording describes an R-transaction.
type wording struct {
	kind   payment.Kind
	amount money.Amount // what moves, or would
	full   money.Amount // of the payment
	debtor string
	holder string    // the creditor
	reason i18n.Text // plain text with its code
	cameIn bool      // another bank's answer to a recall of ours

	title i18n.Text // heads its answers
}

// sentence returns the request with its reason.
func (w wording) sentence() i18n.Text {
	what := w.what()
	if what == "" {
		return ""
	}
	return i18n.Text("%s Reason: %s.").With(what, w.reason)
}

func (w wording) what() i18n.Text {
	if w.cameIn {
		return w.answer()
	}
	switch w.kind {
	case payment.KindRecall:
		return i18n.Text("Ask the bank of %s to send %s back.").With(w.holder, w.full.Format())
	case payment.KindReturn:
		if order, err := w.amount.Compare(w.full); err == nil && order != 0 {
			return i18n.Text("Send %s of %s back to %s and keep the difference as a charge.").With(w.amount.Format(),
				w.full.Format(), w.debtor)
		}
		return i18n.Text("Send %s back to %s.").With(w.amount.Format(), w.debtor)
	case payment.KindResolution:
		return i18n.Text("Refuse the recall from the bank of %[2]s. The creditor %[3]s keeps %[1]s.").
			With(w.full.Format(), w.debtor, w.holder)
	case payment.KindReceivedRecall:
		return i18n.Text("The bank of %s asks for %s back.").With(w.debtor, w.full.Format())
	default: // a payment asks for nothing of the kind
		return ""
	}
}

// answer describes another bank's answer to a recall of ours.
func (w wording) answer() i18n.Text {
	if w.kind == payment.KindResolution {
		return i18n.Text("The bank of %s refused the recall and did not send %s back.").With(w.holder, w.full.Format())
	}
	if w.amount != w.full {
		return i18n.Text("The bank of %s sent %s of %s back to %s and kept the difference as a charge.").
			With(w.holder, w.amount.Format(), w.full.Format(), w.debtor)
	}
	return i18n.Text("The bank of %s sent %s back to %s.").With(w.holder, w.amount.Format(), w.debtor)
}

// titles are the titles of requests, by kind.
var titles = map[payment.Kind]i18n.Text{
	payment.KindRecall: "The recall", payment.KindReturn: "The return", payment.KindResolution: "The refusal",
}

// submit returns the label of the button that sends the form.
func (w wording) submit(approval bool) i18n.Text {
	switch {
	case w.kind == payment.KindRecall && approval:
		return i18n.Text("Submit the recall of %s for approval").With(w.full.Format())
	case w.kind == payment.KindRecall:
		return i18n.Text("Submit the recall of %s").With(w.full.Format())
	case w.kind == payment.KindReturn && approval:
		return i18n.Text("Submit the return of %s for approval").With(w.amount.Format())
	case w.kind == payment.KindReturn:
		return i18n.Text("Submit the return of %s").With(w.amount.Format())
	case approval:
		return i18n.Text("Refuse the recall of %s, subject to approval").With(w.full.Format())
	}
	return i18n.Text("Refuse the recall of %s immediately").With(w.full.Format())
}

// wording returns the description of the request of a form.
func (a asked) wording() wording {
	about := a.preview.About.Original.Summary
	said := wording{kind: a.form.Kind, amount: a.preview.Amount, full: about.Amount, debtor: about.DebtorName, holder: about.CreditorName}
	said.reason = views.ReasonText(a.form.Kind, a.preview.About.Original.Scheme, a.Reason)
	said.title = titles[said.kind]
	return said
}

// FillRequest adds the request of an R-transaction: a sentence, and facts that a checker compares.
func FillRequest(v *Request, view *views.Message, m payment.Message) error {
	s, err := Around(v, m)
	if err != nil {
		return err
	}
	about, reason := m.Summary, views.ReasonText(m.Kind, m.Scheme, m.Reason)
	view.Words = wording{
		kind: m.Kind, amount: about.Amount, full: s.Original.Summary.Amount, debtor: about.DebtorName,
		holder: about.CreditorName, reason: reason,
		cameIn: m.Direction == payment.DirectionIn && m.Kind != payment.KindReceivedRecall,
	}.sentence()
	document, err := m.ToClearing()
	if err != nil {
		view.Warnings = append(view.Warnings, unreadableDocument)
	}
	said := saidIn(document)
	facts := []ui.Row{{Term: "Reason", Text: reason}}
	if len(said.by.Information) > 0 {
		facts = append(facts, plainLines(said.by.Information))
	}
	if said.by.Originator != "" {
		banks, err := v.banks(m)
		if err != nil {
			return err
		}
		facts = append(facts, wantedBy(said.by, banks))
	}
	if !said.charge.IsZero() {
		facts = append(facts, ui.Row{Term: "Charge deducted", Value: said.charge.Format(), Numeric: true})
	}
	view.Facts = append(append(facts, limits(v, m)...), relatives(s, m)...)
	if err == nil {
		view.Sent = views.SentOf(document, m, shownByRequest(s.Original, said)...)
	}
	return nil
}

// unreadableDocument warns about a message whose content this program did not write. Nobody may approve it.
var unreadableDocument = views.Warning{
	Title: "The document for clearing cannot be read",
	Text:  "This request must not be approved, because its document cannot be read. Ask an operator to run “countersign check”.",
}

// shownByRequest are the elements of an R-transaction that its facts show: what its maker chose, and the payment it is about.
func shownByRequest(original payment.Message, said said) []views.Shown {
	full := views.AmountStatement(original.Summary.Amount)
	shown := []views.Shown{
		{Place: "Orgtr/Nm", Value: said.by.Originator},
		{Place: "Orgtr/Id/OrgId/AnyBIC", Value: said.by.Originator},
		{Place: "OrgnlTxId", Value: string(original.GlobalID)},
		{Place: "OrgnlInstrId", Value: string(original.GlobalID)},
		{Place: "OrgnlMsgId", Value: original.Reference()},
		{Place: "OrgnlIntrBkSttlmAmt", Value: full},
		{Place: "RtrdInstdAmt", Value: full},
	}
	for _, line := range said.by.Information {
		shown = append(shown, views.Shown{Place: "AddtlInf", Value: line})
	}
	if !said.charge.IsZero() {
		shown = append(shown, views.Shown{Place: "ChrgsInf/Amt", Value: views.AmountStatement(said.charge)})
	}
	return shown
}

// wantedBy names the originator of an R-transaction: a customer by name, a bank by its BIC and its name in a directory, which may be nil.
func wantedBy(by interbank.Reason, banks *account.Directory) ui.Row {
	if by.ByBank {
		name := by.Originator
		if banks != nil {
			if bank, found := banks.ByBIC(by.Originator); found && bank.Name != "" {
				name = bank.Name + ", " + name
			}
		}
		return ui.Row{Term: "On behalf of", Text: i18n.Text("the bank itself (%s)").With(name)}
	}
	return ui.Row{Term: "On behalf of", Value: by.Originator}
}

// limits returns the days that count for an R-transaction.
func limits(v *Request, m payment.Message) []ui.Row {
	var rows []ui.Row
	if m.State.Pending() && !m.Deadline.IsZero() {
		rows = append(rows, ui.Row{
			Term: "Approve by", Value: day(m.Deadline),
			Details: []i18n.Text{"The payment or request cannot be approved after this day."},
		})
	}
	if m.AnswerBy.IsZero() {
		return rows
	}
	due := Due(v, m)
	switch {
	case due.Text == "":
		rows = append(rows, ui.Row{Term: "Answer by", Value: due.Day})
	case m.Kind != payment.KindReceivedRecall: // a notice at the top of its page says when one has to be answered
		rows = append(rows, ui.Row{Term: "Answer by", Value: due.Day, Details: []i18n.Text{due.Text}})
	}
	return rows
}

// relatives returns links to the payment and, for an answer, to the answered recall.
func relatives(s Subject, m payment.Message) []ui.Row {
	link := func(term i18n.Text, of payment.Message) ui.Row {
		return ui.Row{
			Term: term, Value: string(of.GlobalID), URL: "/payments/" + of.InternalID.String(), Numeric: true,
			Details: []i18n.Text{i18n.Data(of.Summary.Amount.Format()), ui.StateLabel(of.State)},
		}
	}
	rows := []ui.Row{link("Original payment (link)", s.Original)}
	for _, other := range s.Others {
		if other.InternalID == m.AnswersID {
			rows = append(rows, link("In response to", other))
		}
	}
	return rows
}

// said holds the originator and the charge in the document of an R-transaction.
type said struct {
	by     interbank.Reason
	charge money.Amount
}

// saidIn reads a camt.056, pacs.004 or camt.029; an unreadable document gives the zero value.
func saidIn(document iso20022.Document) said {
	switch read := document.(type) {
	case *iso20022.FIToFIPaymentCancellationRequest:
		recall, err := interbank.ReadCancellation(read)
		if err == nil {
			return said{by: recall.Reason}
		}
	case *iso20022.PaymentReturn:
		returned, err := interbank.ReadReturn(read)
		if err == nil {
			return said{by: returned.Reason, charge: returned.Charge}
		}
	case *iso20022.ResolutionOfInvestigation:
		refusal, err := interbank.ReadResolution(read)
		if err == nil {
			return said{by: refusal.Reason}
		}
	}
	return said{}
}

// daysLeft counts the days from today to the last day for an answer; negative when it is over.
func daysLeft(v *Request, m payment.Message) int {
	return int(m.AnswerBy.Sub(dueBefore(v)) / (24 * time.Hour))
}

// Due describes until when a recall should be answered; an answered recall shows the day only.
func Due(v *Request, m payment.Message) ui.Due {
	due := ui.Due{Day: day(m.AnswerBy), Tone: ui.ToneMoving}
	switch m.State {
	case payment.StateAwaitingDecision, payment.StateProcessing, payment.StateAcknowledged, payment.StateOverdue:
	default:
		return due
	}
	left := daysLeft(v, m)
	switch {
	case left < 0:
		due.Text, due.Tone = i18n.Text("%d days overdue").With(-left), ui.ToneBad
	case left == 0:
		due.Text, due.Tone = "due today", ui.ToneBad
	default:
		due.Text = i18n.Text("%d days left").With(left)
		if left <= preparedDays {
			due.Tone = ui.ToneWaiting
		}
	}
	return due
}

// cards returns the cards above a form: the payment, and the recall when there is one to answer.
func (v *Request) cards(s Subject) []views.Card {
	cards := []views.Card{v.paymentCard(s.Original)}
	if s.Kind == payment.KindRecall || !s.Recalled() {
		return cards
	}
	due := Due(v, s.Recall)
	return append(cards, views.Card{
		Message: s.Recall, Title: "The recall",
		Words: "recalled by", Name: s.Recall.Summary.DebtorName, Due: &due,
		Rows: []ui.Row{
			{Term: "Reason", Text: views.ReasonText(s.Recall.Kind, s.Recall.Scheme, s.Recall.Reason)},
			{Term: "Received", Value: ui.DateTime(s.Recall.CreatedAt)},
		},
	})
}

func (v *Request) paymentCard(m payment.Message) views.Card {
	card := views.Card{Message: m, Title: "The payment", Words: "to (a creditor)", Name: m.Summary.CreditorName}
	if m.Kind == payment.KindPayment {
		card.Words, card.Name = "from (a debtor)", m.Summary.DebtorName
		card.Rows = append(card.Rows, ui.Row{
			Term: "Credited to", Value: ui.GroupFours(m.Summary.CreditorAccount),
			Details: []i18n.Text{i18n.Data(m.Summary.CreditorName)}, Numeric: true,
		})
	} else {
		card.Rows = append(card.Rows, ui.Row{Term: "Account", Value: ui.GroupFours(m.Summary.CreditorAccount), Numeric: true})
	}
	remittance := ui.Row{Term: "Message to the creditor", Value: m.Summary.Remittance}
	if remittance.Value == "" {
		remittance.Text = "None"
	}
	card.Rows = append(card.Rows,
		remittance,
		ui.Row{Term: "End-to-end ID", Value: m.Summary.EndToEndID, Numeric: true},
		ui.Row{Term: "Settled", Value: day(m.SettledOn(v.Config.Zone))})
	return card
}
