// Package masterdata says what the seal of each row of master data covers: every field but the time the row was made and the seal itself.
// Provisioning seals with it, a sign-in and the auditor check with it, so it belongs to none of their rooms.
package masterdata

import (
	"countersign/internal/identity"
	"countersign/internal/keyring"
	"countersign/internal/store/internal/dbsqlc"
)

// Person is what the seal of a person covers.
func Person(p dbsqlc.Person) (identity.Record, error) {
	return identity.NewRecord("person", p.Realm, p.PersonID, p.DisplayName, p.Duty)
}

// User is what the seal of a user account covers.
func User(u dbsqlc.UserAccount) (identity.Record, error) {
	return identity.NewRecord("user_account", u.Realm, u.UserID, u.PersonID, u.Duty, u.Name, u.PasswordHash, u.Status, u.SignedOutAt)
}

// Grant is what the seal of a grant of a role covers.
func Grant(g dbsqlc.UserRole) (identity.Record, error) {
	return identity.NewRecord("user_role", g.Realm, g.GrantID, g.UserID, g.Duty, g.Role, g.GrantedAt, g.EndedAt)
}

// Client is what the seal of a client covers.
func Client(c dbsqlc.Client) (identity.Record, error) {
	return identity.NewRecord("client", c.Realm, c.ClientID, c.Kind, c.SecretHash, c.MayDecideOwn)
}

// Policy is what the seal of a policy covers. It covers content_hash_required only where it is set: policies sealed before there was such a
// column do not ask, and keep their seals.
func Policy(p dbsqlc.Policy) (identity.Record, error) {
	values := []any{
		p.Realm, p.PolicyID, p.Rank, p.ClientID, p.Channel, p.Scheme, p.Kind, p.AmountFrom, p.AmountTo, p.ApprovalsRequired,
		p.PendingSeconds, p.RetiredAt,
	}
	if p.ContentHashRequired {
		values = append(values, true)
	}
	return identity.NewRecord("policy", values...)
}

// DebtorAccount is what the seal of a debtor account covers.
func DebtorAccount(a dbsqlc.DebtorAccount) (identity.Record, error) {
	return identity.NewRecord("debtor_account", a.Realm, a.Iban, a.Scheme, a.Currency, a.HolderName, a.HolderStreet, a.HolderBuilding,
		a.HolderPostcode, a.HolderTown, a.HolderCountry, a.AgentBic, a.AgentIid, a.Open)
}

// Sealed returns what turns a record into the two columns of its seal.
func Sealed(keys keyring.Ring) func(identity.Record, error) (keyID *string, seal []byte, err error) {
	return func(r identity.Record, err error) (*string, []byte, error) {
		if err != nil {
			return nil, nil, err
		}
		seal := r.Seal(keys)
		return &seal.KeyID, seal.MAC[:], nil
	}
}
