package store

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/administration"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// maxCheckers limits the named approvers.
const maxCheckers = 50

// Approvers are the policy of a message and the people with the role to approve it.
type Approvers struct {
	Rule     administration.Policy // the one it was made under; zero when there is none
	Checkers []identity.Principal  // at most 50, with the grant of the role
}

// Approvers returns the policy of a message and the people that may approve it.
func (c *Changes) Approvers(ctx context.Context, m payment.Message) (Approvers, error) {
	var found Approvers
	err := c.db.InRealm(ctx, m.Realm, Reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		rule, err := q.PolicyGet(ctx, m.Realm, m.PolicyID)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		if err == nil {
			found.Rule = policyOf(rule)
		}
		people := c.db.names(m.Realm)
		rows, err := q.CheckerList(ctx, m.Realm, maxCheckers)
		for _, row := range rows {
			found.Checkers = append(found.Checkers, identity.Principal{
				Realm: m.Realm, UserID: row.UserID, PersonID: row.PersonID, UserName: people.of(row.UserID, row.Name),
				DisplayName: people.of(row.PersonID, row.DisplayName),
				Roles:       []identity.Role{identity.RoleChecker},
				Grants:      []identity.Grant{{ID: row.GrantID, Role: identity.RoleChecker, GrantedAt: row.GrantedAt.UTC()}},
			})
		}
		return err
	})
	return found, err
}

// Rules returns policies by their ids, retired ones too; unknown ids are left out.
func (c *Changes) Rules(ctx context.Context, realm string, ids []uuid.UUID) (map[uuid.UUID]administration.Policy, error) {
	rules := map[uuid.UUID]administration.Policy{}
	err := c.db.InRealm(ctx, realm, Reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		for _, id := range ids {
			rule, err := q.PolicyGet(ctx, realm, id)
			if errors.Is(err, pgx.ErrNoRows) {
				continue
			}
			if err != nil {
				return err
			}
			rules[id] = policyOf(rule)
		}
		return nil
	})
	return rules, err
}
