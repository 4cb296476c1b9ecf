package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"countersign/internal/keyring"
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
	// addresses are those of messages that this process released lately, by their Global ID. Neither changes: an entry only saves the reads of
	// an answer from clearing.
	addresses recent[payment.ID, address]

	makeOutbound MakeOutbound // nil: clearing stores what carries a release

	// Batches: reads run one after the other, and so do writes, with those of other stores.
	contexts *Batcher[ContextQuery, *CreateContext] // nil: no policy matches
	reading  *Batcher[uuid.UUID, *payment.Message]  // nil: see readBatch
	writing  *Batcher[write, bool]                  // whether it was written
}

// TurnWithin is the longest wait of a read or write for its turn. The statements before it take milliseconds; a
// slower one is stuck.
const TurnWithin = time.Second

// NewMessages returns the store of messages. newID makes the ids of events (UUIDv7). Work after a commit is enqueued
// by nudges. Writers that share writes run one after the other.
func NewMessages(db *Database, writes *FairMutex, nudges *Nudges, newID func() uuid.UUID) *Messages {
	s := &Messages{db: db, nudges: nudges, newID: newID, banks: newDirectories(db)}
	reads, batches := NewFairMutex(TurnWithin), db.For(ForBatches)
	s.contexts = NewBatcher(reads, s.contextBatch)
	s.reading = NewBatcher(reads, func(ctx context.Context, realm string, ids []uuid.UUID) ([]*payment.Message, error) {
		return s.readBatch(ctx, batches, Reading, realm, ids)
	})
	s.writing = NewBatcher(writes, func(ctx context.Context, realm string, items []write) ([]bool, error) {
		return s.writeBatch(ctx, batches, Changing, realm, items)
	})
	s.documents = newDocuments(db, newID, writes)
	return s
}

// readBatch reads messages over the connections of db. It leaves out unknown ones, those that wait for further approvals (their decisions
// are read by another statement and could be newer than the message), those that moved since, and those with a question.
func (s *Messages) readBatch(ctx context.Context, db *Database, mode Mode, realm string, ids []uuid.UUID) ([]*payment.Message, error) {
	messages := make([]*payment.Message, len(ids))
	err := db.InRealm(ctx, realm, mode, func(q *dbsqlc.Queries) error {
		l := s.db.loader(q)
		rows, err := l.Rows(ctx, realm, ids)
		if err != nil {
			return err
		}
		var unproven []*payment.Message
		var decided []uuid.UUID
		for i, row := range rows {
			if row != nil && !Undecided(row.MessageListed) && !payment.State(row.MessageListed.State).Waits() {
				decided = append(decided, ids[i])
			}
		}
		of, err := decisionsOf(ctx, q, realm, decided)
		if err != nil {
			return err
		}
		for i, row := range rows {
			if row == nil {
				continue
			}
			var decisions []dbsqlc.DecisionListRow
			if !Undecided(row.MessageListed) { // else another row of the batch read the message later, with its decision
				if payment.State(row.MessageListed.State).Waits() {
					continue
				}
				decisions = of[ids[i]]
			}
			m := Whole(s.db.Seal(), s.db.names(realm), *row, decisions)
			if s.movedSince(m) {
				continue
			}
			messages[i] = &m
			if m.Waits() && !s.enteredHere(m) {
				unproven = append(unproven, &m)
			}
		}
		return l.prove(ctx, realm, unproven)
	})
	return messages, err
}

// entered is the state of a new message and the seal of its version.
type entered struct {
	state payment.State
	seal  keyring.Seal
}

// enteredHere reports whether this process entered a message as it was read, and it has not moved since.
func (s *Messages) enteredHere(m payment.Message) bool {
	as, known := s.db.entered.get(m.InternalID)
	return known && m.Sequence == 1 && as == entered{m.State, m.Seal}
}

// movedSince reports whether this process moved a message after the state that was read: just now, or the stored message was put back.
func (s *Messages) movedSince(m payment.Message) bool {
	moves, known := s.db.moves.get(m.InternalID)
	return known && moves > m.Sequence
}
