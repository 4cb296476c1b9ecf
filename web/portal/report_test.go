package portal_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/uuid"

	"countersign/internal/demo"
	"countersign/internal/identity"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/views/ui"
)

// TestSupervisorsReadTheReportsOfControl: each number leads to its rows, the rows to their payments, and both to a table in which nothing
// becomes a formula. Nobody else reads them.
func TestSupervisorsReadTheReportsOfControl(t *testing.T) {
	t.Parallel()
	b := setup(t)
	conn := b.DB.Connect(t)
	_, err := conn.Exec(t.Context(), "UPDATE person SET display_name = '=Maker 1' WHERE display_name = 'Maker 1'")
	must(t, err)
	b.DB.SealMasterData(t)
	maker, checker := b.as("maker1"), b.as("checker1")
	number := 0
	approve := func() string {
		number++
		m := maker.submit(with(filled(), "amount", strconv.Itoa(number)+".50"))
		path := "/queue/" + m.InternalID.String()
		checker.post(path+"/approve", checker.get(path).fields(path+"/approve")).is(http.StatusSeeOther)
		return m.InternalID.String()
	}
	for range store.PairLeast {
		approve()
	}
	slow := approve()
	_, err = conn.Exec(t.Context(), "UPDATE message_look SET first_at = first_at - interval '6 s' WHERE message_id = $1", slow)
	must(t, err)
	setLimit(t, b, "100.00")
	setLimit(t, b, "200.00")
	supervisor := b.as("supervisor1")
	page := supervisor.get("/reports").is(http.StatusOK)
	for report, number := range map[string]string{"pairs": "1", "fast": "10", "limits": "1"} {
		row := page.page.Find(`a[href^="/reports/` + report + `?"]`).Closest("tr")
		if got := strings.TrimSpace(row.Find("td").Last().Text()); got != number {
			t.Errorf("%s counts %q, want %s", report, got, number)
		}
		address, _ := row.Find("a").Attr("href")
		rows := supervisor.get(address).is(http.StatusOK).page.Find("main tbody tr")
		if number != "" && rows.Length() == 0 {
			t.Errorf("%s has no rows behind its number", report)
		}
	}
	fast := supervisor.get("/reports/fast").is(http.StatusOK)
	if fast.page.Find("main tbody tr").Length() != store.PairLeast || strings.Contains(fast.text, slow) {
		t.Errorf("the fast ones: %s", fast.main())
	}
	pairs := supervisor.get("/reports/pairs").is(http.StatusOK).says("Checker 1")
	pair, _ := pairs.page.Find("main tbody a").Attr("href")
	if supervisor.get(pair).is(http.StatusOK).page.Find("main tbody tr").Length() != store.PairLeast+1 {
		t.Error("the pair does not lead to its approvals")
	}
	table := supervisor.get("/reports/fast/table")
	if table.header.Get("Content-Type") != "text/csv; charset=utf-8" || !strings.Contains(table.text, `"'=Maker 1"`) {
		t.Errorf("the table: %s %.300s", table.header.Get("Content-Type"), table.text)
	}
	supervisor.get("/reports/limits").is(http.StatusOK).says("Limit per day raised: from 100.00 to 200.00")
	supervisor.get("/reports/nothing").is(http.StatusNotFound)
	for _, name := range []string{"maker1", "checker1", "admin1"} {
		for _, path := range []string{"/reports", "/reports/fast", "/reports/fast/table"} {
			b.as(name).get(path).is(http.StatusForbidden)
		}
	}
}

// TestApprovalsOfSeveralHadTheirPageOpen: the page that compares several payments, and that of a file, show each as its own page does.
func TestApprovalsOfSeveralHadTheirPageOpen(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, checker := b.as("maker1"), b.as("checker1")
	page := checker.get(chosen(maker.priced("10.00", "20.00")...)).is(http.StatusOK)
	maker.submitFile(maker.upload("Lohn.xml", []byte(salaries(3))).goesTo("/payments/batches/"))
	address := "/queue/files/" + b.text("SELECT batch_id::text FROM batch_payment LIMIT 1")
	checker.get(address).is(http.StatusOK)
	b.change("UPDATE message_look SET first_at = first_at - interval '6 s'")
	checker.post("/queue/bulk", url.Values{"item": page.items()}).is(http.StatusOK).says("2 of 2 approved.")
	checker.post("/queue/bulk", checker.get(address).fields("/queue/bulk")).is(http.StatusOK).says("3 of 3 approved.")
	fast := b.as("supervisor1").get("/reports/fast").is(http.StatusOK)
	if n := fast.page.Find("main tbody tr").Length(); n != 0 {
		t.Errorf("%d approvals count as faster than reading: %s", n, fast.main())
	}
}

// TestTheReportOfWhatLetsPeopleDoMore: limits, policies, roles, exceptions; what asks more is not in it, and each row leads to its change.
func TestTheReportOfWhatLetsPeopleDoMore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	setLimit(t, b, "100.00")
	b.changed("user.roles", "maker2", url.Values{"roles": {"checker, maker"}})
	b.changed("user.roles", "maker2", url.Values{"roles": {"maker"}})
	b.changed("policy.create", "", url.Values{"approvals": {"3"}, "rank": {"40"}})
	b.changed("policy.create", "", url.Values{"approvals": {"2"}, "rank": {"50"}})
	b.changed("client.create", "", url.Values{"clientId": {"strict"}, "kind": {"public"}})
	b.changed("client.create", "", url.Values{"clientId": {"loose"}, "kind": {"public"}, "mayDecideOwn": {"yes"}})
	b.changed("realm.factors", "", url.Values{"secondFactorRoles": {"supervisor"}})
	b.changed("realm.factors", "", nil)
	b.as("admin1").post("/admin/ask/user.create", url.Values{"name": {"newhere"}, "displayName": {"New Here"}, "roles": {"checker"}}).
		is(http.StatusOK) // shows the code
	two := b.text("SELECT policy_id FROM policy WHERE realm = 'demo' AND rank = 50")
	b.changed("policy.retire", two, nil)
	w := b.as("supervisor1")
	today := ui.Day(time.Now())
	address := "/reports/limits?" + url.Values{"from": {today}, "to": {today}}.Encode()
	got := w.get(address).is(http.StatusOK).says("From " + today + " to " + today)
	var found []string
	got.page.Find("main tbody tr").Each(func(_ int, row *goquery.Selection) {
		found = append(found, strings.TrimSpace(row.Find("td a.row-link").Text()))
	})
	want := []string{"Retire a policy", "Create a user account: newhere", "Choose which roles need a second " +
		"factor", "Create a client: loose", "Create a policy", "Change the roles of maker2"}
	if !slices.Equal(found, want) {
		t.Errorf("the report has %q, want %q", found, want)
	}
	if text := got.says("New Here").says("2 approvals").page.Find("main tbody").Text(); uuidShape.MatchString(text) {
		t.Errorf("the report shows an id: %s", text)
	}
	address, _ = got.page.Find("main tbody tr").Last().Find("a").Attr("href")
	shown := w.get(address).is(http.StatusOK).says("What changes").says("Applied")
	if shown.page.Find("main form").Length() != 0 {
		t.Error("a supervisor is offered to decide a change")
	}
	w.get("/reports/changes/" + uuid.NewString()).is(http.StatusNotFound)
	b.as("maker1").get(address).is(http.StatusForbidden)
	b.as("admin1").get(address).is(http.StatusForbidden)
	const changes = "/beneficiaries/changes/"
	book := strings.TrimPrefix(b.as("maker1").post("/beneficiaries/new", holzbau()).goesTo(changes), changes)
	w.get("/reports/changes/" + book).is(http.StatusNotFound) // no change of administrators
	b.as("admin1").get("/admin/changes/" + book).is(http.StatusNotFound)
}

// uuidShape is how an id looks that says nothing to people.
var uuidShape = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-`)

// TestALimitOfAReportIsReadInTheLanguageOfThePage: whom it binds, too, by name.
func TestALimitOfAReportIsReadInTheLanguageOfThePage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, perDay := range []string{"100.00", "200.00"} {
		b.changed("limit.set", "", url.Values{"limitOf": {"account"}, "holder": {"CH5021977000004331346"}, "perDay": {perDay}})
	}
	w := b.as("supervisor1")
	w.header.Set("Accept-Language", "de-CH")
	setLimit(t, b, "100.00")
	setLimit(t, b, "200.00")
	rows := w.get("/reports/limits").is(http.StatusOK).says("Konto CH5021977000004331346").says("Checker 2").page.Find("main tbody tr")
	if text := rows.Text(); rows.Length() != 2 || uuidShape.MatchString(text) {
		t.Errorf("the report shows an id: %s", text)
	}
}

// TestAReportLooksAtAYearAtMost: a period of 366 days is looked at, one of 367 is taken for none that was asked for.
func TestAReportLooksAtAYearAtMost(t *testing.T) {
	t.Parallel()
	w := setup(t).as("supervisor1")
	w.get("/reports?from=01.01.2024&to=31.12.2024").is(http.StatusOK).says("between 01.01.2024 and 31.12.2024")
	w.get("/reports?from=31.12.2023&to=31.12.2024").is(http.StatusOK).says("between 02.12.2024 and 31.12.2024")
}

// setLimit has two administrators limit what checker2 pays on a day.
func setLimit(t *testing.T, b *bench, perDay string) {
	t.Helper()
	change := b.as("admin1").post("/admin/ask/limit.set", url.Values{
		"limitOf": {"person"}, "holder": {"checker2"}, "currency": {"CHF"}, "perDay": {perDay},
	}).goesTo("/admin/changes/")
	b.as("admin2").post(change+"/approve", nil).goesTo(change)
}

// TestOutOfHoursIsByTheClockOfTheBankingDay: on a Sunday, and on a Monday at 06:59 and 19:00 of Zurich, not at noon.
func TestOutOfHoursIsByTheClockOfTheBankingDay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	zone, err := time.LoadLocation("Europe/Zurich")
	must(t, err)
	for number, at := range []string{
		"2026-07-05 12:00", "2026-07-06 06:59", "2026-07-06 07:00", "2026-07-06 12:00", "2026-07-06 18:59", "2026-07-06 19:00",
	} {
		decided, err := time.ParseInLocation("2006-01-02 15:04", at, zone)
		must(t, err)
		m := b.as("maker1").submit(with(filled(), "amount", strconv.Itoa(number+1)+".25"))
		path := "/queue/" + m.InternalID.String()
		w := b.as("checker1")
		w.post(path+"/approve", w.get(path).fields(path+"/approve")).is(http.StatusSeeOther)
		conn := b.DB.Connect(t)
		_, err = conn.Exec(t.Context(), "SET session_replication_role = replica")
		must(t, err)
		_, err = conn.Exec(t.Context(), "UPDATE decision SET decided_at = $1 WHERE message_id = $2", decided, m.InternalID)
		must(t, err)
	}
	found, err := b.Reader.Approvals(t.Context(), store.ReportQuery{
		Realm: "demo", Kind: store.ReportHours, Zone: zone,
		Period: store.Period{From: time.Date(2026, 7, 1, 0, 0, 0, 0, zone), Until: time.Date(2026, 8, 1, 0, 0, 0, 0, zone)},
	})
	if err != nil || len(found) != 3 {
		t.Errorf("%d out of hours, want 3: %+v %v", len(found), found, err)
	}
}

// TestAnApprovalThroughTheAPINamesItsClient: on the page of a report and in its table.
func TestAnApprovalThroughTheAPINamesItsClient(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.as("maker1").submit(filled())
	by := b.Principal(t, servicetest.Door{Realm: demo.Realm, Name: "checker1", Client: demo.Backoffice, Channel: identity.ChannelAPI})
	_, err := b.Approval.Approve(t.Context(), by, service.Input{InternalID: m.InternalID, ContentHash: &m.ContentHash})
	must(t, err)
	b.change("SET session_replication_role = replica; UPDATE decision SET decided_at = '2026-07-05T12:00:00Z'") // a Sunday
	w := b.as("supervisor1")
	for _, path := range []string{"/reports/hours", "/reports/hours/table"} {
		w.get(path + "?from=01.07.2026&to=31.07.2026").is(http.StatusOK).says("API, client " + demo.Backoffice)
	}
}

// TestTheTrailIsVerifiedOnItsPage: whole first, and with the row named once somebody changed one past the program.
func TestTheTrailIsVerifiedOnItsPage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.as("maker1").submit(filled())
	b.Notary.Sweep(t.Context())
	w := b.as("supervisor1")
	b.Notary.Sweep(t.Context())
	w.post("/audit/verify", nil).is(http.StatusOK).says("are unchanged and in order")
	var changed string
	must(t, b.DB.Owner(t).QueryRow(t.Context(),
		"UPDATE audit_event SET actor_name = 'Nobody' WHERE realm = 'demo' AND event = 'instruction.submit' RETURNING event_id").Scan(&changed))
	w.post("/audit/verify", nil).is(http.StatusOK).says("The audit trail failed its integrity check.").says("audit_event " + changed)
	table := w.get("/audit/table?event=instruction.submit")
	if table.header.Get("Content-Type") != "text/csv; charset=utf-8" || strings.Count(table.text, "\r\n") != 2 {
		t.Errorf("the table: %s %q", table.header.Get("Content-Type"), table.text)
	}
	for _, name := range []string{"maker1", "checker1"} {
		b.as(name).post("/audit/verify", nil).is(http.StatusForbidden)
		b.as(name).get("/audit/table").is(http.StatusForbidden)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
