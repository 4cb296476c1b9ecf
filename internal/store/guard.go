package store

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"countersign/internal/keyring"
	"countersign/internal/store/internal/dbsqlc"
)

// Guard checks the seals of master data at each use. A row that was changed without the key gives no role, policy or
// account. Guard logs each failing row: only an attack, a manual mistake or a missing key causes one.
type Guard struct {
	Keys keyring.Ring // made by identity.MasterDataKeys
	Log  *slog.Logger
}

// PrincipalRows are the rows of an actor: account, person, client, and the grants in force as columns of equal length.
type PrincipalRows struct {
	User       dbsqlc.UserAccount
	Person     dbsqlc.Person
	Client     dbsqlc.Client
	Roles      []string
	GrantIDs   []uuid.UUID
	Granted    []time.Time
	GrantKeys  []string
	GrantSeals [][]byte
}

// Principal reports whether every row of the principal passes its seal and the client is not suppressed.
func (g Guard) Principal(ctx context.Context, p PrincipalRows) bool {
	user := p.User
	fit := g.fits(ctx, User(user)) && g.fits(ctx, Person(p.Person)) && g.Client(ctx, p.Client) && p.Client.SuppressedAt == nil
	for i, role := range p.Roles {
		fit = fit && g.fits(ctx, Grant(dbsqlc.UserRole{
			Realm: user.Realm, GrantID: p.GrantIDs[i], UserID: user.UserID, Duty: user.Duty, Role: role, GrantedAt: p.Granted[i],
			KeyID: p.GrantKeys[i], Seal: p.GrantSeals[i],
		}))
	}
	return fit
}

// Client reports whether a client fits its seal.
func (g Guard) Client(ctx context.Context, c dbsqlc.Client) bool { return g.fits(ctx, Client(c)) }

// Policy reports whether a policy fits its seal.
func (g Guard) Policy(ctx context.Context, p dbsqlc.Policy) bool { return g.fits(ctx, Policy(p)) }

// DebtorAccount reports whether a debtor account fits its seal.
func (g Guard) DebtorAccount(ctx context.Context, a dbsqlc.DebtorAccount) bool {
	return g.fits(ctx, DebtorAccount(a))
}

// Limit reports whether a limit fits its seal.
func (g Guard) Limit(ctx context.Context, l dbsqlc.SpendingLimit) bool { return g.fits(ctx, Limit(l)) }

// Directory reports whether an edition of a directory of banks fits its seal.
func (g Guard) Directory(ctx context.Context, d dbsqlc.DirectoryNewestListRow) bool {
	return g.fits(ctx, Directory(d))
}

// Reference reports whether an edition of reference data fits its seal.
func (g Guard) Reference(ctx context.Context, r dbsqlc.ReferenceNewestListRow) bool {
	return g.fits(ctx, Reference(r))
}

// Change reports whether a change of administration fits its seal.
func (g Guard) Change(ctx context.Context, c dbsqlc.RealmChange) bool { return g.fits(ctx, Change(c)) }

// ChangeDecision reports whether the decision of a change fits its seal.
func (g Guard) ChangeDecision(ctx context.Context, d dbsqlc.RealmChangeDecision) bool {
	return g.fits(ctx, ChangeDecision(d))
}

// Beneficiary reports whether a beneficiary fits its seal.
func (g Guard) Beneficiary(ctx context.Context, b dbsqlc.Beneficiary) bool {
	return g.fits(ctx, Beneficiary(b))
}

// User reports whether a user account fits its seal.
func (g Guard) User(ctx context.Context, u dbsqlc.UserAccount) bool { return g.fits(ctx, User(u)) }

// Realm reports whether a realm fits its seal.
func (g Guard) Realm(ctx context.Context, r dbsqlc.Realm) bool { return g.fits(ctx, Realm(r)) }

// Factor reports whether a second factor fits its seal.
func (g Guard) Factor(ctx context.Context, f dbsqlc.SecondFactor) bool { return g.fits(ctx, Factor(f)) }

// Provider reports whether an identity provider fits its seal.
func (g Guard) Provider(ctx context.Context, p dbsqlc.IdentityProvider) bool {
	return g.fits(ctx, Provider(p))
}

// OuterIdentity reports whether the link of an account with an outer subject fits its seal.
func (g Guard) OuterIdentity(ctx context.Context, o dbsqlc.OuterIdentity) bool {
	return g.fits(ctx, OuterIdentity(o))
}

// IncomingAccount reports whether the row that says which realm receives for an account fits its seal.
func (g Guard) IncomingAccount(ctx context.Context, a dbsqlc.IncomingAccount) bool {
	return g.fits(ctx, IncomingAccount(a))
}

func (g Guard) fits(ctx context.Context, row Row) bool {
	err := row.Check(g.Keys)
	if err == nil {
		return true
	}
	g.Log.LogAttrs(ctx, slog.LevelError, "a row of master data does not fit its seal and counts for nothing; run countersign check",
		slog.Bool("alarm", true), slog.String("realm", row.Realm), slog.String("table", row.Table), slog.String("row", row.Key),
		slog.String("error", err.Error()))
	return false
}
