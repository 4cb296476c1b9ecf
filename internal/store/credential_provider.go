package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/auditlog"
	"countersign/internal/identity"
	"countersign/internal/store/internal/dbsqlc"
)

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
	err := p.db.InRealm(ctx, realm, Changing, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		noted, err := q.OuterSignInInsert(ctx, realm, state[:], at)
		if err == nil && noted == 0 {
			return ErrOuterStateSpent
		}
		return err
	})
	if err != nil && !errors.Is(err, ErrOuterStateSpent) {
		return fmt.Errorf("note a sign-in at the provider: %w", err)
	}
	return err
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
	err := p.db.InRealm(ctx, told.By.Realm, Changing, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		return AppendEvent(ctx, q, p.db.MasterDataKeys(), Event{
			Realm: told.By.Realm, Actor: told.By.Actor(), Name: told.Event, Detail: told.Detail, At: told.At,
		})
	})
	return wrapped(err, "tell of a sign-in")
}

// OuterDetail returns the detail of a sign-in at a provider in the audit trail.
func OuterDetail(of OuterSubject) string { return auditlog.SubjectDetail(of.Subject, of.Issuer) }
