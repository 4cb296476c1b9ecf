package provision

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"countersign/internal/audit"
	"countersign/internal/identity"
	"countersign/internal/store"
	"countersign/internal/store/internal/masterdata"
)

// ResetPassword gives a user account a new password, as the owner, and ends everything it is signed in with. The audit trail tells of
// it. Errors: ErrUnknownRealm, ErrUnknownUser.
func ResetPassword(ctx context.Context, by Provisioner, realm string, account AccountDefinition) error {
	err := by.run(ctx, realm, func(p provision) error {
		row, err := p.q.UserByName(ctx, realm, identity.NormaliseName(account.Name))
		if errors.Is(err, pgx.ErrNoRows) {
			return store.ErrUnknownUser
		}
		if err != nil {
			return err
		}
		err = masterdata.ChangeAccount(ctx, p.q, row, masterdata.AccountChange{
			PasswordHash: account.PasswordHash, SignedOutAt: p.at, Keys: p.keys,
		})
		if err != nil {
			return err
		}
		return p.told(ctx, audit.EventUserPassword, audit.SubjectDetail(row.Name, ""))
	})
	if err != nil {
		return fmt.Errorf("reset a password: %w", err)
	}
	return nil
}
