package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// Limits of the reads for one page of a list, independent of its filter and of the number of messages.
const (
	// looked limits the messages scanned for a page of a filtered list. The next page continues after them.
	looked = 5000
	// scattered is the same where the messages lie apart, those of a state, a kind, a maker, each a page of its own to the server; and where
	// the amount of each is asked for.
	scattered = 2500
	// few is the number of messages up to which the matches of an amount, a day or "changed since" are listed at once.
	few = 500
	// meant limits the matches of each meaning of a text, and compared those of all meanings that are compared with the text.
	meant, compared = 120, 120
	// parted is the number of newest messages that are searched for any part of any text; in older ones only beginnings of words count.
	parted = 100
)

// last comes after the keys of all messages.
var last = uuid.Max

// Page lists one page of messages, newest first, and the key at which the next page begins: zero after the last page. Its reads are
// bounded: a page may be short or empty and still have a next one, when the scanned messages do not match. It fails for a filter that no
// scan supports (Filter.unwalked).
func (r *Reader) Page(ctx context.Context, realm string, f Filter) (list []payment.Message, next uuid.UUID, err error) {
	size := int(f.PageSize)
	err = r.read(ctx, realm, Searching, func(q *dbsqlc.Queries) error {
		w := where{ctx: ctx, q: q, realm: realm}
		found, err := w.keys(f)
		if err != nil {
			return fmt.Errorf("find messages: %w", err)
		}
		list, err = r.listed(w, f, found.keys)
		if len(list) > size {
			list = list[:size]
			next = list[size-1].InternalID
			return err
		}
		next = found.end
		return err
	})
	return list, next, err
}

// listed reads one message more than a page shows, of those with these keys, newest first; of nil keys, all. Most keys match, so it reads
// one page of keys, then twice as many.
func (r *Reader) listed(w where, f Filter, keys []uuid.UUID) (list []payment.Message, err error) {
	size := f.PageSize + 1
	if keys == nil {
		f.PageSize = size
		return r.messages(w.ctx, w.q, w.realm, f)
	}
	keys = newestFirst(keys)
	if f.Before != uuid.Nil {
		keys = slices.DeleteFunc(keys, func(key uuid.UUID) bool { return bytes.Compare(key[:], f.Before[:]) >= 0 })
	}
	for many := int(size); len(keys) > 0 && len(list) < int(size); many *= 2 {
		many = min(many, len(keys))
		f.keys, f.PageSize = keys[:many], size-int32(len(list)) //nolint:gosec // a page
		part, err := r.messages(w.ctx, w.q, w.realm, f)
		if err != nil {
			return nil, err
		}
		list, keys = append(list, part...), keys[many:]
	}
	return list, nil
}

// where finds keys in a realm.
type where struct {
	ctx   context.Context //nolint:containedctx // one question, asked in parts
	q     *dbsqlc.Queries
	realm string
}

// found are the keys that may match; nil keys means all. Messages after end were not scanned; a zero end is the end of the messages.
type found struct {
	keys []uuid.UUID
	end  uuid.UUID
}

func (w where) keys(f Filter) (found, error) {
	if f.OldestFirst || f.OriginalID != uuid.Nil {
		return found{}, nil // of one message, or in the order in which everything is asked for
	}
	if f.unwalked() {
		return found{}, errors.New("a page is not narrowed by this: ask for a list")
	}
	before := f.Before
	if before == uuid.Nil {
		before = last
	}
	if f.Search.set() {
		return w.searched(f.Search, before)
	}
	maker, known, err := w.makerOf(f)
	if err != nil || !known {
		return found{keys: []uuid.UUID{}}, err
	}
	narrowest, err := w.narrowest(f)
	if err != nil || narrowest.keys != nil {
		return narrowest, err
	}
	if narrowest.end != uuid.Nil && bytes.Compare(narrowest.end[:], before[:]) < 0 {
		before = after(narrowest.end)
	}
	return w.walked(f, maker, before)
}

// makerOf returns the maker that a filter names, zero for none; known is false when there is no such account.
func (w where) makerOf(f Filter) (maker uuid.UUID, known bool, err error) {
	if f.MakerLogin == "" {
		return f.MakerUser, true, nil
	}
	maker, err = w.q.MakerByLogin(w.ctx, w.realm, f.MakerLogin)
	if errors.Is(err, pgx.ErrNoRows) {
		return uuid.Nil, false, nil
	}
	return maker, err == nil, err
}

// narrowest returns the few messages within an amount or a period. When there are more, and the period has an end, end is the newest of
// them: keys follow the time of creation except within one moment, so every message made before that end is older or was scanned.
func (w where) narrowest(f Filter) (found, error) {
	to, until := f.AmountTo, f.CreatedTo
	if to == 0 {
		to = math.MaxInt64
	}
	if until.IsZero() {
		until = endOfTime
	}
	lists := []struct {
		asked, timed bool
		ask          func() ([]uuid.UUID, error)
	}{
		{f.AmountFrom > 0 || f.AmountTo > 0, false, func() ([]uuid.UUID, error) {
			return w.q.FewByAmount(w.ctx, dbsqlc.FewByAmountParams{Realm: w.realm, AmountFrom: f.AmountFrom, AmountTo: to, Most: few + 1})
		}},
		{!f.ChangedSince.IsZero(), false, func() ([]uuid.UUID, error) {
			if len(f.States) == 1 && !slices.Contains(usual, f.States[0]) {
				return w.q.FewEnded(w.ctx, dbsqlc.FewEndedParams{
					Realm: w.realm, State: string(f.States[0]), Since: f.ChangedSince, Most: few + 1,
				})
			}
			return w.q.FewChanged(w.ctx, w.realm, f.ChangedSince, few+1)
		}},
		{!f.CreatedFrom.IsZero() || !f.CreatedTo.IsZero(), true, func() ([]uuid.UUID, error) {
			return w.q.FewMade(w.ctx, dbsqlc.FewMadeParams{Realm: w.realm, MadeFrom: f.CreatedFrom, MadeTo: until, Most: few + 1})
		}},
	}
	at := found{}
	for _, list := range lists {
		if !list.asked {
			continue
		}
		keys, err := list.ask()
		if err != nil || len(keys) <= few {
			return found{keys: append([]uuid.UUID{}, keys...)}, err
		}
		if list.timed {
			at.end = slices.MaxFunc(keys, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
		}
	}
	return at, nil
}

// usual are the states of most payments. An index has the messages of other states by the time of their change.
var usual = []payment.State{
	payment.StateApprovalPending, payment.StateApproved, payment.StateProcessing, payment.StateSettled, payment.StateBooked,
}

// endOfTime is later than any stored time.
var endOfTime = time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC)

// after returns the next key.
func after(key uuid.UUID) uuid.UUID {
	for i := len(key) - 1; i >= 0; i-- {
		key[i]++
		if key[i] != 0 {
			break
		}
	}
	return key
}

// walked scans the newest messages before a key, by the index with the fewest rows. Several states with few messages are scanned one by
// one.
func (w where) walked(f Filter, maker, before uuid.UUID) (found, error) {
	p := w.steps(f, maker, before)
	const several = 6
	if n := len(f.States); n > 0 && n <= several && !slices.Contains(f.States, payment.StateSettled) {
		at := found{keys: []uuid.UUID{}}
		for _, state := range f.States {
			p.LedBy, p.State = "state", string(state)
			one, err := w.walk(p)
			if err != nil {
				return found{}, err
			}
			at.keys = append(at.keys, one.keys...)
			if bytes.Compare(one.end[:], at.end[:]) > 0 {
				at.end = one.end
			}
		}
		return at.cut(), nil
	}
	switch {
	case f.Kind != "" && f.OrKind == "" && f.Kind != string(payment.KindInstruction):
		p.LedBy, p.Kind = "kind", f.Kind
	case f.Direction == string(payment.DirectionIn):
		p.LedBy = "incoming"
	case maker != uuid.Nil:
		p.LedBy = "maker"
	}
	return w.walk(p)
}

// steps returns the parameters of a scan over the keys of a filter.
func (w where) steps(f Filter, maker, before uuid.UUID) dbsqlc.WalkKeysParams {
	return dbsqlc.WalkKeysParams{
		Realm: w.realm, Before: before, LedBy: "all", Maker: maker, Look: looked, ChangedSince: OrNull(f.ChangedSince), Kinds: f.kinds(),
		Direction: OrNull(f.Direction), Scheme: OrNull(f.Scheme), States: names(f.States), Approved: f.Approved,
		CreatedFrom: OrNull(f.CreatedFrom), CreatedTo: OrNull(f.CreatedTo), MakerUser: OrNull(maker),
		AmountFrom: OrNull(f.AmountFrom), AmountTo: OrNull(f.AmountTo), PageSize: f.PageSize + 1,
	}
}

func (w where) walk(p dbsqlc.WalkKeysParams) (found, error) {
	if p.LedBy != "all" || p.AmountFrom != nil || p.AmountTo != nil {
		p.Look = scattered
	}
	rows, err := w.q.WalkKeys(w.ctx, p)
	at := found{keys: make([]uuid.UUID, 0, len(rows))}
	for _, row := range rows {
		at.keys = append(at.keys, row.MessageID)
		if row.Place == int64(p.Look) {
			at.end = row.MessageID
		}
	}
	return at, err
}

// cut drops the keys behind the end: unscanned messages may lie between them.
func (f found) cut() found {
	f.keys = slices.DeleteFunc(f.keys, func(key uuid.UUID) bool { return bytes.Compare(key[:], f.end[:]) < 0 })
	return f
}

// searched finds the meanings of a text and their messages. end is set when a meaning has more matches than the limit.
func (w where) searched(s Search, before uuid.UUID) (found, error) {
	at, err := w.worded(Query(w.realm, s.Text, s.Compact), before)
	if err != nil {
		return found{}, err
	}
	states, err := w.inStates(s.States, before)
	if err != nil {
		return found{}, err
	}
	reasoned, err := w.reasoned(s.Reasons, before)
	if err != nil {
		return found{}, err
	}
	marked, err := w.marked(s, before)
	if err != nil {
		return found{}, err
	}
	at.keys = slices.Concat(at.keys, states.keys, reasoned.keys)
	at.end = newer(newer(at.end, states.end), newer(reasoned.end, marked.end))
	rows, err := w.q.SearchKeys(w.ctx, w.meanings(s, before))
	if err != nil {
		return found{}, err
	}
	var parts []uuid.UUID
	of := map[string]int{}
	for _, row := range rows {
		if row.Meaning == "part" {
			parts = append(parts, row.MessageID)
			continue
		}
		of[row.Meaning]++
		if of[row.Meaning] == meant {
			at.end = newer(at.end, row.MessageID)
		}
		at.keys = append(at.keys, row.MessageID)
	}
	at.keys = newestFirst(at.keys)
	if len(at.keys) > compared {
		at.keys = at.keys[:compared]
		at.end = newer(at.end, at.keys[compared-1])
	}
	at.keys = newestFirst(append(at.keys, parts...))
	at = at.cut()
	at.keys, err = w.fitting(s, at.keys)
	marked.end = at.end
	at.keys = newestFirst(append(at.keys, marked.cut().keys...))
	return at, err
}

// newestFirst orders keys, each once.
func newestFirst(keys []uuid.UUID) []uuid.UUID {
	slices.SortFunc(keys, func(a, b uuid.UUID) int { return bytes.Compare(b[:], a[:]) })
	return slices.Compact(keys)
}

// fitting returns the messages that match a text, in the given order.
func (w where) fitting(s Search, keys []uuid.UUID) ([]uuid.UUID, error) {
	rows, err := w.q.MessageTexts(w.ctx, w.realm, keys)
	if err != nil {
		return nil, err
	}
	fits, needle := make(map[uuid.UUID]bool, len(rows)), s.needle()
	for _, row := range rows {
		fits[row.MessageID] = s.fits(needle, row)
	}
	return slices.DeleteFunc(keys, func(key uuid.UUID) bool { return !fits[key] }), nil
}

// newer returns the later key.
func newer(a, b uuid.UUID) uuid.UUID {
	if bytes.Compare(b[:], a[:]) > 0 {
		return b
	}
	return a
}

// worded finds messages by words: among the newest messages if many of them match, or enough to expect many matches in all; else among all
// messages. The index entries of frequent words cost more than a scan of the newest.
func (w where) worded(asked string, before uuid.UUID) (found, error) {
	at := found{keys: []uuid.UUID{}}
	if asked == "" {
		return at, nil
	}
	rows, err := w.q.WordWalk(w.ctx, dbsqlc.WordWalkParams{Realm: w.realm, Asked: asked, Before: before, Look: looked, Most: meant})
	if err != nil {
		return at, err
	}
	n := len(rows)
	for _, row := range rows {
		at.keys = append(at.keys, row.MessageID)
	}
	switch {
	case n > 0 && n == meant:
		at.end = rows[n-1].MessageID
		return at, nil
	case n == 0 || rows[n-1].Place != looked:
		return at, nil // there are no others to look at
	}
	at.end = rows[n-1].MessageID
	if expected := int64(n-1) * rows[n-1].Stored / looked; expected > few {
		return at, nil // as many have the words further back as among the newest
	}
	all, err := w.q.WordKeys(w.ctx, asked, before, few+1)
	if err == nil && len(all) <= few {
		return found{keys: append([]uuid.UUID{}, all...)}, nil
	}
	return at, err
}

func (w where) meanings(s Search, before uuid.UUID) dbsqlc.SearchKeysParams {
	return dbsqlc.SearchKeysParams{
		Realm: w.realm, Before: before, Most: meant, Parts: parted, Search: OrNull(s.Text),
		Whole: OrNull(cmp.Or(s.Whole, s.Text)), Compact: OrNull(s.Compact),
		SearchFrom: OrNull(s.AmountFrom), SearchTo: OrNull(s.AmountTo), SearchSince: OrNull(s.Since),
		SearchUntil: OrNull(s.Until), SearchScheme: OrNull(string(s.Scheme)), SearchKind: OrNull(string(s.Kind)),
	}
}
