package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"countersign/internal/auditlog"
	"countersign/internal/identity"
)

// The errors of a refused reset.
var (
	// ErrResetByTwo: two administrators are there, or were, so they decide.
	ErrResetByTwo = errors.New("this realm is administered by two: one of them asks for a reset of the account in the portal " +
		"(Administration, Accounts, Reset) and another one approves it; or say why they cannot with --break-glass REASON, which every " +
		"administrator is shown")
	// ErrNoGlass: there never were two, so that nobody is passed over.
	ErrNoGlass = errors.New("this realm never had two administrators, so no glass needs to be broken: leave --break-glass out")
)

// PasswordReset sets another password of a user account.
type PasswordReset struct {
	Realm, UserName, PasswordHash string
	// BreakGlass is why the operator does it although the realm has had two administrators; "" refuses it then.
	BreakGlass string
}

// ResetPassword gives a user account a new password, as the owner, and ends everything it is signed in with, with an audit event. If the
// realm has had two administrators, their pages show it too. Errors: ErrUnknownRealm, ErrUnknownUser, ErrResetByTwo, ErrNoGlass,
// payment.FieldError for the reason.
func ResetPassword(ctx context.Context, by Provisioner, reset PasswordReset) error {
	err := by.run(ctx, reset.Realm, func(p provision) error {
		err := p.mayAlone(ctx, reset.BreakGlass, ErrResetByTwo)
		if err != nil {
			return err
		}
		row, err := p.q.UserByName(ctx, reset.Realm, identity.NormaliseName(reset.UserName))
		if errors.Is(err, pgx.ErrNoRows) {
			return ErrUnknownUser
		}
		if err != nil {
			return err
		}
		err = ChangeAccount(ctx, p.q, p.ledger, row, AccountChange{PasswordHash: reset.PasswordHash, SignedOutAt: p.at})
		if err != nil {
			return err
		}
		if reset.BreakGlass != "" {
			err = p.brokeGlass(ctx, brokenGlass{user: row, deed: "password", reason: reset.BreakGlass})
			if err != nil {
				return err
			}
		}
		return p.told(ctx, auditlog.EventUserPassword, auditlog.SubjectDetail(row.Name, reset.BreakGlass))
	})
	return wrapped(err, "reset a password")
}
