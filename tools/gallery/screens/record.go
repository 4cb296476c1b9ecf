package screens

import (
	"fmt"
	"time"

	"countersign/internal/i18n"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/views"
	"countersign/views/ui"
)

func mine() views.List {
	model := views.List{
		Layout: makerShell("My submissions", views.PlaceMine), New: ui.Step{Label: "New payment", URL: "/payments/new"}, Tabs: mineTabs(""),
		Entries: ui.Entries{
			Caption: "Submissions, newest first",
			Heads:   ui.Heads{Name: "Creditor and purpose", State: "State", Steps: "Next step", When: "Submitted"},
		},
	}
	for i, minor := range []int64{123456, 8840, 1200000, 64000, 391805} {
		reference := fmt.Sprintf("7QK4M2XW9TCH3F5%c", 'A'+i)
		m := payment.Message{
			Scheme: "sic-inst", Kind: payment.KindInstruction, GlobalID: payment.ID(reference),
			CreatedAt: now.Add(-time.Duration(12+i*95) * time.Minute),
			Summary:   payment.Summary{Amount: amount(money.CHF, minor), CreditorName: creditors[i]},
		}
		row := views.Entry(m, now)
		row.ID, row.URL, row.Purpose = "id-"+reference, "/payments/"+reference, purposes[i]
		row.States = []string{string(payment.StateApprovalPending)}
		row.Facts = ui.Facts(ui.AccountFact("CH4431999123000889012"), ui.SchemeFact(m.Scheme))
		row.Steps = []ui.Step{
			{Label: "Amend", URL: "/payments/x/amend"},
			{Label: "Withdraw", URL: "/payments/x/withdraw"},
			{Label: "Create a similar payment", URL: "/payments/new?like=" + reference},
		}
		model.Entries.Entries = append(model.Entries.Entries, row)
	}
	return model
}

// mineTabs are the parts of a maker's own list, as the product has them, with the current one of this name.
func mineTabs(current string) []ui.Tab {
	tabs := []ui.Tab{
		{Label: "Waiting", Count: "5"},
		{Label: "Sent", URL: "sent", Count: "2"},
		{Label: "Settled", URL: "settled", Count: "1'000+"},
		{Label: "Rejected", URL: "rejected", Count: "1"},
		{Label: "Failed", URL: "failed", Count: "1"},
		{Label: "Withdrawn or expired", URL: "closed", Count: "0"},
		{Label: "Drafts", URL: "drafts", Count: "3"},
	}
	for i := range tabs {
		tabs[i].Current = tabs[i].URL == current
		tabs[i].URL = "/mine?tab=" + tabs[i].URL
	}
	return tabs
}

// mineOf is the part of a maker's own list that holds one submission which ended, and why.
func mineOf(tab string, state payment.State, note i18n.Text) views.List {
	model := mine()
	row := model.Entries.Entries[1]
	row.States, row.Note = []string{string(state)}, note
	row.Steps = []ui.Step{{Label: "Correct and submit again", URL: "/payments/new?like=x"}}
	if state == payment.StateUnconfirmed {
		row.Steps = nil
	}
	model.Tabs, model.Entries.Entries = mineTabs(tab), []ui.Entry{row}
	return model
}

func settled() views.Message {
	made := message()
	made.State, made.RecallState = payment.StateSettled, payment.StateProcessing
	made.Timeline = append(
		made.Timeline,
		ui.Event{
			At: now.Add(-10 * time.Minute), Title: "Approved", Actor: "checker1", Channel: "Portal", State: "Approved",
			Took: "2 min 11 s",
		},
		ui.Event{
			At: now.Add(-10*time.Minute + time.Second), Title: "Received by clearing", Actor: "Gateway", State: "Processing", Took: "0.1 s",
			URL: "/payments/x/messages/1",
		},
		ui.Event{
			At: now.Add(-10*time.Minute + 2*time.Second), Title: "Settled", Actor: "Clearing", State: "Settled", Took: "0.8 s",
			Note: i18n.Data("ACSC"), URL: "/payments/x/messages/2",
		},
	)
	return made
}

func paymentPage(tab views.PaymentTab) views.Payment {
	document := func(id, kind string, name i18n.Text, outgoing bool) views.Document {
		return views.Document{
			ID: id, Type: kind, Name: name, Outgoing: outgoing, At: now, Size: 3218,
			URL: "/payments/x/messages/" + id, DownloadURL: "/payments/x/messages/" + id + ".xml",
		}
	}
	return views.Payment{
		Layout: bothShell("Payment 7QK4M2XW9TCH3F5A", views.PlacePayments), Message: settled(), Tab: tab,
		Actions: []views.Action{
			{Label: "Create a similar payment", URL: "/payments/new?like=x"},
		},
		Barred: []i18n.Text{"This payment has already been recalled. A payment can be recalled only once."},
		Documents: []views.Document{
			document("1", "pain.001.001.09", "Payment order", false), document("2", "pacs.008.001.08", "Credit transfer", true),
			document("3", "pacs.002.001.10", "Status report from clearing", false),
			document("4", "pain.002.001.10", "Status report to the client", true),
		},
		Related: []views.Related{{Message: duplicate(), Role: "Recall of the payment"}},
		Audit: []views.AuditEntry{
			{
				At: now.Add(-12 * time.Minute), Actor: i18n.Data("maker1"), Action: "Submitted", Channel: "Portal",
				Address: "10.0.4.17", RequestID: "0b7e4a10-5d2f-4c0e", Detail: i18n.Text("Amended, version %d").With(2),
			},
			{
				At: now.Add(-10 * time.Minute), Actor: i18n.Data("checker1"), Action: "Approved", Channel: "Portal",
				Address: "10.0.4.21", RequestID: "5c1f2b3a-5d2f-4c0e",
			},
		},
	}
}

const documentText = `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pacs.008.001.08">
  <FIToFICstmrCdtTrf>
    <GrpHdr>
      <MsgId>20261120072641-0001</MsgId>
      <CreDtTm>2026-11-20T08:26:41.120+01:00</CreDtTm>
      <NbOfTxs>1</NbOfTxs>
    </GrpHdr>
  </FIToFICstmrCdtTrf>
</Document>`

func payments() views.List {
	states := []payment.State{"Settled", "Approval Pending", "Unconfirmed", "Failed", "Withdrawn", "Processing", "Awaiting Decision"}
	sorts := func(order string) string { return "/payments?sort=" + order }
	model := views.List{
		Layout: bothShell("Payments", views.PlacePayments), Part: "payment-list",
		Filter: &views.Filter{
			Action: "/payments", ClearURL: "/payments", Currency: "CHF", Active: 1,
			States: []ui.Option{{Value: "", Label: "Any"}, {Value: "Settled", Label: "Settled"}},
		},
		Pages: ui.Pages{FirstURL: "/payments", NextURL: "/payments?after=x", NextLabel: "Next 60"},
		Entries: views.Sorted("Payments, newest first", "Payments",
			ui.Heads{Name: "Creditor and purpose", State: "State", When: "Created"}, "", sorts),
	}
	for index := range 14 {
		name := creditors[index%len(creditors)]
		m := payment.Message{
			GlobalID: payment.ID(fmt.Sprintf("7QK4M2XW9T%02dH3F5", index)), Kind: payment.KindInstruction, Scheme: "sic-inst",
			State: states[index%len(states)], CreatedAt: now.Add(-time.Duration(index) * time.Hour), MakerLogin: "maker1",
			Summary: payment.Summary{
				Amount: amount(money.CHF, int64((index*3+1)*1000+index*91%1000)*100), DebtorName: "Muster AG",
				CreditorName: name, CreditorAccount: "CH4431999123000889012",
			},
		}
		if index == 0 {
			m.RecallState = payment.StateProcessing
		}
		if index%4 == 3 {
			m.Kind, m.Scheme, m.MakerLogin = payment.KindPayment, "sct-inst", ""
			m.Summary = payment.Summary{
				Amount: amount(money.EUR, m.Summary.Amount.Minor()), DebtorName: name, DebtorAccount: "CH4431999123000889012",
				CreditorName: "Muster Logistik AG",
			}
		}
		row := views.PaymentEntry(m, now)
		row.ID, row.URL, row.Purpose = fmt.Sprintf("id-%d", index), "/payments/x", "Invoice 4711, second instalment"
		model.Entries.Entries = append(model.Entries.Entries, row)
	}
	return model
}

func dashboard() views.Dashboard {
	hours := make([]views.HourCount, 0, 24)
	for index := range 24 {
		hours = append(hours, views.HourCount{
			Hour:    fmt.Sprintf("%02d", (index+9)%24),
			Settled: index * 37 % 29, Failed: index % 7 / 6, Open: index / 22 * 3,
		})
	}
	return views.Dashboard{
		Layout: bothShell("Dashboard", views.PlaceDashboard),
		Tiles: []views.Tile{
			{Label: "Waiting for me", Value: "14", Note: i18n.Text("the oldest has waited for %s, since %s").
				With("3 h", "20.11.2026 05:16:41 CET"), URL: "/queue", Tone: ui.ToneWaiting},
			{Label: "Decided by me today", Value: "9", Note: "approved or rejected", URL: "/queue?tab=decided"},
			{Label: "Recalls to answer", Value: "1", Note: "from other banks", URL: "/recalls", Tone: ui.ToneWaiting},
			{Label: i18n.Text("%s today").With(i18n.Text("Rejected")), Value: "2", Note: "see why", URL: "/payments?state=Rejected"},
			{Label: i18n.Text("%s today").With(i18n.Text("Failed")), Value: "1", Note: "see why", URL: "/payments?state=Failed"},
		},
		Lists: []views.Lines{
			{Heading: "Waiting longest for my decision", Nothing: "Nothing is waiting for you", Rows: rows(5)}, endedLines(),
		},
		Charts: []views.Chart{ageChart(3)},
		Volumes: []views.Volume{
			{
				Scheme: "sic-inst", Count: 318, Amount: ui.Amount{Currency: "CHF", Value: "2'418'300.10"}, ByHour: hours,
				ListURL: "/payments?scheme=sic-inst",
			},
		},
		Clearing: []views.Connection{
			{Scheme: "sic-inst", Reached: true, LastSeen: now}, {Scheme: "sct-inst", Note: ""},
		},
	}
}

// unconfirmed is a payment that clearing has not answered for hours, though it was asked again and again.
func unconfirmed() views.Payment {
	model := flying()
	model.Flight, model.Message.State = nil, payment.StateUnconfirmed
	for i := range 12 {
		model.Message.Timeline = append(model.Message.Timeline, ui.Event{
			At: now.Add(time.Duration(i) * 15 * time.Minute), Title: "Status requested from clearing", Actor: "Gateway", Channel: "Time limit",
			State: "Unconfirmed", Took: "15 min 0 s", URL: "/payments/x/messages/3",
		})
	}
	return model
}

// arrived is the payment under way a moment later: clearing settled it.
func arrived() views.Payment {
	model := paymentPage(views.TabOverview)
	model.Message.RecallState, model.Barred = "", nil
	model.Over, model.OverAfter = true, i18n.Data("820 ms")
	return model
}

func drafts() views.List {
	model := mine()
	model.Tabs = mineTabs("drafts")
	model.Entries = ui.Entries{
		Caption: "Drafts, most recently changed first", Heads: ui.Heads{Name: "Creditor and purpose", Steps: "Next step", When: "Saved"},
	}
	for index, name := range creditors[:3] {
		model.Entries.Entries = append(model.Entries.Entries, ui.Entry{
			ID: fmt.Sprintf("draft-%d", index), URL: "/payments/x/edit", Name: i18n.Data(name), Purpose: "Invoice 4711", Aged: true, Now: now,
			Amount: ui.AmountOf(amount(money.CHF, 1200)), At: now.Add(-time.Duration(index*17+4) * time.Minute), Reference: "until 08:26",
			Facts: ui.Facts(ui.Fact{Text: "SIC"}),
			Steps: []ui.Step{{Label: "Check and submit", URL: "/payments/x/check"}, {Label: "Delete", URL: "/mine/discard?draft=x"}},
		})
	}
	model.Discard = ui.Step{Label: i18n.Text("Delete all %d drafts").With(3), URL: "/mine/discard?draft=all"}
	return model
}

func discard() views.Discard {
	model := views.Discard{
		Layout: shell(i18n.Text("Delete %d drafts?").With(3), views.PlaceMine), Draft: "all", Label: i18n.Text("Delete %d drafts").With(3),
		Entries: drafts().Entries, BackURL: "/mine?tab=drafts",
	}
	model.Entries.Heads.Steps = ""
	return model
}

// flying is a payment that clearing has and has not answered.
func flying() views.Payment {
	model := paymentPage(views.TabOverview)
	model.Message.State, model.Message.RecallState = payment.StateProcessing, ""
	model.Actions, model.Barred, model.Related, model.Documents = nil, nil, nil, model.Documents[:2]
	model.Message.Timeline = append(
		message().Timeline,
		ui.Event{
			At: now.Add(-4 * time.Second), Title: "Approved", Actor: "checker1", Channel: "Portal", State: "Approved", Took: "11 min 56 s",
		},
		ui.Event{
			At: now.Add(-4*time.Second + 100*time.Millisecond), Title: "Received by clearing", Actor: "Gateway", State: "Processing", Took: "0.1 s",
			URL: "/payments/x/messages/2",
		},
	)
	model.Flight = &views.Flight{
		URL: "/payments/x", AskURL: "/payments/x/flight?seen=3-true-0-false",
		Since: now.Add(-4 * time.Second), Due: now.Add(6 * time.Second), Left: 6 * time.Second,
		Whole: 10 * time.Second, Taken: true,
	}
	return model
}

func recordExhibits() []Exhibit {
	noneMine := mine()
	noneMine.Entries.Entries = nil
	noneMine.Empty = ui.Empty{
		Icon: "file-text", Title: "No entries", LinkLabel: "New payment",
		LinkURL: "/payments/new",
	}
	askedOften := paymentPage(views.TabMessages)
	askedOften.LeftOutURL = "/payments/x/messages?after=2"
	return []Exhibit{
		{Name: "payment-flying", Page: views.PaymentPage(flying())},
		{Name: "payment-unconfirmed", Page: views.PaymentPage(unconfirmed())},
		{Name: "payment-arrived", Page: views.PaymentUpdate(arrived()), Fragment: true},
		{Name: "mine", Page: views.ListPage(mine())},
		{Name: "mine-rejected", Page: views.ListPage(mineOf("rejected", payment.StateRejected, rejection))},
		{Name: "mine-failed", Page: views.ListPage(mineOf("failed", payment.StateFailed, "The account is closed"))},
		{Name: "mine-sent", Page: views.ListPage(mineOf("sent", payment.StateUnconfirmed, ""))},
		{Name: "mine-drafts", Page: views.ListPage(drafts())},
		{Name: "mine-discard", Page: views.DiscardPage(discard())},
		{Name: "mine-empty", Page: views.ListPage(noneMine)},
		{
			Name: "withdraw",
			Page: views.WordsPage(views.Words{Layout: makerShell("Withdraw", views.PlaceMine), Message: message(), Act: views.ActWithdraw}),
		},
		{Name: "payment", Page: views.PaymentPage(paymentPage(views.TabOverview))},
		{Name: "payment-timeline", Page: views.PaymentPage(paymentPage(views.TabTimeline))},
		{Name: "payment-messages", Page: views.PaymentPage(paymentPage(views.TabMessages))},
		{Name: "payment-messages-left-out", Page: views.PaymentPage(askedOften)},
		{Name: "payment-related", Page: views.PaymentPage(paymentPage(views.TabRelated))},
		{Name: "payment-audit", Page: views.PaymentPage(paymentPage(views.TabAudit))},
		{Name: "document", Page: views.DocumentPage(views.DocumentView{
			Layout: bothShell("pacs.008 of 7QK4M2XW9TCH3F5A", views.PlacePayments), BackLabel: "Messages of 7QK4M2XW9TCH3F5A",
			BackURL: "/payments/x/messages", Document: paymentPage(views.TabMessages).Documents[1], Text: documentText,
		})},
		{Name: "payments", Page: views.ListPage(payments())},
		{Name: "dashboard", Page: views.DashboardPage(dashboard())},
		{Name: "dashboard-supervisor", Page: views.DashboardPage(supervisorHome())},
		{Name: "dashboard-administrator", Page: views.DashboardPage(administratorHome())},
	}
}

// rejection is why a checker rejected a payment.
var rejection = i18n.Text("%s: %s").With("checker1",
	i18n.Join(": ", "Creditor or account is wrong", i18n.Data("Konto laut Rechnung anders.")))

// duplicate is a recall of a payment that was sent twice.
func duplicate() payment.Message {
	m := about("7QK4M2XW9TCH3F5R", payment.KindRecall, payment.StateProcessing)
	m.Reason = "DUPL"
	return m
}
