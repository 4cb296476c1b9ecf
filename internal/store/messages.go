package store

import (
	"time"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// Messages stores messages and their transitions. Its methods write only new messages and transitions made by package
// payment.
type Messages struct {
	db        *Database
	nudges    *Nudges
	newID     func() uuid.UUID
	documents *Documents
	banks     *directories

	makeOutbound MakeOutbound // nil: clearing stores what carries a release

	// What many do at a time goes out together; see store.Gather. What reads takes turns, and so does what writes, here and elsewhere.
	asking      *Gather[SubmissionQuery, dbsqlc.SubmissionContextRow]
	considering *Gather[uuid.UUID, dbsqlc.MessageConsiderAllRow]
	reading     *Gather[uuid.UUID, payment.Message]
	writing     *Gather[writing, struct{}]
}

// TurnWithin is the longest wait of a read or write for its turn. The statements before it take milliseconds; a
// slower one is stuck.
const TurnWithin = time.Second

// NewMessages returns the store of messages. newID makes the ids of events (UUIDv7). Work after a commit is enqueued
// by nudges. Writers that share writes run one after the other.
func NewMessages(db *Database, writes *Turns, nudges *Nudges, newID func() uuid.UUID) *Messages {
	s := &Messages{db: db, nudges: nudges, newID: newID, banks: newDirectories(db)}
	reads := NewTurns(TurnWithin)
	s.asking, s.considering = NewGather(reads, s.askAll), NewGather(reads, s.considerAll)
	s.reading, s.writing = NewGather(reads, s.readAll), NewGather(writes, s.writeAll)
	s.documents = newDocuments(db, newID, writes)
	return s
}
