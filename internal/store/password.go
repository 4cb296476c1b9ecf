package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/identity"
	"countersign/internal/keyring"
	"countersign/internal/store/internal/dbsqlc"
)

// AccountChange is what may change of a user account by itself; zero fields change nothing.
type AccountChange struct {
	PasswordHash string // argon2id
	// SignedOutAt ends everything that the account is signed in with since before.
	SignedOutAt time.Time
	Keys        keyring.Ring // seals the account anew; made by identity.MasterDataKeys
}

// Account reads a user account. Error: ErrUnknownUser.
func (d *Database) Account(ctx context.Context, realm string, userID uuid.UUID) (UserAccount, error) {
	var row dbsqlc.UserAccount
	err := d.inRealm(ctx, realm, reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		var err error
		row, err = q.UserGet(ctx, realm, userID)
		return err
	})
	if err != nil {
		return UserAccount{}, identityError(err, "read a user account", ErrUnknownUser)
	}
	return UserAccount{UserID: row.UserID, PasswordHash: row.PasswordHash, Status: UserStatus(row.Status), row: row}, nil
}

// ChangeAccount changes an account that was read before and seals it anew. It fails with ErrUnknownUser when the account is not as it
// was read: somebody else was first.
func (d *Database) ChangeAccount(ctx context.Context, account UserAccount, change AccountChange) error {
	err := d.inRealm(ctx, account.row.Realm, changing, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		return changeAccount(ctx, q, account.row, change)
	})
	if err != nil {
		return identityError(err, "change a user account", ErrUnknownUser)
	}
	return nil
}

func changeAccount(ctx context.Context, q *dbsqlc.Queries, row dbsqlc.UserAccount, change AccountChange) error {
	before := row.PasswordHash
	if change.PasswordHash != "" {
		row.PasswordHash = change.PasswordHash
	}
	if !change.SignedOutAt.IsZero() {
		row.SignedOutAt = &change.SignedOutAt
	}
	keyID, seal, err := sealed(change.Keys)(userRecord(row))
	if err != nil {
		return err
	}
	changed, err := q.UserChangeIf(ctx, dbsqlc.UserChangeIfParams{
		PasswordHash: row.PasswordHash, SignedOutAt: row.SignedOutAt, KeyID: keyID, Seal: seal, Realm: row.Realm, UserID: row.UserID,
		PasswordBefore: before,
	})
	if err != nil {
		return err
	}
	if changed == 0 {
		return pgx.ErrNoRows
	}
	return nil
}

// ResetPassword gives a user account a new password, as the owner, and ends everything it is signed in with. Errors: ErrUnknownRealm,
// ErrUnknownUser.
func ResetPassword(ctx context.Context, by Provisioner, realm string, account AccountDefinition) error {
	keys, err := identity.MasterDataKeys(by.Keys)
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, by.OwnerURL)
	if err != nil {
		return fmt.Errorf("open the database as owner: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		q := dbsqlc.New(tx)
		row, err := q.UserByName(ctx, realm, identity.NormaliseName(account.Name))
		if errors.Is(err, pgx.ErrNoRows) {
			return ErrUnknownUser
		}
		if err != nil {
			return err
		}
		return changeAccount(ctx, q, row, AccountChange{
			PasswordHash: account.PasswordHash, SignedOutAt: by.At.UTC().Truncate(time.Microsecond), Keys: keys,
		})
	})
	if err != nil {
		return fmt.Errorf("reset a password: %w", err)
	}
	return nil
}
