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
// operation that finds nothing under way leaves at once, alone, and the more there is to do, the more leave together. A kind can be of
// several statements, which leave in one transaction (see OneTrip): what is said here of the statement is said of all of them. Kinds that
// share their Turns leave one after the other, so that what waits for its turn leaves together too.
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
//     later is told ErrUnknown: the item is under way for others too, and is not called back. Only who found nothing under way waits for
//     its outcome, to its deadline.
//
// A statement holds up its lane, so it must not wait for locks for long (see Alone), and its size is bounded.
type Gather[I, O any] struct {
	turns *Turns
	send  Send[I, O]

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

// NewGather makes the writer of one kind of operation, which takes turns with other kinds.
func NewGather[I, O any](turns *Turns, send Send[I, O]) *Gather[I, O] {
	return &Gather[I, O]{turns: turns, send: send, lanes: make(map[string]*gathering[I, O])}
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

// answer is what a caller is told.
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

// Enter is Do in two halves: when it returns, the operation stands in line, before whatever enters after it; the outcome is what the
// returned function waits for. Call that, once and soon: an operation that found nothing under way leaves when it is called, and holds up
// the others until then.
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

// lead sends an item that found nothing under way, and has the turn, in the goroutine of its caller: to hand it to another one, and its
// outcome back, cost a tenth of what the program needs to create a payment. So this caller learns its outcome also after it gave up; at its
// deadline, that nobody knows it.
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
