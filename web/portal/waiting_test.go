package portal_test

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/store"
	"countersign/views"
)

// counted is the number beside the queue in the menu, "" for none.
func (w *browser) counted() string {
	w.b.t.Helper()
	return strings.TrimSpace(strings.Split(strings.TrimSpace(w.get("/payments").is(http.StatusOK).page.Find("#queue-count").Text()), " ")[0])
}

// TestPagesShareTheirCountsButNotWhatOneJustDid: the count in the menu is asked once for everybody, and a person who just decided something sees
// the count that knows of it.
func TestPagesShareTheirCountsButNotWhatOneJustDid(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.config.CountsShared = time.Hour
	b.serve()
	maker, first, second := b.as("maker1"), b.as("checker1"), b.as("checker2")
	m := maker.submit(filled())
	if n := first.counted(); n != "1" {
		t.Fatalf("the menu counts %q of one", n)
	}
	maker.submit(with(filled(), "endToEndId", "E2E-2", "amount", "2.00"))
	maker.submit(with(filled(), "endToEndId", "E2E-3", "amount", "3.00"))
	for _, w := range []*browser{first, second} {
		if n := w.counted(); n != "1" {
			t.Errorf("the menu counts %q, and not the one that is shared", n)
		}
	}
	path := "/queue/" + m.InternalID.String()
	first.post(path+"/approve", first.get(path).fields(path+"/approve")).goesTo("/queue")
	if n := first.counted(); n != "2" {
		t.Errorf("after a decision the menu of who decided counts %q, not 2", n)
	}
	if n := second.counted(); n != "1" {
		t.Errorf("the menu of the other counts %q, and not the one that is shared", n)
	}
}

// TestANewCheckerCountsWhatCameSince: a payment entered before a person became a checker waits for others only, in list, tab, menu and
// first page, while the shared count has it.
func TestANewCheckerCountsWhatCameSince(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	before := maker.submit(filled())
	b.changed("user.roles", "supervisor1", url.Values{"roles": {"checker"}})
	late := b.as("supervisor1")
	sees := func(want ...string) {
		t.Helper()
		n := strings.TrimPrefix(strconv.Itoa(len(want)), "0")
		queue := late.get("/queue").is(http.StatusOK)
		if rows := queue.rows(); !slices.Equal(rows, want) {
			t.Errorf("the list has %v, want %v", rows, want)
		}
		if tab := queue.page.Find("#tab-me").Text(); strings.TrimPrefix(tab, "0") != n || late.counted() != n {
			t.Errorf("the tab counts %q, the menu %q, want %q", tab, late.counted(), n)
		}
		if links := late.get("/").is(http.StatusOK).page.Find(`main a[href^="/queue/0"]`).Length(); links != len(want) {
			t.Errorf("the first page lists %d, want %d", links, len(want))
		}
	}
	sees()
	late.get("/queue/" + before.InternalID.String()).is(http.StatusOK).
		says("A person who was already a checker at that time must approve or reject it.")
	late.get("/queue?tab=all").is(http.StatusOK).says(string(before.GlobalID))
	sees(maker.submit(with(filled(), "endToEndId", "E2E-2", "amount", "2.00")).InternalID.String())
	if n := b.as("checker1").counted(); n != "2" {
		t.Errorf("the menu of an earlier checker counts %q", n)
	}
}

// TestFirstPagesShareTheirFiguresButNotWhatOneJustDid: the figures of the last day and the last thirty are read once for all who look
// within a while, and a person who just did something sees those that know of it.
func TestFirstPagesShareTheirFiguresButNotWhatOneJustDid(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.config.FiguresShared = time.Hour
	b.serve()
	supervisor, checker := b.as("supervisor1"), b.as("checker1")
	volume := func(w *browser) string {
		return w.get("/").is(http.StatusOK).page.Find(".volume-head a").First().Text()
	}
	figures := func() map[string]string {
		home := supervisor.get("/").is(http.StatusOK)
		charts, tiles := home.charts(), home.tiles()
		return map[string]string{
			"why": charts["Why checkers rejected payments: Another reason"][0], "fast": charts["Approvals to review: Approved within 5 seconds "+
				"of opening the page"][0],
			"took": tiles["Time until approval"][0], "rejected today": tiles["Rejected today"][0],
		}
	}
	want := map[string]string{"why": "", "fast": "0", "took": "–", "rejected today": "0"}
	if got := figures(); !maps.Equal(got, want) {
		t.Fatalf("before anything happened the figures are %v", got)
	}
	m := b.as("maker1").submit(filled())
	b.as("maker1").paid("endToEndId", "E2E-2", "amount", "2.00")
	checker.post("/queue/"+m.InternalID.String()+"/reject", url.Values{
		"version": {"1"}, "contentHash": {hash(m)}, "category": {"other"}, "reason": {"Where is it?"},
	}).goesTo("/queue")
	want["rejected today"] = "1" // what links count is not shared
	if got := figures(); !maps.Equal(got, want) {
		t.Errorf("the figures that are shared became %v", got)
	}
	if text := volume(supervisor); text != "SIC · 0 payments" {
		t.Errorf("a supervisor reads %q, and not what is shared", text)
	}
	if text := volume(checker); text != "SIC · 1 payment" {
		t.Errorf("who just decided reads %q", text)
	}
}

// TestTheSharedCountTellsEachTheirOwn: what one look tells each person is what a look for that person alone tells, whatever of it is their
// own, and however little is looked at.
func TestTheSharedCountTellsEachTheirOwn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	maker.submit(filled())
	m := b.as("maker2").submit(with(filled(), "endToEndId", "E2E-2", "amount", "10'000.00"))
	maker.submit(with(
		filled(), "scheme", "sct-inst", "debtorAccount", "DE62007620110623852957", "creditorIban", "DE89370400440532013000", "street", "Ring",
		"town", "Koeln", "postcode", "50667", "country", "DE", "endToEndId", "E2E-3",
	))
	checker, path := b.as("checker1"), "/queue/"+m.InternalID.String()
	checker.post(path+"/approve", checker.get(path).fields(path+"/approve")).goesTo("/queue")
	people := []uuid.UUID{uuid.Nil, uuid.New()}
	rows, err := b.DB.Owner(t).Query(t.Context(), "SELECT person_id FROM person WHERE realm = 'demo'")
	must(t, err)
	for rows.Next() {
		var person uuid.UUID
		must(t, rows.Scan(&person))
		people = append(people, person)
	}
	must(t, rows.Err())
	counts := map[int64]bool{}
	for _, most := range []int32{1, 2, 3, views.MaxWaiting} {
		counter := store.NewCounter(b.Reader, time.Hour, most)
		for _, person := range people {
			shared, err := counter.PendingTotals(t.Context(), "demo", store.Checker{Person: person}, b.Now())
			must(t, err)
			own, err := b.Reader.PendingTotals(t.Context(), "demo", store.Checker{Person: person}, most)
			must(t, err)
			if sum := countOf(own); countOf(shared) < sum || countOf(shared) < int64(most) && !slices.Equal(shared, own) {
				t.Errorf("up to %d for %s: shared %v, alone %v", most, person, shared, own)
			}
			counts[countOf(own)] = true
		}
	}
	if !counts[3] || !counts[2] || !counts[1] {
		t.Errorf("the people's counts were all alike: %v", counts)
	}
	other, err := store.NewCounter(b.Reader, time.Hour, views.MaxWaiting).PendingTotals(t.Context(), "demo2", store.Checker{Person: uuid.Nil}, b.Now())
	must(t, err)
	if len(other) != 0 {
		t.Errorf("another realm counts %v", other)
	}
}

func countOf(totals []store.Total) (count int64) {
	for _, total := range totals {
		count += total.Count
	}
	return count
}

// TestWhoLeavesTakesNoAnswerAway: many who ask at once get one answer; the first of them going away ends nothing for the others.
func TestWhoLeavesTakesNoAnswerAway(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.as("maker1").submit(filled())
	counter := store.NewCounter(b.Reader, time.Hour, views.MaxWaiting)
	gone, leave := context.WithCancel(t.Context())
	leave()
	_, err := counter.PendingTotals(gone, "demo", store.Checker{Person: uuid.Nil}, b.Now())
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("who left is told %v", err)
	}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			totals, err := counter.PendingTotals(t.Context(), "demo", store.Checker{Person: uuid.Nil}, b.Now())
			if err != nil || countOf(totals) != 1 {
				t.Errorf("who stayed is told %v, %v", totals, err)
			}
		})
	}
	all.Wait()
}

// TestWordsAreFoundInAnyOrder: all words of a text must be there, each from its beginning on.
func TestWordsAreFoundInAnyOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.as("maker1").submit(with(filled(), "creditorName", "Anna Maria Keller"))
	checker := b.as("checker1")
	for typed, found := range map[string]bool{
		"keller anna": true, "Maria Kell": true, "kell mar ann": true, "eller anna": false, "Keller Bernd": false,
		"anna maria keller invoice": false,
	} {
		rows := checker.get("/queue?text=" + url.QueryEscape(typed)).is(http.StatusOK).page.Find("tr[data-row]").Length()
		if (rows == 1) != found {
			t.Errorf("%q finds %d", typed, rows)
		}
	}
}
