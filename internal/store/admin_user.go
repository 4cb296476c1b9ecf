package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/administration"
	"countersign/internal/auditlog"
	"countersign/internal/identity"
	"countersign/internal/store/internal/dbsqlc"
)

// users reads one user account, or all for an empty name.
func (w realmWriter) users(ctx context.Context, name string) ([]administration.User, error) {
	rows, err := w.q.UserSubjectList(ctx, w.realm, OrNull(name))
	if err != nil {
		return nil, err
	}
	outer, err := w.q.OuterIdentityInForceList(ctx, w.realm)
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
			Name: u.Name, DisplayName: row.Person.DisplayName, Person: u.PersonID, Roles: Roles(row.Roles), Status: u.Status,
			Duty: administration.Duty(u.Duty), ToBeSetUp: row.ToBeSetUp, HasFactor: row.HasFactor,
			OuterIssuer: links[u.UserID].Issuer, OuterSubject: links[u.UserID].Subject,
			Email: u.Email,
		}
	}
	return list, nil
}

func (s changeStep) applyUser(ctx context.Context, c administration.Change) error {
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
	if !s.guard.Fits(ctx, User(row)) {
		return &administration.ConflictError{Text: "The stored user account failed its integrity check and may have been changed outside the " +
			"gateway. Tell an operator."}
	}
	change := AccountChange{Status: c.After["status"]}
	switch c.Kind {
	case administration.KindUserLink:
		return s.link(ctx, c, row)
	case administration.KindUserUnlink:
		_, err = s.unlink(ctx, row.UserID)
		if err != nil {
			return err
		}
		change.SignedOutAt = s.at
	case administration.KindUserRoles:
		return s.changeRoles(ctx, c, row, administration.WordsOf[identity.Role](c.After["roles"]))
	case administration.KindUserEmail:
		change = AccountChange{Email: new(c.After["email"])}
	case administration.KindUserSuppress:
		change.SignedOutAt = s.at
	case administration.KindUserReset:
		change.SignedOutAt, change.PasswordHash = s.at, s.secrets.PasswordHash
	default: // a status alone
	}
	err = s.changeAccount(ctx, row, change)
	if err != nil || c.Kind != administration.KindUserReset {
		return err
	}
	err = s.removeFactors(ctx, row.UserID, uuid.Nil)
	if err != nil {
		return err
	}
	return s.setUp(ctx, c.ID, row.UserID)
}

func (s changeStep) createUser(ctx context.Context, c administration.Change, u administration.User) error {
	duty := string(administration.DutyOf(u.Roles))
	if u.Person == uuid.Nil {
		id, err := uuid.NewV7()
		if err != nil {
			return err
		}
		u.Person = id
		person := dbsqlc.Person{Realm: s.realm, PersonID: id, DisplayName: u.DisplayName, Duty: duty, CreatedAt: s.at}
		err = s.ledger.Put(Person(person), s.q.PersonInsert(ctx, dbsqlc.PersonInsertParams(person)))
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
		CreatedAt: s.at, Email: u.Email,
	}
	err = s.ledger.Put(User(row), s.q.UserInsert(ctx, dbsqlc.UserInsertParams(row)))
	if err != nil {
		return err
	}
	err = s.changeGrants(ctx, c, row, u.Roles)
	if err != nil {
		return err
	}
	return s.setUp(ctx, c.ID, id)
}

// changeRoles changes the roles of an account. An account without a required second factor is signed out.
func (s changeStep) changeRoles(ctx context.Context, c administration.Change, user dbsqlc.UserAccount, wanted []identity.Role) error {
	err := s.changeGrants(ctx, c, user, wanted)
	if err != nil {
		return err
	}
	asked, err := s.askedOf(ctx, wanted)
	if err != nil {
		return err
	}
	return s.signOutUnproven(ctx, asked, user.UserID)
}

// changeGrants changes the grants of an account to match the change, with an audit event.
func (s changeStep) changeGrants(ctx context.Context, c administration.Change, user dbsqlc.UserAccount, wanted []identity.Role) error {
	rights, err := s.putRoles(ctx, user, wanted)
	if err != nil || rights.None() {
		return err
	}
	rights.Change = c.ID.String()
	return s.told(ctx, s.by.Actor(), auditlog.EventUserRights, auditlog.RightsDetail(rights))
}

// putRoles ends the grants of unwanted roles and adds the missing grants. It returns the changes.
func (w realmWriter) putRoles(ctx context.Context, user dbsqlc.UserAccount, wanted []identity.Role) (auditlog.Rights, error) {
	rights := auditlog.Rights{Subject: user.Name, User: user.UserID.String(), Person: user.PersonID.String()}
	inForce, err := w.q.GrantInForce(ctx, w.realm, user.UserID)
	if err != nil {
		return rights, fmt.Errorf("read the grants: %w", err)
	}
	held := make([]identity.Role, 0, len(inForce))
	for _, grant := range inForce {
		held = append(held, identity.Role(grant.Role))
		if slices.Contains(wanted, identity.Role(grant.Role)) {
			continue
		}
		end := w.at
		if end.Before(grant.GrantedAt) {
			end = grant.GrantedAt
		}
		grant.EndedAt = &end
		rights.Ended = append(rights.Ended, auditlog.AuditRight{Grant: grant.GrantID.String(), Role: grant.Role})
		err = w.ledger.Put(Grant(grant), One(w.q.GrantEnd(ctx, grant.EndedAt, w.realm, grant.GrantID)))
		if err != nil {
			return rights, err
		}
	}
	for _, role := range wanted {
		if slices.Contains(held, role) {
			continue
		}
		held = append(held, role)
		id, err := w.grant(ctx, user, role)
		if err != nil {
			return rights, fmt.Errorf("role %s: %w", role, err)
		}
		rights.Granted = append(rights.Granted, auditlog.AuditRight{Grant: id.String(), Role: string(role)})
	}
	return rights, nil
}

func (w realmWriter) grant(ctx context.Context, user dbsqlc.UserAccount, role identity.Role) (uuid.UUID, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return id, err
	}
	grant := dbsqlc.UserRole{Realm: w.realm, UserID: user.UserID, Duty: user.Duty, Role: string(role), GrantID: id, GrantedAt: w.at}
	return id, w.ledger.Put(Grant(grant), w.q.GrantInsert(ctx, dbsqlc.GrantInsertParams(grant)))
}

// setUp stores a set-up with which the owner of the account chooses a password, using the approver's link and the requester's code. Its id
// is that of the change.
func (s changeStep) setUp(ctx context.Context, change, user uuid.UUID) error {
	return s.insertSetUp(ctx, dbsqlc.UserSetup{SetupID: change, UserID: user, LinkHash: s.secrets.LinkHash, CodeHash: s.codeHash})
}

// insertSetUp adds a set-up. Earlier set-ups of the account become invalid.
func (w realmWriter) insertSetUp(ctx context.Context, row dbsqlc.UserSetup) error {
	row.Realm, row.MadeAt, row.ExpiresAt = w.realm, w.at, w.at.Add(identity.SetUpLife)
	return w.ledger.Put(SetUpRow(row), w.q.SetUpInsert(ctx, dbsqlc.SetUpInsertParams(row)))
}

// people reads the people of a realm with their user accounts.
func (w realmWriter) people(ctx context.Context, outer map[uuid.UUID]string) ([]PersonDefinition, error) {
	people, err := w.q.PersonList(ctx, w.realm)
	if err != nil {
		return nil, err
	}
	users, err := w.q.UserSubjectList(ctx, w.realm, nil)
	list := make([]PersonDefinition, len(people))
	for i, person := range people {
		list[i] = PersonDefinition{ID: person.PersonID, DisplayName: person.DisplayName, Duty: administration.Duty(person.Duty)}
		for _, row := range users {
			if user := row.UserAccount; user.PersonID == person.PersonID {
				list[i].Accounts = append(list[i].Accounts, AccountDefinition{
					Name: user.Name, PasswordHash: user.PasswordHash, Status: user.Status, Roles: Roles(row.Roles),
					OuterSubject: outer[user.UserID], ToBeSetUp: row.ToBeSetUp, Email: user.Email,
				})
			}
		}
	}
	return list, err
}

func (p provision) person(ctx context.Context, person PersonDefinition) error {
	id, err := p.personOf(ctx, person)
	if err != nil {
		return err
	}
	row, err := p.q.PersonProvision(ctx, dbsqlc.PersonProvisionParams{
		Realm: p.realm, PersonID: id, DisplayName: person.DisplayName, Duty: string(person.Duty), CreatedAt: p.at,
	})
	err = p.ledger.Put(Person(row), err)
	if err != nil {
		return err
	}
	for _, account := range person.Accounts {
		err = p.user(ctx, dbsqlc.UserAccount{
			Realm: p.realm, PersonID: id, Duty: string(person.Duty), Name: identity.NormaliseName(account.Name),
			PasswordHash: account.PasswordHash, Status: account.Status, Email: account.Email,
		}, account)
		if err != nil {
			return fmt.Errorf("account %s: %w", account.Name, err)
		}
	}
	return nil
}

// personOf finds the person by the accounts, or makes an identifier for a new one. An account never changes its person, because four-eyes
// compares people over all decisions.
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

// user creates or updates an account to match its definition. Another password ends the sessions and tokens of the account.
func (p provision) user(ctx context.Context, user dbsqlc.UserAccount, definition AccountDefinition) error {
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
	user.CreatedAt = p.at
	user, err = p.q.UserProvision(ctx, dbsqlc.UserProvisionParams(user))
	err = p.ledger.Put(User(user), err)
	if err != nil {
		return err
	}
	if definition.SetUp != (identity.SetUpSecret{}) {
		err = p.setUp(ctx, user.UserID, definition.SetUp)
		if err != nil {
			return err
		}
	}
	rights, err := p.putRoles(ctx, user, definition.Roles)
	if err != nil || rights.None() {
		return err
	}
	return p.told(ctx, operator, auditlog.EventUserRights, auditlog.RightsDetail(rights))
}

// Person is the row of a person.
func Person(p dbsqlc.Person) Row {
	return Row{Table: "person", Realm: p.Realm, Key: p.PersonID.String(), name: p.DisplayName}.
		covers(p.PersonID, p.DisplayName, p.Duty, p.CreatedAt)
}

// User is the row of a user account.
func User(u dbsqlc.UserAccount) Row {
	return Row{Table: "user_account", Realm: u.Realm, Key: u.UserID.String(), name: u.Name}.
		covers(u.UserID, u.PersonID, u.Duty, u.Name, u.PasswordHash, u.Status, u.SignedOutAt, u.Email, u.CreatedAt)
}

// Grant is the row of a grant of a role.
func Grant(g dbsqlc.UserRole) Row {
	return Row{Table: "user_role", Realm: g.Realm, Key: g.GrantID.String()}.
		covers(g.GrantID, g.UserID, g.Duty, g.Role, g.GrantedAt, g.EndedAt)
}

// SetUpRow is the row of a set-up.
func SetUpRow(s dbsqlc.UserSetup) Row {
	return Row{Table: "user_setup", Realm: s.Realm, Key: s.SetupID.String()}.
		covers(s.SetupID, s.UserID, s.LinkHash, s.CodeHash, s.MadeAt, s.ExpiresAt)
}

func (s changeStep) userFacts(ctx context.Context, known *administration.Facts, asked requested) error {
	kind, name, values := asked.kind, identity.NormaliseName(asked.name()), asked.values
	users, err := s.users(ctx, name)
	if err != nil {
		return err
	}
	if len(users) == 1 {
		known.Found, known.Before, known.Beneficiary = true, users[0].Values(), users[0].Person
	}
	if kind == administration.KindUserLink {
		err = s.linkFacts(ctx, known, name, values["outerSubject"])
		if err != nil {
			return err
		}
	}
	id, err := uuid.Parse(values["personId"])
	if err == nil {
		person, err := s.q.PersonGet(ctx, s.realm, id)
		switch {
		case err == nil:
			known.Person = &administration.Person{ID: id, DisplayName: person.DisplayName, Duty: administration.Duty(person.Duty)}
		case !errors.Is(err, pgx.ErrNoRows):
			return err
		}
	}
	if kind == administration.KindUserCreate && values["personId"] == "" {
		known.NameTaken, err = NameTaken(ctx, s.q, s.realm, values["displayName"])
		if err != nil {
			return err
		}
	}
	holders, err := s.q.RoleHolderList(ctx, s.realm)
	for _, holder := range holders {
		known.Holders = append(known.Holders, administration.Holder{
			User: holder.Name, Person: holder.PersonID, Roles: Roles(holder.Roles),
		})
	}
	return err
}
