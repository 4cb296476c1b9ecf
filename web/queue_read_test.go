package web_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/demo"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/internal/testutil"
	"countersign/views"
)

// ordersReadSoMuch: a list in another order than its own reads so much, on its first page and on one behind.
func (q *queue) ordersReadSoMuch(t *testing.T) {
	t.Helper()
	const bound = 7_500
	for name, ask := range map[string]store.Filter{
		"all":           {},
		"failed":        {States: []payment.State{payment.StateFailed}},
		"a scheme":      {Scheme: "sct-inst"},
		"some amounts":  {AmountFrom: 100, AmountTo: 30_000},
		"a maker":       {MakerLogin: "maker1"},
		"a text of all": {Search: store.Search{Text: "Haller"}},
	} {
		for _, by := range []store.ListSort{store.ListLargest, store.ListSmallest, store.ListOldest, store.ListState} {
			after := store.ListPlace{}
			ask.PageSize = 50
			for range 2 {
				q.notes.cut()
				_, next, _, err := q.reader.Sorted(t.Context(), demo.Realm, ask, by, after)
				must(t, err)
				if rows, statement := q.readBy(t); rows > bound {
					t.Errorf("%s, %s first: %s reads %d rows, more than %d", name, by, statement, rows, bound)
				}
				after = next
			}
		}
	}
}

// TestTheQueueReadsSoMuchAndNoMore: an order of the queue, or what it is narrowed to, reads its page, or what waits without its versions.
func TestTheQueueReadsSoMuchAndNoMore(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	const waiting, page = 2000, 60
	q := newQueue(t, 10_000, waiting)
	q.spread(t)
	_, err := q.db.Owner(t).Exec(t.Context(),
		"UPDATE message SET expires_at = '2027-10-01'::timestamptz + listed_amount * interval '1 second' WHERE state = 'Approval Pending'")
	must(t, err)
	expires := func(n int) time.Time { return time.Date(2027, time.October, 1, 0, 0, n, 0, time.UTC) }
	q.notes.cut()
	_, ending, err := q.reader.Waiting(t.Context(), demo.Realm, store.Ages{
		MadeBefore: []time.Time{expires(0), expires(1)}, ExpiresBefore: expires(9_990), Most: page,
	})
	must(t, err)
	if rows, statement := q.readBy(t); rows > 3*page || ending != page {
		t.Errorf("%d expire soon: %s reads %d rows to count %d", ending, statement, rows, page)
	}
	for name, c := range map[string]struct {
		ask   store.QueueFilter
		found int
		rows  int
	}{
		"the oldest":     {store.QueueFilter{Checker: q.mine()}, page, 3 * page},
		"the largest":    {store.QueueFilter{Checker: q.mine(), Sort: store.SortLargest}, page, 3 * page},
		"the smallest":   {store.QueueFilter{Sort: store.SortSmallest}, page, 3 * page},
		"by expiry":      {store.QueueFilter{Sort: store.SortExpiry}, page, 3 * page},
		"deep by amount": {store.QueueFilter{Sort: store.SortLargest, After: store.Place{MessageID: uuid.Max, Minor: 5000}}, page, 3 * page},
		"deep by expiry": {
			store.QueueFilter{Sort: store.SortExpiry, After: store.Place{MessageID: uuid.Max, ExpiresAt: expires(9_000)}}, page, 3 * page,
		},
		"expires soon":    {store.QueueFilter{ExpiresBefore: expires(100)}, 19, waiting + 100},
		"an amount":       {store.QueueFilter{AmountFrom: 5000, AmountTo: 5100}, 20, 3 * page},
		"no amount":       {store.QueueFilter{AmountFrom: 1 << 40}, 0, 0},
		"nobody's":        {store.QueueFilter{MakerLogin: "nobody"}, 0, 10},
		"a checker's own": {store.QueueFilter{OnlyPerson: q.checker}, 0, waiting + 10},
		"amended":         {store.QueueFilter{Amended: true}, 0, waiting + 10},
		"begun":           {store.QueueFilter{Begun: true}, 0, waiting + 10},
	} {
		q.notes.cut()
		c.ask.PageSize = page
		list, err := q.reader.Queue(t.Context(), demo.Realm, c.ask)
		must(t, err)
		if len(list) != c.found {
			t.Errorf("%s: %d messages, want %d", name, len(list), c.found)
		}
		if rows, statement := q.readBy(t); rows > c.rows {
			t.Errorf("%s: %s reads %d rows, more than %d", name, statement, rows, c.rows)
		}
	}
}

// textsAndCountsOfTheQueueReadSoMuch: what is looked for in the queue, found or not, and what is counted there, reads so many of what waits
// and of what was made last, where more wait and many more were made.
func (q *queue) textsAndCountsOfTheQueueReadSoMuch(t *testing.T) {
	t.Helper()
	const page = 60
	text := func(text string) store.QueueFilter {
		return store.QueueFilter{Checker: q.mine(), PageSize: page, Search: store.Search{Text: text, Compact: strings.ToUpper(text)}}
	}
	amount := text("1.00")
	amount.Search.AmountFrom, amount.Search.AmountTo = 101, 101
	for name, ask := range map[string]store.QueueFilter{
		"all": {Checker: q.mine()}, "a word of all": text("Haller"), "no word": text("nothing"), "two words": text("invoice Haller"),
		"no two words": text("nothing at all"), "no reference": text("E2E-4"), "an amount": amount, "a maker": text("maker1"),
	} {
		ask.PageSize = page
		q.notes.cut()
		list, err := q.reader.Queue(t.Context(), demo.Realm, ask)
		must(t, err)
		if found := len(list) > 0; found != !strings.HasPrefix(name, "no ") {
			t.Errorf("%s: %d messages on the page", name, len(list))
		}
		if rows, statement := q.readBy(t); rows > 5_500 {
			t.Errorf("%s: %s reads %d rows for a page", name, statement, rows)
		}
		ask.PageSize = views.MaxWaiting
		_, err = q.reader.QueueKeys(t.Context(), demo.Realm, q.checker, ask)
		must(t, err)
		if rows, statement := q.readBy(t); rows > 5_500 {
			t.Errorf("%s: %s reads %d rows for the keys", name, statement, rows)
		}
	}
	counter := store.NewCounter(q.reader, time.Second, views.MaxWaiting)
	_, err := counter.PendingTotals(t.Context(), demo.Realm, q.mine(), time.Now())
	must(t, err)
	q.count(t)
	if rows, statement := q.readBy(t); rows > 3_500 {
		t.Errorf("%s reads %d rows to count what waits", statement, rows)
	}
}

// decisionsOfADayReadTheirPage: of thousands that one person decided in a day, each tenth message twice, a page of them is read for its
// rows, and for its count a thousand, also while no statistics know of that day.
func (q *queue) decisionsOfADayReadTheirPage(t *testing.T) {
	t.Helper()
	const messages, page = 5000, 50
	owner := q.db.Connect(t)
	_, err := owner.Exec(t.Context(), "SET session_replication_role = replica")
	must(t, err)
	since := time.Date(2026, time.November, 20, 0, 0, 0, 0, time.UTC)
	_, err = owner.Exec(t.Context(), `
		INSERT INTO decision (realm, message_id, version, ordinal, makers, content_hash, approvals_required, checker_user,
		  checker_person, client_id, channel, action, decided_at, checker_role, grant_id, granted_at, message_created_at)
		SELECT realm, message_id, version, 1, ARRAY[maker], '\x00', 1, $2, $2, 'bench', 'api', 'approve',
		  $3::timestamptz + n / 2 * interval '1 s' + version * interval '1 ms', 'checker', maker, $3, $3
		FROM (SELECT realm, message_id, gen_random_uuid() AS maker, row_number() OVER (ORDER BY message_id) AS n
		  FROM message WHERE realm = $1 ORDER BY message_id LIMIT $4) m
		CROSS JOIN generate_series(1, 2) version WHERE version = 1 OR n % 10 = 0`, demo.Realm, q.checker, since, messages)
	must(t, err)
	seen := map[uuid.UUID]bool{}
	for behind, more := (store.Decided{}), true; more; {
		q.notes.cut()
		list, err := q.reader.DecidedBy(t.Context(), demo.Realm, q.checker, since, behind, page)
		must(t, err)
		if len(seen) == 0 || len(seen) == messages/2 {
			if rows, statement := q.readBy(t); rows > 4*page {
				t.Errorf("a page of %d decisions behind %d: %s reads %d rows", page, len(seen), statement, rows)
			}
		}
		for _, d := range list {
			seen[d.MessageID], behind = true, d
		}
		more = len(list) == page
	}
	if len(seen) != messages {
		t.Errorf("%d messages are listed, want %d", len(seen), messages)
	}
	q.notes.cut()
	count, err := q.reader.DecidedCount(t.Context(), demo.Realm, q.checker, since, 100)
	must(t, err)
	if rows, statement := q.readBy(t); rows > 1100 || count != 100 {
		t.Errorf("%d decisions are counted: %s reads %d rows", count, statement, rows)
	}
}

// TestTheQueueIsReadByIndexesWithoutStatistics: the tables were never analysed, as after a migration or an import, and all payments go to
// one account, as a run of a supplier does. In the last case all of them wait, so that no approved one is among the newest.
func TestTheQueueIsReadByIndexesWithoutStatistics(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	for _, one := range [][2]int{{250, 62}, {5_000, 1_250}, {5_000, 5_000}} {
		messages := one[0]
		q := newQueue(t, messages, one[1])
		_, err := q.db.Owner(t).Exec(t.Context(), "DELETE FROM pg_statistic WHERE starelid IN ('message'::regclass, 'message_version'::regclass)")
		must(t, err)
		_, err = q.db.Owner(t).Exec(t.Context(),
			"UPDATE pg_class SET reltuples = -1, relpages = 0, relallvisible = 0 WHERE oid IN ('message'::regclass, 'message_version'::regclass)")
		must(t, err)
		list, err := q.reader.Queue(t.Context(), demo.Realm, store.QueueFilter{Checker: q.mine(), PageSize: 60})
		must(t, err)
		for name, read := range map[string]func() error{
			"the page": func() error {
				_, err := q.reader.Queue(t.Context(), demo.Realm, store.QueueFilter{Checker: q.mine(), PageSize: 60})
				return err
			},
			"the news": func() error { _, err := q.reader.CreditorNews(t.Context(), demo.Realm, list); return err },
		} {
			q.notes.cut()
			must(t, read())
			// A list of 60 looks at 50 earlier payments each, a version and its message.
			rows, statement := q.readBy(t)
			t.Logf("%s of %d: %s reads %d rows", name, messages, statement, rows)
			if rows > 60*2*80 {
				t.Errorf("%s of %d messages: %s reads %d rows", name, messages, statement, rows)
			}
		}
	}
}
