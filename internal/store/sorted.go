package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// ListSort is the order of a list of messages.
type ListSort string

// The orders of lists. Amounts are compared as numbers, independent of currency. States come in the order of a message's life, the newest
// messages of each first.
const (
	ListNewest   ListSort = ""
	ListOldest   ListSort = "oldest"
	ListLargest  ListSort = "largest"
	ListSmallest ListSort = "smallest"
	ListState    ListSort = "state"
)

// ListPlace is the start of a page of a sorted list: after this message, which had this amount or this state.
type ListPlace struct {
	MessageID uuid.UUID
	Minor     int64
	State     payment.State
}

// Limits of the reads for one page of a sorted list.
const (
	// fewSorted is the number of matches up to which all of them are read and sorted.
	fewSorted = 250
	// lookedSorted limits the messages scanned in the order of amounts otherwise: that index holds all realms side by side.
	lookedSorted = 1000
)

// Sorted lists one page in another order than newest first, and the start of the next page; zero after the last one. Its reads are limited
// as those of Page: a page may be short and have a next one. sorted is false for a text with more matches than can be sorted: those are
// listed newest first, by Page.
func (r *Reader) Sorted(
	ctx context.Context, realm string, f Filter, by ListSort, after ListPlace,
) (list []payment.Message, next ListPlace, sorted bool, err error) {
	err = r.read(ctx, realm, Searching, func(q *dbsqlc.Queries) error {
		o := ordered{where: where{ctx: ctx, q: q, realm: realm}, f: f, by: by, after: after}
		found, whole, err := o.keysOf()
		if err != nil {
			return fmt.Errorf("find messages: %w", err)
		}
		sorted = whole || !f.Search.set()
		if !sorted {
			return nil
		}
		f.keys, f.Before, f.PageSize = found.keys, uuid.Nil, fewSorted+1
		list, err = r.messages(ctx, q, realm, f)
		slices.SortFunc(list, o.compare)
		list = slices.DeleteFunc(list, func(m payment.Message) bool { return after.MessageID != uuid.Nil && !o.behind(m) })
		if size := int(o.f.PageSize); len(list) > size {
			list = list[:size]
			next = placeOf(list[size-1])
			return err
		}
		next = found.end
		return err
	})
	return list, next, sorted, err
}

// ordered is a query for a page in an order.
type ordered struct {
	where

	f     Filter
	by    ListSort
	after ListPlace
}

// sortedKeys are keys that may be listed. Messages after end in the order were not scanned; a zero end is the end of the messages.
type sortedKeys struct {
	keys []uuid.UUID
	end  ListPlace
}

// keysOf returns the keys of all messages within the filter if there are few, else those of one page. whole says that they are all.
func (o ordered) keysOf() (found sortedKeys, whole bool, err error) {
	all := o.f
	all.Before, all.PageSize = uuid.Nil, fewSorted
	few, err := o.keys(all)
	if err != nil || few.end == uuid.Nil && few.keys != nil && len(few.keys) <= fewSorted {
		return sortedKeys{keys: few.keys}, true, err
	}
	if o.f.Search.set() {
		return sortedKeys{}, false, nil
	}
	maker, known, err := o.makerOf(o.f)
	if err != nil || !known {
		return sortedKeys{keys: []uuid.UUID{}}, true, err
	}
	switch o.by {
	case ListLargest, ListSmallest:
		found, err = o.byAmount(maker)
	case ListState:
		found, err = o.byState(maker)
	case ListOldest, ListNewest:
		found, err = o.byAge(maker)
	}
	return found, false, err
}

func (o ordered) byAge(maker uuid.UUID) (sortedKeys, error) {
	p := o.steps(o.f, maker, o.after.MessageID)
	p.Up = true
	at, err := o.walk(p)
	return sortedKeys{keys: at.keys, end: ListPlace{MessageID: at.end}}, err
}

// byAmount scans the index of amounts. Its first place is beyond all amounts.
func (o ordered) byAmount(maker uuid.UUID) (sortedKeys, error) {
	amount, after := o.after.Minor, o.after.MessageID
	switch {
	case after != uuid.Nil:
	case o.by == ListSmallest:
		amount = math.MinInt64
	default:
		amount, after = math.MaxInt64, last
	}
	rows, err := o.q.AmountKeys(o.ctx, dbsqlc.AmountKeysParams{
		Realm: o.realm, Up: o.by == ListSmallest, Amount: amount, After: after, Look: lookedSorted, AmountFrom: OrNull(o.f.AmountFrom),
		AmountTo: OrNull(o.f.AmountTo), ChangedSince: OrNull(o.f.ChangedSince), Approved: o.f.Approved, Kinds: o.f.kinds(),
		Direction: OrNull(o.f.Direction), Scheme: OrNull(o.f.Scheme), States: names(o.f.States),
		CreatedFrom: OrNull(o.f.CreatedFrom), CreatedTo: OrNull(o.f.CreatedTo), MakerUser: OrNull(maker),
		PageSize: o.f.PageSize + 1,
	})
	at := sortedKeys{keys: make([]uuid.UUID, 0, len(rows))}
	for _, row := range rows {
		at.keys = append(at.keys, row.MessageID)
		if row.Place == lookedSorted {
			at.end = ListPlace{MessageID: row.MessageID, Minor: row.Amount}
		}
	}
	return at, err
}

// byState scans one state after the other until the page is full, or the limit of a state is reached.
func (o ordered) byState(maker uuid.UUID) (sortedKeys, error) {
	at := sortedKeys{keys: []uuid.UUID{}}
	for _, state := range payment.States() {
		before := last
		switch place := stateRank(state) - stateRank(o.after.State); {
		case len(o.f.States) > 0 && !slices.Contains(o.f.States, state), o.after.MessageID != uuid.Nil && place < 0:
			continue
		case o.after.MessageID != uuid.Nil && place == 0:
			before = o.after.MessageID
		}
		p := o.steps(o.f, maker, before)
		p.States, p.LedBy, p.State = []string{string(state)}, "state", string(state)
		if state == payment.StateSettled {
			p.LedBy = "all" // most are, so that they are in no index of their own
		}
		one, err := o.walk(p)
		if err != nil {
			return at, err
		}
		at.keys = append(at.keys, one.keys...)
		if one.end != uuid.Nil {
			at.end = ListPlace{MessageID: one.end, State: state}
			return at, nil
		}
		if len(at.keys) > int(o.f.PageSize) {
			return at, nil
		}
	}
	return at, nil
}

// stateRank returns the position of a state in a message's life.
func stateRank(state payment.State) int { return slices.Index(payment.States(), state) }

// compare orders two messages.
func (o ordered) compare(a, b payment.Message) int { return o.comparePlaces(placeOf(a), placeOf(b)) }

// behind reports whether a message comes after the start of the page.
func (o ordered) behind(m payment.Message) bool { return o.comparePlaces(placeOf(m), o.after) > 0 }

func (o ordered) comparePlaces(a, b ListPlace) int {
	older := bytes.Compare(a.MessageID[:], b.MessageID[:])
	switch o.by {
	case ListLargest:
		return cmp.Or(cmp.Compare(b.Minor, a.Minor), -older)
	case ListSmallest:
		return cmp.Or(cmp.Compare(a.Minor, b.Minor), older)
	case ListState:
		return cmp.Or(cmp.Compare(stateRank(a.State), stateRank(b.State)), -older)
	case ListOldest:
		return older
	case ListNewest:
	}
	return -older
}

func placeOf(m payment.Message) ListPlace {
	return ListPlace{MessageID: m.InternalID, Minor: m.Summary.Amount.Minor(), State: m.State}
}
