// Package lifecycle is where a message is made, changes, is sent and answered. A new one goes in through Messages.Insert or
// InsertRTransaction, or comes through Inbox.Arrive. Every later step is one road: load the message, let the pure domain decide, write the
// transition with one guarded statement. Messages.Transact and Consider take it, Inbox.Record with what clearing sent, TransactFrom for a
// message that is known, TransactAll for many. All but Transact try it without a lock where they can, together with others where there are
// any; what the guard refuses is loaded and decided again under the lock.
package lifecycle

import (
	"time"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// Messages is the life of messages: Insert and InsertRTransaction make one, the ways that the package names change it. No method writes
// anything of a message but a new one or a transition of one that is there.
type Messages struct {
	db        *store.Database
	jobs      *store.Jobs
	newID     func() uuid.UUID
	documents *Documents
	banks     *directories

	makeOutbound MakeOutbound // nil: clearing stores what carries a release

	// What many do at a time goes out together; see store.Gather. What reads takes turns, and so does what writes, here and elsewhere.
	asking      *store.Gather[SubmissionQuery, dbsqlc.SubmissionContextRow]
	considering *store.Gather[uuid.UUID, dbsqlc.MessageConsiderAllRow]
	reading     *store.Gather[uuid.UUID, payment.Message]
	writing     *store.Gather[writing, struct{}]
}

// TurnWithin is how long what is read or written waits for its turn at most. Those before it take milliseconds; one that takes longer
// stands still.
const TurnWithin = time.Second

// NewMessages makes the keeper of messages. Events get their identifiers from newID (UUIDv7), and what must happen after a change is put
// into jobs. What it writes takes turns with what others write that were given the same ones.
func NewMessages(db *store.Database, writes *store.Turns, jobs *store.Jobs, newID func() uuid.UUID) *Messages {
	s := &Messages{db: db, jobs: jobs, newID: newID, banks: newDirectories(db)}
	reads := store.NewTurns(TurnWithin)
	s.asking, s.considering = store.NewGather(reads, s.askAll), store.NewGather(reads, s.considerAll)
	s.reading, s.writing = store.NewGather(reads, s.readAll), store.NewGather(writes, s.writeAll)
	s.documents = newDocuments(db, newID, writes)
	return s
}
