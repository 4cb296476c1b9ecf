package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/identity"
	"countersign/internal/store/internal/dbsqlc"
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
			return ErrUnknownUser
		}
		if err != nil {
			return err
		}
		return changeAccount(ctx, q, row, accountChange{
			PasswordHash: account.PasswordHash, SignedOutAt: by.At.UTC().Truncate(time.Microsecond), Keys: keys,
		})
	})
	if err != nil {
		return fmt.Errorf("reset a password: %w", err)
	}
	return nil
}
