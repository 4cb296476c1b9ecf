package store

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Gather is a write batcher: it combines operations of one kind into shared statements.
//
// PostgreSQL charges mainly per statement and per commit, not per row. Operations that arrive while another statement
// of the kind runs in the realm are queued and sent together as the next batch. There is no timer: an operation is
// sent at once if no statement runs. A kind may have several statements, sent in one transaction (see OneTrip). Kinds
// that share their Turns are sent one after the other.
//
// The following holds for each operation of a batch:
//
//   - Each realm has its own queue. A transaction never mixes realms, so row-level security applies.
//   - Each operation has its own outcome. The statement returns the items it wrote (see the queries whose names end in All). For
//     those the commit is durable when Do returns.
//   - Do returns ErrAlone for an item that the statement did not confirm. The caller then runs one transaction with locks, which
//     returns the exact error. If the server refuses the statement, this applies to all its items, so one bad item never fails
//     another.
//   - If the connection breaks during the statement, its result is unknown. All its items get ErrUnknown, and a repeated request
//     finds the result.
//   - If a caller gives up before its item is sent, Do returns the context's error and the item is dropped. Later, Do returns
//     ErrUnknown and the item stays in its batch. A caller whose own goroutine sends the item waits until its deadline.
//
// A running statement blocks its queue, so it must not wait long for locks (see Alone), and its size is bounded.
type Gather[I, O any] struct {
	turns *Turns
	send  Send[I, O]

	mu    sync.Mutex
	lanes map[string]*gathering[I, O] // by realm; a lane is there while something is under way in it
}

// Send writes the items of one realm by one statement. It returns one outcome for each item, in order; nil for an
// unconfirmed item. An error applies to all items.
type Send[I, O any] func(ctx context.Context, realm string, items []I) ([]*O, error)

// ErrAlone says that an operation was not done together with others: do it alone.
var ErrAlone = errors.New("not done together with others")

// flightWithin is the time-out of a statement. Without it, a dead connection would block the queue for long.
const flightWithin = 4 * time.Second

// maxTogether bounds the items of a statement. Beyond it a larger one costs no less for each.
const maxTogether = 64

// NewGather makes the writer of one kind of operation, which takes turns with other kinds.
func NewGather[I, O any](turns *Turns, send Send[I, O]) *Gather[I, O] {
	return &Gather[I, O]{turns: turns, send: send, lanes: make(map[string]*gathering[I, O])}
}

// gathering is the queue of a realm, oldest first.
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

// answer returns the result for the caller.
func (t told[O]) answer() (O, error) {
	var none O
	switch {
	case t.err != nil:
		return none, t.err
	case t.outcome == nil:
		return none, ErrAlone
	}
	return *t.outcome, nil
}

// Do does one operation, together with others of its realm when there are any. Errors: ErrAlone; ErrUnknown; ErrUnavailable; that of the
// context.
func (g *Gather[I, O]) Do(ctx context.Context, realm string, item I) (O, error) {
	return g.Enter(ctx, realm, item)()
}

// Enter queues the operation and returns a function that waits for its outcome. Operations run in the order of Enter.
// Call the function exactly once and soon: an operation that found no running statement is sent by that call and
// blocks the queue until then.
func (g *Gather[I, O]) Enter(ctx context.Context, realm string, item I) (outcome func() (O, error)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	lane, busy := g.lanes[realm]
	if !busy {
		lane = &gathering[I, O]{}
		g.lanes[realm] = lane
		if turn := g.turns.takeFree(realm); turn != nil {
			return func() (O, error) { return g.lead(ctx, realm, lane, turn, item) }
		}
		go g.work(realm, lane)
	}
	own := &gathered[I, O]{ctx: ctx, item: item, told: make(chan told[O], 1)}
	lane.waiting = append(lane.waiting, own)
	return func() (O, error) { return g.wait(lane, own) }
}

// wait waits for the outcome of an item, or until its caller gives up.
func (g *Gather[I, O]) wait(lane *gathering[I, O], own *gathered[I, O]) (O, error) {
	select {
	case t := <-own.told:
		return t.answer()
	case <-own.ctx.Done():
		var none O
		if g.takeBack(lane, own) {
			return none, own.ctx.Err()
		}
		return none, errors.Join(ErrUnknown, own.ctx.Err())
	}
}

// lead sends an item in the caller's goroutine when no statement runs and the turn is free. Another goroutine would
// cost a tenth of the time to create a payment. The caller therefore gets its outcome even after it gave up; at its
// deadline it gets ErrUnknown.
func (g *Gather[I, O]) lead(ctx context.Context, realm string, lane *gathering[I, O], turn *line, item I) (O, error) {
	defer func() {
		turn.pass()
		if g.waits(realm, lane) {
			go g.work(realm, lane)
		}
	}()
	if ctx.Err() != nil {
		var none O
		return none, ctx.Err()
	}
	within := flightWithin
	if deadline, given := ctx.Deadline(); given {
		within = min(within, time.Until(deadline))
	}
	outcomes, err := g.leave(ctx, within, realm, []I{item})
	return told[O]{outcome: outcomes[0], err: err}.answer()
}

// leave sends items, of which the caller of one lends its context; whether it gives up must not take the statement with it. There is an
// outcome, or nil, for each.
func (g *Gather[I, O]) leave(ctx context.Context, within time.Duration, realm string, items []I) ([]*O, error) {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
	defer cancel()
	outcomes, err := g.send(limited, realm, items)
	if err != nil && !errors.Is(err, ErrUnknown) && !errors.Is(err, ErrUnavailable) {
		outcomes, err = nil, nil // refused, and not stored: each goes alone, and finds its own error
	}
	if len(outcomes) != len(items) {
		outcomes = make([]*O, len(items))
	}
	return outcomes, err
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

// work sends what waits in a lane, statement after statement, each in its turn, until nothing does.
func (g *Gather[I, O]) work(realm string, lane *gathering[I, O]) {
	for g.waits(realm, lane) {
		turn := g.turns.take(realm)
		leaving := g.take(lane)
		outcomes, err := g.fly(realm, leaving)
		turn.pass()
		for i, each := range leaving {
			each.told <- told[O]{outcome: outcomes[i], err: err}
		}
	}
}

// fly sends items that have the turn, if their callers did not all give up while they waited for it.
func (g *Gather[I, O]) fly(realm string, leaving []*gathered[I, O]) ([]*O, error) {
	if len(leaving) == 0 {
		return nil, nil
	}
	items := make([]I, len(leaving))
	for i, each := range leaving {
		items[i] = each.item
	}
	return g.leave(leaving[0].ctx, flightWithin, realm, items)
}

// waits reports whether anything waits in a lane. Where nothing does the lane is gone, so the next item begins a new one.
func (g *Gather[I, O]) waits(realm string, lane *gathering[I, O]) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(lane.waiting) == 0 {
		delete(g.lanes, realm)
	}
	return len(lane.waiting) > 0
}

// take takes the oldest items whose callers still wait.
func (g *Gather[I, O]) take(lane *gathering[I, O]) []*gathered[I, O] {
	g.mu.Lock()
	defer g.mu.Unlock()
	lane.waiting = slices.DeleteFunc(lane.waiting, func(each *gathered[I, O]) bool { return each.ctx.Err() != nil })
	count := min(maxTogether, len(lane.waiting))
	leaving := slices.Clone(lane.waiting[:count])
	lane.waiting = slices.Delete(lane.waiting, 0, count)
	for _, each := range leaving {
		each.left = true
	}
	return leaving
}

// Waiting returns the number of queued operations of a realm behind the running statement.
func (g *Gather[I, O]) Waiting(realm string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	lane, busy := g.lanes[realm]
	if !busy {
		return 0
	}
	return len(lane.waiting)
}
