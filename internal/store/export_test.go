package store

import (
	"context"
	"unsafe"

	"github.com/google/uuid"

	"countersign/internal/store/internal/dbsqlc"
)

// RegisterTypes is registerTypes, for a connection of a test's own.
var RegisterTypes = registerTypes

// Raw returns the transaction of queries, for statements of a test's own.
func Raw(q *dbsqlc.Queries) dbsqlc.DBTX { return *(*dbsqlc.DBTX)(unsafe.Pointer(q)) } // its only field

// MoveLate is Transact in a transaction that gets its number before meanwhile runs and before it locks the message.
func (s *Messages) MoveLate(ctx context.Context, realm string, id uuid.UUID, meanwhile func(), decide DecideFunc) error {
	return s.db.InRealm(ctx, realm, Keyed, func(q *dbsqlc.Queries) error {
		_, err := Raw(q).Exec(ctx, "SELECT pg_current_xact_id()")
		if err != nil {
			return err
		}
		meanwhile()
		m, err := s.db.loader(q).Message(ctx, realm, id, ForUpdate)
		if err != nil {
			return err
		}
		t, err := decide(m)
		if err != nil {
			return err
		}
		return s.write(ctx, q, t)
	})
}

// Waiting returns the number of queued operations of a realm behind the running statement.
func (b *Batcher[I, O]) Waiting(realm string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if q, busy := b.queues[realm]; busy {
		return len(q.waiting)
	}
	return 0
}
