package portal_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"countersign/internal/testutil"
)

// rows are the keys of the listed rows, in order.
func (a answer) rows() []string {
	var ids []string
	a.page.Find("#queue-list tr[data-row]").Each(func(_ int, row *goquery.Selection) { ids = append(ids, row.AttrOr("data-row", "")) })
	return ids
}

// listed are the keys of the rows of any list, in order.
func (a answer) listed() []string {
	var ids []string
	a.page.Find("tr[data-row]").Each(func(_ int, row *goquery.Selection) { ids = append(ids, row.AttrOr("data-row", "")) })
	return ids
}

// priced submits payments of these amounts, in this order, and returns their keys.
func (w *browser) priced(amounts ...string) []string {
	w.b.t.Helper()
	var ids []string
	for i, amount := range amounts {
		form := with(filled(), "amount", amount, "endToEndId", fmt.Sprintf("P-%d", i), "creditorName", fmt.Sprintf("Creditor %d", i))
		ids = append(ids, w.submit(form).InternalID.String())
	}
	return ids
}

func TestTheQueueIsSortedAsAsked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.as("maker1").priced("30.00", "10.00", "20.00", "10.50")
	b.change("UPDATE message SET expires_at = NULL WHERE message_id = '" + ids[1] + "'")
	b.change("UPDATE message SET expires_at = created_at + interval '1 hour' WHERE message_id = '" + ids[2] + "'")
	checker := b.as("checker1")
	for order, want := range map[string][]int{
		"": {0, 1, 2, 3}, "newest": {3, 2, 1, 0}, "largest": {0, 2, 3, 1}, "smallest": {1, 3, 2, 0}, "expiry": {2, 0, 3, 1},
		"nonsense": {0, 1, 2, 3},
	} {
		var sorted []string
		for _, i := range want {
			sorted = append(sorted, ids[i])
		}
		got := checker.get("/queue?sort=" + order).is(http.StatusOK)
		if rows := got.rows(); !slices.Equal(rows, sorted) {
			t.Errorf("sort=%s lists %v, want %v", order, rows, sorted)
		}
	}
	head := checker.get("/queue?sort=largest").is(http.StatusOK).page.Find("th[aria-sort=descending]")
	if text := strings.Join(strings.Fields(head.Text()), " "); text != "Amount" {
		t.Errorf("sorted by amount, the head says %q", text)
	}
	if next := head.Find("a").AttrOr("href", ""); !strings.Contains(next, "sort=smallest") {
		t.Errorf("the head leads to %s, not to the other way round", next)
	}
	path := "/queue/" + ids[0] + "/approve"
	next := checker.post(path+"?sort=largest", checker.get("/queue/"+ids[0]+"?sort=largest").fields(path)).goesTo("/queue/")
	if !strings.HasPrefix(next, "/queue/"+ids[2]) || !strings.Contains(next, "sort=largest") {
		t.Errorf("after the largest comes %s, want %s", next, ids[2])
	}
	path = "/queue/" + ids[3] + "/approve"
	next = checker.post(path+"?sort=smallest", checker.get("/queue/"+ids[3]+"?sort=smallest").fields(path)).goesTo("/queue/")
	if !strings.HasPrefix(next, "/queue/"+ids[2]) {
		t.Errorf("after the second smallest comes %s, want %s", next, ids[2])
	}
}

// TestPagesGoOnInTheirOrder walks 130 rows, many of the same amount and half of them without expiry, page by page: each comes once.
func TestPagesGoOnInTheirOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.as("maker1").priced("10.00")[0]
	b.copies(id, 129)
	checker := b.as("checker1")
	for _, order := range []string{"", "newest", "largest", "smallest", "expiry"} {
		seen, path, pages := map[string]bool{}, "/queue?sort="+order, 0
		for path != "" && pages < 9 {
			got := checker.get(path).is(http.StatusOK)
			for _, row := range got.rows() {
				if seen[row] {
					t.Errorf("sort=%s: %s is listed twice", order, row)
				}
				seen[row] = true
			}
			path = got.page.Find("a[rel=next]").AttrOr("href", "")
			pages++
		}
		if len(seen) != 130 || pages != 3 {
			t.Errorf("sort=%s: %d rows on %d pages, want 130 on 3", order, len(seen), pages)
		}
	}
	got := checker.get("/queue").is(http.StatusOK).says("130 waiting")
	if count := got.page.Find(".tabs a[aria-current] .tab-count").Text(); count != "130" {
		t.Errorf("the tab counts %q", count)
	}
}

// copies makes so many waiting copies of a message past every rule, of three amounts, every other one without an expiry.
func (b *bench) copies(id string, count int) {
	b.t.Helper()
	for _, table := range []string{"message", "message_version"} {
		b.change(fmt.Sprintf(`SET session_replication_role = replica;
			INSERT INTO %[1]s SELECT (jsonb_populate_record(one, jsonb_build_object(
			  'message_id', '01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'), 'global_id', 'DM' || lpad(n::text, 14, '0'),
			  'amount', 500 + n %% 3, 'listed_amount', 500 + n %% 3, 'expires_at', CASE WHEN n %% 2 = 0 THEN now() + interval '3 days' END))).*
			FROM %[1]s one, generate_series(1, %[2]d) n WHERE message_id = '%[3]s'`, table, count, id))
	}
}

func TestTheQueueIsNarrowedByAgeFlagAndDay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	ids := maker.priced("10.00", "20.00", "30.00")
	b.change("SET session_replication_role = replica; " +
		"UPDATE message SET created_at = created_at - interval '3 hours' WHERE message_id = '" + ids[0] + "'")
	b.change("UPDATE message SET expires_at = now() + interval '2 hours' WHERE message_id = '" + ids[1] + "'")
	amend := maker.get("/payments/" + ids[2] + "/amend").is(http.StatusOK)
	action := amend.page.Find("main form").AttrOr("action", "")
	check := maker.post(action, with(amend.fields(action), "amount", "31.00", "act", "check", "amendReason", "typo")).goesTo("/payments/")
	maker.post(strings.TrimSuffix(check, "check")+"submit", maker.shown(check)).goesTo("/payments/")
	checker, today := b.as("checker1"), b.Now().In(b.Zone).Format("02.01.2006")
	for query, want := range map[string][]int{
		"age=1h": {0}, "age=4h": {}, "age=15m": {0}, "flag=ending": {1}, "flag=amended": {2}, "flag=begun": {}, "to=2.1.2020": {},
		"from=" + today: {0, 1, 2}, "age=nonsense": {0, 1, 2}, "from=" + today + "&flag=amended": {2},
	} {
		got := checker.get("/queue?" + query).is(http.StatusOK)
		var wanted []string
		for _, i := range want {
			wanted = append(wanted, ids[i])
		}
		if rows := got.rows(); !slices.Equal(rows, wanted) && !strings.HasPrefix(query, "from="+today) {
			t.Errorf("%s lists %v, want %v", query, rows, wanted)
		}
		if count := got.page.Find(".tabs a[aria-current] .tab-count").Text(); count != fmt.Sprint(len(got.rows())) {
			t.Errorf("%s: the tab counts %q, and %d rows are listed", query, count, len(got.rows()))
		}
	}
	checker.get("/queue?from=sometime").is(http.StatusUnprocessableEntity).says("Enter a date such as 20.11.2026.")
	row := checker.get("/queue").is(http.StatusOK).page.Find("#row-" + ids[1])
	if !strings.Contains(row.Text(), "Expires ") {
		t.Errorf("the row does not say when it ends: %q", row.Text())
	}
}

// TestEachTabCountsWhatItLists: what one made is not for oneself, and what one decided leaves.
func TestEachTabCountsWhatItLists(t *testing.T) {
	t.Parallel()
	b := setup(t)
	others := b.as("maker1").priced("10.00", "20.00", "30.00")
	both := b.as("both1")
	both.priced("40.00", "50.00")
	path := "/queue/" + others[0] + "/approve"
	form := both.get("/queue/" + others[0]).fields(path)
	got := both.withHTMX().post(path, form).is(http.StatusOK)
	want := map[string]string{"tab-me": "2", "tab-all": "4", "tab-mine": "2", "tab-decided": "1"}
	for id, count := range want {
		if update := got.page.Find("span#" + id + "[hx-swap-oob]").Text(); update != count {
			t.Errorf("after a decision %s counts %q, want %s", id, update, count)
		}
	}
	page := both.get("/queue").is(http.StatusOK)
	page.page.Find(".tabs a").Each(func(_ int, tab *goquery.Selection) {
		count, id := tab.Find(".tab-count").Text(), tab.Find(".tab-count").AttrOr("id", "")
		listed := len(both.get(tab.AttrOr("href", "")).is(http.StatusOK).rows())
		if count != want[id] || fmt.Sprint(listed) != count {
			t.Errorf("%s counts %q and lists %d", id, count, listed)
		}
	})
}

func TestTheHeightOfRowsIsKept(t *testing.T) {
	t.Parallel()
	b := setup(t)
	checker := b.as("checker1")
	b.as("maker1").priced("10.00")
	page := checker.get("/queue?sort=newest").is(http.StatusOK)
	form := page.fields("/me/density")
	back := checker.post("/me/density", with(form, "density", "compact")).goesTo("/queue?sort=newest")
	if density := checker.get(back).is(http.StatusOK).page.Find("html").AttrOr("data-density", ""); density != "compact" {
		t.Errorf("rows are %q", density)
	}
	if density := b.as("checker1").get("/queue").page.Find("[name=density][aria-pressed=true]").AttrOr("value", ""); density != "compact" {
		t.Errorf("a new session has %q rows", density)
	}
	checker.post("/me/density", url.Values{"density": {"huge"}}).is(http.StatusUnprocessableEntity)
	checker.post("/me/density", url.Values{"density": {"default"}, "next": {"//example.com/"}}).goesTo("/")
}

// sortsAs follows the head of a column whose link says so, and returns the page.
func (w *browser) sortsAs(at answer, label, direction string) answer {
	w.b.t.Helper()
	link := at.page.Find("th a.sort").FilterFunction(func(_ int, a *goquery.Selection) bool { return strings.TrimSpace(a.Text()) == label })
	got := w.get(link.AttrOr("href", "")).is(http.StatusOK)
	head := got.page.Find("th").FilterFunction(func(_ int, th *goquery.Selection) bool { return strings.TrimSpace(th.Text()) == label })
	if sorted := head.AttrOr("aria-sort", ""); sorted != direction {
		w.b.t.Errorf("%s says that it is sorted %q by %s, want %s", got.what, sorted, label, direction)
	}
	return got
}

// TestEveryListIsSortedAsAsked: by amount, age and state, each way, by links alone.
func TestEveryListIsSortedAsAsked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	ids := maker.priced("30.00", "10.00", "20.00", "10.50")
	for i, state := range []string{"Settled", "Approval Pending", "Failed", "Settled"} {
		b.change("SET session_replication_role = replica; UPDATE message SET state = '" + state + "' WHERE message_id = '" + ids[i] + "'")
	}
	named := func(rows []string) string {
		var places []string
		for _, row := range rows {
			places = append(places, strconv.Itoa(slices.Index(ids, row)))
		}
		return strings.Join(places, " ")
	}
	orders := []struct{ label, direction, want string }{
		{"Amount", "descending", "0 2 3 1"},
		{"Amount", "ascending", "1 3 2 0"},
		{"State", "ascending", "1 3 0 2"},
		{"Created", "descending", "3 2 1 0"},
		{"Created", "ascending", "0 1 2 3"},
	}
	for _, path := range []string{"/payments", "/payments?kind=instruction", "/payments?from=1.1.2020", "/payments?text=Creditor"} {
		at := maker.get(path).is(http.StatusOK)
		for _, order := range orders {
			at = maker.sortsAs(at, order.label, order.direction)
			if got := named(at.listed()); got != order.want {
				t.Errorf("%s by %s, %s: %s, want %s", path, order.label, order.direction, got, order.want)
			}
		}
	}
	if got := named(maker.get("/mine?tab=settled&sort=smallest").is(http.StatusOK).listed()); got != "3 0" {
		t.Errorf("settled ones of the maker: %s", got)
	}
	for _, nonsense := range []string{"?sort=nonsense", "?sort=largest&after=x~y", "?sort=state&after=" + ids[0] + "~Nowhere"} {
		if got := maker.get("/payments" + nonsense).is(http.StatusOK).listed(); len(got) != 4 {
			t.Errorf("%s lists %v", nonsense, got)
		}
	}
	for _, path := range []string{"/incoming?sort=largest", "/recalls?sort=oldest", "/recalls?sort=state"} {
		maker.get(path).is(http.StatusOK)
	}
}

// walksBack goes back from the last page of a list, whose link to the page before is given: each page is the one that was seen on the way.
// The second one leads back by the link to the first.
func (w *browser) walksBack(path string, walked []string) {
	w.b.t.Helper()
	for page := len(walked) - 2; page > 0; page-- {
		if path == "" {
			w.b.t.Fatalf("page %d of %d has no way back", page+2, len(walked))
		}
		got := w.get(path).is(http.StatusOK)
		if listed := strings.Join(got.listed(), " "); listed != walked[page] {
			w.b.t.Fatalf("going back, page %d lists %s, want %s", page+1, listed, walked[page])
		}
		path = got.page.Find("a[rel=prev]").AttrOr("href", "")
	}
	if path != "" {
		w.b.t.Fatalf("the second page leads back by %s and by the link to the first", path)
	}
}

// TestLongListsGoOnInEachOrder: every message once, in order, over all pages, with and without what narrows them.
func TestLongListsGoOnInEachOrder(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	b := setup(t)
	b.copies(b.as("maker1").priced("10.00")[0], 300)
	b.change("SET session_replication_role = replica; UPDATE message SET state = 'Failed' WHERE message_id::text ~ '[05]$'; " +
		"UPDATE message SET state = 'Settled' WHERE message_id::text ~ '[1a3]$'")
	failed := b.count("SELECT count(*) FROM message WHERE state = 'Failed'")
	w := b.as("supervisor1")
	for _, order := range []string{"oldest", "largest", "smallest", "state"} {
		for narrowed, want := range map[string]int{"": 301, "&state=Failed": failed, "&currency=CHF": 301} {
			seen, pages, path := map[string]bool{}, 0, "/payments?sort="+order+narrowed
			var keys, walked []string
			back := ""
			for path != "" && pages < 20 {
				got := w.get(path).is(http.StatusOK)
				walked = append(walked, strings.Join(got.listed(), " "))
				back = got.page.Find("a[rel=prev]").AttrOr("href", "")
				for _, id := range got.listed() {
					if seen[id] {
						t.Fatalf("%s: %s comes twice", path, id)
					}
					seen[id] = true
					keys = append(keys, id)
				}
				path = got.page.Find("a[rel=next]").AttrOr("href", "")
				pages++
			}
			if len(seen) != want {
				t.Errorf("sort=%s%s lists %d messages on %d pages, want %d", order, narrowed, len(seen), pages, want)
			}
			w.walksBack(back, walked)
			if order == "oldest" && !slices.IsSorted(keys) {
				t.Errorf("sort=%s%s does not come in order", order, narrowed)
			}
		}
	}
}

// TestAMessageLeadsBackToItsList with its filter, as far as this person saw it; and its steps to their documents.
func TestAMessageLeadsBackToItsList(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	page := "/payments/" + maker.priced("30.00")[0]
	back := func() string {
		return maker.get(page).is(http.StatusOK).page.Find(".back a").First().AttrOr("href", "")
	}
	if at := back(); at != "/payments" {
		t.Errorf("without a list it leads to %s", at)
	}
	for _, list := range []string{"/payments?amountFrom=20&sort=largest", "/mine?tab=settled"} {
		maker.get(list).is(http.StatusOK)
		if at := back(); at != list {
			t.Errorf("after %s it leads to %s", list, at)
		}
	}
	for _, planted := range []string{"https://example.org/payments?x=1", "//example.org/payments?x=1", "/signout?x=1", "/payments?a%zz"} {
		maker.header.Set("Cookie", "list="+url.QueryEscape(planted))
		if at := back(); at != "/payments" && at != "/mine?tab=settled" {
			t.Errorf("a planted %s leads to %s", planted, at)
		}
	}
	maker.header.Del("Cookie")
	step := maker.get(page).is(http.StatusOK).page.Find(".timeline a").First().AttrOr("href", "")
	if !strings.HasPrefix(step, page+"/messages/") {
		t.Errorf("the first step leads to %q", step)
	}
	maker.get(step).is(http.StatusOK).says("pain.001")
}
