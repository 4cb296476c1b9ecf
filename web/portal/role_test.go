package portal_test

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/jackc/pgx/v5"

	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// texts are the readable texts of all parts.
func (a answer) texts(selector string) []string {
	var list []string
	a.page.Find(selector).Each(func(_ int, part *goquery.Selection) {
		list = append(list, strings.Join(strings.Fields(part.Text()), " "))
	})
	return list
}

// TestNobodyIsToldThatSomethingWaitsForThemWhoMayNotDecide: tabs and tiles go by the role.
func TestNobodyIsToldThatSomethingWaitsForThemWhoMayNotDecide(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.as("maker1").submit(filled())
	for name, want := range map[string]struct {
		tabs, tiles string
		rows        int
	}{
		"checker1":    {"For me, All waiting, Decided today", "Waiting for me", 1},
		"both1":       {"For me, All waiting, Submitted by me, Decided today", "Waiting for me", 1},
		"maker1":      {"Submitted by me, All waiting", "My waiting submissions", 1},
		"maker2":      {"Submitted by me, All waiting", "My waiting submissions", 0},
		"supervisor1": {"All waiting", "Waiting for approval", 1},
	} {
		queue := b.as(name).get("/queue").is(http.StatusOK)
		if tabs := strings.Join(queue.tabLabels(), ", "); tabs != want.tabs {
			t.Errorf("%s has the tabs %s", name, tabs)
		}
		if rows := queue.page.Find("tr[data-row]").Length(); rows != want.rows {
			t.Errorf("%s sees %d rows, want %d", name, rows, want.rows)
		}
		home := b.as(name).get("/").is(http.StatusOK)
		if tiles := home.texts(".tile-label"); len(tiles) == 0 || tiles[0] != want.tiles {
			t.Errorf("%s has the tiles %q", name, tiles)
		}
		home.page.Find(".tiles a").Each(func(_ int, tile *goquery.Selection) {
			b.as(name).get(tile.AttrOr("href", "")).is(http.StatusOK)
		})
	}
}

// TestEachNumberOfTheHomePageIsThatOfItsList: what was rejected yesterday is not in the list behind what was rejected today.
func TestEachNumberOfTheHomePageIsThatOfItsList(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, checker := b.as("maker1"), b.as("checker1")
	for _, amount := range []string{"1.10", "2.20", "3.30"} {
		m := maker.submit(with(filled(), "amount", amount, "endToEndId", "E2E-"+amount))
		path := "/queue/" + m.InternalID.String() + "/reject"
		checker.post(path, url.Values{"version": {"1"}, "contentHash": {hash(m)}, "category": {"other"}, "reason": {"Not ordered"}}).goesTo(
			"/queue",
		)
		if amount == "1.10" {
			b.change(
				"SET session_replication_role = replica; UPDATE message SET state_since = state_since - interval '2 days' WHERE message_id = '" +
					m.InternalID.String() + "'",
			)
		}
	}
	for _, name := range []string{"checker1", "maker1", "supervisor1"} {
		home := b.as(name).get("/").is(http.StatusOK)
		home.page.Find(".tiles a").Each(func(_ int, tile *goquery.Selection) {
			label, value := tile.Find(".tile-label").Text(), tile.Find(".tile-value").Text()
			if label != "Rejected today" {
				return
			}
			rows := b.as(name).get(tile.AttrOr("href", "")).is(http.StatusOK).page.Find("tr[data-row]").Length()
			if value != "2" || rows != 2 {
				t.Errorf("%s: %s is %s, and its list has %d rows", name, label, value, rows)
			}
		})
	}
	b.as("checker1").get("/payments?from=lately").is(http.StatusUnprocessableEntity).says("Enter a date such as")
}

// TestARejectedPaymentSaysWhyAndCanBeCorrected tells its maker on the page of the payment.
func TestARejectedPaymentSaysWhyAndCanBeCorrected(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	m := maker.submit(filled())
	path := "/queue/" + m.InternalID.String() + "/reject"
	b.as("checker1").post(
		path, url.Values{"version": {"1"}, "contentHash": {hash(m)}, "category": {"evidence"}, "reason": {"Where is the invoice?"}},
	).goesTo("/queue")
	page := maker.get("/payments/" + m.InternalID.String()).is(http.StatusOK)
	if said := page.texts(".notice-bad"); len(said) != 1 ||
		said[0] != "Rejected by Checker 1. Payment order or supporting document is missing: Where is the invoice?" {
		t.Errorf("the page says %q", said)
	}
	again := page.page.Find("a.button").FilterFunction(
		func(_ int, a *goquery.Selection) bool { return a.Text() == "Correct and submit again" },
	)
	form := maker.get(again.AttrOr("href", "")).is(http.StatusOK).fields("/payments/new")
	if form.Get("creditorName") != "Beispiel Holzbau GmbH" || form.Get("amount") == "" {
		t.Errorf("the form comes with %v", form)
	}
	corrected := "/payments/" + maker.submit(form).InternalID.String()
	for _, path := range []string{"/payments/" + m.InternalID.String(), "/payments/" + m.InternalID.String() + "/submitted", "/mine?tab=rejected"} {
		page := maker.get(path).is(http.StatusOK).says("Show the corrected payment")
		if page.page.Find("a[href*='new?like=']").Length() != 0 || page.page.Find("a[href='"+corrected+"']").Length() != 1 {
			t.Errorf("%s offers a second correction: %s", path, page.main())
		}
	}
	maker.get("/payments/" + m.InternalID.String() + "/related").says("Corrected payment, submitted again")
	maker.get(corrected + "/related").says("Rejected payment that this payment corrects")
	b.as("checker1").get(strings.Replace(corrected, "/payments/", "/queue/", 1)).
		says("Correction of payment " + string(m.GlobalID) + " (Rejected)").
		says("Rejected by Checker 1. Payment order or supporting document is missing: Where is the invoice?")
}

// TestTypographyIsWrittenAsItIsTyped: what office programs put in by themselves is no fault of the maker's.
func TestTypographyIsWrittenAsItIsTyped(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	form := with(filled(), "creditorName", "Rock’n’Roll “Zürich” – Söhne", "remittanceText", "Lieferung… \u201e4711\u201c")
	check := maker.post("/payments/new", form).goesTo("/payments/")
	maker.get(check).is(http.StatusOK).says(`Rock'n'Roll "Zürich" - Söhne`).says("Some characters will be replaced")
	maker.post("/payments/new", with(form, "creditorName", "Привет")).is(http.StatusUnprocessableEntity)
}

// tabLabels are the tabs without their counts.
func (a answer) tabLabels() []string {
	a.page.Find(".tab-count").Remove()
	return a.texts(".tabs a")
}

// statements counts the statements of a database.
type statements struct{ count atomic.Int64 }

func (s *statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	s.count.Add(1)
	return ctx
}

func (s *statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TestRejectedPaymentsAreReadTogether: the page of a maker takes as many statements for four rejected payments as for one.
func TestRejectedPaymentsAreReadTogether(t *testing.T) {
	t.Parallel()
	var noted statements
	b := setupOn(t, func(db *storetest.DB) *store.Database {
		database, err := store.Open(t.Context(), store.Config{URL: db.URL, Tracer: &noted, Seal: db.Seal, TokenKeys: storetest.Keys(t)})
		must(t, err)
		t.Cleanup(database.Close)
		return database
	})
	maker := b.as("maker1")
	var took []int64
	for i := range 4 {
		m := maker.submit(with(filled(), "endToEndId", strconv.Itoa(i), "amount", strconv.Itoa(90+i)))
		b.as("checker1").post("/queue/"+m.InternalID.String()+"/reject", url.Values{
			"version": {"1"}, "contentHash": {hash(m)}, "category": {"other"}, "reason": {"Where is order " + strconv.Itoa(i) + "?"},
		}).goesTo("/queue")
		maker.get("/mine?tab=rejected") // notes the list once
		before := noted.count.Load()
		maker.get("/mine?tab=rejected").is(http.StatusOK).says("Where is order " + strconv.Itoa(i) + "?").says("Where is order 0?")
		took = append(took, noted.count.Load()-before)
	}
	if took[0] != took[3] {
		t.Errorf("one to four rejected payments took %d statements", took)
	}
}
