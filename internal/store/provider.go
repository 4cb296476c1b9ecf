package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/auditlog"
	"countersign/internal/identity"
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

// retireProvider ends a provider in force. Error: ErrMoved.
func (w realmWriter) retireProvider(ctx context.Context, row dbsqlc.IdentityProvider) error {
	row.RetiredAt = &w.at
	return w.ledger.Put(ProviderRow(row), One(w.q.ProviderRetire(ctx, row.RetiredAt, w.realm, row.ProviderID)))
}

// insertProvider puts a provider in force. No other may be in force.
func (w realmWriter) insertProvider(ctx context.Context, row dbsqlc.IdentityProvider) error {
	return w.ledger.Put(ProviderRow(row), w.q.ProviderInsert(ctx, dbsqlc.ProviderInsertParams(row)))
}

// linkOuter links an account to an identity at a provider. The account has no link, or unlink ended it.
func (w realmWriter) linkOuter(ctx context.Context, row dbsqlc.OuterIdentity) error {
	return w.ledger.Put(OuterIdentity(row), w.q.OuterIdentityInsert(ctx, dbsqlc.OuterIdentityInsertParams(row)))
}

// relink ends an account's link to a provider, and all its sign-ins. Error: ErrMoved, pgx.ErrNoRows for an account
// that changed since it was read.
func (w realmWriter) relink(ctx context.Context, account dbsqlc.UserAccount) error {
	ended, err := w.unlink(ctx, account.UserID)
	if err != nil || !ended {
		return err
	}
	return w.changeAccount(ctx, account, AccountChange{SignedOutAt: w.at})
}

// unlink ends the link of an account to a provider; ended is false for none. A link that does not fit its seal ends too. Error: ErrMoved.
func (w realmWriter) unlink(ctx context.Context, user uuid.UUID) (ended bool, err error) {
	rows, err := w.q.OuterIdentityOfUser(ctx, w.realm, user)
	if err != nil {
		return false, err
	}
	for _, row := range rows {
		row.EndedAt = &w.at
		err = w.ledger.Put(OuterIdentity(row), One(w.q.OuterIdentityEnd(ctx, row.EndedAt, w.realm, row.LinkID)))
		if err != nil {
			return false, err
		}
	}
	return len(rows) > 0, nil
}

// outerSignInKept is the time for which the used state of a sign-in at a provider is stored: longer than its validity.
const outerSignInKept = time.Hour

// The errors of sign-ins at a provider that do not count.
var (
	// ErrProviderForged: the identity provider of the realm does not fit its seal.
	ErrProviderForged = errors.New("the identity provider of the realm does not fit its seal")
	// ErrOuterUnknown: no account is linked with the subject.
	ErrOuterUnknown = errors.New("no account is linked with this subject")
	// ErrOuterStateSpent: the state came back before.
	ErrOuterStateSpent = errors.New("the state of a sign-in at a provider came back before")
)

// Provider is the identity provider of a realm that is in force.
type Provider struct {
	ID            uuid.UUID
	Issuer        string
	ClientID      string
	HiddenSecret  []byte // nil for a public client
	PortalAddress string
	BreakGlass    bool // passwords are for administrators alone
	SignInAge     time.Duration
}

// Provider finds the identity provider of a realm; found is false for none, also for an unknown realm. Error: ErrProviderForged.
func (p *People) Provider(ctx context.Context, realm string) (provider Provider, found bool, err error) {
	guard := p.db.Guard(nil)
	rows, err := Read(ctx, p.db, realm, func(q *dbsqlc.Queries) ([]dbsqlc.IdentityProvider, error) {
		guard.Warm(ctx, q, realm)
		return q.ProviderInForce(ctx, realm)
	})
	switch {
	case errors.Is(err, ErrNoRealm):
		return Provider{}, false, nil
	case err != nil:
		return Provider{}, false, fmt.Errorf("find the identity provider: %w", err)
	}
	switch {
	case !guard.Whole(ctx, realm, "identity_provider", "in force", len(rows)):
		return Provider{}, true, cmp.Or(guard.Err(), ErrProviderForged)
	case len(rows) == 0:
		return Provider{}, false, nil
	case !guard.Fits(ctx, ProviderRow(rows[0])):
		return Provider{}, true, cmp.Or(guard.Err(), ErrProviderForged)
	}
	row := rows[0]
	return Provider{
		ID: row.ProviderID, Issuer: row.Issuer, ClientID: row.ClientID, HiddenSecret: row.Secret, PortalAddress: row.PortalAddress,
		BreakGlass: row.Passwords != "everybody", SignInAge: Seconds(row.SignInAgeSeconds),
	}, true, nil
}

// OuterSubject identifies a person at a provider.
type OuterSubject struct {
	Realm, Issuer, Subject string
}

// OuterAccount is the account that an outer subject is linked with.
type OuterAccount struct {
	UserID uuid.UUID
	AsOf   time.Time // as of identity.Principal, at the moment at which the link was there
}

// OuterUser finds the account that is linked with an outer subject. Error: ErrOuterUnknown, also for a link that does not fit its seal.
func (p *People) OuterUser(ctx context.Context, of OuterSubject) (OuterAccount, error) {
	guard := p.db.Guard(nil)
	rows, err := Read(ctx, p.db, of.Realm, func(q *dbsqlc.Queries) ([]dbsqlc.OuterAccountBySubjectRow, error) {
		guard.Warm(ctx, q, of.Realm)
		return q.OuterAccountBySubject(ctx, of.Realm, storable(of.Issuer), storable(of.Subject))
	})
	if err != nil {
		return OuterAccount{}, fmt.Errorf("find an outer identity: %w", err)
	}
	if len(rows) != 1 || !guard.Fits(ctx, OuterIdentity(rows[0].OuterIdentity)) {
		return OuterAccount{}, ErrOuterUnknown
	}
	return OuterAccount{UserID: rows[0].OuterIdentity.UserID, AsOf: asOf(rows[0].SignedOutAt)}, nil
}

// SpendOuterState stores that the state of a sign-in came back from the provider. Error: ErrOuterStateSpent for a used state.
func (p *People) SpendOuterState(ctx context.Context, realm string, state [32]byte, at time.Time) error {
	noted, err := p.db.In(realm, Changing).OuterSignInInsert(ctx, realm, state[:], at)
	if err == nil && noted == 0 {
		return ErrOuterStateSpent
	}
	return wrapped(err, "note a sign-in at the provider")
}

// SignInTold is a sign-in to the portal that needs an audit event.
type SignInTold struct {
	By     identity.Principal
	Event  string // audit.EventSignInProvider or audit.EventSignInBreakGlass
	Detail string // of the event
	At     time.Time
}

// TellSignIn writes the audit event of an unusual sign-in.
func (p *People) TellSignIn(ctx context.Context, told SignInTold) error {
	return p.db.append(ctx, Event{Realm: told.By.Realm, Actor: told.By.Actor(), Name: told.Event, Detail: told.Detail, At: told.At})
}

// OuterDetail returns the detail of a sign-in at a provider in the audit trail.
func OuterDetail(of OuterSubject) string { return auditlog.SubjectDetail(of.Subject, of.Issuer) }
