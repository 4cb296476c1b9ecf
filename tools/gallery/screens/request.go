package screens

import (
	"fmt"
	"time"

	"countersign/internal/i18n"
	"countersign/internal/interbank"
	"countersign/internal/payment"
	"countersign/views"
	"countersign/views/ui"
)

// about is a message of the payment.
func about(reference payment.ID, kind payment.Kind, state payment.State) payment.Message {
	m := message().Message
	m.GlobalID, m.Kind, m.State, m.CreatedAt = reference, kind, state, now
	return m
}

func paymentCard() views.Card {
	return views.Card{
		Message: about("7QK4M2XW9TCH3F5A", payment.KindPayment, payment.StateBooked), Title: "The payment",
		Words: "from (a debtor)", Name: "Muster Logistik AG", Rows: []ui.Row{
			{Term: "Credited to", Value: "CH50 2197 7000 0043 3134 6", Details: []i18n.Text{"Muster AG"}, Numeric: true},
			{Term: "Message to the creditor", Value: "Rechnung 1107"},
			{Term: "Settled", Value: "20.11.2026"},
		},
	}
}

func recallCard() views.Card {
	return views.Card{
		Message: about("7QK4M2XW9TCH3F5R", payment.KindReceivedRecall, payment.StateAwaitingDecision), Title: "The recall",
		Words: "recalled by", Name: "Muster Logistik AG",
		Due:  &ui.Due{Day: "22.11.2026", Text: i18n.Text("%d days left").With(2), Tone: ui.ToneWaiting},
		Rows: []ui.Row{{Term: "Reason", Text: asked}, {Term: "Received", Value: "02.11.2026 08:14:03 CET"}},
	}
}

func recallForm() views.RequestForm {
	card := paymentCard()
	card.Kind, card.State, card.Words, card.Name = "instruction", "Settled", "to", "Beispiel Holzbau GmbH"
	return views.RequestForm{
		Layout: makerShell("Recall CHF 1'234.56", views.PlacePayments), Heading: "Recall CHF 1'234.56",
		Note:   "A recall asks the other bank to send the money back. A payment can be recalled only once.",
		Action: "/payments/x/recall", BackURL: "/payments/x", Cards: []views.Card{card}, LineLimit: 105, Information: make([]string, 10),
		Usual: []views.RequestReason{
			{Code: "DUPL", Text: "Payment sent twice by mistake", Hint: i18n.Text("Can be used until %s").With("04.12.2026")},
			{Code: "FRAD", Text: "Fraud", Hint: i18n.Text("Can be used until %s").With("20.12.2027")},
			{Code: "CUST", Text: "The customer asked for the recall"},
		},
	}
}

func returnForm() views.RequestForm {
	form := recallForm()
	form.Layout, form.Heading, form.Note = makerShell("Return CHF 1'234.56", views.PlaceIncoming), "Return CHF 1'234.56", ""
	form.Action, form.Cards = "/payments/x/return", []views.Card{paymentCard()}
	form.Usual = []views.RequestReason{{Code: "AC04", Text: "The account is closed"}, {Code: "MS03", Text: "The bank gave no reason"}}
	form.Others = []views.RequestReason{
		{
			Code: "NARR", Text: "Another reason",
			Hint: "Needs additional information",
		},
	}
	form.Reason, form.Information[2] = "NARR", "third line"
	form.Problems = []ui.Problem{{
		Field: "information3", Text: i18n.Text("Shorten the line to %d characters. It now has %d.").With(105, 106), Code: "CH16",
	}}
	form.Layout.Failed = true
	return form
}

func resolveForm() views.RequestForm {
	form := recallForm()
	form.Layout, form.Heading = makerShell(refusal, views.PlaceRecalls), refusal
	form.Note, form.Action, form.Cards = "", "/recalls/y/resolve", []views.Card{paymentCard(), recallCard()}
	form.Usual = []views.RequestReason{
		{Code: "CUST", Text: "The creditor refused the recall"}, {Code: "NOAS", Text: "The creditor has not responded"},
	}
	form.Reason = "NOAS"
	form.Prepared = i18n.Text("Answer the recall by %s (%s). A refusal with the reason “The creditor has not responded” (NOAS) has been "+
		"filled in, but it is never sent automatically. Check and submit the refusal, or give another answer.").
		With("22.11.2026", i18n.Text("%d days left").With(2))
	form.Instead = &ui.Step{Label: "Accept the recall and send the money back", URL: "/payments/x/return"}
	return form
}

func grantForm() views.RequestForm {
	form := resolveForm()
	form.Heading, form.Prepared, form.Reason = i18n.Text("Accept the recall and send %s back").With("CHF 1'234.56"), "", "FOCR"
	form.Usual = []views.RequestReason{{Code: "FOCR", Text: "Return after a recall"}}
	form.Information = form.Information[:1]
	form.Charge = &ui.Field{ID: "charge", Label: "Charge deducted, in CHF", Optional: true, InputMode: "decimal", Width: "w-10"}
	return form
}

func requestCheck() views.RequestCheck {
	return views.RequestCheck{
		Layout: makerShell("Check your answers", views.PlaceRecalls), Action: "/payments/d/submit", ChangeURL: "/recalls/y/resolve?draft=d",
		Cards: []views.Card{
			paymentCard(), recallCard(),
		},
		Title: "The refusal", Submit: i18n.Text("Refuse the recall of %s, subject to approval").With("CHF 1'234.56"),
		Words: reasoned(i18n.Text("Refuse the recall from the bank of %[2]s. The creditor %[3]s keeps %[1]s.").
			With("CHF 1'234.56", "Muster Logistik AG", "Muster AG"), "The creditor refused the recall", "CUST"),
		Message: requestDecision().Message,
		Rows: []ui.Row{{
			Term: "Reason", Text: i18n.Text("%s (%s)").With(i18n.Text("The creditor refused the recall"), "CUST"),
			ChangeURL:  "/recalls/y/resolve?draft=d",
			ChangeName: "reason",
		}},
		Next: []i18n.Text{
			i18n.Text("Another person must check your submission and approve or reject it within %s.").With(i18n.Text("%d hours").With(24)),
			i18n.Text("Once approved, your submission will be sent immediately. %s").With(i18n.Text("The refusal ends the recall, and the money stays " +
				"with the creditor.")),
		},
	}
}

// requestDecision is a recall in the checker's pane.
func requestDecision() views.Decision {
	detail := decision()
	detail.Message.Kind, detail.Message.Words = "recall",
		reasoned(i18n.Text("Ask the bank of %s to send %s back.").With("Beispiel Holzbau GmbH", "CHF 1'234.56"),
			"Payment sent twice by mistake", "DUPL")
	detail.Message.Facts = []ui.Row{
		{Term: "Reason", Text: i18n.Text("%s (%s)").With(i18n.Text("Payment sent twice by mistake"), "DUPL")},
		{Term: "Information", Value: "Rechnung 1107", Details: []i18n.Text{i18n.Data("Rechnung 1108")}},
		{Term: "Original payment (link)", Value: "7QK4M2XW9TCH3F5A", URL: "/payments/x", Numeric: true, Details: []i18n.Text{"CHF 1'234.56"}},
	}
	return detail
}

func requestPayment() views.Payment {
	model := paymentPage(views.TabOverview)
	model.Message.Kind, model.Message.State = payment.KindReceivedRecall, payment.StateAwaitingDecision
	model.Message.Words = reasoned(i18n.Text("The bank of %s asks for %s back.").
		With("Muster Logistik AG", "CHF 1'234.56"), "The customer asked for the recall", "CUST")
	model.Message.Facts = []ui.Row{
		{Term: "Reason", Text: asked}, {
			Term: "Answer by", Value: "22.11.2026",
			Details: []i18n.Text{i18n.Text("%d days left").With(2)},
		},
	}
	model.Message.Warnings = []views.Warning{{
		Title: i18n.Text("Answer the recall by %s (%s)").With("22.11.2026", i18n.Text("%d days left").With(2)),
		Text:  "A refusal with the reason “The creditor has not responded” (NOAS) has been prepared. It will not be sent automatically.",
		Links: []ui.Step{{Label: "Open the prepared refusal", URL: "/recalls/y/resolve"}},
	}}
	model.Actions = []views.Action{
		{Label: refusal, URL: "/recalls/y/resolve"}, {
			Label: "Accept the recall and send the money back",
			URL:   "/payments/x/return",
		},
	}
	return model
}

func relatedTree() views.Payment {
	model := paymentPage(views.TabRelated)
	returned := about("7QK4M2XW9TCH3F5T", payment.KindReturn, payment.StateApprovalPending)
	returned.Reason = "FOCR"
	asked := about("7QK4M2XW9TCH3F5R", payment.KindReceivedRecall, payment.StateAwaitingDecision)
	asked.Reason = "FRAD"
	original := about("7QK4M2XW9TCH3F5A", payment.KindPayment, payment.StateBooked)
	original.ReturnState = payment.StateProcessing
	model.Related = []views.Related{{
		Message: original, Role: "The payment", Current: true, Children: []views.Related{{
			Message: asked, Role: "Recall from the other bank", Children: []views.Related{{Message: returned, Role: "Return of the payment"}},
		}},
	}}
	return model
}

func requestExhibits() []Exhibit {
	return []Exhibit{
		{Name: "recall-form", Page: views.RequestFormPage(recallForm())},
		{Name: "return-form", Page: views.RequestFormPage(returnForm()), Failed: true},
		{Name: "resolve-form", Page: views.RequestFormPage(resolveForm())},
		{Name: "grant-form", Page: views.RequestFormPage(grantForm())},
		{Name: "request-check", Page: views.RequestCheckPage(requestCheck())},
		{Name: "queue-recall", Page: views.QueuePage(openQueue(requestDecision()))},
		{Name: "received-recall", Page: views.PaymentPage(requestPayment())},
		{Name: "related-tree", Page: views.PaymentPage(relatedTree())},
	}
}

func incoming() views.List {
	model := views.List{
		Layout: operatorShell("Incoming payments", views.PlaceIncoming), Part: "incoming-list",
		Filter: &views.Filter{Action: "/incoming", ClearURL: "/incoming"},
		Entries: ui.Entries{
			Caption: "Incoming payments, newest first", Heads: ui.Heads{Name: "Debtor and purpose", State: "State", When: "Received"},
		},
	}
	for index, name := range creditors {
		m := message().Message
		m.Kind, m.State, m.CreatedAt = payment.KindPayment, payment.StateBooked, now.Add(-time.Duration(index)*time.Hour)
		m.Summary.DebtorName, m.Summary.CreditorName, m.Summary.CreditorAccount = name, "Muster AG", "CH5021977000004331346"
		m.Summary.Remittance = "Rechnung 1107 vom 3. November, zweite Mahnung"
		if index == 1 {
			m.ReturnState = payment.StateProcessing
		}
		row := views.IncomingEntry(m, now)
		row.ID, row.URL = fmt.Sprintf("id-%d", index), "/payments/x"
		model.Entries.Entries = append(model.Entries.Entries, row)
	}
	return model
}

func receivedRecalls() views.List {
	model := views.List{
		Layout: operatorShell("Received recalls", views.PlaceRecalls),
		Tabs:   []ui.Tab{{Label: "Not answered yet", URL: "/recalls", Current: true}, {Label: "Answered", URL: "/recalls?tab=answered"}},
		Entries: ui.Entries{
			Caption: "Received recalls, newest first",
			Heads:   ui.Heads{Name: "Debtor and recall reason", State: "State", Due: "Answer by", When: "Received"},
		},
	}
	for index, due := range []ui.Due{
		{Day: "11.12.2026", Text: i18n.Text("%d days left").With(21), Tone: ui.ToneMoving},
		{Day: "22.11.2026", Text: i18n.Text("%d days left").With(2), Tone: ui.ToneWaiting},
		{Day: "18.11.2026", Text: i18n.Text("%d days overdue").With(2), Tone: ui.ToneBad},
	} {
		row := ui.Entry{
			ID: fmt.Sprintf("id-%d", index), URL: "/payments/y", Reference: "7QK4M2XW9TCH3F5R", Amount: ui.AmountOf(message().Summary.Amount),
			Due:  &due,
			Name: i18n.Data(creditors[index]), Purpose: "The customer asked for the recall", States: []string{"Awaiting Decision"},
			At: now, Now: now,
			Facts: ui.Facts(ui.Fact{Text: "CUST"}, ui.SchemeFact("sct-inst")),
		}
		if index == 1 {
			row.Note = i18n.Text("%s: %s").With(ui.KindLabel("return"), ui.StateLabel("Approval Pending"))
		}
		model.Entries.Entries = append(model.Entries.Entries, row)
	}
	return model
}

// operatorShell is the frame for somebody who makes, decides and looks after the gateway, with the demo's simulator.
func operatorShell(title i18n.Text, place views.Place) views.Layout {
	made := bothShell(title, place)
	made.Person.MayRead, made.Person.MayOperate, made.Simulator = true, true, true
	return made
}

func simulatorPage() views.Simulator {
	return views.Simulator{
		Layout: operatorShell("Clearing simulator", views.PlaceSimulator), Scheme: "sic-inst",
		Payments: []ui.Option{{
			Value: "sic-inst/TX1", Label: i18n.Text("%s from %s, %s").With("CHF 100.00", "Muster Logistik AG", "20.11.2026 08:14:03 CET"),
		}},
		Reasons: []ui.Option{{Value: "DUPL", Label: i18n.Text("%s (%s)").With(i18n.Text("Payment sent twice by mistake"), "DUPL")}},
		Log: []views.SimulatorEntry{
			{
				At: now, FromGateway: true, Scheme: "sic-inst", Type: "pacs.002.001.10", TransactionID: "7QK4M2XW9TCH3F5A",
				Status: "ACCP", Outcome: "taken",
			},
			{At: now, Scheme: "sic-inst", Type: "pacs.008.001.08", TransactionID: "7QK4M2XW9TCH3F5A", Outcome: "delivered"},
		},
	}
}

func clearingExhibits() []Exhibit {
	refused := simulatorPage()
	refused.Problems = []ui.Problem{{Field: "amount", Text: "Enter an amount above zero.", Code: "AM12"}}
	refused.Layout.Failed, refused.Log, refused.LogProblem, refused.Payments = true, nil,
		"The simulator's log cannot be read at the moment.", nil
	sources := views.DocumentView{
		Layout: bothShell("pacs.008.001.08",
			views.PlacePayments), BackLabel: "Messages of 7QK4M2XW9TCH3F5A", BackURL: "/payments/x/messages",
		Document: paymentPage(views.TabMessages).Documents[1],
		Tabs:     []ui.Tab{{Label: "XML", URL: "/x?form=xml"}, {Label: "Origin", URL: "/x?form=sources", Current: true}},
		Sources: []interbank.Source{
			{Element: "GrpHdr/MsgId", Value: "P87QK4M2XW9TCH3F5A", From: "Derived from the Global ID"},
			{Element: "CdtTrfTxInf/Cdtr/PstlAdr/TwnNm", Value: "Zürich", From: "pain.001 PmtInf/CdtTrfTxInf/Cdtr/PstlAdr/TwnNm"},
		},
	}
	quarantine := views.Quarantine{Layout: operatorShell("Quarantine", views.PlaceQuarantine), Most: 1, Rows: []views.QuarantineRow{
		{
			Reference: "ST-2026-11-20-00000000000000042", URL: "/quarantine/document?scheme=sic-inst&reference=x", Scheme: "sic-inst",
			Type: "pacs.002.001.10", Name: "Status report from clearing",
			Reason: i18n.Text("No payment in this gateway has the transaction ID %s.").With("4711"), ReceivedAt: now,
		},
	}}
	return []Exhibit{
		{Name: "incoming", Page: views.ListPage(incoming())},
		{Name: "incoming-fragment", Page: views.ListFragment(incoming()), Fragment: true},
		{Name: "recalls", Page: views.ListPage(receivedRecalls())},
		{Name: "operation", Page: views.OperationPage(operation())},
		{Name: "reconcile", Page: views.ReconcilePage(reconcile())},
		{Name: "operation-empty", Page: views.OperationPage(views.Operation{
			Layout: operatorShell("Operation", views.PlaceOperation), Connections: operation().Connections[:1], Queues: operation().Queues[:1],
			Empty: ui.Empty{Icon: "circle-check", Title: "No failed tasks"},
		})},
		{Name: "quarantine", Page: views.QuarantinePage(quarantine)},
		{Name: "quarantine-empty", Page: views.QuarantinePage(views.Quarantine{
			Layout: operatorShell("Quarantine", views.PlaceQuarantine), Empty: ui.Empty{
				Icon:  "circle-check",
				Title: "Nothing in quarantine",
			},
		})},
		{Name: "document-sources", Page: views.DocumentPage(sources)},
		{Name: "simulator", Page: views.SimulatorPage(simulatorPage())},
		{Name: "simulator-refused", Page: views.SimulatorPage(refused), Failed: true},
	}
}

// refusal heads the form that refuses a recall.
var refusal = i18n.Text("Refuse the recall of %s").With("CHF 1'234.56")

// reasoned says what is asked for, and why.
func reasoned(what, why i18n.Text, code string) i18n.Text {
	return i18n.Text("%s Reason: %s.").With(what, i18n.Text("%s (%s)").With(why, code))
}

// asked is the reason of a recall that came in.
var asked = i18n.Text("%s (%s)").With(i18n.Text("The customer asked for the recall"), "CUST")
