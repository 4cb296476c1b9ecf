package screens

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/views"
	"countersign/views/ui"
)

var now = time.Date(2026, 11, 20, 7, 26, 41, 0, time.UTC)

func shell(title i18n.Text, place views.Place) views.Layout {
	return views.Layout{
		Title: title, Place: place, Environment: "DEMO", QueueCount: 14, Shortcuts: true, Now: now,
		Person: views.Person{UserName: "checker1", Realm: "demo", Roles: []i18n.Text{"Checker"}, MayDecide: true, MayRead: true},
	}
}

func makerShell(title i18n.Text, place views.Place) views.Layout {
	made := shell(title, place)
	made.QueueCount = 0
	made.Person = views.Person{UserName: "maker1", Realm: "demo", Roles: []i18n.Text{"Maker"}, MaySubmit: true, MayRead: true}
	return made
}

func bothShell(title i18n.Text, place views.Place) views.Layout {
	made := shell(title, place)
	made.Person = views.Person{
		UserName: "both1", Realm: "demo", Roles: []i18n.Text{"Maker", "Checker"}, MaySubmit: true,
		MayDecide: true, MayRead: true,
	}
	return made
}

const digest = "9f2c4a7be1d05388c6f0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6"

// message is a payment that waits for approval.
func message() views.Message {
	hash, _ := payment.ParseDigest(digest)
	return views.Message{
		Message: payment.Message{
			InternalID: uuid.MustParse("019a9f4e-2c11-7d3a-9b1e-4f6a1c2d3e4f"), GlobalID: "7QK4M2XW9TCH3F5A", ExternalID: "INV-2026-1107",
			Kind: payment.KindInstruction, Scheme: "sic-inst", State: payment.StateApprovalPending, Channel: identity.ChannelPortal,
			MakerName: "maker1", CreatedAt: now.Add(-12 * time.Minute), ContentHash: hash, Version: 1,
			Summary: payment.Summary{
				Amount: amount(money.CHF, 123456), EndToEndID: "E2E-20261120-000184", UETR: "5f0c8a4e-7f32-4a1b-9d6e-0b1c2d3e4f50",
				DebtorName: "Muster AG", DebtorAccount: "CH5021977000004331346",
				CreditorName: "Beispiel Holzbau GmbH", CreditorAccount: "CH4431999123000889012", CreditorAgent: "Muster Bank, MUSTCHZZ",
			},
		},
		Sent: views.Sent{
			CreditorAddress: []i18n.Text{"Seestrasse 41", "8002 Zürich", i18n.Country("CH")},
			Remittance:      ui.Row{Term: "QR reference", Value: "21 00000 00003 13947 14300 09017"},
			Also:            []ui.Row{{Term: views.ElementName("CdtTrfTxInf/UltmtDbtr/Nm"), Value: "Muster Immobilien AG"}},
		},
		Timeline: []ui.Event{
			{At: now.Add(-12 * time.Minute), Title: "Submitted", Actor: "maker1", Channel: "Portal", State: "Approval Pending"},
		},
	}
}

func amount(currency money.Currency, minor int64) money.Amount {
	made, _ := money.FromMinor(currency, minor)
	return made
}

// questioned is a message that waits for the answer to a question, which was asked before too.
func questioned() views.Decision {
	d := decision()
	d.Message.State = payment.StateQuestion
	d.Message.Talk = []views.Said{
		{By: "Checker 1", At: now.Add(-9 * time.Minute), Text: "Which delivery is this invoice for?"},
		{By: "Maker 1", At: now.Add(-6 * time.Minute), Text: "For the beams of October.", Answer: true},
		{By: "Checker 1", At: now.Add(-2 * time.Minute), Text: "The October invoice was paid on 3 November. Is this a second one?"},
	}
	return d
}

func decision() views.Decision {
	return views.Decision{Limits: []i18n.Text{limitToday()}, Message: message(), Deciding: true}
}

var purposes = []i18n.Text{
	"Rechnung 1107", "Miete Dezember", "Honorar 3. Quartal", "Beitrag 2026", "", "Serviceabo 88-4", "Fracht KW 47",
}

var creditors = []string{
	"Beispiel Holzbau GmbH", "Gemeinde Musterlingen", "Muster Treuhand AG", "Stiftung Beispielhof zur Förderung der Wohnkultur",
	"A. Muster", "Elektro Beispiel SA", "Muster Logistik AG",
}

func rows(count int) []ui.Entry {
	made := make([]ui.Entry, 0, count)
	for index := range count {
		m := payment.Message{
			InternalID: uuid.MustParse(fmt.Sprintf("019a9f4e-2c11-7d3a-9b1e-%012d", index)),
			GlobalID:   payment.ID(fmt.Sprintf("7QK4M2XW9T%02dH3F5", index)),
			Kind:       payment.KindInstruction, Scheme: "sic-inst", MakerLogin: "maker1",
			CreatedAt: now.Add(-time.Duration(190-index*9) * time.Minute),
			Summary: payment.Summary{
				Amount:       amount(money.CHF, int64(((index*7%91+1)*1000+index*137%1000)*100+index*13%100)),
				CreditorName: creditors[index%len(creditors)], CreditorAccount: "CH4431999123000889012",
			},
		}
		switch index % 5 {
		case 1:
			m.Scheme, m.Summary.CreditorAccount, m.Summary.Amount = "sct-inst", "DE62007620110623852957", amount(money.EUR, m.Summary.Amount.Minor())
		case 3:
			m.Kind, m.MakerLogin = payment.KindRecall, "maker2"
		}
		row := views.QueueEntry(m, uuid.Nil, "", now)
		row.URL, row.Purpose = "/queue/open", purposes[index%len(purposes)]
		if index%5 == 2 {
			row.Flags = []ui.Fact{{Text: "Amended", Title: "Amended after submission"}}
		}
		made = append(made, row)
	}
	return made
}

func queue() views.Queue {
	return views.Queue{
		Layout: shell("Approval queue", views.PlaceQueue),
		Tabs: []ui.Tab{
			{Label: "For me", URL: "/queue", Count: "14", Current: true},
			{Label: "All waiting", URL: "/queue?tab=all", Count: "17"},
			{Label: "Submitted by me", URL: "/queue?tab=mine", Count: "3"},
			{Label: "Decided today", URL: "/queue?tab=decided", Count: "9"},
		},
		Filter: views.Filter{Action: "/queue", Tab: "me", ClearURL: "/queue", Queued: true, Dated: true}, Rows: rows(14), Selecting: true,
		Facts: views.QueueFacts{
			Waiting: 14, Oldest: now.Add(-190 * time.Minute), Now: now,
			Totals: kindTotals(),
		},
	}
}

func openQueue(detail views.Decision) views.Queue {
	model := queue()
	at := model.Rows[0].At // what the pane shows is what waits longest
	detail.Message.CreatedAt, detail.Message.Timeline[0].At = at, at
	open := payment.Message{
		InternalID: detail.Message.InternalID, GlobalID: detail.Message.GlobalID, Scheme: detail.Message.Scheme, Summary: detail.Message.Summary,
		CreatedAt: at, MakerLogin: "maker1", Kind: payment.KindInstruction,
	}
	purpose := model.Rows[0].Purpose
	model.Rows[0] = views.QueueEntry(open, uuid.Nil, "", now)
	model.Rows[0].URL, model.Rows[0].Purpose, model.Rows[0].Current = "/queue/open", purpose, true
	model.Rows[3] = views.DecidedEntry(model.Rows[3], i18n.Text("%s, %s").With(i18n.Text("Approved by %s").With("checker2"), "08:15:22 CET"))
	model.Detail = &detail
	return model
}

// decidedToday is what somebody decided today.
func decidedToday() views.Queue {
	model := queue()
	model.Selecting = false
	model.Filter = views.Filter{Action: "/queue", Tab: "decided", ClearURL: "/queue?tab=decided"}
	model.Facts, model.Pages, model.Rows = views.QueueFacts{Waiting: -1, Now: now}, ui.Pages{}, rows(9)
	for i := range model.Tabs {
		model.Tabs[i].Current = i == 3
	}
	for i := range model.Rows {
		at := now.Add(-time.Duration(i*17) * time.Minute)
		model.Rows[i].At, model.Rows[i].Aged = at, false
		model.Rows[i].Decided = i18n.Text("Approved by %s").With(i18n.Text("you (by)"))
		model.Rows[i].States = []string{[]string{"Settled", "Processing", "Failed"}[i%3]}
	}
	return model
}

func queueExhibits() []Exhibit {
	empty := queue()
	empty.Rows, empty.Facts.Waiting, empty.Facts.Oldest, empty.Facts.Totals = nil, 0, time.Time{}, nil
	empty.Empty = ui.Empty{
		Icon: "circle-check", Title: "Nothing left to decide", Text: "Nothing is waiting for a decision.", LinkLabel: "Decided today",
		LinkURL: "/queue?tab=decided",
	}
	noHit := empty
	noHit.Filter = views.Filter{
		Queued: true, Dated: true, Action: "/queue", Scheme: "sct-inst", AmountFrom: "1,234", Text: "Holz", Active: 2, ClearURL: "/queue",
	}
	noHit.Problems = []ui.Problem{{Field: "amountFrom", Text: ambiguous()}}
	noHit.Layout.Failed = true
	noHit.Empty = ui.Empty{
		Icon: "search", Title: "No results", Text: "No waiting payment matches your search.",
		LinkLabel: "Clear filters", LinkURL: "/queue",
	}
	own := decision()
	own.Deciding, own.Barred = false, i18n.Text("You %s this payment or request on %s. Another person must approve or reject it.").
		With(i18n.Text("submitted"),
			i18n.Minute(time.Date(2026, 11, 20, 4, 16, 0, 0, time.UTC)))
	abroad := decision()
	abroad.Message.Scheme, abroad.Message.Summary.Amount = "sct-inst", amount(money.EUR, 123456)
	abroad.Message.Summary.CreditorAccount, abroad.Message.Summary.CreditorName = "FR1420041010050500013M02606", "Elektro Beispiel SA"
	return []Exhibit{
		{Name: "queue-abroad", Page: views.QueuePage(openQueue(abroad))},
		{Name: "queue", Page: views.QueuePage(queue())},
		{Name: "queue-decided", Page: views.QueuePage(decidedToday())},
		{Name: "queue-open", Page: views.QueuePage(openQueue(warned()))},
		{Name: "queue-arrivals", Page: arrivals()},
		{Name: "queue-own", Page: views.QueuePage(openQueue(own))},
		{Name: "queue-reject", Page: views.QueuePage(refusedReject()), Failed: true},
		{Name: "queue-conflict", Page: views.QueuePage(openQueue(conflicted()))},
		{Name: "queue-empty", Page: views.QueuePage(empty)},
		{Name: "queue-no-hit", Page: views.QueuePage(noHit), Failed: true},
		{Name: "queue-question", Page: views.QueuePage(openQueue(questioned()))},
		{Name: "ask", Page: views.WordsPage(views.Words{
			Layout: shell("Ask about 7QK4M2XW9TCH3F5A", views.PlaceQueue), Message: message(), Act: views.ActAsk,
		})},
		{Name: "answer", Page: views.WordsPage(views.Words{
			Layout: makerShell("Answer the question", views.PlaceMine), Message: questioned().Message, Act: views.ActAnswer,
			Also: []ui.Step{{Label: "Amend the payment instead", URL: "/payments/x/amend"}},
		})},
		{Name: "reject", Page: views.RejectPage(shell("Reject", views.PlaceQueue), decision())},
		{Name: "detail-fragment", Page: views.DetailFragment(decision()), Fragment: true},
		{Name: "refused-fragment", Page: views.DetailFragment(*refusedReject().Detail), Fragment: true, Failed: true},
		{Name: "conflict-fragment", Page: views.DetailFragment(conflicted()), Fragment: true, Failed: true},
		{Name: "live-fragment", Page: views.QueueLiveUpdate(views.QueueLive{
			Layout: shell("", views.PlaceQueue), Arrivals: 3, URL: "/queue", Facts: views.QueueFacts{Waiting: 17, Oldest: now, Now: now},
			Rows: rows(1),
		}), Fragment: true},
		{Name: "decided-fragment", Page: views.DecidedFragment(decided()), Fragment: true},
	}
}

// arrivals is the queue with what the live line tells of payments that came in: over the head of the list, on narrow screens above the bar.
func arrivals() templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		model := openQueue(decision())
		model.Layout.EventsURL = "/queue/events"
		var page, told bytes.Buffer
		err := views.QueuePage(model).Render(ctx, &page)
		if err == nil {
			err = views.QueueLiveUpdate(views.QueueLive{Layout: model.Layout, Arrivals: 3, URL: "/queue", Facts: model.Facts}).Render(ctx, &told)
		}
		if err != nil {
			return err
		}
		link, _, _ := strings.Cut(told.String(), "</a>")
		_, err = io.WriteString(w, strings.Replace(page.String(), `aria-live="off">`, `aria-live="off">`+link+"</a>", 1))
		return err
	})
}

func warned() views.Decision {
	detail := decision()
	detail.Approvals = i18n.Text("%s of %s approvals given, by %s").With("1", "2", "checker2")
	detail.Message.Warnings = []views.Warning{{
		Title: i18n.Text("Possible duplicate: same account and amount entered %d times in the last 7 days").With(1),
		Text:  "Another payment has the same creditor account and the same amount.",
		Links: []ui.Step{{
			Label: i18n.Text("%s, %s, %s").With("7QK4M2XW8S11B2D4", "18.11.2026", i18n.Text("Settled")), URL: "/payments/x",
		}},
	}}
	detail.Message.Talk = []views.Said{{By: "Maker 1", Text: "Skonto berichtigt, zweite Rate", Note: true}}
	detail.Message.Changes = []views.Change{{Field: "Amount", Before: "CHF 1'243.56", After: "CHF 1'234.56"}}
	return detail
}

func refusedReject() views.Queue {
	detail := decision()
	detail.Reject = views.Reject{Open: true, Category: "creditor"}
	detail.Problems = []ui.Problem{{Field: "reason", Text: "Enter a reason for the rejection. The maker will see your reason."}}
	model := openQueue(detail)
	model.Layout.Failed = true
	return model
}

func conflicted() views.Decision {
	detail := decision()
	detail.Deciding, detail.Message.State = false, "Approved"
	detail.Conflict = &views.Conflict{
		Sentence: i18n.Text("%s was already approved by %s at %s.").With("7QK4M2XW9TCH3F5A", "checker2", "08:15:22 CET"),
		Before:   "Approval Pending", After: "Approved",
		TypedReason: "The invoice names another account.", NextURL: "/queue/next", NextLabel: "Go to the queue",
	}
	return detail
}

func decided() views.Decided {
	next := decision()
	row := rows(1)[0]
	row.Decided = i18n.Text("%s, %s").With(i18n.Text("Approved by %s").With(i18n.Text("you (by)")), "08:26:04 CET")
	made := shell("Approval queue", views.PlaceQueue)
	made.Status = "7QK4M2XW9T00H3F5 approved. Next: 7QK4M2XW9TCH3F5A"
	return views.Decided{Layout: made, Row: row, Next: &next}
}

// limitToday is what a limit lets through today, looked up when a page is made.
func limitToday() i18n.Text {
	return i18n.Text("Limit for %s: %s.").With(
		i18n.Text("the account %s").With("CH50 … 1346"),
		i18n.Join("; ", i18n.Text("%s per payment").With("CHF 10'000.00"),
			i18n.Text("%s of %s used today").With("CHF 12'500.00", "CHF 50'000.00")),
	)
}
