package store

import (
	"context"

	"github.com/google/uuid"

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
	err := p.db.Change(ctx, account.row.Realm, Act{Actor: by.Actor(), At: change.SignedOutAt},
		func(q *dbsqlc.Queries, ledger *Ledger) error {
			err := ChangeAccount(ctx, q, ledger, account.row, change)
			if err != nil {
				return err
			}
			return p.tellAccountChange(ctx, q, change, by)
		})
	if err != nil {
		return identityError(err, "change a user account", ErrUnknownUser)
	}
	return nil
}

// tellAccountChange writes the audit event about what people did to their own accounts.
func (p *People) tellAccountChange(ctx context.Context, q *dbsqlc.Queries, change AccountChange, by identity.Principal) error {
	event := auditlog.EventSessionsEnded
	if change.PasswordHash != "" {
		event = auditlog.EventUserPassword
	}
	return AppendEvent(ctx, q, p.db.MasterDataKeys(), Event{
		Realm: by.Realm, Actor: by.Actor(), Name: event, Detail: auditlog.SubjectDetail(by.UserName, ""), At: change.SignedOutAt,
	})
}
