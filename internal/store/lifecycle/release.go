package lifecycle

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/internal/store/internal/column"
	"countersign/internal/store/internal/dbsqlc"
	"countersign/internal/store/internal/load"
)

// Outgoing is a released message as it is stored. Nothing of it counts before payment.Sealer.Verify has held one against the other.
type Outgoing struct {
	Message payment.Message // with its content and the account an instruction debits
	Release payment.Release
}

// Outgoing loads a released message. It fails with payment.ErrNotFound when there is no release.
func (s *Messages) Outgoing(ctx context.Context, realm string, id uuid.UUID) (Outgoing, error) {
	var out Outgoing
	err := s.db.InRealm(ctx, realm, store.Reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		row, err := q.ReleaseGet(ctx, realm, id)
		if errors.Is(err, pgx.ErrNoRows) {
			return payment.ErrNotFound
		}
		if err != nil {
			return fmt.Errorf("load the release: %w", err)
		}
		out.Release = releaseFromDB(row)
		out.Message, err = load.In(q, s.db.Seal()).Message(ctx, realm, id, load.ForRead)
		return err
	})
	return out, err
}

func releaseFromDB(row dbsqlc.ReleaseGetRow) payment.Release {
	r := row.Release
	release := payment.Release{
		Realm: r.Realm, InternalID: r.MessageID, Version: int(r.Version), Makers: r.Makers, Approvers: row.Approvers,
		ContentHash: payment.Digest(r.ContentHash), AcceptedAt: r.AcceptedAt.UTC(), Seal: column.Seal(&r.KeyID, r.Mac),
	}
	copy(release.Account[:], r.AccountDigest)
	return release
}

// MissingKeyError says that the newest release or message was sealed with a key that is not at hand.
type MissingKeyError struct {
	KeyID string
}

// Error says what to do.
func (e *MissingKeyError) Error() string {
	return "the key " + e.KeyID + " sealed the newest messages, but the key file does not hold it: add its line to the file"
}

// CheckKeys fails with MissingKeyError when the newest release or version of a realm is sealed with a key the program does not have:
// started like that, it would hold back what was approved and withhold what waits.
func (s *Messages) CheckKeys(ctx context.Context) error {
	realms, err := s.db.Realms(ctx)
	if err != nil {
		return err
	}
	for _, realm := range realms {
		err = s.db.InRealm(ctx, realm, store.Reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
			ids, err := q.NewestKeyList(ctx, realm)
			for _, id := range ids {
				if !s.db.Seal().HasKey(id) {
					return &MissingKeyError{KeyID: id}
				}
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("look at the keys in use: %w", err)
		}
	}
	return nil
}
