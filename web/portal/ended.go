package portal

import (
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// endedReports are the reports of messages that came into a state, by the last part of their address.
var endedReports = map[string]payment.State{
	"rejected": payment.StateRejected, "failed": payment.StateFailed, "unanswered": payment.StateUnconfirmed,
}

// ControlCharts returns the control figures of the last thirty days, for readers of reports: the reasons of rejections and failures, the
// missed deadlines, and the unusual approvals of today. Each number links to its rows.
func ControlCharts(v *Request) ([]views.Chart, error) {
	first := v.Today().AddDate(0, 0, 1-usualPeriod)
	from, to := first.Format(time.DateOnly), v.Today().Format(time.DateOnly)
	midnight := time.Date(first.Year(), first.Month(), first.Day(), 0, 0, 0, 0, v.Config.Zone)
	period := store.Period{From: midnight, Until: v.At.Add(time.Second)}
	rejected := views.Chart{
		Heading: "Why checkers rejected payments", Words: "Rejections in the last 30 days, by the reason that the checker gave", Label: "Reason",
		Number: "Rejected", Nothing: "No payments were rejected.",
	}
	failed := views.Chart{
		Heading: "Why payments failed", Words: "Failures in the last 30 days, by the reason from clearing or the other bank", Label: "Reason",
		Number: "Failed", Nothing: "No payments failed.",
	}
	var deadlines, habits views.Chart
	var group errgroup.Group // each looks at a thousand messages or more
	for report, chart := range map[string]*views.Chart{"rejected": &rejected, "failed": &failed} {
		group.Go(func() error {
			list, err := v.Figures().EndedReasons(v.Context(), v.By.Realm, endedReports[report], period)
			chart.Bars = reasonBars(list, func(reason string) string { return reportURL("/reports/"+report, from, to, "reason", reason) })
			return err
		})
	}
	group.Go(func() (err error) { deadlines, err = deadlineChart(v, midnight, from, to); return err })
	group.Go(func() (err error) { habits, err = habitChart(v, to); return err })
	err := group.Wait()
	return []views.Chart{rejected, failed, deadlines, habits}, err
}

// reasonBars count messages by why they ended, the most frequent reason first.
func reasonBars(list []store.EndedReason, urlOf func(reason string) string) []views.ChartBar {
	var bars []views.ChartBar
	place := map[string]int{}
	for _, e := range list {
		reason, words := reasonOf(e.Reason, e.StatusCode)
		at, known := place[reason]
		if !known {
			at = len(bars)
			place[reason] = at
			bars = append(bars, views.ChartBar{Label: words, URL: urlOf(reason), Most: store.MaxEnded})
		}
		bars[at].Count += e.Count
	}
	slices.SortStableFunc(bars, func(a, b views.ChartBar) int { return b.Count - a.Count })
	return bars
}

// withoutCode is the reason of failures without a code.
const withoutCode = "none"

// reasonOf returns the reason for which a message ended, for the address and for people: the category that the checker chose, or
// clearing's code. Rejections through the API, or for another reason, have no category.
func reasonOf(given, statusCode string) (reason string, words i18n.Text) {
	if given == "" && statusCode == "" {
		return withoutCode, "No reason was given"
	}
	if statusCode != "" {
		said, _ := views.Failure(payment.Message{StatusCode: statusCode})
		return statusCode, i18n.Join(" ", i18n.Data(statusCode), said)
	}
	category, _ := views.RejectCategory(given)
	return category.Value, category.Label
}

// deadlineChart counts the missed deadlines: clearing's answers, other banks' answers to our recalls, our own answers to theirs, and
// messages that expired undecided.
func deadlineChart(v *Request, since time.Time, from, to string) (views.Chart, error) {
	late, err := v.Config.Reader.Late(v.Context(), v.By.Realm, store.AskedLate{Since: since, DueBefore: dueBefore(v), Most: ListPage})
	chart := views.Chart{
		Heading: "Missed deadlines", Words: "Deadlines missed in the last 30 days. Recalls are counted only if they are still " +
			"overdue.", Label: "Overdue items",
		Number: "Count", Bars: []views.ChartBar{
			{
				Label: "Clearing did not answer within ten seconds", Count: late.Unanswered, Most: store.MaxEnded,
				URL: reportURL("/reports/unanswered", from, to),
			},
			{Label: "Our answers to recalls", Count: late.ToAnswer, Most: ListPage, URL: lateRecalls},
			{
				Label: "Other banks' answers to our recalls", Count: late.Overdue, Most: ListPage,
				URL: "/payments" + Filter{}.Query("state", string(payment.StateOverdue)),
			},
			{
				Label: "Expired without a decision", Count: late.Expired, Most: ListPage,
				URL: "/payments" + Filter{}.Query("state", string(payment.StateExpired), "since", from),
			},
		},
	}
	for i := range chart.Bars {
		chart.Bars[i].Tone = ui.ToneBad
	}
	return chart, err
}

// habitChart counts the approvals of today that somebody should look at.
func habitChart(v *Request, today string) (views.Chart, error) {
	counts, err := v.Figures().HabitCounts(v.Context(), v.By.Realm, v.Midnight(), v.Config.Zone)
	return views.Chart{
		Heading: "Approvals to review", Words: "Only approvals given today are counted. For other days, see the control " +
			"reports.", Label: "Reason for review", Number: "Approvals",
		Bars: []views.ChartBar{
			{
				Label: "Approved within 5 seconds of opening the page", Count: counts.Fast, Most: maxReported, Tone: ui.ToneWaiting,
				URL: reportURL("/reports/fast", today, today),
			},
			{
				Label: "Approved outside working hours", Count: counts.OutOfHours, Most: maxReported, Tone: ui.ToneWaiting,
				URL: reportURL("/reports/hours", today, today),
			},
		},
	}, err
}

// maxReported limits the rows of a report.
const maxReported = 1000

// endedCounts count what ended in a period, as far as a report lists it.
func endedCounts(v *Request, period store.Period) (map[payment.State]int, error) {
	counts := map[payment.State]int{}
	for _, state := range endedReports {
		count, err := v.Config.Reader.EndedCount(v.Context(), v.By.Realm, state, period)
		if err != nil {
			return nil, err
		}
		counts[state] = count
	}
	return counts, nil
}

// reportedEnded lists the messages that reached a state in a period, with one reason if the address names one.
func (v *Request) reportedEnded(state payment.State, period store.Period, words i18n.Text) (reported, error) {
	headings := map[payment.State]i18n.Text{
		payment.StateRejected: "Rejected by checkers", payment.StateFailed: "Failed", payment.StateUnconfirmed: "No answer from clearing in time",
	}
	found := reported{
		heading: headings[state], words: words, columns: []i18n.Text{"Payment", "Creditor", "Amount", "When", "By (a person)", "Reason"},
	}
	list, err := v.Config.Reader.Ended(v.Context(), v.By.Realm, state, period)
	asked := v.Echo.QueryParam("reason")
	for _, e := range list {
		reason, said := reasonOf(e.Reason, e.StatusCode)
		if asked != "" && asked != reason {
			continue
		}
		if e.Reason != "" && e.StatusCode == "" {
			said = views.RejectReason(e.Reason)
			if state == payment.StateUnconfirmed { // the gateway gives one reason for it, without values
				said = i18n.Kept(e.Reason)
			}
		}
		found.rows = append(found.rows, views.ReportRow{URL: "/payments/" + e.MessageID.String(), Cells: append(
			data(e.GlobalID, e.CreditorName, e.Amount.Format(), ui.DateTime(e.At), e.By), said)})
	}
	return found, err
}

// lateRecalls is the list of received recalls whose last day for an answer is over.
const lateRecalls = "/recalls?tab=" + tabLate

const tabLate = "late"

// dueBefore returns today: an answer that was due before it is late.
func dueBefore(v *Request) time.Time {
	year, month, day := v.Today().Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// DueLines are the recalls whose answer is due first, so many at most.
func DueLines(v *Request, most int32) (views.Lines, error) {
	lines := views.Lines{
		Heading: "Recall deadlines", Nothing: "No recalls are waiting for an answer",
		More: ui.Step{Label: "All received recalls", URL: "/recalls"},
	}
	list, err := v.Config.Reader.AnswersDue(v.Context(), v.By.Realm, v.At.AddDate(10, 0, 0), most)
	for _, m := range list {
		row, due := views.Entry(m, time.Time{}), Due(v, m)
		row.At, row.Due = time.Time{}, &due
		lines.Rows = append(lines.Rows, row)
	}
	return lines, err
}
