// Package lifecycle is where a message is made, changes, is sent and answered. A new one goes in through Messages.Insert or
// InsertRTransaction, or comes through Inbox.Arrive; every later step goes through Messages.Transact (or Inbox.Record, which stores what
// clearing sent with it): load under a lock, let the pure domain decide, write the transition with one guarded statement.
package lifecycle

import (
	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/store"
)

// Messages is the life of messages: Insert and InsertRTransaction make one, Transact changes it. There is no method that writes anything
// but a new message or a transition of an existing one.
type Messages struct {
	db        *store.Database
	jobs      *store.Jobs
	newID     func() uuid.UUID
	documents *Documents
	banks     *directories

	// What many do at a time goes out together; see store.Gather.
	asking      *store.Gather[SubmissionQuery, SubmissionFacts]
	considering *store.Gather[uuid.UUID, considered]
	reading     *store.Gather[uuid.UUID, payment.Message]
	creating    *store.Gather[payment.Created, struct{}]
	moving      *store.Gather[step, struct{}]
}

// NewMessages makes the keeper of messages. Events get their identifiers from newID (UUIDv7), and what must happen after a change is put
// into jobs.
func NewMessages(db *store.Database, jobs *store.Jobs, newID func() uuid.UUID) *Messages {
	s := &Messages{db: db, jobs: jobs, newID: newID, documents: newDocuments(db, newID), banks: newDirectories(db)}
	s.asking, s.considering = store.NewGather(s.askAll), store.NewGather(s.considerAll)
	s.reading = store.NewGather(s.readAll)
	s.creating, s.moving = store.NewGather(s.insertAll), store.NewGather(s.moveAll)
	return s
}
