package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"countersign/internal/store/internal/dbsqlc"
)

// ErrMoved reports that a row differs from the one read under the lock: somebody wrote it by hand.
var ErrMoved = errors.New("the row is not as it was read")

// One returns ErrMoved unless a statement changed one row.
func One(changed int64, err error) error {
	if err == nil && changed != 1 {
		return ErrMoved
	}
	return err
}

// ProviderRow is the row of an identity provider.
func ProviderRow(p dbsqlc.IdentityProvider) Row {
	row := Row{Table: "identity_provider", Realm: p.Realm, Key: p.ProviderID.String()}.
		covers(p.ProviderID, p.Issuer, p.ClientID, p.Secret, p.PortalAddress, p.Passwords, p.SignInAgeSeconds, p.MadeAt, p.RetiredAt)
	if p.RetiredAt == nil {
		row = row.in("in force")
	}
	return row
}

// OuterIdentity returns the row that links an account to an identity provider.
func OuterIdentity(o dbsqlc.OuterIdentity) Row {
	return Row{Table: "outer_identity", Realm: o.Realm, Key: o.LinkID.String()}.
		covers(o.LinkID, o.UserID, o.Issuer, o.Subject, o.LinkedAt, o.EndedAt)
}

// Outer stores external identities: the realm's identity provider and the accounts of people there.
type Outer struct {
	Queries *dbsqlc.Queries
	Ledger  *Ledger
	Realm   string
	At      time.Time
}

// RetireProvider ends a provider in force. Error: ErrMoved.
func (o Outer) RetireProvider(ctx context.Context, row dbsqlc.IdentityProvider) error {
	row.RetiredAt = &o.At
	err := One(o.Queries.ProviderRetire(ctx, row.RetiredAt, o.Realm, row.ProviderID))
	if err != nil {
		return err
	}
	return o.Ledger.Put(ProviderRow(row))
}

// InsertProvider puts a provider in force. No other may be in force.
func (o Outer) InsertProvider(ctx context.Context, row dbsqlc.IdentityProvider) error {
	err := o.Queries.ProviderInsert(ctx, dbsqlc.ProviderInsertParams{
		Realm: row.Realm, ProviderID: row.ProviderID, Issuer: row.Issuer, ClientID: row.ClientID, Secret: row.Secret,
		PortalAddress: row.PortalAddress, Passwords: row.Passwords, SignInAgeSeconds: row.SignInAgeSeconds, MadeAt: row.MadeAt,
	})
	if err != nil {
		return err
	}
	return o.Ledger.Put(ProviderRow(row))
}

// Link links an account to an identity at a provider. The account has no link, or Unlink ended it.
func (o Outer) Link(ctx context.Context, row dbsqlc.OuterIdentity) error {
	err := o.Queries.OuterIdentityInsert(ctx, dbsqlc.OuterIdentityInsertParams{
		Realm: row.Realm, LinkID: row.LinkID, UserID: row.UserID, Issuer: row.Issuer, Subject: row.Subject, LinkedAt: row.LinkedAt,
	})
	if err != nil {
		return err
	}
	return o.Ledger.Put(OuterIdentity(row))
}

// Relink ends an account's link to a provider, and all its sign-ins. Error: ErrMoved, pgx.ErrNoRows for an account
// that changed since it was read.
func (o Outer) Relink(ctx context.Context, account dbsqlc.UserAccount) error {
	ended, err := o.Unlink(ctx, account.UserID)
	if err != nil || !ended {
		return err
	}
	return ChangeAccount(ctx, o.Queries, o.Ledger, account, AccountChange{SignedOutAt: o.At})
}

// Unlink ends the link of an account to a provider; ended is false for none. A link that does not fit its seal ends too. Error: ErrMoved.
func (o Outer) Unlink(ctx context.Context, user uuid.UUID) (ended bool, err error) {
	rows, err := o.Queries.OuterIdentityOfUser(ctx, o.Realm, user)
	if err != nil {
		return false, err
	}
	for _, row := range rows {
		row.EndedAt = &o.At
		err = One(o.Queries.OuterIdentityEnd(ctx, row.EndedAt, o.Realm, row.LinkID))
		if err == nil {
			err = o.Ledger.Put(OuterIdentity(row))
		}
		if err != nil {
			return false, err
		}
	}
	return len(rows) > 0, nil
}
