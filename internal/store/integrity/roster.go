package integrity

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/auditlog"
	"countersign/internal/identity"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// rosterBatch limits the rows that one row of the audit trail lists.
const rosterBatch = 500

// Roster tells the audit trail of the rows of master data that it was not told of, and returns the tables that rows are missing from which
// it was told of: somebody took them away, or dated them anew, past the gateway.
//
// Errors: store.ErrBusy, store.ErrUnavailable, store.ErrUnknown.
func (t *Trees) Roster(ctx context.Context, realm string, now time.Time) (gone []string, err error) {
	for more := true; more; {
		id, err := uuid.NewV7()
		if err != nil {
			return nil, err
		}
		err = t.db.InRealm(ctx, realm, store.Changing, func(_ pgx.Tx, q *dbsqlc.Queries) error {
			told, err := q.RosterTake(ctx, dbsqlc.RosterTakeParams{
				Realm: realm, EventID: id, Event: auditlog.EventRealmRows, ActorName: identity.Gateway(identity.ChannelClock).Name,
				Channel: string(identity.ChannelClock), At: now.UTC().Truncate(time.Microsecond), Batch: rosterBatch,
			})
			more = told > 0
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("tell the audit trail of rows of %s: %w", realm, err)
		}
	}
	err = t.db.InRealm(ctx, realm, store.Reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		var err error
		gone, err = q.RosterGoneList(ctx, realm)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look for rows that are gone from %s: %w", realm, err)
	}
	return gone, nil
}
