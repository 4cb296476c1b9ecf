package store

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/store/internal/dbsqlc"
)

// FactorRow is the row of a second factor.
func FactorRow(f dbsqlc.SecondFactor) Row {
	return Row{Table: "second_factor", Realm: f.Realm, Key: f.FactorID.String()}.
		covers(f.FactorID, f.UserID, f.Kind, f.Name, f.Secret, f.CredentialID, f.MadeAt, f.RemovedAt).
		in(f.UserID.String())
}

// FactorUseRow is the row of a successful use of a second factor.
func FactorUseRow(u dbsqlc.FactorUse) Row {
	var message, version any = (*string)(nil), (*int64)(nil)
	if u.MessageID != nil {
		message = *u.MessageID
	}
	if u.Version != nil {
		version = *u.Version
	}
	return Row{Table: "factor_use", Realm: u.Realm, Key: u.UseID.String(), KeyID: u.KeyID, Seal: u.Seal}.
		covers(u.UseID, u.FactorID, u.UserID, u.Token, u.Purpose, u.At, message, version, u.ContentHash, u.Action, u.SignCount)
}

// Removal names the person and the time of a removal of factors.
type Removal struct {
	Realm  string
	UserID uuid.UUID
	At     time.Time
	Only   uuid.UUID // one factor; zero for all
}

// RemoveFactors removes factors of a user account and returns the number of active ones. It also removes a row that differs from the newest
// change, even a removed one: such a row locked its owner out, and the caller may remove all factors.
func RemoveFactors(ctx context.Context, q *dbsqlc.Queries, ledger *Ledger, r Removal) (int, error) {
	rows, err := q.FactorOfUserList(ctx, r.Realm, r.UserID)
	if err != nil {
		return 0, err
	}
	removed := 0
	for _, row := range rows {
		f := row.SecondFactor
		over := f.RemovedAt != nil && ledger.Has(FactorRow(f))
		if over || r.Only != uuid.Nil && f.FactorID != r.Only {
			continue
		}
		f.RemovedAt = &r.At
		err = One(q.FactorRemove(ctx, &r.At, f.Realm, f.FactorID))
		if err == nil {
			err = ledger.Put(FactorRow(f))
		}
		if err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}

// FactorRoles parses the column of the roles for which a realm requires a second factor.
func FactorRoles(column string) []identity.Role {
	var roles []identity.Role
	for name := range strings.SplitSeq(column, ",") {
		if name != "" {
			roles = append(roles, identity.Role(name))
		}
	}
	return roles
}

// FactorRolesColumn formats the roles for that column.
func FactorRolesColumn(roles []identity.Role) string {
	names := make([]string, len(roles))
	for i, role := range roles {
		names[i] = string(role)
	}
	return strings.Join(names, ",")
}
