package store

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Gather is the coalescing writer: it lets operations of one kind share statements.
//
// PostgreSQL charges most of an operation per statement and per commit, not per row: starting a statement with its constraints costs what
// four rows of it cost, and eight commits beside each other cost eight times the settings. So while one statement of a kind is under way
// in a realm, the operations of that kind that come meanwhile wait, and go out together as the next one. Nothing waits for a clock: an
// operation that finds nothing under way leaves at once, alone, and the more there is to do, the more leave together.
//
// What holds for one operation holds for each of many:
//
//   - A realm has a lane of its own. Operations of two realms are never in one transaction, so row-level security works as ever.
//   - Each operation has its own outcome. The statement says which items it did (see the queries whose names end in All); for those the
//     promise of the commit holds when Do returns.
//   - An item that the statement did not confirm was not done. Do returns ErrAlone for it, and the caller goes the exact way: one
//     transaction with locks, in which the right error is found. When the server refuses the whole statement, because of one item that
//     breaks a constraint, say, that is so for all of its items. So one item never sinks another, and errors are told in one place only.
//   - Nobody knows whether a statement was stored whose connection broke under way. All its items get ErrUnknown, as one alone would, and
//     the repeat of a request finds what became of it.
//   - A caller that gives up before its item left is told so by the error of its context, and the item never leaves. One that gives up
//     later is told ErrUnknown: the item is under way for others too, and is not called back.
//
// A statement holds up its lane, so it must not wait for locks for long (see Alone), and its size is bounded.
type Gather[I, O any] struct {
	send Send[I, O]

	mu    sync.Mutex
	lanes map[string]*gathering[I, O] // by realm; a lane is there while something is under way in it
}

// Send does the items of one realm by one statement. It returns an outcome for each, in their order; nil for one that was not confirmed. An
// error is about all.
type Send[I, O any] func(ctx context.Context, realm string, items []I) ([]*O, error)

// ErrAlone says that an operation was not done together with others: do it alone.
var ErrAlone = errors.New("not done together with others")

// flightWithin is how long a statement may hold up its lane: on a connection that swallows what is sent, nothing else would end it soon.
const flightWithin = 4 * time.Second

// maxTogether bounds the items of a statement. Beyond it a larger one costs no less for each.
const maxTogether = 64

// NewGather makes the writer of one kind of operation.
func NewGather[I, O any](send Send[I, O]) *Gather[I, O] {
	return &Gather[I, O]{send: send, lanes: make(map[string]*gathering[I, O])}
}

// gathering is what waits in a lane, oldest first.
type gathering[I, O any] struct{ waiting []*gathered[I, O] }

// gathered is one operation.
type gathered[I, O any] struct {
	ctx  context.Context //nolint:containedctx // of its caller, who may give up
	item I
	told chan told[O] // has room for the outcome, so that nobody waits for a caller that gave up
	left bool         // it is under way; guarded by the Gather's lock
}

type told[O any] struct {
	outcome *O
	err     error
}

// Do does one operation, together with others of its realm when there are any. Errors: ErrAlone; ErrUnknown; ErrUnavailable; that of the
// context.
func (g *Gather[I, O]) Do(ctx context.Context, realm string, item I) (O, error) {
	own := &gathered[I, O]{ctx: ctx, item: item, told: make(chan told[O], 1)}
	g.mu.Lock()
	lane, busy := g.lanes[realm]
	if !busy {
		lane = &gathering[I, O]{}
		g.lanes[realm] = lane
	}
	lane.waiting = append(lane.waiting, own)
	g.mu.Unlock()
	if !busy {
		go g.work(realm, lane)
	}
	var none O
	select {
	case t := <-own.told:
		if t.err == nil && t.outcome == nil {
			t.err = ErrAlone
		}
		if t.err != nil {
			return none, t.err
		}
		return *t.outcome, nil
	case <-ctx.Done():
		if g.takeBack(lane, own) {
			return none, ctx.Err()
		}
		return none, errors.Join(ErrUnknown, ctx.Err())
	}
}

// takeBack takes an item out of its lane, unless it has left.
func (g *Gather[I, O]) takeBack(lane *gathering[I, O], own *gathered[I, O]) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if own.left {
		return false
	}
	lane.waiting = slices.DeleteFunc(lane.waiting, func(other *gathered[I, O]) bool { return other == own })
	return true
}

// work sends what waits in a lane, statement after statement, until nothing does.
func (g *Gather[I, O]) work(realm string, lane *gathering[I, O]) {
	for {
		leaving := g.take(realm, lane)
		if len(leaving) == 0 {
			return
		}
		items := make([]I, len(leaving))
		for i, each := range leaving {
			items[i] = each.item
		}
		// The caller whose context is lent must not take the others' statement with it.
		limited, cancel := context.WithTimeout(context.WithoutCancel(leaving[0].ctx), flightWithin)
		outcomes, err := g.send(limited, realm, items)
		cancel()
		if err != nil && !errors.Is(err, ErrUnknown) && !errors.Is(err, ErrUnavailable) {
			outcomes, err = nil, nil // refused, and not stored: each goes alone, and finds its own error
		}
		for i, each := range leaving {
			t := told[O]{err: err}
			if err == nil && outcomes != nil {
				t.outcome = outcomes[i]
			}
			each.told <- t
		}
	}
}

// take takes the oldest items whose callers still wait. With none left the lane is gone, so the next item begins a new one.
func (g *Gather[I, O]) take(realm string, lane *gathering[I, O]) []*gathered[I, O] {
	g.mu.Lock()
	defer g.mu.Unlock()
	lane.waiting = slices.DeleteFunc(lane.waiting, func(each *gathered[I, O]) bool { return each.ctx.Err() != nil })
	count := min(maxTogether, len(lane.waiting))
	leaving := slices.Clone(lane.waiting[:count])
	lane.waiting = slices.Delete(lane.waiting, 0, count)
	for _, each := range leaving {
		each.left = true
	}
	if count == 0 {
		delete(g.lanes, realm)
	}
	return leaving
}

// Waiting is how many operations wait in a realm behind the one under way.
func (g *Gather[I, O]) Waiting(realm string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	lane, busy := g.lanes[realm]
	if !busy {
		return 0
	}
	return len(lane.waiting)
}
