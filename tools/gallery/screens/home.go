package screens

import (
	"fmt"
	"time"

	"countersign/internal/i18n"
	"countersign/views"
	"countersign/views/ui"
)

// endedLines are what was rejected or failed of a maker's, with why.
func endedLines() views.Lines {
	lines := views.Lines{
		Heading: "Rejected or failed, last 7 days", Nothing: "You have no rejected or failed submissions",
		More: ui.Step{Label: "All rejected submissions", URL: "/mine?tab=rejected"},
	}
	for i, line := range []ui.Entry{
		{States: []string{"Rejected"}, Note: i18n.Data("Checker 1: Rechnung vom Oktober fehlt")},
		{States: []string{"Failed"}, Note: "The creditor's account is closed. Ask the creditor for another account."},
	} {
		line.ID, line.URL, line.Name = fmt.Sprintf("ended-%d", i), "/payments/x", i18n.Data(creditors[i])
		line.Amount, line.At = ui.Amount{Currency: "CHF", Value: "1'234'567.50"}, now.Add(-time.Duration(i+1)*time.Hour)
		line.Steps = []ui.Step{{Label: "Correct and submit again", URL: "/payments/new?like=x"}}
		lines.Rows = append(lines.Rows, line)
	}
	return lines
}

// ageChart is how much waits so long or longer.
func ageChart(ending int) views.Chart {
	chart := views.Chart{Heading: "Waiting time", Words: "Waiting for your approval", Label: "Waiting time", Number: "Waiting"}
	for i, age := range views.Ages[1:] {
		chart.Bars = append(chart.Bars, views.ChartBar{
			Label: age.Label, Count: 14 - i*4, URL: "/queue?age=" + age.Value, Most: views.MaxWaiting,
		})
	}
	chart.Bars = append(chart.Bars, views.ChartBar{
		Label: "Expires within 4 hours", Count: ending, Most: views.MaxWaiting, URL: "/queue?flag=ending", Tone: ui.ToneWaiting,
	})
	return chart
}

// supervisorHome is the first page of somebody who watches the work.
func supervisorHome() views.Dashboard {
	model := dashboard()
	model.Layout = supervisorShell("Dashboard", views.PlaceDashboard)
	waiting := views.Lines{Heading: "Longest-waiting submissions", Nothing: "Nothing is waiting", Rows: rows(3)}
	model.Tiles = []views.Tile{
		{
			Label: "Waiting for approval", Value: "14", Note: i18n.Text("the oldest has waited for %s, since %s").
				With("3 h", "20.11.2026 05:16:41 CET"),
			URL: "/queue?tab=all", Tone: ui.ToneWaiting,
		},
		{Label: "Recalls to answer", Value: "1", Note: "from other banks", URL: "/recalls", Tone: ui.ToneWaiting},
		{
			Label: "Time until approval", Value: "4 min", URL: "/payments",
			Note: i18n.Text("median of %d payments; 95%% of them within %s").With(318, "41 min"),
		},
		{Label: "Unconfirmed", Value: "1", Note: "waiting for clearing", URL: "/payments?state=Unconfirmed", Tone: ui.ToneWaiting},
		{Label: i18n.Text("%s today").With(i18n.Text("Rejected")), Value: "2", Note: "see why", URL: "/payments?state=Rejected"},
		{Label: i18n.Text("%s today").With(i18n.Text("Failed")), Value: "1", Note: "see why", URL: "/payments?state=Failed", Tone: ui.ToneBad},
	}
	due := ui.Due{Day: "23.11.2026", Text: "due today", Tone: ui.ToneBad}
	model.Lists = []views.Lines{waiting, {
		Heading: "Recall deadlines", Nothing: "No recalls are waiting for an answer",
		More: ui.Step{Label: "All received recalls", URL: "/recalls"},
		Rows: []ui.Entry{{
			ID: "due-1", URL: "/payments/x", Name: i18n.Data(creditors[2]), Due: &due, Amount: ui.Amount{Currency: "EUR", Value: "980.00"},
		}},
	}}
	reasons := views.Chart{
		Heading: "Why checkers rejected payments", Words: "Rejections in the last 30 days, by the reason that the checker gave",
		Label: "Reason", Number: "Rejected",
	}
	for i, category := range views.RejectCategories {
		reasons.Bars = append(reasons.Bars, views.ChartBar{Label: category.Label, Count: 31 >> i, URL: "/reports/rejected"})
	}
	failed := views.Chart{
		Heading: "Why payments failed", Words: "Failures in the last 30 days, by the reason from clearing or the other " +
			"bank", Nothing: "No payments failed.",
	}
	deadlines := views.Chart{
		Heading: "Missed deadlines", Words: "Deadlines missed in the last 30 days. Recalls are counted only if they are still " +
			"overdue.", Label: "Overdue items",
		Number: "Count",
		Bars: []views.ChartBar{
			{Label: "Clearing did not answer within ten seconds", Count: 3, Tone: ui.ToneBad, URL: "/reports/unanswered"},
			{Label: "Our answers to recalls", Count: 0, Tone: ui.ToneBad, URL: "/recalls?tab=late"},
		},
	}
	model.Charts = []views.Chart{ageChart(views.MaxWaiting), reasons, failed, deadlines}
	return model
}

// adminHomeShell is what surrounds the first page of an administrator.
func adminHomeShell() views.Layout {
	shell := adminShell("Dashboard")
	shell.Place = views.PlaceDashboard
	return shell
}

// administratorHome is the first page of an administrator: nothing of payments.
func administratorHome() views.Dashboard {
	return views.Dashboard{
		Layout: adminHomeShell(),
		Tiles: []views.Tile{
			{Label: "Changes waiting for me", Value: "2", Note: "to approve or reject", URL: "/admin?tab=me", Tone: ui.ToneWaiting},
			{Label: "Changes I requested", Value: "1", Note: "waiting for another administrator", URL: "/admin?tab=mine"},
			{Label: "Users without a second " +
				"factor", Value: "4", Note: "active user accounts", URL: "/admin/users?show=no-factor", Tone: ui.ToneWaiting},
			{Label: "Users without a password", Value: "0", Note: "no password yet, or password reset", URL: "/admin/users?show=set-up"},
			{Label: "Quarantine", Value: "1", Note: "received messages that match no payment", URL: "/quarantine", Tone: ui.ToneBad},
		},
		Lists: []views.Lines{{
			Heading: "Changes that have waited longest for my decision", Nothing: "No changes are waiting for you",
			More: ui.Step{Label: "All changes waiting for a decision", URL: "/admin"},
			Rows: []ui.Entry{
				{
					ID: "change-1", URL: "/admin/changes/x", Name: i18n.Text("Change the roles of %s").With("maker3"),
					Note: i18n.Text("requested by %s").With("Administrator 2"), At: now.Add(-3 * time.Hour),
				},
			},
		}},
	}
}
