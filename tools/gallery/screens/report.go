package screens

import (
	"countersign/internal/i18n"
	"countersign/views"
	"countersign/views/ui"
)

// reportedDecisions is the report with the most columns.
func reportedDecisions(decisions views.Report) views.Report {
	decisions.Layout, decisions.Heading = supervisorShell("Decisions", views.PlaceReports), "Decisions"
	decisions.Columns = []i18n.Text{
		"Payment", "Decided", "Outcome", "Reason", "Maker", "Checker", "Amount", "Creditor", "Reference", "Policy", "Seconds",
	}
	decisions.Rows = []views.ReportRow{{URL: "/payments/x", Cells: []i18n.Text{
		i18n.Data("DM7QK2M4T8XWPRA5"), i18n.Data("15.11.2026 21:04:12 CET"), "Rejected",
		i18n.Data("Duplicate of another payment: paid on Monday"),
		i18n.Data("Anna-Katharina Zimmermann"), i18n.Data("Checker 1"), i18n.Data("CHF 1'234'567.00"),
		i18n.Data("Beispiel Holzbau und Treuhand Gesellschaft mbH"), i18n.Data("21 00000 00003 13947 14300 09017"),
		i18n.Text("%s: %d approvals, within %s").With("CHF/EUR 10'000.00 or more", 2, "24 h"), i18n.Data("1532"),
	}}}
	return decisions
}

// reportExhibits are the reports of control and the trail after a verification.
func reportExhibits() []Exhibit {
	numbers := views.Report{
		Layout: supervisorShell("Control reports", views.PlaceReports), Heading: "Control reports",
		Words: i18n.Text("%d approvals between %s and %s. Open a report to see which approvals it includes.").With(412, "22.10.2026", "20.11.2026"),
		Form:  &views.ReportPeriod{From: "22.10.2026", To: "20.11.2026"}, Columns: []i18n.Text{"Report", "What is counted", "Count"},
		Rows: []views.ReportRow{{
			URL: "/reports/fast?from=22.10.2026&to=20.11.2026", Cells: []i18n.Text{
				"Approvals within 5 seconds of opening the page",
				i18n.Text("Approvals given in the portal when the payment's page had been open for less than %d seconds, or had not been opened").
					With(5), i18n.Data("3"),
			},
		}},
	}
	rows := views.Report{
		Layout: supervisorShell("Approvals outside working hours", views.PlaceReports), Heading: "Approvals outside working hours",
		Words:   i18n.Text("From %s to %s, newest first, at most 1'000 entries.").With("22.10.2026", "20.11.2026"),
		BackURL: "/reports", TableURL: "/reports/hours/table", Columns: []i18n.Text{"Payment", "Created by", "Approved by", "Approved"},
		Rows: []views.ReportRow{{URL: "/payments/x", Cells: []i18n.Text{
			i18n.Data("DM7QK2M4T8XWPRA5"), i18n.Data("Maker 1"), i18n.Data("Checker 1"), i18n.Data("15.11.2026 21:04:12 CET"),
		}}},
	}
	none := rows
	none.Rows, none.Empty = nil, ui.Empty{Icon: "list", Title: "No entries", Text: "There are no entries in this period."}
	trail := views.AuditTrail{
		Layout: supervisorShell("Audit trail", views.PlaceAudit), TableURL: "/audit/table", Seal: views.AuditSeal{Words: "sealed"},
		Events: []ui.Option{{Label: "All events"}},
		Verified: &views.AuditVerification{
			At: now, Took: i18n.Text("%d ms").With(214),
			Sentence: i18n.Text("All %s rows and documents up to the newest checkpoint are unchanged and in order. Signed checkpoints: %s.").
				With("812", "31"),
		},
		Empty: ui.Empty{Icon: "list", Title: "No entries", Text: "No event in this realm matches your search. Change or clear the search."},
	}
	broken := trail
	broken.Verified = &views.AuditVerification{
		At: now, Took: i18n.Text("%d ms").With(214), Failed: true,
		Sentence: "The audit trail failed its integrity check. Do not continue. Ask an operator to run “countersign check”.",
		Found: []i18n.Text{
			i18n.Text("%s: %s.").With("audit_event 019e1f6a-0000-7000-8000-000000000003", i18n.Text("the row was sealed as leaf %s but is missing").
				With("4")),
		},
	}
	return []Exhibit{
		{Name: "report-numbers", Page: views.ReportPage(numbers)},
		{Name: "report-rows", Page: views.ReportPage(rows)},
		{Name: "report-decisions", Page: views.ReportPage(reportedDecisions(rows))},
		{Name: "report-empty", Page: views.ReportPage(none)},
		{Name: "access", Page: views.AccessPage(accessReview())},
		{Name: "audit-verified", Page: views.AuditTrailPage(trail)},
		{Name: "audit-broken", Page: views.AuditTrailPage(broken)},
	}
}

// accessReview is a review of two accounts and a client.
func accessReview() views.Access {
	return views.Access{
		Layout: supervisorShell("Access review", views.PlaceReports), Seen: "x",
		Accounts: []views.AccessRow{
			{Name: "Checker 1", User: "checker1", Status: "active", Roles: []i18n.Text{
				i18n.Text("%s since %s").With(i18n.Text("Checker"), "03.02.2026"),
			}, SignedIn: i18n.Data("20.11.2026 08:14:03 CET"), Factors: 2},
			{Name: "Maker 2", User: "maker2", Status: "not set up", SignedIn: "never", Roles: []i18n.Text{
				i18n.Text("%s since %s").With(i18n.Text("Maker"), "19.11.2026"),
			}},
		},
		Clients: []views.AccessClient{{
			Client: "erp", Kind: "confidential", Since: "03.02.2026", Used: i18n.Data("20.11.2026 08:14:03 CET"), Status: "active",
			Approval: "nobody for some payments, because a policy allows them to be sent without approval", Payees: "verified",
		}},
		Earlier: []ui.Step{{Label: i18n.Text("%s, by %s").With("02.11.2026 17:05:11 CET", "Supervisor 1"), URL: "/reports/access/x"}},
	}
}

// supervisorShell is what surrounds the pages of somebody who supervises.
func supervisorShell(title i18n.Text, place views.Place) views.Layout {
	made := shell(title, place)
	made.Person = views.Person{
		UserName: "supervisor1", Realm: "demo", Roles: []i18n.Text{"Supervisor"}, MayRead: true, MayOperate: true, MayAudit: true,
		MayReport: true,
	}
	return made
}
