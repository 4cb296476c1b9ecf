package service_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"

	"countersign/internal/identity"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
)

// writeVersion is the second version of a message, $1, by the editor $2 (account) and $3 (person) under the grant $4 (role), $5, $6 (time).
const writeVersion = `INSERT INTO message_version (realm, message_id, version, document_id, content_hash, maker_user, maker_person, makers,
	previous_version, previous_makers, first_maker, approvals_required, created_at, amount, currency, end_to_end_id, debtor_name,
	debtor_account, debtor_agent, creditor_name, creditor_account, creditor_agent, remittance, key_id, seal, maker_role, maker_grant_id,
	maker_granted_at, clients)
SELECT realm, message_id, 2, document_id, content_hash, $2::uuid, $3::uuid, array_append(makers, $3::uuid), 1, makers, first_maker,
	approvals_required, created_at, amount, currency, end_to_end_id, debtor_name, debtor_account, debtor_agent, creditor_name,
	creditor_account, creditor_agent, remittance, key_id, seal, $4, $5::uuid, $6::timestamptz, clients
FROM message_version WHERE message_id = $1`

// TestAVersionIsWrittenUnderAGrantOfTheRoleMaker writes versions with plain SQL in the application's role: only one under a grant of the
// role maker is taken that is the editor's own, in force, and older than the version.
func TestAVersionIsWrittenUnderAGrantOfTheRoleMaker(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	pending := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	maker2, checker, late, former := h.Person(t, "maker2"), h.Person(t, "checker1"), h.Person(t, "both1"), checkers(t, h, 1)[0]
	after := pending.CreatedAt.Add(time.Microsecond)
	owner := h.DB.Connect(t)
	_, err := owner.Exec(ctx, "UPDATE user_role SET granted_at = $2 WHERE user_id = $1 AND role = 'maker'", late.UserID, after)
	if err != nil {
		t.Fatal(err)
	}
	_, err = owner.Exec(ctx, "UPDATE user_role SET role = 'maker', ended_at = $2 WHERE user_id = $1", former.UserID, after)
	if err != nil {
		t.Fatal(err)
	}
	grantOf := func(who identity.Principal, role identity.Role) identity.Grant {
		grant := identity.Grant{Role: role}
		err := owner.QueryRow(ctx, "SELECT grant_id, granted_at FROM user_role WHERE user_id = $1 AND role = $2", who.UserID, role).
			Scan(&grant.ID, &grant.GrantedAt)
		if err != nil {
			t.Fatal(err)
		}
		return grant
	}
	own, lateGrant := grantOf(maker2, identity.RoleMaker), grantOf(late, identity.RoleMaker)
	checkerGrant := grantOf(checker, identity.RoleChecker)
	calledMaker, datedBack := checkerGrant, lateGrant
	calledMaker.Role, datedBack.GrantedAt = identity.RoleMaker, own.GrantedAt
	app := h.DB.ConnectAsApplication(t, "demo")
	write := func(who identity.Principal, grant identity.Grant) error {
		tx, err := app.Begin(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback(ctx) }()
		role, id, at := (*string)(nil), (*uuid.UUID)(nil), (*time.Time)(nil)
		if grant.ID != uuid.Nil {
			text := string(grant.Role)
			role, id, at = &text, &grant.ID, &grant.GrantedAt
		}
		_, err = tx.Exec(ctx, writeVersion, pending.InternalID, who.UserID, who.PersonID, role, id, at)
		return err
	}
	for name, probe := range map[string]struct {
		who   identity.Principal
		grant identity.Grant
		want  string
	}{
		"without a grant":                       {maker2, identity.Grant{}, check},
		"under the grant of another role":       {checker, checkerGrant, check},
		"by a checker who calls it maker":       {checker, calledMaker, foreignKey},
		"under somebody else's grant":           {checker, own, foreignKey},
		"under a grant given later":             {late, lateGrant, check},
		"under a grant given later, dated back": {late, datedBack, foreignKey},
		"under a grant that has ended":          {former, grantOf(former, identity.RoleMaker), privilege},
		"under a grant that does not exist at all": {maker2, identity.Grant{
			ID: pending.InternalID, Role: identity.RoleMaker, GrantedAt: own.GrantedAt,
		}, privilege},
	} {
		var refused *pgconn.PgError
		err := write(probe.who, probe.grant)
		if !errors.As(err, &refused) || refused.Code != probe.want {
			t.Errorf("%s: got %v, want SQLSTATE %s", name, err, probe.want)
		}
	}
	err = write(maker2, own)
	if err != nil {
		t.Errorf("under an own grant that is older and in force: %v", err)
	}
}

func TestMessagesAndVersionsNameTheGrantTheyWereMadeUnder(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	maker, editor := h.Person(t, "maker1"), h.Person(t, "maker2")
	m := h.Create(t, maker, rulebook.SchemeSIC)
	change := h.Order(rulebook.SchemeSIC)
	_, err := h.Submission.Amend(ctx, editor, m.InternalID, change)
	if err != nil {
		t.Fatal(err)
	}
	for version, who := range map[int]identity.Principal{1: maker, 2: editor} {
		want, _ := who.Grant(identity.RoleMaker)
		var got identity.Grant
		err := h.DB.Owner(t).QueryRow(
			ctx, "SELECT maker_role, maker_grant_id, maker_granted_at FROM message_version WHERE message_id = $1 AND version = $2", m.InternalID,
			version,
		).Scan(&got.Role, &got.ID, &got.GrantedAt)
		if err != nil || got.ID != want.ID || got.Role != want.Role || !got.GrantedAt.Equal(want.GrantedAt) {
			t.Errorf("version %d: made under %+v, %v, want %+v", version, got, err, want)
		}
	}
}
