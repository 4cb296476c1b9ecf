package admin

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/auditlog"
	"countersign/internal/identity"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// Users lists the user accounts of a realm by their names.
func (c *Changes) Users(ctx context.Context, realm string) ([]administration.User, error) {
	return ask(ctx, c, question{realm, "list users"}, func(s step) ([]administration.User, error) { return s.users(ctx, "") })
}

func (s step) users(ctx context.Context, name string) ([]administration.User, error) {
	rows, err := s.q.UserSubjectList(ctx, s.realm, store.OrNull(name))
	if err != nil {
		return nil, err
	}
	outer, err := s.q.OuterIdentityInForceList(ctx, s.realm)
	if err != nil {
		return nil, err
	}
	links := map[uuid.UUID]dbsqlc.OuterIdentity{}
	for _, link := range outer {
		links[link.UserID] = link
	}
	list := make([]administration.User, len(rows))
	for i, row := range rows {
		u := row.UserAccount
		list[i] = administration.User{
			Name: u.Name, DisplayName: row.Person.DisplayName, Person: u.PersonID, Roles: store.Roles(row.Roles), Status: u.Status,
			Duty: administration.Duty(u.Duty), ToBeSetUp: row.ToBeSetUp, HasFactor: row.HasFactor,
			OuterIssuer: links[u.UserID].Issuer, OuterSubject: links[u.UserID].Subject,
		}
	}
	return list, nil
}

func (s step) applyUser(ctx context.Context, c administration.Change) error {
	if c.Kind == administration.KindUserCreate {
		after, err := administration.UserOf(c.After, "")
		if err != nil {
			return err
		}
		return s.createUser(ctx, c, after)
	}
	// The rest is of accounts that are there: their names may be older than what is asked of names today.
	row, err := s.q.UserByName(ctx, s.realm, c.Subject)
	if err != nil {
		return err
	}
	if !s.guard.User(ctx, row) {
		return &administration.ConflictError{Text: "The account is not as it was sealed. Tell the operator of the gateway."}
	}
	change := store.AccountChange{Keys: s.keys, Status: c.After["status"]}
	switch c.Kind {
	case administration.KindUserLink:
		return s.link(ctx, c, row)
	case administration.KindUserUnlink:
		_, err = s.outer().Unlink(ctx, row.UserID)
		if err != nil {
			return err
		}
		change.SignedOutAt = s.at
	case administration.KindUserRoles:
		return s.changeRoles(ctx, c, row, administration.WordsOf[identity.Role](c.After["roles"]))
	case administration.KindUserSuppress:
		change.SignedOutAt = s.at
	case administration.KindUserReset:
		change.SignedOutAt, change.PasswordHash = s.at, s.secrets.PasswordHash
	default: // a status alone
	}
	err = store.ChangeAccount(ctx, s.q, row, change)
	if err != nil || c.Kind != administration.KindUserReset {
		return err
	}
	_, err = store.RemoveFactors(ctx, s.q, store.Removal{Realm: s.realm, UserID: row.UserID, At: s.at, Keys: s.keys})
	if err != nil {
		return err
	}
	return s.setUp(ctx, c.ID, row.UserID)
}

func (s step) createUser(ctx context.Context, c administration.Change, u administration.User) error {
	duty := string(administration.DutyOf(u.Roles))
	if u.Person == uuid.Nil {
		id, err := uuid.NewV7()
		if err != nil {
			return err
		}
		u.Person = id
		person := dbsqlc.Person{Realm: s.realm, PersonID: id, DisplayName: u.DisplayName, Duty: duty}
		keyID, seal, err := store.Person(person).Sealed(s.keys)
		if err != nil {
			return err
		}
		err = s.q.PersonInsert(ctx, dbsqlc.PersonInsertParams{
			Realm: s.realm, PersonID: id, DisplayName: u.DisplayName, Duty: duty, At: s.at, KeyID: keyID, Seal: seal,
		})
		if err != nil {
			return err
		}
	}
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	row := dbsqlc.UserAccount{
		Realm: s.realm, UserID: id, PersonID: u.Person, Duty: duty, Name: u.Name, PasswordHash: s.secrets.PasswordHash, Status: u.Status,
	}
	keyID, seal, err := store.User(row).Sealed(s.keys)
	if err != nil {
		return err
	}
	err = s.q.UserInsert(ctx, dbsqlc.UserInsertParams{
		Realm: row.Realm, UserID: id, PersonID: row.PersonID, Duty: duty, Name: row.Name, PasswordHash: row.PasswordHash, Status: row.Status,
		At: s.at, KeyID: keyID, Seal: seal,
	})
	if err != nil {
		return err
	}
	err = s.putRoles(ctx, c, row, u.Roles)
	if err != nil {
		return err
	}
	return s.setUp(ctx, c.ID, id)
}

// changeRoles gives an account other roles. Without a second factor it goes on with none of which the realm asks one.
func (s step) changeRoles(ctx context.Context, c administration.Change, user dbsqlc.UserAccount, wanted []identity.Role) error {
	err := s.putRoles(ctx, c, user, wanted)
	if err != nil {
		return err
	}
	asked, err := s.askedOf(ctx, wanted)
	if err != nil {
		return err
	}
	return s.signOutUnproven(ctx, unproven{roles: asked, only: user.UserID})
}

// putRoles ends the grants of roles that are not wanted, grants those that are missing from now on, and tells the trail.
func (s step) putRoles(ctx context.Context, c administration.Change, user dbsqlc.UserAccount, wanted []identity.Role) error {
	rights := auditlog.Rights{Subject: user.Name, User: user.UserID.String(), Person: user.PersonID.String()}
	inForce, err := s.q.GrantInForce(ctx, s.realm, user.UserID)
	if err != nil {
		return err
	}
	var held []identity.Role
	for _, grant := range inForce {
		role := identity.Role(grant.Role)
		held = append(held, role)
		if slices.Contains(wanted, role) {
			continue
		}
		end := s.at
		if end.Before(grant.GrantedAt) {
			end = grant.GrantedAt
		}
		grant.EndedAt = &end
		keyID, seal, err := store.Grant(grant).Sealed(s.keys)
		if err != nil {
			return err
		}
		rights.Ended = append(rights.Ended, auditlog.AuditRight{Grant: grant.GrantID.String(), Role: grant.Role})
		err = store.One(s.q.GrantEnd(ctx, dbsqlc.GrantEndParams{
			EndedAt: &end, KeyID: keyID, Seal: seal, Realm: s.realm, GrantID: grant.GrantID,
		}))
		if err != nil {
			return err
		}
	}
	for _, role := range wanted {
		if slices.Contains(held, role) {
			continue
		}
		id, err := s.grant(ctx, user, role)
		if err != nil {
			return err
		}
		rights.Granted = append(rights.Granted, auditlog.AuditRight{Grant: id.String(), Role: string(role)})
	}
	return s.tellRights(ctx, c, rights)
}

func (s step) grant(ctx context.Context, user dbsqlc.UserAccount, role identity.Role) (uuid.UUID, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return id, err
	}
	grant := dbsqlc.UserRole{Realm: s.realm, UserID: user.UserID, Duty: user.Duty, Role: string(role), GrantID: id, GrantedAt: s.at}
	keyID, seal, err := store.Grant(grant).Sealed(s.keys)
	if err != nil {
		return id, err
	}
	return id, s.q.GrantInsert(ctx, dbsqlc.GrantInsertParams{
		Realm: s.realm, UserID: user.UserID, Duty: user.Duty, Role: string(role), GrantID: id, GrantedAt: s.at, KeyID: keyID, Seal: seal,
	})
}

// setUp lets the owner of the account choose a password with the approver's link and the requester's code. It has the id of its change.
func (s step) setUp(ctx context.Context, change, user uuid.UUID) error {
	row := dbsqlc.UserSetup{
		Realm: s.realm, SetupID: change, UserID: user, LinkHash: s.secrets.LinkHash, CodeHash: s.codeHash, MadeAt: s.at,
		ExpiresAt: s.at.Add(identity.SetUpLife),
	}
	keyID, seal, err := store.SetUp(row).Sealed(s.keys)
	if err != nil {
		return err
	}
	return s.q.SetUpInsert(ctx, dbsqlc.SetUpInsertParams{
		Realm: row.Realm, SetupID: change, UserID: user, LinkHash: row.LinkHash, CodeHash: row.CodeHash, MadeAt: row.MadeAt,
		ExpiresAt: row.ExpiresAt, KeyID: *keyID, Seal: seal,
	})
}
