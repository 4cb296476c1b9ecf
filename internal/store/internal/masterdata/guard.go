package masterdata

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/keyring"
	"countersign/internal/store/internal/column"
	"countersign/internal/store/internal/dbsqlc"
)

// Guard holds rows of master data against their seals where they are used: what somebody put or changed without the key gives nobody a
// role, a policy or an account. It tells the log of each row that does not fit, since only an attack, a mistake by hand or a missing key
// makes one.
type Guard struct {
	Keys keyring.Ring // made by identity.MasterDataKeys
	Log  *slog.Logger
}

// PrincipalRows say who acts: an account, the person behind it, the client, and the grants in force, whose columns stand in lists of
// equal length.
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

// Principal reports whether every row that says who acts fits its seal.
func (g Guard) Principal(ctx context.Context, p PrincipalRows) bool {
	user, person, client := p.User, p.Person, p.Client
	fit := g.fits(ctx, stored{"user_account", user.UserID.String(), user.KeyID, user.Seal}, sealed(User(user))) &&
		g.fits(ctx, stored{"person", person.PersonID.String(), person.KeyID, person.Seal}, sealed(Person(person))) &&
		g.Client(ctx, client)
	for i, role := range p.Roles {
		grant := dbsqlc.UserRole{
			Realm: user.Realm, GrantID: p.GrantIDs[i], UserID: user.UserID, Duty: user.Duty, Role: role, GrantedAt: p.Granted[i],
			KeyID: column.OrNull(p.GrantKeys[i]), Seal: p.GrantSeals[i],
		}
		fit = fit && g.fits(ctx, stored{"user_role", grant.GrantID.String(), grant.KeyID, grant.Seal}, sealed(Grant(grant)))
	}
	return fit
}

// Client reports whether a client fits its seal.
func (g Guard) Client(ctx context.Context, c dbsqlc.Client) bool {
	return g.fits(ctx, stored{"client", c.ClientID, c.KeyID, c.Seal}, sealed(Client(c)))
}

// Policy reports whether a policy fits its seal.
func (g Guard) Policy(ctx context.Context, p dbsqlc.Policy) bool {
	return g.fits(ctx, stored{"policy", p.PolicyID.String(), p.KeyID, p.Seal}, sealed(Policy(p)))
}

// DebtorAccount reports whether a debtor account fits its seal.
func (g Guard) DebtorAccount(ctx context.Context, a dbsqlc.DebtorAccount) bool {
	return g.fits(ctx, stored{"debtor_account", a.Iban, a.KeyID, a.Seal}, sealed(DebtorAccount(a)))
}

// stored names a row and holds its seal as the row has it.
type stored struct {
	table, id string
	keyID     *string
	seal      []byte
}

// check holds the record of a row against a seal.
type check func(keys keyring.Ring, keyID string, seal []byte) error

func sealed(r identity.Record, err error) check {
	return func(keys keyring.Ring, keyID string, seal []byte) error {
		if err != nil {
			return err
		}
		return r.Check(keys, keyID, seal)
	}
}

func (g Guard) fits(ctx context.Context, s stored, check check) bool {
	err := check(g.Keys, column.Text(s.keyID), s.seal)
	if err == nil {
		return true
	}
	g.Log.LogAttrs(ctx, slog.LevelError, "ALARM: a row of master data does not fit its seal and counts for nothing; run countersign check",
		slog.String("table", s.table), slog.String("row", s.id), slog.String("error", err.Error()))
	return false
}
