package store

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/store/internal/dbsqlc"
)

// RegisterTypes is registerTypes, for a connection of a test's own.
var RegisterTypes = registerTypes

// MoveLate is Transact in a transaction that gets its number before meanwhile runs and before it locks the message.
func (s *Messages) MoveLate(ctx context.Context, realm string, id uuid.UUID, meanwhile func(), decide DecideFunc) error {
	return s.db.InRealm(ctx, realm, Keyed, func(tx pgx.Tx, q *dbsqlc.Queries) error {
		_, err := tx.Exec(ctx, "SELECT pg_current_xact_id()")
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
