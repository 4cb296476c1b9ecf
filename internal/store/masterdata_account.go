package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/store/internal/dbsqlc"
)

// AccountChange holds the fields of a user account to change; zero fields stay.
type AccountChange struct {
	PasswordHash string    // argon2id
	SignedOutAt  time.Time // ends everything that the account is signed in with since before
	Status       string    // another status
	Email        *string   // another address; nil leaves it
}

// ChangeAccount writes a changed account and adds it to the ledger. It fails with pgx.ErrNoRows when the account differs from row.
func ChangeAccount(ctx context.Context, q *dbsqlc.Queries, ledger *Ledger, row dbsqlc.UserAccount, change AccountChange) error {
	before, statusBefore := row.PasswordHash, row.Status
	if change.PasswordHash != "" {
		row.PasswordHash = change.PasswordHash
	}
	if !change.SignedOutAt.IsZero() {
		row.SignedOutAt = later(row.SignedOutAt, change.SignedOutAt)
	}
	if change.Status != "" {
		row.Status = change.Status
	}
	if change.Email != nil {
		row.Email = *change.Email
	}
	changed, err := q.UserChangeIf(ctx, dbsqlc.UserChangeIfParams{
		PasswordHash: row.PasswordHash, Status: row.Status, SignedOutAt: row.SignedOutAt, Email: row.Email, Realm: row.Realm,
		UserID: row.UserID, PasswordBefore: before, StatusBefore: statusBefore,
	})
	if err != nil {
		return err
	}
	if changed == 0 {
		return pgx.ErrNoRows
	}
	return ledger.Put(User(row))
}

// later returns the time, but always after the previous one, so that each end of sessions covers all sessions since the last end.
func later(before *time.Time, at time.Time) *time.Time {
	if before != nil && !at.After(*before) {
		at = before.Add(time.Microsecond)
	}
	return &at
}
