package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/auditlog"
	"countersign/internal/identity"
	"countersign/internal/store/internal/dbsqlc"
)

// Account reads a user account. Error: ErrUnknownUser.
func (p *People) Account(ctx context.Context, realm string, userID uuid.UUID) (UserAccount, error) {
	account, err := Read(ctx, p.db, realm, func(q *dbsqlc.Queries) (UserAccount, error) {
		row, err := q.UserGet(ctx, realm, userID)
		account := accountOf(row)
		if err == nil {
			account.head, err = q.HeadGet(ctx, realm)
		}
		return account, err
	})
	if err != nil {
		return UserAccount{}, identityError(err, "read a user account", ErrUnknownUser)
	}
	return account, nil
}

// ChangeAccount changes the password of an account, or ends everything it is signed in with, and seals it again, with an audit event about
// its owner in the same transaction. Error: ErrUnknownUser when the account differs from the one that was read: somebody else was first.
func (p *People) ChangeAccount(ctx context.Context, account UserAccount, change AccountChange, by identity.Principal) error {
	event := auditlog.EventSessionsEnded
	if change.PasswordHash != "" {
		event = auditlog.EventUserPassword
	}
	err := p.db.Change(ctx, account.row.Realm, Act{Actor: by.Actor(), At: change.SignedOutAt}, func(w realmWriter) error {
		err := w.changeAccount(ctx, account.row, change)
		if err != nil {
			return err
		}
		return w.told(ctx, by.Actor(), event, auditlog.SubjectDetail(by.UserName, ""))
	})
	return identityError(err, "change a user account", ErrUnknownUser)
}

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
		err = p.changeAccount(ctx, row, AccountChange{PasswordHash: reset.PasswordHash, SignedOutAt: p.at})
		if err != nil {
			return err
		}
		if reset.BreakGlass != "" {
			err = p.brokeGlass(ctx, row, "password", reset.BreakGlass)
			if err != nil {
				return err
			}
		}
		return p.told(ctx, operator, auditlog.EventUserPassword, auditlog.SubjectDetail(row.Name, reset.BreakGlass))
	})
	return wrapped(err, "reset a password")
}

// AccountChange holds the fields of a user account to change; zero fields stay.
type AccountChange struct {
	PasswordHash string    // argon2id
	SignedOutAt  time.Time // ends everything that the account is signed in with since before
	Status       string    // another status
	Email        *string   // another address; nil leaves it
}

// changeAccount writes a changed account. It fails with pgx.ErrNoRows when the account differs from row.
func (w realmWriter) changeAccount(ctx context.Context, row dbsqlc.UserAccount, change AccountChange) error {
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
	changed, err := w.q.UserChangeIf(ctx, dbsqlc.UserChangeIfParams{
		PasswordHash: row.PasswordHash, Status: row.Status, SignedOutAt: row.SignedOutAt, Email: row.Email, Realm: row.Realm,
		UserID: row.UserID, PasswordBefore: before, StatusBefore: statusBefore,
	})
	if err == nil && changed == 0 {
		err = pgx.ErrNoRows
	}
	return w.ledger.Put(User(row), err)
}

// later returns the time, but always after the previous one, so that each end of sessions covers all sessions since the last end.
func later(before *time.Time, at time.Time) *time.Time {
	if before != nil && !at.After(*before) {
		at = before.Add(time.Microsecond)
	}
	return &at
}
