package portal

import (
	"cmp"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
	"countersign/web/request"
)

// The default length of the period of a report in days, and the longest.
const (
	usualPeriod = 30
	maxPeriod   = 366
)

// raisedHeading is the title of the report about changes that give people more power.
const raisedHeading = i18n.Text("Raised limits, relaxed policies and new rights")

// mayReport tells why the person may not read the reports of control, or nil. Error: payment.ForbiddenError.
func mayReport(by identity.Principal) error {
	if by.Has(identity.RoleSupervisor) {
		return nil
	}
	return &payment.ForbiddenError{Text: "You need the supervisor role to read the control reports."}
}

// reportPeriod parses the period in banking days, both ends included; the default is the last thirty days. Unreadable days, a reversed
// period, and one longer than maxPeriod give the default.
func (v *Request) reportPeriod() (p store.Period, from, to string) {
	today := v.At.In(v.Config.Zone)
	read := func(name string, other time.Time) time.Time {
		day, known := Day(v.Echo.QueryParam(name), today)
		if known {
			return day
		}
		return time.Date(other.Year(), other.Month(), other.Day(), 0, 0, 0, 0, v.Config.Zone)
	}
	last := read("to", today)
	first := read("from", last.AddDate(0, 0, 1-usualPeriod))
	if first.After(last) || first.Before(last.AddDate(0, 0, 1-maxPeriod)) {
		first = last.AddDate(0, 0, 1-usualPeriod)
	}
	return store.Period{From: first, Until: last.AddDate(0, 0, 1)}, ui.Day(first), ui.Day(last)
}

// reportURL is the address of a report over the period of this one.
func reportURL(path, from, to string, more ...string) string {
	return ui.Address(path, append([]string{"from", from, "to", to}, more...)...)
}

// showReports shows the numbers of a period, each with the way to its rows.
func showReports(v *Request) error {
	period, from, to := v.reportPeriod()
	counts, err := v.Config.Reader.ReportCounts(v.Context(), store.ReportQuery{Realm: v.By.Realm, Period: period, Zone: v.Config.Zone})
	if err != nil {
		return err
	}
	pairs, err := v.Config.Reader.Pairs(v.Context(), v.By.Realm, period)
	if err != nil {
		return err
	}
	raised, err := v.Config.Reader.Raised(v.Context(), v.By.Realm, period)
	if err != nil {
		return err
	}
	ended, err := endedCounts(v, period)
	if err != nil {
		return err
	}
	decisions, err := v.Config.Reader.DecisionsCount(v.Context(), v.By.Realm, period, store.MaxDecisions+1)
	if err != nil {
		return err
	}
	model := v.reportsOf(counts.Approvals, from, to)
	for _, row := range []struct {
		path       string
		name, what i18n.Text
		count      int
	}{
		{
			"decisions", "Decisions",
			"Every approval and rejection, with maker, checker, amount, creditor, purpose, policy, reason and waiting time", decisions,
		},
		{
			"pairs", "Recurring maker–checker pairs",
			i18n.Text("One checker approved at least %d%% of a maker's payments (%d payments or more)").
				With(store.PairPercent, store.PairLeast), len(pairs),
		},
		{
			"fast", "Approvals within 5 seconds of opening the page",
			i18n.Text("Approvals given in the portal when the payment's page had been open for less than %d seconds, or had not been opened").
				With(int(store.FastBelow / time.Second)), counts.Fast,
		},
		{
			"hours", "Approvals outside working hours",
			i18n.Text("Approvals before 07:00, from 19:00 onwards, or on a Saturday or Sunday (time zone %s)").With(v.Config.Zone), counts.OutOfHours,
		},
		{"limits", raisedHeading, "Limits raised or removed, policies relaxed or retired, roles or exceptions granted, and changes that " +
			"benefit the person who requested them", len(raised)},
		{"rejected", "Rejected by checkers", "Rejections, by the reason the checker gave", ended[payment.StateRejected]},
		{"failed", "Failed", "Failures, by the reason given by clearing or the other bank", ended[payment.StateFailed]},
		{
			"unanswered", "No answer from clearing in time", "Payments not confirmed within ten seconds, even if an answer came later",
			ended[payment.StateUnconfirmed],
		},
	} {
		model.Rows = append(model.Rows, views.ReportRow{
			URL: reportURL("/reports/"+row.path, from, to), Cells: []i18n.Text{row.name, row.what, i18n.Data(i18n.Number(row.count))},
		})
	}
	model.Rows = append(model.Rows, accessRow)
	return v.Render(http.StatusOK, views.ReportPage(model))
}

// accessRow leads from the reports to the access review.
var accessRow = views.ReportRow{URL: accessPath, Cells: []i18n.Text{
	"Access review", "All clients and user accounts with their roles, last sign-ins and second factors, for a supervisor to confirm", "",
}}

// reportsOf starts the page of the numbers of a period, without its rows.
func (v *Request) reportsOf(approvals int, from, to string) views.Report {
	model := v.report("Control reports",
		i18n.Text("%d approvals between %s and %s. Open a report to see which approvals it includes.").With(approvals, from, to))
	model.Form = &views.ReportPeriod{From: from, To: to}
	model.Columns = []i18n.Text{"Report", "What is counted", "Count"}
	return model
}

func (v *Request) report(heading, words i18n.Text) views.Report {
	return views.Report{
		Layout: v.layout(heading, views.PlaceReports), Heading: heading, Words: words,
		Empty: ui.Empty{Icon: "list", Title: "No entries", Text: "There are no entries in this period."},
	}
}

// reported is one report: its heading and its rows, each with a link.
type reported struct {
	heading, words i18n.Text
	columns        []i18n.Text
	rows           []views.ReportRow

	// tableColumns and table are the report for a spreadsheet; none: columns and rows.
	tableColumns []i18n.Text
	table        [][]request.Cell
}

// showReport shows the rows of one report.
func showReport(v *Request) error {
	found, from, to, err := v.reported(maxReported)
	if err != nil {
		return err
	}
	model := v.report(found.heading, found.words)
	model.Columns, model.Rows, model.BackURL = found.columns, found.rows, reportURL("/reports", from, to)
	model.TableURL = "/reports/" + v.Echo.Param("report") + "/table?" + v.Echo.QueryString()
	return v.Render(http.StatusOK, views.ReportPage(model))
}

// downloadReport sends the rows of a report as a table for a spreadsheet.
func downloadReport(v *Request) error {
	found, from, to, err := v.reported(store.MaxDecisions)
	if err != nil {
		return err
	}
	if found.table == nil {
		found.tableColumns = found.columns
		for _, row := range found.rows {
			found.table = append(found.table, textCells(v.said(row.Cells)...))
		}
	}
	format := "csv"
	if v.Echo.QueryParam("format") == "xlsx" {
		format = "xlsx"
	}
	err = v.Config.Desk.Exported(v.Context(), v.By, reportURL("/reports/"+v.Echo.Param("report"), from, to), format, v.At)
	if err != nil {
		return err
	}
	return v.table("report-"+v.Echo.Param("report")+"-"+from+"-"+to, format,
		append([][]request.Cell{textCells(v.said(found.tableColumns)...)}, found.table...))
}

// said translates texts into the language of the reader.
func (v *Request) said(texts []i18n.Text) []string {
	return mapped(texts, func(text i18n.Text) string { return v.Say(text) })
}

// mapped returns the result of a function for each of the values.
func mapped[T, U any](values []T, convert func(T) U) []U {
	list := make([]U, len(values))
	for i, value := range values {
		list[i] = convert(value)
	}
	return list
}

// table sends rows for a spreadsheet.
func (v *Request) table(name, format string, rows [][]request.Cell) error {
	table, err := v.beginTable(name, format)
	for _, row := range rows {
		err = errors.Join(err, table.Row(row...))
	}
	return errors.Join(err, table.Close())
}

// beginTable answers with a table for a spreadsheet: "xlsx", or CSV with the decimal sign of the reader.
func (v *Request) beginTable(name, format string) (request.Table, error) {
	kind := request.ContentType
	if format == "xlsx" {
		kind = request.XLSXType
	}
	response := v.Echo.Response()
	response.Header().Set("Content-Type", kind)
	response.Header().Set("Content-Disposition", `attachment; filename="`+name+"."+format+`"`)
	return request.NewTable(response, format, i18n.Of(v.Context()).DecimalSign(v.Echo.Request().Header.Get("Accept-Language")))
}

// reported reads the report that the path names, of decisions so many at most. Errors: payment.ForbiddenError, payment.ErrNotFound.
func (v *Request) reported(most int32) (found reported, from, to string, err error) {
	err = mayReport(v.By)
	if err != nil {
		return found, "", "", err
	}
	period, from, to := v.reportPeriod()
	asked := store.ReportQuery{Realm: v.By.Realm, Kind: store.ReportKind(v.Echo.Param("report")), Period: period, Zone: v.Config.Zone}
	words := i18n.Text("From %s to %s, newest first, at most 1'000 entries.").With(from, to)
	switch asked.Kind {
	case store.ReportPairs:
		asked.Maker, _ = uuid.Parse(v.Echo.QueryParam("maker"))
		asked.Checker, _ = uuid.Parse(v.Echo.QueryParam("checker"))
		if asked.Maker == uuid.Nil || asked.Checker == uuid.Nil {
			found, err = v.reportedPairs(period, from, to)
			return found, from, to, err
		}
		found, err = v.reportedApprovals("One maker's payments approved by one checker", words, asked)
	case store.ReportFast:
		found, err = v.reportedApprovals("Approvals within 5 seconds of opening the page", words, asked)
	case store.ReportHours:
		found, err = v.reportedApprovals("Approvals outside working hours", words, asked)
	case "limits":
		found, err = v.reportedChanges(period, words)
	case "decisions":
		if most > maxReported {
			err = v.tooManyDecisions(period)
		}
		if err == nil {
			found, err = v.reportedDecisions(period, words, most)
		}
	default:
		state, known := endedReports[v.Echo.Param("report")]
		if !known {
			return found, from, to, payment.ErrNotFound
		}
		found, err = v.reportedEnded(state, period, words)
	}
	return found, from, to, err
}

func (v *Request) reportedPairs(period store.Period, from, to string) (reported, error) {
	found := reported{
		heading: "Recurring maker–checker pairs", words: i18n.Text("From %s to %s. Open a row to see which of the maker's payments the "+
			"checker approved.").With(from, to),
		columns: []i18n.Text{"Maker", "Checker", "Approvals by this checker", "Approvals by all checkers"},
	}
	pairs, err := v.Config.Reader.Pairs(v.Context(), v.By.Realm, period)
	for _, p := range pairs {
		found.rows = append(found.rows, views.ReportRow{
			URL:   reportURL("/reports/pairs", from, to, "maker", p.Maker.String(), "checker", p.Checker.String()),
			Cells: data(p.MakerName, p.CheckerName, i18n.Number(p.Approvals), i18n.Number(p.Of)),
		})
	}
	return found, err
}

func (v *Request) reportedApprovals(heading, words i18n.Text, asked store.ReportQuery) (reported, error) {
	found := reported{
		heading: heading, words: words,
		columns: []i18n.Text{"Payment", "Created by", "Approved by", "Approved", "Time on page before approval", "Channel", "Amount"},
	}
	approvals, err := v.Config.Reader.Approvals(v.Context(), asked)
	for _, a := range approvals {
		found.rows = append(found.rows, views.ReportRow{URL: "/payments/" + a.MessageID.String(), Cells: append(
			data(a.GlobalID, a.Makers, a.Checker, ui.DateTime(a.At)), looked(a), views.ChannelName(a.Channel, a.Client),
			i18n.Data(a.Amount))})
	}
	return found, err
}

// looked returns the time between opening the page and the approval.
func looked(a store.ReportedApproval) i18n.Text {
	if a.Looked.IsZero() {
		return "page not opened"
	}
	if took := a.At.Sub(a.Looked).Round(100 * time.Millisecond); took < time.Minute {
		return i18n.Text("%s s").With(strconv.FormatFloat(took.Seconds(), 'f', 1, 64))
	}
	return took(a.At.Sub(a.Looked))
}

func (v *Request) reportedChanges(period store.Period, words i18n.Text) (reported, error) {
	found := reported{
		heading: raisedHeading, words: words,
		columns: []i18n.Text{
			"Change (a change)", "About", "Effect", "Requested by", "When", "Decided by", "Outcome",
			"Benefits the requester",
		},
	}
	raised, err := v.Config.Reader.Raised(v.Context(), v.By.Realm, period)
	outcomes := map[string]i18n.Text{"approve": "applied", "reject": "rejected", "waits": "waiting for a decision"}
	for _, c := range raised {
		change := administration.Change{Kind: administration.Kind(c.Kind), Before: c.Before, After: c.After}
		found.rows = append(found.rows, views.ReportRow{URL: "/reports/changes/" + c.Change, Cells: []i18n.Text{
			ChangeHeading(change.Kind, c.Subject), raisedAbout(c), i18n.Join("; ", effects(change)...), i18n.Data(c.Requester),
			i18n.Data(ui.DateTime(c.At)), i18n.Data(c.Decider), outcomes[c.Outcome], YesNo(c.Own),
		}})
	}
	return found, err
}

// raisedAbout names whom or what a change concerns: the rule of a policy, the person, or the holder of a limit.
func raisedAbout(c store.Raised) i18n.Text {
	now := c.After
	if len(now) == 0 {
		now = c.Before
	}
	switch {
	case administration.Kind(c.Kind) == administration.KindPolicyUpdate:
		return i18n.Join(" → ", ruleOf(c.Before), ruleOf(c.After))
	case administration.Kind(c.Kind).Noun() == "policy":
		return ruleOf(now)
	case c.Beneficiary != "":
		return i18n.Data(c.Beneficiary)
	case now["limitOf"] != "":
		return i18n.Join(" ", FieldValue("limitOf", now["limitOf"]), i18n.Data(cmp.Or(now["displayName"], now["holder"])))
	case now["displayName"] != "":
		return i18n.Data(now["displayName"])
	}
	return i18n.Data(subjectName(c.Subject))
}

// showReportedChange shows a change of administrators to somebody who supervises, field by field. Nobody decides it here.
func showReportedChange(v *Request) error {
	return v.ShowChange(ChangeDesk{
		Place: views.PlaceReports, Report: "/reports/limits",
		Heading: func(c administration.Change) i18n.Text { return ChangeHeading(c.Kind, c.Subject) },
		Read: func(id uuid.UUID) (administration.Change, error) {
			return v.Config.Admin.Reported(v.Context(), v.By, id)
		},
	})
}

// data returns cells that are the same in every language.
func data(words ...string) []i18n.Text { return mapped(words, i18n.Data) }
