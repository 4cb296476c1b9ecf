package portal_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/uuid"

	"countersign/views"
)

// tiles are the figures of the dashboard with the addresses behind them, by their labels.
func (a answer) tiles() map[string][2]string {
	tiles := map[string][2]string{}
	a.page.Find(".tiles a").Each(func(_ int, tile *goquery.Selection) {
		tiles[tile.Find(".tile-label").Text()] = [2]string{tile.Find(".tile-value").Text(), tile.AttrOr("href", "")}
	})
	return tiles
}

// listed counts the rows of a list.
func (w *browser) listed(path string) int {
	w.b.t.Helper()
	return w.get(path).is(http.StatusOK).page.Find("tr[data-row]").Length()
}

// TestTheNumbersOfTheChartsAreThoseOfTheirLists: what was rejected is in neither, what failed and what waits in both.
func TestTheNumbersOfTheChartsAreThoseOfTheirLists(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.as("maker1").priced("1.00", "2.00", "4.00", "8.00", "16.00")
	for i, state := range []string{"Settled", "Failed", "Rejected", "Settled"} {
		b.change("SET session_replication_role = replica; UPDATE message SET state = '" + state + "' WHERE message_id = '" + ids[i] + "'")
	}
	b.change("SET session_replication_role = replica; UPDATE message SET created_at = created_at - interval '25 hours' WHERE message_id = '" +
		ids[3] + "'")
	for _, name := range []string{"maker1", "checker1", "supervisor1"} {
		who := b.as(name)
		home := who.get("/").is(http.StatusOK)
		chart := home.page.Find(".volume").First()
		link := chart.Find(".volume-head a")
		if text := link.Text(); text != "SIC · 3 payments" {
			t.Errorf("%s reads %q", name, text)
		}
		if n := who.listed(link.AttrOr("href", "")); n != 3 {
			t.Errorf("%s: the list behind it has %d rows, want 3", name, n)
		}
		if amount := strings.Join(strings.Fields(chart.Find(".volume-head .amount").Text()), " "); amount != "CHF 17.00" {
			t.Errorf("%s: %s moved, want what settled and what is open", name, amount)
		}
		parts := map[string]int{}
		for _, class := range []string{"bar-settled", "bar-open", "bar-failed"} {
			parts[class] = chart.Find("." + class).Length()
		}
		if fmt.Sprint(parts) != "map[bar-failed:1 bar-open:1 bar-settled:1]" {
			t.Errorf("%s: the bars are %v", name, parts)
		}
		sums := [3]int{}
		chart.Find("tbody tr").Each(func(_ int, row *goquery.Selection) {
			row.Find("td").Each(func(i int, cell *goquery.Selection) {
				var n int
				_, _ = fmt.Sscan(cell.Text(), &n)
				sums[i] += n
			})
		})
		if sums != [3]int{1, 1, 1} {
			t.Errorf("%s: the table adds up to %v", name, sums)
		}
	}
}

// TestEachRoleHasFiguresOfItsOwn: nobody who may not decide is told that something waits for them, and each figure is that of its list.
func TestEachRoleHasFiguresOfItsOwn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	maker.priced("1.00", "2.00")
	maker.paid("endToEndId", "Q")
	b.change("SET session_replication_role = replica; UPDATE message SET state = 'Settled', settled_at = accepted_at + interval '1500 ms' " +
		"WHERE accepted_at IS NOT NULL")
	checker := b.as("checker1").get("/").tiles()
	if tile := checker["Decided by me today"]; tile[0] != "1" || b.as("checker1").listed(tile[1]) != 1 {
		t.Errorf("the checker decided %v", tile)
	}
	supervisor := b.as("supervisor1").get("/").tiles()
	if tile := supervisor["Time in clearing"]; tile[0] != "1.5 s" {
		t.Errorf("at clearing: %v", tile)
	}
	if tile := supervisor["Time until approval"]; tile[0] == "–" || tile[0] == "" {
		t.Errorf("to approval: %v", tile)
	}
	for _, label := range []string{"Waiting for me", "Decided by me today"} {
		if _, told := supervisor[label]; told {
			t.Errorf("a supervisor is told %q", label)
		}
	}
	for name, answers := range map[string]bool{"maker1": true, "both1": true, "checker1": false, "supervisor1": true} {
		home := b.as(name).get("/")
		_, told := home.tiles()["Recalls to answer"]
		if told != answers && name != "supervisor1" || strings.Contains(home.main(), "Recall deadlines") != answers {
			t.Errorf("%s is told of recalls to answer: %t, want %t", name, told, answers)
		}
	}
	for label, tile := range b.as("maker1").get("/").tiles() {
		if strings.HasPrefix(label, "Time ") || strings.HasPrefix(label, "Decided ") {
			t.Errorf("a maker is told %s: %v", label, tile)
		}
	}
}

// charts are the numbers of the home page's charts with the addresses behind them, by chart and name.
func (a answer) charts() map[string][2]string {
	charts := map[string][2]string{}
	a.page.Find(".chart").Each(func(_ int, chart *goquery.Selection) {
		heading := chart.Find("h2").Text()
		chart.Find("tbody tr").Each(func(_ int, row *goquery.Selection) {
			link := row.Find("a")
			charts[heading+": "+link.Text()] = [2]string{strings.TrimSpace(row.Find("td.right").Text()), link.AttrOr("href", "")}
		})
	})
	return charts
}

// rowsOf counts the rows of a list or of a report.
func (w *browser) rowsOf(path string) int {
	w.b.t.Helper()
	page := w.get(path).is(http.StatusOK).page
	return page.Find("tr[data-row]").Length() + page.Find(".administration-table tbody tr").Length()
}

// TestADayOfManyDecisionsIsSaidToHaveMore: no more decisions are read than a bound, and the tile says that it stands at it.
func TestADayOfManyDecisionsIsSaidToHaveMore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	checker, path := b.as("checker1"), "/queue/"+b.as("maker1").submit(filled()).InternalID.String()
	checker.post(path+"/approve", checker.get(path).is(http.StatusOK).fields(path+"/approve")).goesTo("/queue")
	for _, day := range []struct {
		more int
		want string
	}{{198, "199"}, {1, "200+"}} {
		b.change(fmt.Sprintf("SET session_replication_role = replica; "+
			"INSERT INTO decision SELECT (jsonb_populate_record(NULL::decision, to_jsonb(d) || "+
			"jsonb_build_object('message_id', gen_random_uuid()))).* FROM (SELECT * FROM decision LIMIT 1) d, generate_series(1, %d)", day.more))
		if tile := checker.get("/").is(http.StatusOK).tiles()["Decided by me today"]; tile[0] != day.want {
			t.Errorf("the tile says %q, want %s", tile[0], day.want)
		}
	}
}

// TestEveryNumberOfTheHomePageIsThatOfTheRowsBehindIt goes to each number of each role: tiles that count, and charts.
func TestEveryNumberOfTheHomePageIsThatOfTheRowsBehindIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.config.OperatorRealm = "demo"
	b.serve()
	b.workOfADay()
	b.as("maker1").upload("Lohn.csv", []byte(strings.Join(table(2), "\n"))).goesTo("/payments/batches/")
	want := map[string]map[string]string{
		"checker1": {
			"Waiting for me": "2", "Waiting time: 1 hour or more": "1", "Waiting time: 1 day or more": "0",
			"Waiting time: Expires within 4 hours": "1", "Rejected today": "2", "Failed today": "1", "Decided by me today": "3",
		},
		"maker1": {"My waiting submissions": "2", "Unconfirmed": "1", "Rejected today": "2", "Failed today": "1", "Drafts": "1"},
		"supervisor1": {
			"Waiting for approval": "2", "Waiting time: 15 minutes or more": "1", "Why checkers rejected payments: Payment order or supporting " +
				"document is missing": "1",
			"Why checkers rejected payments: Another reason":                                                    "1",
			"Why payments failed: AC04 The creditor's account is closed. Ask the creditor for another account.": "1",
			"Missed deadlines: Clearing did not answer within ten seconds":                                      "1",
			"Missed deadlines: Expired without a decision":                                                      "1",
			"Missed deadlines: Our answers to recalls":                                                          "0",
			"Approvals to review: Approved within 5 seconds of opening the page":                                "1",
			"Unconfirmed": "1", "Quarantine": "1",
		},
		"admin1": {
			"Changes waiting for me": "1", "Changes I requested": "2", "Users without a second " +
				"factor": "", "Users without a password": "0", "Quarantine": "1",
		},
	}
	b.as("admin1").asksForRoles("maker2", "both1")
	b.as("admin2").asksForRoles("checker2")
	for name, numbers := range want {
		who := b.as(name)
		home := who.get("/").is(http.StatusOK)
		shown := home.tiles()
		maps.Copy(shown, home.charts())
		for label, number := range numbers {
			if _, there := shown[label]; !there || number != "" && shown[label][0] != number {
				t.Errorf("%s reads %s: %q, want %q", name, label, shown[label][0], number)
			}
		}
		for label, number := range shown {
			count, err := strconv.Atoi(number[0])
			if err != nil {
				continue // a time, or a state
			}
			if rows := who.rowsOf(number[1]); rows != count {
				t.Errorf("%s: %s is %d, and %s lists %d", name, label, count, number[1], rows)
			}
		}
	}
	reports := b.as("supervisor1").get("/reports").is(http.StatusOK)
	if told := reports.page.Find(`a[href^="/reports/unanswered?"]`).Closest("tr").Find("td").Last().Text(); strings.TrimSpace(told) != "1" {
		t.Errorf("the reports count %s without an answer", told)
	}
	if text := b.as("admin1").get("/").main(); strings.Contains(text, "CHF") || strings.Contains(text, "approval") {
		t.Errorf("an administrator reads of payments: %s", text)
	}
	for _, name := range []string{"maker1", "supervisor1", "admin1"} {
		if text := b.as(name).get("/").main(); strings.Contains(text, "Waiting for your approval") || strings.Contains(text, "Waiting for me") {
			t.Errorf("%s is told that payments wait for them: %s", name, text)
		}
	}
}

// workOfADay makes of maker1's payments: two that wait, one of them for an hour and expiring soon, two rejected, one failed, one
// unconfirmed, about which clearing was asked twice, one expired, one withdrawn, one at clearing; and puts a document into quarantine.
func (b *bench) workOfADay() {
	b.t.Helper()
	maker, checker := b.as("maker1"), b.as("checker1")
	ids := maker.priced("1.00", "2.00", "3.00", "4.00", "5.00", "6.00", "7.00", "8.00")
	for id, category := range map[string]string{ids[2]: "evidence", ids[3]: "other"} {
		m, err := b.Reader.Message(b.t.Context(), "demo", uuid.MustParse(id))
		if err != nil {
			b.t.Fatal(err)
		}
		checker.post("/queue/"+id+"/reject", url.Values{
			"version": {"1"}, "contentHash": {hash(m)}, "category": {category}, "reason": {"Where is it?"},
		}).goesTo("/queue")
	}
	b.change("SET session_replication_role = replica; UPDATE message SET created_at = created_at - interval '61 minutes', " +
		"expires_at = now() + interval '3 hours' WHERE message_id = '" + ids[0] + "'")
	maker.paid("endToEndId", "FAILS")
	b.become("(SELECT message_id FROM message WHERE accepted_at IS NOT NULL)", "Failed")
	b.change("SET session_replication_role = replica; UPDATE message SET status_code = 'AC04' WHERE state = 'Failed'")
	for i, state := range []string{"Unconfirmed", "Expired", "Withdrawn", "Processing"} {
		b.become("'"+ids[4+i]+"'", state)
	}
	for range 2 {
		b.become("'"+ids[4]+"'", "Unconfirmed")
	}
	b.change("INSERT INTO inbox (scheme, reference, name, content, content_hash, received_at, outcome, reason) " +
		"VALUES ('sic-inst', 'STRAY-1', 'pacs.002.001.10', '<x/>', sha256('<x/>'), now(), 'quarantined', 'It belongs to nothing.')")
}

// become moves a message into a state past the gateway, as its history tells it.
func (b *bench) become(id, state string) {
	b.t.Helper()
	b.change("SET session_replication_role = replica; " +
		"UPDATE message SET state = '" + state + "', state_sequence = state_sequence + 1, state_since = now() WHERE message_id = " + id + "; " +
		"INSERT INTO message_history (realm, message_id, sequence, kind, from_state, action, to_state, previous_sequence, version, actor_name, " +
		"channel, at) SELECT realm, message_id, state_sequence, m.kind, h.to_state, 'x', state, state_sequence - 1, m.version, 'Gateway', " +
		"'clock', state_since FROM message m JOIN message_history h USING (realm, message_id) " +
		"WHERE h.sequence = state_sequence - 1 AND state = '" + state + "' AND message_id = " + id)
}

// asksForRoles asks, as an administrator, to change the roles of people.
func (w *browser) asksForRoles(names ...string) {
	w.b.t.Helper()
	for _, name := range names {
		w.post("/admin/ask/user.roles?subject="+name, url.Values{"roles": {"supervisor"}}).goesTo("/admin/changes/")
	}
}

// TestThePolicyPageNamesTheRuleOfAPayment: of the rules that match, the page names and marks the one that the gateway would apply, and each
// person of the list has the last sign-in.
func TestThePolicyPageNamesTheRuleOfAPayment(t *testing.T) {
	t.Parallel()
	b := setup(t)
	admin := b.as("admin1")
	page := admin.get("/admin/policies").is(http.StatusOK)
	if page.page.Find("tr[aria-current]").Length() != 0 {
		t.Errorf("a rule is marked before a payment is asked for: %s", page.main())
	}
	asked := admin.get("/admin/policies?scheme=sic-inst&kind=instruction&channel=portal&amount=1'234.50").is(http.StatusOK)
	row := asked.page.Find("tr[aria-current] td").First().Text()
	if row == "" {
		t.Fatalf("no rule is marked: %s", asked.main())
	}
	asked.says("This policy applies: " + row)
	admin.get("/admin/policies?amount=much").is(http.StatusOK).says("Enter")
	people := admin.get("/admin/users").is(http.StatusOK).says("Last sign-in")
	if signed := people.page.Find("tr:contains(admin1) td[data-head='Last sign-in']").Text(); signed == "" || signed == "never" {
		t.Errorf("the administrator who reads the page signed in %q", signed)
	}
}

// TestTheSignInPageNamesTheInstitution: before sign-in with its logo, on pages for print only.
func TestTheSignInPageNamesTheInstitution(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if page := b.browser().get("/signin").is(http.StatusOK); page.page.Find(".house").Length() != 0 {
		t.Errorf("an institution without a name is named: %s", page.main())
	}
	b.config.House = views.House{Name: "Muster Bank AG", Logo: "data:image/png;base64,AAAA"}
	b.serve()
	head := b.browser().get("/signin").is(http.StatusOK).page.Find(".plain-header .house")
	if !strings.Contains(head.Text(), "Muster Bank AG") || head.Find("img").AttrOr("src", "") != b.config.House.Logo {
		t.Errorf("the sign-in page shows %q", head.Text())
	}
	if shown := b.as("maker1").get("/mine").is(http.StatusOK).page.Find(".house.print-only").Text(); !strings.Contains(shown, "Muster Bank AG") {
		t.Errorf("a printed page shows %q", shown)
	}
}
