package store

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Batcher combines operations of one kind into shared statements.
//
// PostgreSQL charges mainly per statement and per commit, not per row. Operations that arrive while another statement
// of the realm runs are queued and sent together as the next batch. There is no timer: an operation is sent at once if
// no statement runs. Batchers that share their FairMutex send one after the other.
//
// The following holds for each operation of a batch:
//
//   - Each realm has its own queue. A transaction never mixes realms, so row-level security applies.
//   - Each operation has its own outcome, which Send returns. An error of Send applies to all operations of the batch.
//   - If a caller gives up before its operation is sent, Do returns the context's error and the operation is dropped.
//     Later, Do returns ErrUnknown and the operation stays in its batch. A caller whose own goroutine sends the
//     operation waits until its deadline.
//
// A running statement blocks its queue, so it must not wait long for locks (see ForBatches), and its size is bounded.
type Batcher[I, O any] struct {
	mutex *FairMutex
	call  Send[I, O]

	mu     sync.Mutex
	queues map[string]*queue[I, O] // by realm; present while an operation of the realm waits or runs
}

// Send does the operations of one realm in one transaction and returns one outcome for each, in order.
type Send[I, O any] func(ctx context.Context, realm string, items []I) ([]O, error)

// sendWithin is the time-out of a batch. Without it, a dead connection would block the queue for long.
const sendWithin = 4 * time.Second

// MaxBatch is the largest number of operations of a batch. A larger one costs no less for each.
const MaxBatch = 64

// NewBatcher returns the batcher of one kind of operation.
func NewBatcher[I, O any](mutex *FairMutex, send Send[I, O]) *Batcher[I, O] {
	return &Batcher[I, O]{mutex: mutex, call: send, queues: make(map[string]*queue[I, O])}
}

// queue holds the waiting operations of a realm, oldest first.
type queue[I, O any] struct{ waiting []*operation[I, O] }

type operation[I, O any] struct {
	ctx    context.Context //nolint:containedctx // of its caller, who may give up
	item   I
	result chan result[O] // buffered, so that the batch does not wait for a caller that gave up
	sent   bool           // guarded by the Batcher's lock
}

type result[O any] struct {
	outcome O
	err     error
}

// Do does one operation, together with others of its realm that wait. It calls queued, unless nil, once every later operation of the realm
// is sent with this one or after it. Errors: that of Send; ErrUnknown; that of the context.
func (b *Batcher[I, O]) Do(ctx context.Context, realm string, item I, queued func()) (O, error) {
	q, own, unlock := b.enqueue(ctx, realm, item)
	if queued != nil {
		queued()
	}
	if own == nil {
		return b.sendInline(ctx, realm, q, unlock, item)
	}
	return b.wait(q, own)
}

// enqueue queues an operation, or returns none if no statement of the realm runs: then the caller has the lock and sends
// the item itself.
func (b *Batcher[I, O]) enqueue(ctx context.Context, realm string, item I) (q *queue[I, O], own *operation[I, O], unlock func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	q, busy := b.queues[realm]
	if !busy {
		q = &queue[I, O]{}
		b.queues[realm] = q
		if unlock, free := b.mutex.TryLock(realm); free {
			return q, nil, unlock
		}
		go b.flush(realm, q)
	}
	own = &operation[I, O]{ctx: ctx, item: item, result: make(chan result[O], 1)}
	q.waiting = append(q.waiting, own)
	return q, own, nil
}

// wait waits for the outcome of an operation, or until its caller gives up.
func (b *Batcher[I, O]) wait(q *queue[I, O], own *operation[I, O]) (O, error) {
	select {
	case r := <-own.result:
		return r.outcome, r.err
	case <-own.ctx.Done():
		var none O
		if b.cancel(q, own) {
			return none, own.ctx.Err()
		}
		return none, errors.Join(ErrUnknown, own.ctx.Err())
	}
}

// sendInline sends an operation in the caller's goroutine when no statement runs. Another goroutine would cost a tenth
// of the time to create a payment. The caller therefore gets its outcome even after it gave up; at its deadline it gets
// ErrUnknown.
func (b *Batcher[I, O]) sendInline(ctx context.Context, realm string, q *queue[I, O], unlock func(), item I) (O, error) {
	defer func() {
		unlock()
		if b.hasWaiting(realm, q) {
			go b.flush(realm, q)
		}
	}()
	var none O
	if ctx.Err() != nil {
		return none, ctx.Err()
	}
	within := sendWithin
	if deadline, given := ctx.Deadline(); given {
		within = min(within, time.Until(deadline))
	}
	limited, cancel := detached(ctx, within)
	defer cancel()
	outcomes, err := b.call(limited, realm, []I{item})
	if err != nil {
		return none, err
	}
	return outcomes[0], nil
}

// detached returns a context with the values of a caller's context, without its cancellation and with a time-out.
func detached(ctx context.Context, within time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), within)
}

// cancel removes a queued operation; false if it was already sent.
func (b *Batcher[I, O]) cancel(q *queue[I, O], own *operation[I, O]) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if own.sent {
		return false
	}
	q.waiting = slices.DeleteFunc(q.waiting, func(other *operation[I, O]) bool { return other == own })
	return true
}

// flush sends the waiting operations of a queue, batch after batch, until none waits.
func (b *Batcher[I, O]) flush(realm string, q *queue[I, O]) {
	for b.hasWaiting(realm, q) {
		unlock := b.mutex.Lock(realm)
		batch := b.dequeue(q)
		var outcomes []O
		var err error
		if len(batch) > 0 { // else all callers gave up meanwhile
			items := make([]I, len(batch))
			for i, each := range batch {
				items[i] = each.item
			}
			limited, cancel := detached(batch[0].ctx, sendWithin)
			outcomes, err = b.call(limited, realm, items)
			cancel()
		}
		unlock()
		for i, each := range batch {
			r := result[O]{err: err}
			if err == nil {
				r.outcome = outcomes[i]
			}
			each.result <- r
		}
	}
}

// hasWaiting reports whether a queue has waiting operations, and forgets an empty queue.
func (b *Batcher[I, O]) hasWaiting(realm string, q *queue[I, O]) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(q.waiting) == 0 {
		delete(b.queues, realm)
	}
	return len(q.waiting) > 0
}

// dequeue takes the oldest operations whose callers still wait.
func (b *Batcher[I, O]) dequeue(q *queue[I, O]) []*operation[I, O] {
	b.mu.Lock()
	defer b.mu.Unlock()
	q.waiting = slices.DeleteFunc(q.waiting, func(each *operation[I, O]) bool { return each.ctx.Err() != nil })
	count := min(MaxBatch, len(q.waiting))
	batch := slices.Clone(q.waiting[:count])
	q.waiting = slices.Delete(q.waiting, 0, count)
	for _, each := range batch {
		each.sent = true
	}
	return batch
}
