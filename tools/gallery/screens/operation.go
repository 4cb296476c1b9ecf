package screens

import (
	"time"

	"countersign/internal/i18n"
	"countersign/views"
	"countersign/views/ui"
)

// operation is a gateway with an interrupted connection.
func operation() views.Operation {
	return views.Operation{
		Layout: operatorShell("Operation", views.PlaceOperation), RetryURL: "/operation/retry", MissingKeys: []string{"release-0"},
		Connections: []views.Connection{
			{
				Scheme: "sic-inst", Reached: true,
				Unanswered: i18n.Text("%d messages have no answer yet. The oldest was sent %s ago.").With(2, i18n.Text("%d min %d s").With(4, 12)),
			},
			{Scheme: "sct-inst", Interrupted: "Connection interrupted. No documents are being sent.", Since: now},
		},
		Queues: []views.JobQueue{
			{Doing: "Delivery to clearing", Scheme: "sic-inst", Most: 1000},
			{Doing: "Delivery to clearing", Scheme: "sct-inst", Ready: 1000, Running: 32, Retrying: 7, Most: 1000, Oldest: now},
		},
		Checks: []views.CheckRow{
			{Of: "everything", At: now.Add(-26 * time.Hour)},
			{Of: "since a checkpoint", At: now.Add(-2 * time.Hour), Broken: "I16, I30"},
		},
		Mail: &views.MailRow{
			SentAt: now.Add(-3 * time.Minute), FailedAt: now.Add(-time.Minute), Failure: "dial tcp 10.0.0.7:587: connection refused", Retrying: 4,
		},
		Stuck: []views.StuckRow{
			{
				Doing: "Delivery to clearing", Scheme: "sct-inst", Subject: "019e1f6a-0000-7000-8000-000000000001", Failed: 4,
				Next: now.Add(time.Minute),
				Why:  "deliver P87QK4M2XW9TCH3F5A: clearing answered 503 Service Unavailable",
			},
			{
				Doing: "Deadline", Subject: "019e1f6a-0000-7000-8000-000000000002", Failed: 1, Next: now,
				Why: "The original payment was never received.",
			},
		},
	}
}

// reconcile is a statement of clearing with differences; one is explained.
func reconcile() views.Reconcile {
	return views.Reconcile{
		Layout: operatorShell("Compare with clearing", views.PlaceOperation), Limit: i18n.Text("%d kB").With(2048),
		Schemes: ui.Choice{ID: "scheme", Label: "Scheme", Value: "sct-inst", Options: []ui.Option{
			{Value: "sic-inst", Label: "SIC Instant"}, {Value: "sct-inst", Label: "SCT Inst"},
		}},
		Stored: []views.StoredStatement{{Scheme: "sct-inst", Reference: "STMT-20260603-000000000000000001", Type: "camt.053.001.08", At: now}},
		Done: &views.Reconciled{
			Summary: i18n.Text("From %s to %s. Payments on the statement: %d. Differences: %d.").With(i18n.Day(now), i18n.Day(now), 1204, 2),
			MayGoOn: true,
			Differences: []views.DifferenceRow{
				{
					Kind: "Not found in this gateway", Reference: "E2026060300000000000000000000000017", Here: "None",
					Proposal:    "Explain the difference",
					ProposalURL: "/admin",
					Statement:   i18n.Join(" ", i18n.Text("Incoming"), i18n.Data("EUR 999'999'999.99")),
				},
				{
					Kind: "Different amount", Reference: "P87QK4M2XW9TCH3F5A", Statement: i18n.Join(" ", i18n.Text("Outgoing"), i18n.Data("EUR 120.00")),
					Here: i18n.Data("P87QK4M2XW9TCH3F5A EUR 102.00"), URL: "/payments/P87QK4M2XW9TCH3F5A", Proposal: "Explain the difference",
					ProposalURL: "/admin",
				},
			},
		},
	}
}
