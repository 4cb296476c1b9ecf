package store

import (
	"sync"
	"sync/atomic"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

// Nudges tell the dispatcher of this process, after a commit, about work that the commit made necessary: a released message to send, an
// answer to deliver. A nudge is not durable. The undelivered message and the undelivered answer are the durable record of the work, and the
// dispatcher also polls for them. A nudge that is lost, with its process or because the dispatcher is full, only delays the work.
type Nudges struct {
	working atomic.Bool
	handle  atomic.Pointer[func(Work)]

	mu     sync.Mutex
	events map[string]chan struct{} // closed at the next event of a realm
}

// NextEvent returns a channel that is closed when this process has committed the next step of a message of the realm.
func (n *Nudges) NextEvent(realm string) <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	next, waited := n.events[realm]
	if !waited {
		if n.events == nil {
			n.events = map[string]chan struct{}{}
		}
		next = make(chan struct{})
		n.events[realm] = next
	}
	return next
}

// committed wakes the callers of NextEvent.
func (n *Nudges) committed(realm string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	next, waited := n.events[realm]
	if waited {
		close(next)
		delete(n.events, realm)
	}
}

// Work is a message to send, or an answer to deliver.
type Work struct {
	Scheme    rulebook.Scheme
	Realm     string
	ID        uuid.UUID // of the message
	Reference string    // of the answer; "" for a message
	// Fresh is the message as this process just stored it, so that it need not be read; nil for an answer.
	Fresh *Outgoing
}

// Outgoing is a released message as it is stored. payment.Sealer.Verify must check it before use.
type Outgoing struct {
	Message payment.Message // with its content and the account an instruction debits
	Release payment.Release
	// Unproven tells why the audit rows do not prove a release that was read; nil after the decision of this process.
	Unproven error
	// Made is the document that was stored with the release, and Content its bytes; nil if the delivery still has to make it.
	Made    *payment.Outbound
	Content []byte
}

// Handle sets the function that receives the nudges. It must not block.
func (n *Nudges) Handle(handle func(Work)) { n.handle.Store(&handle) }

// Start passes nudges on from now on, Stop drops them.
func (n *Nudges) Start() { n.working.Store(true) }

// Stop drops nudges from now on.
func (n *Nudges) Stop() { n.working.Store(false) }

// Working reports whether this process delivers.
func (n *Nudges) Working() bool { return n.working.Load() }

// Enqueue passes work on. Call it after the commit that made the work necessary.
func (n *Nudges) Enqueue(work ...Work) {
	handle := n.handle.Load()
	if handle == nil || !n.Working() {
		return
	}
	for _, one := range work {
		(*handle)(one)
	}
}
