package provision

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/identity"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
	"countersign/internal/store/internal/masterdata"
)

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
			return store.ErrUnknownUser
		}
		if err != nil {
			return err
		}
		return masterdata.ChangeAccount(ctx, q, row, masterdata.AccountChange{
			PasswordHash: account.PasswordHash, SignedOutAt: by.At.UTC().Truncate(time.Microsecond), Keys: keys,
		})
	})
	if err != nil {
		return fmt.Errorf("reset a password: %w", err)
	}
	return nil
}
