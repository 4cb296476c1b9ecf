package service_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
)

// probe is a try to cheat with plain SQL in the application's role.
type probe struct {
	name string
	sql  string
	want string // SQLSTATE: 23503 foreign key, 23505 unique, 23514 check, 42501 privilege or row-level security
}

const (
	foreignKey = "23503"
	unique     = "23505"
	check      = "23514"
	privilege  = "42501"
	missing    = "23502"
)

// The statements speak of the psql-like variables :pending, :approved, :checker, :maker and so on, replaced below.
var probes = []probe{
	{"release without approval", `INSERT INTO release SELECT realm, message_id, version, makers, content_hash, approvals_required, 1,
		'approve', now(), 'k', sha256('x')
		FROM message_version WHERE message_id = :pending`, foreignKey},
	{"release as if no approval were needed", `INSERT INTO release SELECT realm, message_id, version, makers, content_hash, 0, NULL, NULL,
		now(), 'k', sha256('x')
		FROM message_version WHERE message_id = :pending`, foreignKey},
	{"release leaving the decision out", `INSERT INTO release SELECT realm, message_id, version, makers, content_hash, approvals_required,
		NULL, NULL, now(), 'k', sha256('x')
		FROM message_version WHERE message_id = :pending`, check},
	{"release on the strength of a rejection", `INSERT INTO release SELECT realm, message_id, version, makers, content_hash,
		approvals_required, 1, 'reject', now(), 'k', sha256('x')
		FROM message_version WHERE message_id = :rejected`, check},
	{"release a rejected message as approved", `INSERT INTO release SELECT realm, message_id, version, makers, content_hash,
		approvals_required, 1, 'approve', now(), 'k', sha256('x')
		FROM message_version WHERE message_id = :rejected`, foreignKey},
	{"release twice", `INSERT INTO release SELECT * FROM release WHERE message_id = :approved`, unique},
	{"release other content", `INSERT INTO release SELECT realm, :pending, version, makers, sha256('other'), approvals_required, last_ordinal,
		last_action, now(), 'k', mac
		FROM release WHERE message_id = :approved`, foreignKey},
	{"approve as the maker", `INSERT INTO decision (:columns) SELECT realm, message_id, version, 1, makers, content_hash, approvals_required,
		:makeruser, :maker, 'portal', 'portal', 'approve', NULL, NULL, NULL, now(), :grant FROM message_version
		WHERE message_id = :pending`, check},
	{"approve as the maker, hiding the maker", `INSERT INTO decision (:columns) SELECT realm, message_id, version, 1, ARRAY[:checker::uuid],
		content_hash, approvals_required, :makeruser, :maker, 'portal', 'portal', 'approve', NULL, NULL, NULL, now(), :grant FROM message_version
		WHERE message_id = :pending`, foreignKey},
	{"approve as nobody's person", `INSERT INTO decision (:columns) SELECT realm, message_id, version, 1, makers, content_hash,
		approvals_required, :makeruser, :checker, 'portal', 'portal', 'approve', NULL, NULL, NULL, now(), :grant FROM message_version
		WHERE message_id = :pending`, foreignKey},
	{"approve other content", `INSERT INTO decision (:columns) SELECT realm, message_id, version, 1, makers, sha256('other'),
		approvals_required, :checkeruser, :checker, 'portal', 'portal', 'approve', NULL, NULL, NULL, now(), :grant FROM message_version
		WHERE message_id = :pending`, foreignKey},
	{"approve fewer times than needed", `INSERT INTO decision (:columns) SELECT realm, message_id, version, 1, makers, content_hash, 0,
		:checkeruser, :checker, 'portal', 'portal', 'approve', NULL, NULL, NULL, now(), :grant FROM message_version
		WHERE message_id = :pending`, check},
	{"decide twice", `INSERT INTO decision (:columns) SELECT realm, message_id, version, 1, makers, content_hash, approvals_required,
		:checker2user, :checker2, 'portal', 'portal', 'reject', 'late', NULL, NULL, now(), :grant2 FROM message_version
		WHERE message_id = :approved`, unique},
	{"decide a second time under the next number", `INSERT INTO decision (:columns) SELECT realm, message_id, version, 2, makers, content_hash,
		approvals_required, :checker2user, :checker2, 'portal', 'portal', 'reject', 'late', 1, 'approve', now(), :grant2 FROM message_version
		WHERE message_id = :approved`, check},
	{"reject without a reason", `INSERT INTO decision (:columns) SELECT realm, message_id, version, 1, makers, content_hash,
		approvals_required, :checkeruser, :checker, 'portal', 'portal', 'reject', '  ', NULL, NULL, now(), :grant FROM message_version
		WHERE message_id = :pending`, check},
	{"approve without a grant", `INSERT INTO decision (:columns) SELECT realm, message_id, version, 1, makers, content_hash,
		approvals_required, :checkeruser, :checker, 'portal', 'portal', 'approve', NULL, NULL, NULL, now(), NULL, NULL, NULL, NULL
		FROM message_version WHERE message_id = :pending`, privilege},
	{"approve under the grant of another role", `INSERT INTO decision (:columns) SELECT realm, message_id, version, 1, makers, content_hash,
		approvals_required, :supervisoruser, :supervisor, 'portal', 'portal', 'approve', NULL, NULL, NULL, now(), :supervisorgrant
		FROM message_version WHERE message_id = :pending`, check},
	{"approve under somebody else's grant", `INSERT INTO decision (:columns) SELECT realm, message_id, version, 1, makers, content_hash,
		approvals_required, :supervisoruser, :supervisor, 'portal', 'portal', 'approve', NULL, NULL, NULL, now(), :grant FROM message_version
		WHERE message_id = :pending`, foreignKey},
	{"approve as a supervisor who calls it checker", `INSERT INTO decision (:columns) SELECT realm, message_id, version, 1, makers,
		content_hash, approvals_required, :supervisoruser, :supervisor, 'portal', 'portal', 'approve', NULL, NULL, NULL, now(), 'checker',
		grant_id, granted_at, :created
		FROM message_version JOIN user_role USING (realm) WHERE message_id = :pending AND user_id = :supervisoruser`, foreignKey},
	{"approve under a grant given later", `INSERT INTO decision (:columns) SELECT realm, message_id, version, 1, makers, content_hash,
		approvals_required, :lateuser, :late, 'portal', 'portal', 'approve', NULL, NULL, NULL, now(), :lategrant FROM message_version
		WHERE message_id = :pending`, check},
	{"approve under a grant given later, dated back", `INSERT INTO decision (:columns) SELECT realm, message_id, version, 1, makers,
		content_hash, approvals_required, :lateuser, :late, 'portal', 'portal', 'approve', NULL, NULL, NULL, now(), 'checker', grant_id, :created,
		:created
		FROM message_version JOIN user_role USING (realm) WHERE message_id = :pending AND user_id = :lateuser`, foreignKey},
	{"approve a message said to be younger", `INSERT INTO decision (:columns) SELECT realm, message_id, version, 1, makers, content_hash,
		approvals_required, :lateuser, :late, 'portal', 'portal', 'approve', NULL, NULL, NULL, now(), 'checker', grant_id, granted_at, granted_at
		FROM message_version JOIN user_role USING (realm) WHERE message_id = :pending AND user_id = :lateuser`, foreignKey},
	{"approve under a grant that has ended", `INSERT INTO decision (:columns) SELECT realm, message_id, version, 1, makers, content_hash,
		approvals_required, :formeruser, :former, 'portal', 'portal', 'approve', NULL, NULL, NULL, now(), :formergrant FROM message_version
		WHERE message_id = :pending`, privilege},
	{"end a grant", `UPDATE user_role SET ended_at = now()`, privilege},
	{"date a grant back", `UPDATE user_role SET granted_at = '2019-01-01'`, privilege},
	{"move an account to another person", `UPDATE user_account SET person_id = :checker WHERE user_id = :makeruser`, privilege},
	{"add a version without a seal", `INSERT INTO message_version (realm, message_id, version, document_id, content_hash, maker_user,
		maker_person, makers, previous_version, previous_makers, first_maker, approvals_required, created_at, amount, currency, end_to_end_id,
		debtor_name, debtor_account, debtor_agent, creditor_name, creditor_account, creditor_agent, remittance) SELECT realm, message_id, 2,
		document_id, content_hash, maker_user, maker_person, array_append(makers, maker_person), 1, makers, first_maker, approvals_required,
		now(), amount, currency, end_to_end_id, debtor_name, debtor_account, debtor_agent, creditor_name, creditor_account, creditor_agent,
		remittance
		FROM message_version WHERE message_id = :pending`, missing},
	{"write what goes out beforehand, without a seal", `INSERT INTO document (realm, document_id, message_id, scheme, direction, name,
		reference, content, content_hash, created_at)
		SELECT realm, gen_random_uuid(), message_id, scheme, 'out', 'pacs.008.001.08', 'P8' || global_id, 'x', sha256('x'), now() FROM message
		  WHERE message_id = :pending`, missing},
	{"write what goes out beforehand, of no message", `INSERT INTO document (realm, document_id, scheme, direction, name, reference, content,
		content_hash, created_at, key_id, mac)
		SELECT realm, gen_random_uuid(), scheme, 'out', 'pacs.008.001.08', 'P8' || global_id, 'x', sha256('x'), now(), 'k', sha256('x')
		  FROM message WHERE message_id = :pending`, check},
	{"put a payment into the outbox", `INSERT INTO outbox (scheme, reference, name, content, created_at, key_id, mac)
		VALUES ('sic-inst', 'FORGED1', 'pacs.008.001.08', 'x', now(), 'k', sha256('x'))`, check},
	{"put an answer without a seal into the outbox", `INSERT INTO outbox (scheme, reference, name, content, created_at)
		VALUES ('sic-inst', 'FORGED1', 'pacs.002.001.10', 'x', now())`, missing},
	{"send a stored payment again by the outbox", `INSERT INTO outbox (scheme, reference, name, document_realm, document_id, created_at,
		key_id, mac)
		SELECT scheme, 'FORGED1', 'pacs.008.001.08', realm, document_id, now(), 'k', sha256('x') FROM document LIMIT 1`, check},
	{"change a decision", `UPDATE decision SET action = 'reject', reason = 'x' WHERE message_id = :approved`, privilege},
	{"delete a decision", `DELETE FROM decision WHERE message_id = :approved`, privilege},
	{"empty the decisions", `TRUNCATE decision`, privilege},
	{"change a release", `UPDATE release SET mac = sha256('x')`, privilege},
	{"delete a release", `DELETE FROM release`, privilege},
	{"change an audit row", `UPDATE audit_event SET actor_name = 'somebody else'`, privilege},
	{"delete an audit row", `DELETE FROM audit_event`, privilege},
	{"change a history row", `UPDATE message_history SET reason = 'x'`, privilege},
	{"delete a history row", `DELETE FROM message_history`, privilege},
	{"change content", `UPDATE document SET content = 'x', content_hash = sha256('x')`, privilege},
	{"delete content", `DELETE FROM document`, privilege},
	{"change a version", `UPDATE message_version SET amount = 1`, privilege},
	{"change whose message it is", `UPDATE message SET maker_person = :checker WHERE message_id = :pending`, privilege},
	{"change how many approvals it needs", `UPDATE message SET approvals_required = 0 WHERE message_id = :pending`, privilege},
	{"delete a message", `DELETE FROM message WHERE message_id = :pending`, privilege},
	{"move without history", `UPDATE message SET state = 'Approved' WHERE message_id = :pending`, foreignKey},
	{"make an illegal move", `INSERT INTO message_history SELECT realm, message_id, sequence + 1, kind, to_state, 'approve', 'Settled',
		sequence, version, actor_user, actor_person, actor_name, client_id, channel, NULL, now() FROM message_history
		WHERE message_id = :pending`, foreignKey},
	{"tell history with a gap", `INSERT INTO message_history SELECT realm, message_id, sequence + 2, kind, to_state, 'approve', 'Approved',
		sequence + 1, version, actor_user, actor_person, actor_name, client_id, channel, NULL, now() FROM message_history
		WHERE message_id = :pending`, foreignKey},
	{"rewrite the beginning of history", `INSERT INTO message_history SELECT realm, message_id, sequence, kind, from_state, action, to_state,
		previous_sequence, version, actor_user, actor_person, actor_name, client_id, channel, 'other', now() FROM message_history
		WHERE message_id = :pending`, unique},
	{"add a version that forgets a maker", `INSERT INTO message_version (realm, message_id, version, document_id, content_hash, maker_user,
		maker_person, makers, previous_version, previous_makers, first_maker, approvals_required, created_at, amount, currency, end_to_end_id,
		debtor_name, debtor_account, debtor_agent, creditor_name, creditor_account, creditor_agent, remittance, key_id, seal, maker_role,
		maker_grant_id, maker_granted_at, clients) SELECT realm, message_id, 2, document_id, content_hash, :maker2user, :maker2,
		ARRAY[:maker2::uuid], 1, ARRAY[]::uuid[], :maker2, approvals_required, now(), amount, currency, end_to_end_id, debtor_name,
		debtor_account, debtor_agent, creditor_name, creditor_account, creditor_agent, remittance, key_id, seal, 'maker', (SELECT grant_id
		FROM user_role WHERE user_id = :maker2user),
		(SELECT granted_at FROM user_role WHERE user_id = :maker2user), ARRAY['portal'] FROM message_version
		  WHERE message_id = :pending`, foreignKey},
	{"add a version that nobody made", `INSERT INTO message_version (realm, message_id, version, document_id, content_hash, makers,
		previous_version, previous_makers, approvals_required, created_at, amount, currency, end_to_end_id, debtor_name, debtor_account,
		debtor_agent, creditor_name, creditor_account, creditor_agent, remittance, key_id, seal)
		SELECT realm, message_id, 2, document_id, content_hash, '{}', 1, makers, 0, now(), amount, currency, end_to_end_id, debtor_name,
		debtor_account, debtor_agent, creditor_name, creditor_account, creditor_agent, remittance, key_id, seal FROM message_version
		WHERE message_id = :pending`, check},
	{"make a message under a policy that asks for less", `INSERT INTO message (realm, message_id, global_id, kind, scheme, direction, channel,
		client_id, maker_user, maker_person, policy_id, approvals_required, created_at, version, approvals, state, state_sequence, state_since)
		SELECT realm, gen_random_uuid(), 'DM00000000000000', kind, scheme, direction, channel, client_id, maker_user, maker_person, policy_id, 0,
		  now(), 1, 0, 'Processing', 1, now() FROM message WHERE message_id = :pending`, foreignKey},
	{"make an outgoing message without a maker", `INSERT INTO message (realm, message_id, global_id, kind, scheme, direction, channel,
		client_id, approvals_required, created_at, version, approvals, state, state_sequence, state_since) SELECT realm, gen_random_uuid(),
		'DM00000000000000', kind, scheme, 'out', channel, client_id, 0, now(), 1, 0, 'Processing', 1, now() FROM message
		WHERE message_id = :pending`, check},
	{"put a time at infinity", `UPDATE message SET settled_at = 'infinity' WHERE message_id = :pending`, check},
	{"put an inquiry at infinity", `UPDATE message SET inquire_at = 'infinity' WHERE message_id = :pending`, check},
	{"tell what is no JSON", `INSERT INTO audit_event (realm, event_id, message_id, sequence, event, actor_name, channel, detail, at, key_id, seal)
		SELECT realm, move_event(message_id, 99), message_id, 99, 'instruction.note', 'x', 'portal', 'no JSON', now(), 'k', sha256('x') FROM message
		  WHERE message_id = :pending`, "22P02"},
	{"tell of a move under another id", `INSERT INTO audit_event (realm, event_id, message_id, sequence, event, actor_name, channel, detail, at,
		  key_id, seal)
		SELECT realm, gen_random_uuid(), message_id, 99, 'instruction.note', 'x', 'portal', '{}', now(), 'k', sha256('x') FROM message
		  WHERE message_id = :pending`, check},
	{
		"add a policy that asks for nothing",
		`INSERT INTO policy (realm, policy_id, rank, approvals_required, pending_seconds, created_at) VALUES ('demo', gen_random_uuid(), 99, ` +
			`0, 60, now())`, privilege,
	},
	{"give oneself a role", `INSERT INTO user_role VALUES ('demo', :makeruser, 'payments', 'checker', now())`, privilege},
	{"make a puppet user", `INSERT INTO person VALUES ('demo', gen_random_uuid(), 'puppet', 'payments', now())`, privilege},
	{"allow an illegal move", `INSERT INTO legal_move VALUES ('instruction', 'Approval Pending', 'settle', 'Settled')`, privilege},
	{"write into another realm", `INSERT INTO audit_event SELECT 'demo2', gen_random_uuid(), message_id, 99, event, actor_user, actor_person,
		actor_name, client_id, channel, request_id, source_address, content_hash, detail, at FROM audit_event LIMIT 1`, privilege},
	{"switch the foreign keys off", `SET session_replication_role = replica`, privilege},
	{"switch row-level security off", `ALTER TABLE message DISABLE ROW LEVEL SECURITY`, privilege},
}

// grantSQL is the grant of a role as the columns of a decision name it.
func grantSQL(t *testing.T, h *servicetest.Env, user uuid.UUID, role string) string {
	t.Helper()
	var id uuid.UUID
	var at time.Time
	err := h.DB.Owner(t).QueryRow(ctx, "SELECT grant_id, granted_at FROM user_role WHERE user_id = $1 AND role = $2", user,
		role).Scan(&id, &at)
	if err != nil {
		t.Fatal(err)
	}
	return "'" + role + "', " + quoted(id) + ", '" + at.Format(time.RFC3339Nano) +
		"', (SELECT m.created_at FROM message m WHERE m.message_id = message_version.message_id)"
}

func TestTheApplicationsRoleCannotCheat(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	maker, checker, checker2 := h.Person(t, "maker1"), h.Person(t, "checker1"), h.Person(t, "checker2")
	pending := h.Create(t, maker, rulebook.SchemeSIC)
	approved := h.Create(t, maker, rulebook.SchemeSIC)
	rejected := h.Create(t, maker, rulebook.SchemeSIC)
	_, err := h.Approval.Approve(ctx, checker, service.Input{InternalID: approved.InternalID})
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Approval.Reject(ctx, checker, service.Input{InternalID: rejected.InternalID}, "not ours")
	if err != nil {
		t.Fatal(err)
	}
	supervisor := h.Person(t, "supervisor1")
	late, former := checkers(t, h, 1)[0], h.Person(t, "both1")
	_, err = h.DB.Owner(t).Exec(ctx, `UPDATE user_role SET granted_at = $2 WHERE user_id = $1`, late.UserID,
		pending.CreatedAt.Add(time.Microsecond))
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.DB.Owner(t).Exec(ctx, `UPDATE user_role SET ended_at = $2 WHERE user_id = $1`, former.UserID, pending.CreatedAt)
	if err != nil {
		t.Fatal(err)
	}
	h.DB.SealMasterData(t)
	maker2 := h.Person(t, "maker2")
	values := strings.NewReplacer(
		":columns", `realm, message_id, version, ordinal, makers, content_hash, approvals_required, checker_user, checker_person, client_id,
			channel, action, reason, previous_ordinal, previous_action, decided_at, checker_role, grant_id, granted_at, message_created_at`,
		":grant2", grantSQL(t, h, checker2.UserID, "checker"), ":grant", grantSQL(t, h, checker.UserID, "checker"),
		":supervisorgrant", grantSQL(t, h, supervisor.UserID, "supervisor"), ":lategrant", grantSQL(t, h, late.UserID, "checker"),
		":maker2user", quoted(maker2.UserID), ":maker2", quoted(maker2.PersonID),
		":formergrant", grantSQL(t, h, former.UserID, "checker"), ":created", "'"+pending.CreatedAt.Format(time.RFC3339Nano)+"'::timestamptz",
		":supervisoruser", quoted(supervisor.UserID), ":supervisor", quoted(supervisor.PersonID),
		":lateuser", quoted(late.UserID), ":late", quoted(late.PersonID), ":formeruser", quoted(former.UserID), ":former",
		quoted(former.PersonID),
		":pending", quoted(pending.InternalID), ":approved", quoted(approved.InternalID), ":rejected", quoted(rejected.InternalID),
		":makeruser", quoted(maker.UserID), ":maker", quoted(maker.PersonID),
		":checkeruser", quoted(checker.UserID), ":checker2user", quoted(checker2.UserID), ":checker2", quoted(checker2.PersonID),
		":checker", quoted(checker.PersonID),
	)
	before := fingerprintOf(t, h)
	conn := h.DB.ConnectAsApplication(t, "demo")
	for _, p := range probes {
		_, err := conn.Exec(ctx, values.Replace(p.sql))
		var refused *pgconn.PgError
		if !errors.As(err, &refused) || refused.Code != p.want {
			t.Errorf("%s: got %v, want SQLSTATE %s", p.name, err, p.want)
		}
	}
	if after := fingerprintOf(t, h); after != before {
		t.Error("a probe changed something")
	}
	other := h.DB.ConnectAsApplication(t, "demo2")
	var seen int
	err = other.QueryRow(ctx, "SELECT count(*) FROM message").Scan(&seen)
	if err != nil || seen != 0 {
		t.Errorf("realm demo2 sees %d messages of realm demo: %v", seen, err)
	}
}

func TestTheSameStepsAreRefusedByNobodyWhenTheyAreRight(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	after, err := h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{
		InternalID: m.InternalID, ContentHash: &m.ContentHash, Version: 1,
	})
	if err != nil || after.State != payment.StateApproved {
		t.Fatalf("%s: %v", after.State, err)
	}
}

func quoted(id uuid.UUID) string { return "'" + id.String() + "'" }

// fingerprintOf is a digest over all that a probe might change.
func fingerprintOf(t *testing.T, h *servicetest.Env) string {
	t.Helper()
	var sum string
	err := h.DB.Owner(t).QueryRow(ctx, `SELECT md5(string_agg(line, '' ORDER BY line)) FROM (
		SELECT m::text FROM message m UNION ALL SELECT d::text FROM decision d UNION ALL SELECT r::text FROM release r
		UNION ALL SELECT x::text FROM message_history x UNION ALL SELECT a::text FROM audit_event a UNION ALL SELECT o::text FROM document o
		UNION ALL SELECT v::text FROM message_version v UNION ALL SELECT p::text FROM policy p UNION ALL SELECT u::text
		  FROM user_role u) AS all_rows (line)`).Scan(&sum)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}
