package store

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/administration"
	"countersign/internal/auditlog"
	"countersign/internal/identity"
	"countersign/internal/store/internal/dbsqlc"
)

// Errors of the operator's own changes to a realm, as sentences that say what to do.
var (
	// ErrRealmExists: there is a realm of this name or with this mark.
	ErrRealmExists = errors.New(
		"there is a realm of this name or with this mark: choose others (countersign realm show --realm NAME shows it)",
	)
	// ErrAdministered: two administrators were there, so administrators decide.
	ErrAdministered = errors.New("this realm has had two administrators: let one of them ask for the change and the other approve it, " +
		"or say why neither can with --break-glass REASON")
	// ErrRealmMoved: the realm is not as it was read.
	ErrRealmMoved = errors.New("somebody else changed the realm at the same time: run the command again")
	// ErrNamesake: a person of the realm has this name.
	ErrNamesake = errors.New("there is somebody of this name in the realm already: an administrator has no other duty, so name another " +
		"person, or tell two people of one name apart in their names")
	// ErrAccountInUse: the account belongs to somebody who set its password.
	ErrAccountInUse = errors.New("there is an account of this name already, and somebody set its password: choose another name")
)

// CreateRealm makes an empty realm of an operator, with the client of its portal and a policy by which every message needs one approval.
// Error: ErrRealmExists, payment.FieldError.
func CreateRealm(ctx context.Context, by Provisioner, realm administration.Realm) error {
	err := realm.Check()
	if err != nil {
		return err
	}
	err = by.run(ctx, realm.Realm, func(p provision) error {
		row := p.realmRow(RealmDefinition{
			Realm: realm.Realm, Name: realm.Name, Mark: realm.Mark, MadeBy: MadeByOperator,
			Life: TokenLife{Access: 5 * time.Minute, Refresh: 30 * time.Minute, Absolute: 12 * time.Hour},
		})
		made, err := p.q.RealmInsertAbsent(ctx, dbsqlc.RealmInsertAbsentParams(row))
		if errors.Is(err, pgx.ErrNoRows) {
			return ErrRealmExists
		}
		err = p.ledger.Put(Realm(made), err)
		if err != nil {
			return err
		}
		err = p.client(ctx, administration.Client{ClientID: identity.PortalClient, Kind: administration.ClientPortal, MayDecideOwn: true})
		if err != nil {
			return err
		}
		err = p.insertPolicy(ctx, administration.Policy{Approvals: 1, ExpiresAfter: administration.DefaultWait})
		if err != nil {
			return err
		}
		return p.told(ctx, operator, auditlog.EventRealmCreate, auditlog.SubjectDetail(realm.Realm, ""))
	})
	if err != nil {
		return fmt.Errorf("create the realm %s: %w", realm.Realm, err)
	}
	return nil
}

// ApplyNewRealm is ApplyRealm for a realm that never had two administrators, with an audit event. seen is the realm from which the
// definition was made: without it, the second of two operators would overwrite the first, whose printed links and secrets would be invalid.
// Errors: ErrUnknownRealm, ErrAdministered, ErrRealmMoved.
func ApplyNewRealm(ctx context.Context, by Provisioner, seen KnownRealm, realm RealmDefinition) error {
	err := by.run(ctx, realm.Realm, func(p provision) error {
		err := p.lock(ctx)
		if err != nil {
			return err
		}
		now, err := p.all(ctx)
		switch {
		case err != nil:
			return err
		case now.EverTwo:
			return ErrAdministered
		case !reflect.DeepEqual(now, seen):
			return ErrRealmMoved
		}
		err = p.bring(ctx, realm)
		if err != nil {
			return err
		}
		return p.told(ctx, operator, auditlog.EventRealmApply, auditlog.SubjectDetail(realm.Realm, ""))
	})
	if err != nil {
		return fmt.Errorf("apply to the realm %s: %w", realm.Realm, err)
	}
	return nil
}

// Administrator is a person whom the operator makes an administrator of a realm.
type Administrator struct {
	Realm, UserName, DisplayName string
	PasswordHash                 string // of a password that nobody knows
	SetUp                        identity.SetUpSecret
	// BreakGlass is why it is done although the realm has had two administrators; "" refuses it then.
	BreakGlass string
}

// AddAdministrator makes a person with one account of the role administrator, whose password its set-up sets. An account of this name that
// waits for its first password gets the new set-up. Errors: ErrUnknownRealm, ErrAdministered, ErrNoGlass, ErrAccountInUse,
// ErrNamesake, payment.FieldError.
func AddAdministrator(ctx context.Context, by Provisioner, a Administrator) error {
	user, err := administration.UserOf(administration.Values{
		"name": a.UserName, "displayName": a.DisplayName, "roles": string(identity.RoleAdministrator),
	}, "")
	if err != nil {
		return err
	}
	err = by.run(ctx, a.Realm, func(p provision) error {
		err := p.mayAlone(ctx, a.BreakGlass, ErrAdministered)
		if err != nil {
			return err
		}
		known, err := p.q.UserByName(ctx, p.realm, user.Name)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			err = p.freeName(ctx, user.DisplayName)
		case err == nil && (known.Status != administration.StatusUnverified || known.Duty != string(administration.DutyAdministration)):
			err = ErrAccountInUse
		}
		if err != nil {
			return err
		}
		duty := administration.DutyAdministration
		err = p.person(ctx, PersonDefinition{DisplayName: user.DisplayName, Duty: duty, Accounts: []AccountDefinition{{
			Name: user.Name, PasswordHash: a.PasswordHash, Status: administration.StatusUnverified, Roles: user.Roles, SetUp: a.SetUp,
		}}})
		if err != nil {
			return err
		}
		return p.tellAdministrator(ctx, user.Name, a.BreakGlass)
	})
	if err != nil {
		return fmt.Errorf("make an administrator of the realm %s: %w", a.Realm, err)
	}
	return nil
}

// freeName refuses a new account under the name of an existing person.
func (p provision) freeName(ctx context.Context, name string) error {
	taken, err := NameTaken(ctx, p.q, p.realm, name)
	if err == nil && taken {
		return ErrNamesake
	}
	return err
}

// mayAlone allows the operator the work of administrators until the realm has had two of them. It counts also inactive ones: otherwise a
// reset of one administrator would let the operator in. Errors: ErrUnknownRealm, ErrNoGlass, refusal, payment.FieldError for the
// reason.
func (p provision) mayAlone(ctx context.Context, breakGlass string, refusal error) error {
	err := p.lock(ctx)
	if err != nil {
		return err
	}
	ever, err := p.q.AdministratorEverCount(ctx, p.realm)
	switch {
	case err != nil:
		return err
	case ever < 2 && breakGlass != "":
		return ErrNoGlass
	case ever < 2:
		return nil
	case breakGlass == "":
		return refusal
	}
	return administration.CheckReason("breakGlass", breakGlass)
}

// lock serialises operators in the realm. Error: ErrUnknownRealm.
func (p provision) lock(ctx context.Context) error {
	_, err := p.q.RealmLock(ctx, p.realm)
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrUnknownRealm
	}
	return err
}

func (p provision) tellAdministrator(ctx context.Context, name, breakGlass string) error {
	if breakGlass == "" {
		return p.told(ctx, operator, auditlog.EventRealmAdministrator, auditlog.SubjectDetail(name, ""))
	}
	row, err := p.q.UserByName(ctx, p.realm, name)
	if err != nil {
		return err
	}
	return p.brokeGlass(ctx, row, "administrator", breakGlass)
}

// brokeGlass stores an action of the operator in a realm that has two administrators for their pages, with an audit event.
func (p provision) brokeGlass(ctx context.Context, user dbsqlc.UserAccount, deed, reason string) error {
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	row := dbsqlc.BreakGlass{Realm: p.realm, BreakGlassID: id, UserID: user.UserID, Deed: deed, Reason: reason, At: p.at}
	err = p.ledger.Put(BreakGlass(row), p.q.BreakGlassInsert(ctx, dbsqlc.BreakGlassInsertParams(row)))
	if err != nil {
		return err
	}
	return p.told(ctx, operator, auditlog.EventRealmBreakGlass, auditlog.SubjectDetail(user.Name, reason))
}

// setUp stores a set-up with which the owner of an account chooses a password.
func (p provision) setUp(ctx context.Context, user uuid.UUID, secret identity.SetUpSecret) error {
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	link, code := p.setUps.Link(p.realm, secret.Link)[0], p.setUps.Code(p.realm, id, secret.Code)[0]
	return p.insertSetUp(ctx, dbsqlc.UserSetup{SetupID: id, UserID: user, LinkHash: link[:], CodeHash: code[:]})
}
