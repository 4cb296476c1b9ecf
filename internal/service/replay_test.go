package service_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/administration"
	"countersign/internal/demo"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/store/integrity"
	"countersign/internal/store/storetest"
)

// agreed has two administrators bring a change about.
func agreed(t *testing.T, h *servicetest.Env, in service.RequestInput) {
	t.Helper()
	asked, err := h.Admin.Request(ctx, h.Person(t, "admin1"), in)
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Admin.Decide(ctx, h.Person(t, "admin2"), service.DecideInput{ChangeID: asked.Change.ID, Approve: true})
	if err != nil {
		t.Fatal(err)
	}
	h.Clock.Add(2 * time.Minute)
}

// earlier is a row as it was.
type earlier struct{ table, key, row string }

// remember reads a row that the condition names.
func remember(t *testing.T, conn *pgx.Conn, table, where string) earlier {
	t.Helper()
	e := earlier{table: table, key: keyOf[table]}
	err := conn.QueryRow(ctx, fmt.Sprintf("SELECT to_jsonb(r)::text FROM %s r WHERE realm = 'demo' AND %s", table, where)).Scan(&e.row)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

var keyOf = map[string]string{
	"policy": "policy_id", "user_account": "user_id", "user_role": "grant_id", "client": "client_id", "debtor_account": "iban",
	"spending_limit": "limit_id", "realm_head": "realm",
}

// putBack writes the row as it was, in one statement, and returns its key.
func (e earlier) putBack(t *testing.T, conn *pgx.Conn) (key string) {
	t.Helper()
	var columns string
	err := conn.QueryRow(ctx, `SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
		WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped`, e.table).Scan(&columns)
	if err != nil {
		t.Fatal(err)
	}
	err = conn.QueryRow(ctx, fmt.Sprintf(`UPDATE %[1]s r SET (%[2]s) = (SELECT %[2]s FROM jsonb_populate_record(NULL::%[1]s, $1::jsonb))
		WHERE r.realm = 'demo' AND r.%[3]s = (jsonb_populate_record(NULL::%[1]s, $1::jsonb)).%[3]s RETURNING r.%[3]s::text`,
		e.table, columns, e.key), e.row).Scan(&key)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// named fails unless the check names a row.
func named(t *testing.T, h *servicetest.Env, table, key string) {
	t.Helper()
	for _, i := range h.Check(t).Invariants {
		for _, v := range i.Violations {
			if v.Table == table && strings.Contains(v.Key, key) {
				return
			}
		}
	}
	t.Errorf("the check does not name %s %s", table, key)
}

// sentLater is the age from which a gateway sends releases that it did not make.
const sentLater = 5 * time.Second

// sentNothing fails when a document went to clearing, or goes there by the next poll.
func sentNothing(t *testing.T, h *servicetest.Env) {
	t.Helper()
	h.Clock.Add(sentLater)
	h.Clearing.RunOnce(ctx)
	if sent := h.Network.Delivered(); len(sent) != 0 {
		t.Errorf("%d documents went to clearing", len(sent))
	}
}

var straight = servicetest.Door{Realm: demo.Realm, Name: "maker1", Client: demo.Straight, Channel: identity.ChannelAPI}

// policyOf is the condition for the policy of the client without four-eyes.
const policyOf = "client_id = 'demo-straight'"

// keyOfRow is the key of a row that the condition names.
func keyOfRow(t *testing.T, conn *pgx.Conn, table, where string) (key string) {
	t.Helper()
	err := conn.QueryRow(ctx, fmt.Sprintf("SELECT %s::text FROM %s WHERE realm = 'demo' AND %s", keyOf[table], table, where)).Scan(&key)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// TestAnEarlierRowBringsNothingBack: a superuser puts one row of master data back as it was before two administrators changed it, under its
// genuine seal. It gives no right, no payment leaves by it, and the check names it.
func TestAnEarlierRowBringsNothingBack(t *testing.T) {
	t.Parallel()
	create := func(amount string) func(*testing.T, *servicetest.Env) error {
		return func(t *testing.T, h *servicetest.Env) error {
			order := h.Order(rulebook.SchemeSIC)
			servicetest.SetAmount(order.Document, amount)
			_, err := h.Submission.Create(ctx, h.Principal(t, straight), order)
			return err
		}
	}
	signIn := func(name string, role identity.Role) func(*testing.T, *servicetest.Env) error {
		return func(t *testing.T, h *servicetest.Env) error {
			key := keyOfRow(t, h.DB.Connect(t), "user_account", "name = '"+name+"'")
			p, err := store.NewPeople(h.DB.Database).Principal(ctx, store.PrincipalKey{
				Realm: demo.Realm, UserID: uuid.MustParse(key), ClientID: identity.PortalClient,
			})
			if err == nil && !p.Has(role) {
				err = payment.ErrNotFound
			}
			return err
		}
	}
	for name, c := range map[string]struct {
		table, where string
		before       *service.RequestInput // makes the row
		change       service.RequestInput
		use          func(*testing.T, *servicetest.Env) error
	}{
		"a retired policy": {
			table: "policy", where: policyOf, change: service.RequestInput{Kind: administration.KindPolicyRetire}, use: create("100.00"),
		},
		"a suppressed account": {
			table: "user_account", where: "name = 'checker1'",
			change: service.RequestInput{Kind: administration.KindUserSuppress, Subject: "checker1"}, use: signIn("checker1", identity.RoleChecker),
		},
		"an ended role": {
			table: "user_role", where: "role = 'checker' AND user_id = (SELECT user_id FROM user_account WHERE realm = 'demo' AND name = 'both1')",
			change: service.RequestInput{Kind: administration.KindUserRoles, Subject: "both1", Values: administration.Values{"roles": "maker"}},
			use:    signIn("both1", identity.RoleChecker),
		},
		"a suppressed client": {
			table: "client", where: "client_id = 'demo-straight'",
			change: service.RequestInput{Kind: administration.KindClientSuppress, Subject: demo.Straight},
			use: func(t *testing.T, h *servicetest.Env) error {
				_, err := store.NewPeople(h.DB.Database).Client(ctx, demo.Realm, demo.Straight)
				return err
			},
		},
		"a closed account": {
			table: "debtor_account", where: "iban = 'CH5021977000004331346'",
			change: service.RequestInput{Kind: administration.KindAccountClose, Subject: "CH5021977000004331346"}, use: create("100.00"),
		},
		"a limit of before it was lowered": {
			table: "spending_limit", where: "limit_of = 'client'",
			before: &service.RequestInput{Kind: administration.KindLimitSet, Values: administration.Values{
				"limitOf": "client", "holder": demo.Straight, "currency": "CHF", "perPayment": "1000.00",
			}},
			change: service.RequestInput{Kind: administration.KindLimitSet, Values: administration.Values{
				"limitOf": "client", "holder": demo.Straight, "currency": "CHF", "perPayment": "10.00",
			}},
			use: create("100.00"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := servicetest.New(t)
			conn := h.DB.Connect(t)
			if c.before != nil {
				agreed(t, h, *c.before)
			}
			was := remember(t, conn, c.table, c.where)
			if c.change.Subject == "" && c.change.Values == nil {
				c.change.Subject = keyOfRow(t, conn, c.table, c.where)
			}
			agreed(t, h, c.change)
			key := was.putBack(t, conn)
			err := c.use(t, h)
			if err == nil {
				t.Error("the earlier row counts")
			}
			sentNothing(t, h)
			named(t, h, c.table, key)
		})
	}
}

// TestTheServicesRoleBringsNoPolicyBack: with the login of the service, a copy of an approved change under a new id lets the row security of
// the policy pass, and the earlier row has a genuine seal. No payment leaves by it.
func TestTheServicesRoleBringsNoPolicyBack(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	conn := h.DB.Connect(t)
	was := remember(t, conn, "policy", policyOf)
	agreed(t, h, service.RequestInput{Kind: administration.KindPolicyRetire, Subject: keyOfRow(t, conn, "policy", policyOf)})
	app := h.DB.ConnectAsApplication(t, demo.Realm)
	err := pgx.BeginFunc(ctx, app, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO realm_change (realm, change_id, kind, subject, beneficiary_person, content, content_hash, code_hash,
				requester_user, requester_person, requester_role, requester_grant_id, requester_granted_at, requester_client, requested_at, key_id, seal)
			SELECT realm, '00000000-0000-7000-8000-000000000001', kind, subject, beneficiary_person, content, content_hash, code_hash,
				requester_user, requester_person, requester_role, requester_grant_id, requester_granted_at, requester_client, requested_at, key_id, seal
			FROM realm_change LIMIT 1`)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO realm_change_decision (realm, change_id, requester_person, beneficiary_person, content_hash, ordinal,
				action, reason, decider_user, decider_person, decider_role, decider_grant_id, decider_granted_at, decider_client, decided_at, key_id, seal)
			SELECT realm, '00000000-0000-7000-8000-000000000001', requester_person, beneficiary_person, content_hash, ordinal + 1,
				action, reason, decider_user, decider_person, decider_role, decider_grant_id, decider_granted_at, decider_client, decided_at, key_id, seal
			FROM realm_change_decision LIMIT 1`)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "UPDATE policy SET retired_at = NULL WHERE "+policyOf)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	key := was.putBack(t, conn) // the columns of the seal, which the role may write as well
	order := h.Order(rulebook.SchemeSIC)
	_, err = h.Submission.Create(ctx, h.Principal(t, straight), order)
	if err == nil {
		t.Error("a payment was made under the policy that was retired")
	}
	sentNothing(t, h)
	named(t, h, "policy", key)
}

// TestADeletedPolicyLowersNothing: without the row that asks for two approvals, no payment is made or approved under the row that asks for
// one: by the gateway that runs, and by one that knows the rows as they are now.
func TestADeletedPolicyLowersNothing(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	order := h.Order(rulebook.SchemeSIC)
	servicetest.SetAmount(order.Document, "15000.00")
	maker, checker := h.Person(t, "maker1"), h.Person(t, "checker1")
	waiting, err := h.Submission.Create(ctx, maker, order)
	if err != nil {
		t.Fatal(err)
	}
	conn := h.DB.Connect(t)
	key := keyOfRow(t, conn, "policy", "approvals_required = 2")
	for _, statement := range []string{
		"SET session_replication_role = replica", "DELETE FROM policy WHERE approvals_required = 2",
		"UPDATE message SET approvals_required = 1",
	} {
		_, err = conn.Exec(ctx, statement)
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, gateway := range []*servicetest.Env{h, restarted(t, h)} {
		order = h.Order(rulebook.SchemeSIC)
		servicetest.SetAmount(order.Document, "15000.00")
		_, err = gateway.Submission.Create(ctx, maker, order)
		if err == nil {
			t.Error("a payment was made under fewer policies than two administrators set")
		}
		_, err = gateway.Approval.Approve(ctx, checker, service.Input{InternalID: waiting.Message.InternalID})
		if err == nil {
			t.Error("a payment was approved under fewer policies than two administrators set")
		}
		sentNothing(t, gateway)
	}
	named(t, h, "policy", key)
}

// TestAHeadPutBackWithItsRowsIsRefused: a superuser puts all master data back as they were, with the head, while the gateway runs and while
// none does. Neither the running gateway nor one that is started later takes them.
func TestAHeadPutBackWithItsRowsIsRefused(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	conn := h.DB.Connect(t)
	was, head := remember(t, conn, "policy", policyOf), remember(t, conn, "realm_head", "true")
	agreed(t, h, service.RequestInput{Kind: administration.KindPolicyRetire, Subject: keyOfRow(t, conn, "policy", policyOf)})
	was.putBack(t, conn)
	head.putBack(t, conn)
	for name, gateway := range map[string]*store.Database{"running": h.DB.Database, "started later": h.DB.Open(t, h.Seal)} {
		_, err := store.NewPeople(gateway).Client(ctx, demo.Realm, demo.Straight)
		if !errors.Is(err, store.ErrUnknownRealm) {
			t.Errorf("%s: %v, want nothing of the realm to count", name, err)
		}
	}
	named(t, h, "policy", keyOfRow(t, conn, "policy", policyOf))
	named(t, h, "realm_head", demo.Realm)
}

// TestAHeadPutBackWithItsTrailIsRefused: the rows of the trail that tell of the change are gone too. A gateway that is started later refuses the
// older master data by the newest signed checkpoint, which the check names as well.
func TestAHeadPutBackWithItsTrailIsRefused(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	conn := h.DB.Connect(t)
	client := func(db *store.Database) error {
		_, err := store.NewPeople(db).Client(ctx, demo.Realm, demo.Straight)
		return err
	}
	was, head := remember(t, conn, "policy", policyOf), remember(t, conn, "realm_head", "true")
	agreed(t, h, service.RequestInput{Kind: administration.KindPolicyRetire, Subject: keyOfRow(t, conn, "policy", policyOf)})
	h.Notary.Sweep(ctx)
	was.putBack(t, conn)
	head.putBack(t, conn)
	_, err := conn.Exec(ctx, `SET session_replication_role = replica; DELETE FROM audit_event WHERE event_id = (
		SELECT event_id FROM audit_event WHERE event = 'realm.rows' AND realm = 'demo' ORDER BY event_id DESC LIMIT 1)`)
	must(t, err)
	other := h.DB.Open(t, h.Seal)
	must(t, client(other))
	servicetest.On(t, h.DB, servicetest.Options{Database: func(*storetest.DB) *store.Database { return other }}).Notary.Sweep(ctx)
	if err := client(other); !errors.Is(err, store.ErrUnknownRealm) {
		t.Errorf("with the newest checkpoint: %v, want nothing of the realm to count", err)
	}
	report, err := integrity.CheckTrail(ctx, integrity.Config{DatabaseURL: h.DB.OwnerURL, AuditKeys: storetest.AuditKeys(t), Now: h.Clock.Now()})
	must(t, err)
	if !slices.ContainsFunc(report.Invariants[0].Violations, func(v integrity.Violation) bool { return v.Table == "realm_head" }) {
		t.Errorf("the check does not name the head: %v", report.Invariants[0].Violations)
	}
}

// TestAConditionWithAnotherMeaningLowersNothing: a superuser lets the statement that chooses the policy mean something else, while the rows
// say the same. No payment is made or approved with fewer people.
func TestAConditionWithAnotherMeaningLowersNothing(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"columns change their names": `ALTER TABLE policy RENAME amount_from TO kept; ALTER TABLE policy RENAME amount_to TO amount_from;
			ALTER TABLE policy RENAME kept TO amount_to`,
		"the service does not see a " +
			"row": `CREATE POLICY hides ON policy AS RESTRICTIVE FOR SELECT TO countersign_app USING (approvals_required < 2)`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := servicetest.New(t)
			order := h.Order(rulebook.SchemeSIC)
			servicetest.SetAmount(order.Document, "15000.00")
			made, err := h.Submission.Create(ctx, h.Person(t, "maker1"), order)
			if err != nil || made.Message.ApprovalsRequired != 2 {
				t.Fatalf("before the change: %d approvals: %v", made.Message.ApprovalsRequired, err)
			}
			_, err = h.DB.Connect(t).Exec(ctx, change)
			must(t, err)
			order = h.Order(rulebook.SchemeSIC)
			servicetest.SetAmount(order.Document, "15000.00")
			made, err = h.Submission.Create(ctx, h.Person(t, "maker1"), order)
			if err == nil && made.Message.ApprovalsRequired < 2 {
				t.Errorf("a payment was made that needs %d approvals", made.Message.ApprovalsRequired)
			}
		})
	}
}

// TestPeopleAreShownByTheirVerifiedNames: a superuser gives people and accounts the names of others. Pages show those that two administrators
// gave them.
func TestPeopleAreShownByTheirVerifiedNames(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	m, err := h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID})
	must(t, err)
	shown := func() string {
		t.Helper()
		var b strings.Builder
		one, err := h.Reader.Message(ctx, m.Realm, m.InternalID)
		must(t, err)
		list, err := h.Reader.Messages(ctx, m.Realm, store.Filter{PageSize: 10})
		must(t, err)
		for _, each := range append(list, one) {
			fmt.Fprintln(&b, each.MakerName, each.MakerLogin)
		}
		all, err := h.Reader.DecisionsOf(ctx, m.Realm, []uuid.UUID{m.InternalID})
		decisions := all[m.InternalID]
		must(t, err)
		for _, d := range append(decisions, one.Decisions...) {
			fmt.Fprintln(&b, d.Name, d.Login)
		}
		steps, err := h.Reader.History(ctx, m.Realm, m.InternalID)
		must(t, err)
		for _, s := range steps {
			fmt.Fprintln(&b, s.Actor, s.ActorLogin)
		}
		versions, err := h.Reader.Versions(ctx, m.Realm, m.InternalID)
		must(t, err)
		similar, err := h.Reader.SimilarTo(ctx, m.Realm, store.Likeness{Summary: m.Summary})
		must(t, err)
		fmt.Fprintln(&b, versions[0].EditorName, similar[0].MakerName)
		return b.String()
	}
	was := shown()
	_, err = h.DB.Connect(t).Exec(ctx, `SET session_replication_role = replica; UPDATE person SET display_name = 'Somebody ' || person_id;
		UPDATE user_account SET name = 'somebody-' || user_id; UPDATE message_history SET actor_name = 'Somebody'`)
	must(t, err)
	if is := shown(); is != was || !strings.Contains(was, "Maker 1") || !strings.Contains(was, "Checker 1") {
		t.Errorf("pages show\n%s\nand showed\n%s", is, was)
	}
}
