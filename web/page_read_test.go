package web_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/demo"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/internal/testutil"
	"countersign/views"
)

// asReader are the settings that the reader reads with.
const asReader = "SET plan_cache_mode = force_custom_plan; SET enable_mergejoin = off; SET enable_seqscan = off; SET max_parallel_workers_per_gather = 0;" +
	" SET jit = off"

// readOf is what one statement read of all tables, what was thrown away included.
func (p plan) readOf() int {
	rows := 0
	if p.Relation != "" {
		rows = int((p.Rows + p.Filtered + p.Rechecked) * p.Loops)
	}
	for _, below := range p.Plans {
		rows += below.readOf()
	}
	return rows
}

// rowsRead is what the transaction has read so far, in functions too, which no plan tells of.
func rowsRead(t *testing.T, tx pgx.Tx) int {
	t.Helper()
	var rows int
	must(t, tx.QueryRow(t.Context(), `SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::integer
		FROM pg_stat_xact_user_tables`).Scan(&rows))
	return rows
}

// readBy runs every statement once more that was noted, as the reader does, and returns how many rows the greediest read, and its name.
func (q *queue) readBy(t *testing.T) (most int, name string) {
	t.Helper()
	app := q.db.ConnectAsApplication(t, demo.Realm)
	_, err := app.Exec(t.Context(), asReader)
	must(t, err)
	tx, err := app.Begin(t.Context())
	must(t, err)
	defer func() { must(t, tx.Rollback(t.Context())) }()
	for _, step := range q.notes.cut() {
		_, rest, named := strings.Cut(step.sql, "-- name: ")
		if !named {
			continue
		}
		var told []byte
		before := rowsRead(t, tx)
		must(t, tx.QueryRow(t.Context(), "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) "+step.sql, step.values...).Scan(&told))
		var plans []struct{ Plan plan }
		must(t, json.Unmarshal(told, &plans))
		if rows := max(plans[0].Plan.readOf(), rowsRead(t, tx)-before); rows > most {
			most = rows
			name, _, _ = strings.Cut(rest, " ")
		}
	}
	return most, name
}

// spread gives the copied messages of a large gateway words, amounts and times of their own: one in a thousand failed, message n has the
// amount n and was made n seconds after the first of October, and no payment is in euro but the oldest.
func (q *queue) spread(t *testing.T) {
	t.Helper()
	owner := q.db.Connect(t)
	for _, statement := range []string{
		"SET session_replication_role = replica",
		`UPDATE message_version v SET words = found.words, amount = coalesce(copied.number + 1, v.amount),
		   created_at = coalesce('2026-10-01'::timestamptz + copied.number * interval '1 second', v.created_at)
		 FROM message m LEFT JOIN LATERAL (SELECT ('x' || right(m.message_id::text, 6))::bit(24)::bigint AS number
		     WHERE m.message_id < '01900000-0000-7000-9000-000000000000') copied ON true
		   JOIN (SELECT realm, array_to_tsvector(ARRAY(SELECT search_tag(realm) || w.word
		     FROM (VALUES ('peter'), ('haller'), ('invoice'), ('<8833169000066912884hc')) w (word))) AS words
		     FROM realm OFFSET 0) found USING (realm)
		 WHERE m.realm = v.realm AND m.message_id = v.message_id`,
		`UPDATE message m SET created_at = v.created_at, state_since = v.created_at, listed_amount = v.amount,
		   scheme = CASE WHEN v.amount = 6 THEN 'sct-inst' ELSE m.scheme END,
		   state = CASE WHEN v.amount % 1000 = 0 THEN 'Failed' ELSE state END
		 FROM message_version v WHERE v.realm = m.realm AND v.message_id = m.message_id
		   AND m.message_id < '01900000-0000-7000-9000-000000000000'`,
		"VACUUM ANALYZE message, message_version",
	} {
		_, err := owner.Exec(t.Context(), statement)
		must(t, err)
	}
}

// TestAPageReadsSoMuchAndNoMore: whatever a list is narrowed to and whatever is looked for, found or not, no statement of a page reads more
// than its bound, in a gateway that is larger than it.
func TestAPageReadsSoMuchAndNoMore(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	const messages, waiting, bound = 40_000, 4_000, 12_500
	q := newQueue(t, messages, waiting)
	q.spread(t)
	day := func(n int) time.Time { return time.Date(2026, time.October, 1, 0, 0, n, 0, time.UTC) }
	text := func(text string) store.Filter {
		return store.Filter{Search: store.Search{Text: text, Compact: strings.ToUpper(strings.ReplaceAll(text, " ", ""))}}
	}
	for name, c := range map[string]struct {
		ask   store.Filter
		found bool // on the first page
	}{
		"all":                      {store.Filter{}, true},
		"failed":                   {store.Filter{States: []payment.State{payment.StateFailed}}, true},
		"unconfirmed":              {store.Filter{States: []payment.State{payment.StateUnconfirmed}}, false},
		"settled":                  {store.Filter{States: []payment.State{payment.StateSettled}}, true},
		"recalls":                  {store.Filter{Kind: string(payment.KindRecall)}, false},
		"incoming":                 {store.Filter{Direction: string(payment.DirectionIn)}, false},
		"euro, only the oldest":    {store.Filter{Scheme: "sct-inst"}, false},
		"a maker":                  {store.Filter{MakerLogin: "maker1"}, true},
		"no maker":                 {store.Filter{MakerLogin: "nobody"}, false},
		"an amount":                {store.Filter{AmountFrom: 77, AmountTo: 77}, true},
		"no amount":                {store.Filter{AmountFrom: 1 << 40}, false},
		"amounts of many":          {store.Filter{AmountFrom: 10, AmountTo: 39_000}, true},
		"a day long ago":           {store.Filter{CreatedFrom: day(-90_000), CreatedTo: day(-10)}, false},
		"an hour":                  {store.Filter{CreatedFrom: day(100), CreatedTo: day(140)}, true},
		"an old part of many":      {store.Filter{CreatedFrom: day(0), CreatedTo: day(9000)}, true},
		"changed":                  {store.Filter{ChangedSince: day(39_900), States: []payment.State{payment.StateFailed}}, true},
		"failed and narrowed more": {store.Filter{States: []payment.State{payment.StateFailed}, Scheme: "sct-inst"}, false},
		"a word of all":            {text("Haller"), true},
		"no word":                  {text("nothing"), false},
		"the beginning of a word":  {text("hall"), true},
		"two words":                {text("invoice Haller"), true}, // not side by side, nor in this order
		"no two words":             {text("nothing at all"), false},
		"the end of an account":    {text("613388"), true},
		"no account":               {text("DE00 0000 0000"), false},
		"a reference":              {text("E2E-4"), false},
		"a sign":                   {text("%"), false},
		"an amount that is typed":  {store.Filter{Search: store.Search{Text: "1.00", Compact: "1.00", AmountFrom: 100, AmountTo: 199}}, true},
		"a day that is typed": {
			store.Filter{Search: store.Search{Text: "1.10.2026", Compact: "1.10.2026", Since: day(0), Until: day(39_000)}}, true,
		},
		"a state that is typed": {
			store.Filter{Search: store.Search{Text: "Failed", States: []payment.State{payment.StateFailed}}}, true,
		},
	} {
		q.notes.cut()
		c.ask.PageSize = 50
		list, _, err := q.reader.Page(t.Context(), demo.Realm, c.ask)
		must(t, err)
		if found := len(list) > 0; found != c.found {
			t.Errorf("%s: %d messages on the first page", name, len(list))
		}
		if rows, statement := q.readBy(t); rows > bound {
			t.Errorf("%s: %s reads %d rows, more than %d", name, statement, rows, bound)
		}
	}
	q.countsOfTheFirstPageReadSoMuch(t)
	q.ordersReadSoMuch(t)
	q.textsAndCountsOfTheQueueReadSoMuch(t)
	q.decisionsOfADayReadTheirPage(t)
	q.amountsReadTheirPage(t)
	q.wordsAreLookedUpWhereTheyAreFew(t)
	q.questionsToClearingAreNotRead(t)
	q.marksAndReasonsReadSoMuch(t, bound)
}

// marksAndReasonsReadSoMuch: where a gateway has more recalls than are looked at for a page, what payments show of them and why they were
// made is found all the same, on the pages that follow each other, and no statement reads more than its bound.
func (q *queue) marksAndReasonsReadSoMuch(t *testing.T, bound int) {
	t.Helper()
	const recalls = 6000
	owner := q.db.Connect(t)
	_, err := owner.Exec(t.Context(), "SET session_replication_role = replica")
	must(t, err)
	_, err = owner.Exec(t.Context(), `
		WITH n AS (SELECT message_id, row_number() OVER (ORDER BY message_id) AS n FROM message WHERE realm = $1),
		     pair AS (
		       SELECT r.message_id AS recall, p.message_id AS paid, p.n FROM n r JOIN n p ON r.n = p.n + $2::integer
		       WHERE p.n <= $2::integer)
		UPDATE message m SET kind = 'recall', original_id = pair.paid, state = CASE n WHEN 1 THEN 'Accepted' ELSE 'Refused' END,
		  reason = CASE n WHEN 1 THEN 'TECH' ELSE 'DUPL' END
		FROM pair WHERE m.realm = $1 AND m.message_id = pair.recall`, demo.Realm, recalls)
	must(t, err)
	_, err = owner.Exec(t.Context(), "VACUUM ANALYZE message")
	must(t, err)
	for name, c := range map[string]struct {
		ask  store.Search
		want int
	}{
		"the oldest payment that was recalled": {
			store.Search{Text: "Recalled", Recalls: []payment.RecallStatus{payment.RecallAccepted}}, 1,
		},
		"every recall refused": {
			store.Search{Text: "Recall refused", Recalls: []payment.RecallStatus{payment.RecallRefused}}, recalls - 1,
		},
		"the oldest recall for a reason": {
			store.Search{Text: "TECH", Reasons: []store.Reason{{Kind: payment.KindRecall, Code: "TECH"}}}, 1,
		},
		"nothing returned": {store.Search{Text: "Returned", Returns: []payment.ReturnStatus{payment.ReturnDone}}, 0},
	} {
		seen, f := map[uuid.UUID]bool{}, store.Filter{Search: c.ask, PageSize: 50}
		for pages := 0; pages == 0 || f.Before != uuid.Nil; pages++ {
			q.notes.cut()
			list, next, err := q.reader.Page(t.Context(), demo.Realm, f)
			must(t, err)
			for _, m := range list {
				if seen[m.InternalID] {
					t.Fatalf("%s: %s came twice", name, m.InternalID)
				}
				seen[m.InternalID] = true
			}
			if pages == 0 {
				if rows, statement := q.readBy(t); rows > bound {
					t.Errorf("%s: %s reads %d rows, more than %d", name, statement, rows, bound)
				}
			}
			f.Before = next
		}
		if len(seen) != c.want {
			t.Errorf("%s: %d messages, want %d", name, len(seen), c.want)
		}
	}
}

// questionsToClearingAreNotRead: of payments that clearing was asked about again and again, who lists what it did not answer reads none of
// the questions.
func (q *queue) questionsToClearingAreNotRead(t *testing.T) {
	t.Helper()
	const payments, questions = 100, 200
	owner := q.db.Connect(t)
	_, err := owner.Exec(t.Context(), "SET session_replication_role = replica")
	must(t, err)
	_, err = owner.Exec(t.Context(), `
		INSERT INTO message_history (realm, message_id, sequence, kind, from_state, action, to_state, previous_sequence, version, actor_name,
		  channel, at)
		SELECT realm, message_id, 100 + n, kind, CASE n WHEN 0 THEN 'Processing' ELSE 'Unconfirmed' END, 'x', 'Unconfirmed', 99 + n, version,
		  'Gateway', 'clock', '2026-10-01'::timestamptz + n * interval '15 minutes'
		FROM (SELECT * FROM message WHERE realm = $1 ORDER BY message_id LIMIT $2) m CROSS JOIN generate_series(0, $3::integer) n`,
		demo.Realm, payments, questions)
	must(t, err)
	_, err = owner.Exec(t.Context(), "VACUUM ANALYZE message_history")
	must(t, err)
	since := time.Date(2026, time.October, 1, 0, 0, 0, 0, time.UTC)
	period := store.Period{From: since, Until: since.AddDate(0, 0, 30)}
	q.notes.cut()
	list, err := q.reader.Ended(t.Context(), demo.Realm, payment.StateUnconfirmed, period)
	must(t, err)
	count, err := q.reader.EndedCount(t.Context(), demo.Realm, payment.StateUnconfirmed, period)
	must(t, err)
	late, err := q.reader.Late(t.Context(), demo.Realm, store.AskedLate{Since: since, DueBefore: since, Most: 1})
	must(t, err)
	if len(list) != payments || count != payments || late.Unanswered != payments {
		t.Errorf("%d payments have no answer: %d are listed, %d counted, %d late", payments, len(list), count, late.Unanswered)
	}
	if rows, statement := q.readBy(t); rows > 5*payments {
		t.Errorf("%s reads %d rows of %d payments", statement, rows, payments)
	}
}

// amountsReadTheirPage: of the 500 messages that an amount leaves, only those of the page are read, and with another filter more of them
// until the page is full.
func (q *queue) amountsReadTheirPage(t *testing.T) {
	t.Helper()
	for name, c := range map[string]struct {
		ask         store.Filter
		found, rows int
	}{
		"500":               {store.Filter{AmountFrom: 10_001, AmountTo: 10_500}, 50, 550},
		"one that failed":   {store.Filter{AmountFrom: 10_001, AmountTo: 10_500, States: []payment.State{payment.StateFailed}}, 0, 800},
		"the oldest of 500": {store.Filter{AmountFrom: 9_999, AmountTo: 10_498, States: []payment.State{payment.StateFailed}}, 1, 800},
	} {
		q.notes.cut()
		c.ask.PageSize = 50
		list, next, err := q.reader.Page(t.Context(), demo.Realm, c.ask)
		must(t, err)
		if len(list) != c.found || (next == uuid.Nil) != (c.found < 50) {
			t.Errorf("%s of an amount: %d messages, then %s", name, len(list), next)
		}
		if rows, statement := q.readBy(t); rows > c.rows {
			t.Errorf("%s of an amount: %s reads %d rows, more than %d", name, statement, rows, c.rows)
		}
	}
}

// wordsAreLookedUpWhereTheyAreFew: words that fewer than 500 messages are expected to have are looked up in their index, which finds the
// oldest at once; of others the newest are looked at, and going on finds the rest.
func (q *queue) wordsAreLookedUpWhereTheyAreFew(t *testing.T) {
	t.Helper()
	_, err := q.db.Owner(t).Exec(t.Context(), `
		SET session_replication_role = replica;
		UPDATE message_version SET words = array_to_tsvector(tsvector_to_array(words) || ARRAY(SELECT search_tag(realm) || w.word
		  FROM (VALUES ('common', 60), ('rare', 400)) w (word, each) WHERE amount % w.each = 1)),
		  remittance = CASE WHEN amount % 400 = 1 THEN 'common rare' ELSE 'common' END
		WHERE amount % 60 = 1 OR amount % 400 = 1`)
	must(t, err)
	for text, c := range map[string]struct{ all, pages int }{"rare": {100, 1}, "common": {667, 8}} {
		q.notes.cut()
		ask := store.Filter{PageSize: 1000, Search: store.Search{Text: text, Compact: strings.ToUpper(text)}}
		found, pages, looked := 0, 0, false
		for next := uuid.Max; next != uuid.Nil; pages++ {
			var list []payment.Message
			list, next, err = q.reader.Page(t.Context(), demo.Realm, ask)
			must(t, err)
			found, ask.Before = found+len(list), next
			for _, step := range q.notes.cut() {
				looked = looked || pages == 0 && strings.Contains(step.sql, "-- name: WordKeys ")
			}
		}
		if found < c.all-5 || found > c.all+5 || pages < c.pages || looked != (c.pages == 1) {
			t.Errorf("%s: %d messages on %d pages, want %d on %d; index asked at first: %v", text, found, pages, c.all, c.pages, looked)
		}
	}
}

// countsOfTheFirstPageReadSoMuch: volumes, durations and the last answer are counted of the newest.
func (q *queue) countsOfTheFirstPageReadSoMuch(t *testing.T) {
	t.Helper()
	since := time.Date(2026, time.October, 1, 0, 0, 0, 0, time.UTC)
	for name, read := range map[string]func() error{
		"hours":      func() error { _, err := q.reader.VolumeByHour(t.Context(), demo.Realm, since); return err },
		"turnaround": func() error { _, err := q.reader.Turnaround(t.Context(), demo.Realm, since); return err },
		"clearing": func() error {
			_, err := q.reader.Clearing(t.Context(), demo.Realm, since, views.MaxWaiting)
			return err
		},
		"states": func() error {
			_, err := q.reader.Standing(t.Context(), demo.Realm, store.Counted{Since: since, Most: 100})
			return err
		},
		"states of a maker": func() error {
			_, err := q.reader.StandingOfMaker(t.Context(), demo.Realm, store.Counted{Maker: q.checker, Since: since, Most: 100})
			return err
		},
		"ages": func() error {
			_, _, err := q.reader.Waiting(t.Context(), demo.Realm, store.Ages{
				Checker: q.mine(), MadeBefore: []time.Time{since}, ExpiresBefore: since, Most: views.MaxWaiting,
			})
			return err
		},
	} {
		q.notes.cut()
		must(t, read())
		if rows, statement := q.readBy(t); rows > 10_000 {
			t.Errorf("%s: %s reads %d rows", name, statement, rows)
		}
	}
}
