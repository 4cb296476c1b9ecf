package store

import "github.com/google/uuid"

// Messages is the life of messages: Insert and InsertRTransaction make one, Transact changes it. There is no method that writes anything
// but a new message or a transition of an existing one.
type Messages struct {
	db        *Database
	jobs      *Jobs
	newID     func() uuid.UUID
	documents *Documents
}

// NewMessages makes the keeper of messages. Events get their identifiers from newID (UUIDv7), and what must happen after a change is put
// into jobs.
func NewMessages(db *Database, jobs *Jobs, newID func() uuid.UUID) *Messages {
	return &Messages{db: db, jobs: jobs, newID: newID, documents: &Documents{db: db, newID: newID}}
}
