package admin

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/auditlog"
	"countersign/internal/identity"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

func (p provision) person(ctx context.Context, person PersonDefinition) error {
	id, err := p.personOf(ctx, person)
	if err != nil {
		return err
	}
	row := dbsqlc.PersonProvisionParams{Realm: p.realm, PersonID: id, DisplayName: person.DisplayName, Duty: string(person.Duty), At: p.at}
	row.KeyID, row.Seal, err = store.Person(dbsqlc.Person{
		Realm: row.Realm, PersonID: id, DisplayName: row.DisplayName, Duty: row.Duty,
	}).Sealed(p.keys)
	if err != nil {
		return err
	}
	err = p.q.PersonProvision(ctx, row)
	if err != nil {
		return err
	}
	for _, account := range person.Accounts {
		err = p.account(ctx, dbsqlc.UserAccount{
			Realm: p.realm, PersonID: id, Duty: string(person.Duty), Name: identity.NormaliseName(account.Name),
			PasswordHash: account.PasswordHash, Status: string(account.Status),
		}, account)
		if err != nil {
			return fmt.Errorf("account %s: %w", account.Name, err)
		}
	}
	return nil
}

// personOf finds the person again by the accounts, or makes an identifier for a new one. An account never changes its person:
// four-eyes compares people, over all that was ever decided.
func (p provision) personOf(ctx context.Context, person PersonDefinition) (uuid.UUID, error) {
	names := make([]string, len(person.Accounts))
	for i, account := range person.Accounts {
		names[i] = identity.NormaliseName(account.Name)
	}
	if len(names) == 0 {
		return uuid.Nil, errors.New("a person needs an account")
	}
	known, err := p.q.PersonByAccount(ctx, p.realm, names)
	if err != nil {
		return uuid.Nil, fmt.Errorf("find the person: %w", err)
	}
	switch {
	case len(known) == 0:
		return uuid.NewV7()
	case len(known) > 1:
		return uuid.Nil, errors.New("these accounts belong to different people already")
	case known[0].Duty != string(person.Duty):
		return uuid.Nil, fmt.Errorf("the duty of this person is %s and cannot change", known[0].Duty)
	}
	return known[0].PersonID, nil
}

// account creates or updates an account to match its definition. Another password ends the sessions and tokens of the account.
func (p provision) account(ctx context.Context, user dbsqlc.UserAccount, definition AccountDefinition) error {
	known, err := p.q.UserByName(ctx, p.realm, user.Name)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		user.UserID, err = uuid.NewV7()
	case err == nil:
		user.UserID, user.SignedOutAt = known.UserID, known.SignedOutAt
		if known.PasswordHash != user.PasswordHash {
			user.SignedOutAt = &p.at
		}
	}
	if err != nil {
		return err
	}
	keyID, seal, err := store.User(user).Sealed(p.keys)
	if err != nil {
		return err
	}
	err = p.q.UserProvision(ctx, dbsqlc.UserProvisionParams{
		Realm: user.Realm, UserID: user.UserID, PersonID: user.PersonID, Duty: user.Duty, Name: user.Name, PasswordHash: user.PasswordHash,
		Status: user.Status, SignedOutAt: user.SignedOutAt, At: p.at, KeyID: keyID, Seal: seal,
	})
	if err != nil {
		return err
	}
	if definition.SetUp != (identity.SetUpSecret{}) {
		err = p.setUp(ctx, user.UserID, definition.SetUp)
		if err != nil {
			return err
		}
	}
	return p.grants(ctx, user, definition.Roles)
}

// grants ends the grants that the definition omits, seals the others again, adds the new ones from now on, and writes them into the audit
// trail.
func (p provision) grants(ctx context.Context, user dbsqlc.UserAccount, roles []identity.Role) error {
	inForce, err := p.q.GrantInForce(ctx, p.realm, user.UserID)
	if err != nil {
		return fmt.Errorf("read the grants: %w", err)
	}
	held := make([]identity.Role, 0, len(inForce))
	rights := auditlog.Rights{Subject: user.Name, User: user.UserID.String(), Person: user.PersonID.String()}
	for _, grant := range inForce {
		role := identity.Role(grant.Role)
		held = append(held, role)
		if !slices.Contains(roles, role) {
			end := p.at
			if end.Before(grant.GrantedAt) {
				end = grant.GrantedAt
			}
			grant.EndedAt = &end
			rights.Ended = append(rights.Ended, auditlog.AuditRight{Grant: grant.GrantID.String(), Role: grant.Role})
		}
		err = p.grant(ctx, grant)
		if err != nil {
			return err
		}
	}
	for _, role := range roles {
		if slices.Contains(held, role) {
			continue
		}
		id, err := uuid.NewV7()
		if err != nil {
			return err
		}
		held = append(held, role)
		rights.Granted = append(rights.Granted, auditlog.AuditRight{Grant: id.String(), Role: string(role)})
		err = p.grant(ctx, dbsqlc.UserRole{
			Realm: p.realm, UserID: user.UserID, Duty: user.Duty, Role: string(role), GrantID: id, GrantedAt: p.at,
		})
		if err != nil {
			return err
		}
	}
	if rights.None() {
		return nil
	}
	return p.told(ctx, auditlog.EventUserRights, auditlog.RightsDetail(rights))
}

func (p provision) grant(ctx context.Context, grant dbsqlc.UserRole) error {
	keyID, seal, err := store.Grant(grant).Sealed(p.keys)
	if err != nil {
		return err
	}
	err = p.q.GrantPut(ctx, dbsqlc.GrantPutParams{
		Realm: grant.Realm, UserID: grant.UserID, Duty: grant.Duty, Role: grant.Role, GrantID: grant.GrantID, GrantedAt: grant.GrantedAt,
		EndedAt: grant.EndedAt, KeyID: keyID, Seal: seal,
	})
	if err != nil {
		return fmt.Errorf("role %s: %w", grant.Role, err)
	}
	return nil
}
