package service_test

import (
	"errors"
	"testing"

	"countersign/internal/auditlog"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
)

// forgedApproval is the first of two approvals as the gateway would write it, in the name of checker1.
const forgedApproval = `
WITH history AS (
  INSERT INTO message_history (realm, message_id, sequence, kind, from_state, action, to_state, previous_sequence, version, actor_user,
    actor_person, actor_name, client_id, channel, at)
  SELECT 'demo', $1, 2, 'instruction', 'Approval Pending', 'approve', 'Approval Pending', 1, 1, u.user_id, u.person_id, 'Checker 1',
    'portal', 'portal', $2
  FROM user_account u WHERE u.realm = 'demo' AND u.name = 'checker1'
), decided AS (
  INSERT INTO decision (realm, message_id, version, ordinal, makers, content_hash, approvals_required, checker_user, checker_person,
    client_id, channel, action, decided_at, checker_role, grant_id, granted_at, message_created_at)
  SELECT v.realm, v.message_id, 1, 1, v.makers, v.content_hash, v.approvals_required, u.user_id, u.person_id, 'portal', 'portal', 'approve',
    $2, 'checker', g.grant_id, g.granted_at, m.created_at
  FROM message_version v JOIN message m USING (realm, message_id)
  JOIN user_account u ON u.realm = v.realm AND u.name = 'checker1' JOIN user_role g ON g.user_id = u.user_id AND g.role = 'checker'
  WHERE v.message_id = $1
), audited AS (
  INSERT INTO audit_event (realm, event_id, message_id, sequence, event, actor_user, actor_person, actor_name, client_id, channel,
    content_hash, detail, at, key_id, seal)
  SELECT e.realm, move_event(e.message_id, 2), e.message_id, 2, 'instruction.approve', u.user_id, u.person_id, 'Checker 1', 'portal', 'portal',
    e.content_hash, '{"from":"Approval Pending","to":"Approval Pending"}', $2, e.key_id, e.seal
  FROM audit_event e JOIN user_account u ON u.realm = e.realm AND u.name = 'checker1' WHERE e.message_id = $1
)
UPDATE message SET approvals = 1, state_sequence = 2, state_since = $2 WHERE message_id = $1`

// TestAnApprovalThatNobodyGaveCountsForNothing: a login that writes rows as the service does writes the first of two approvals in somebody
// else's name. The message is withheld, a second approval releases nothing, and the auditor names the row.
func TestAnApprovalThatNobodyGaveCountsForNothing(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	order := h.Order(rulebook.SchemeSIC)
	servicetest.SetAmount(order.Document, "19500.00")
	created, err := h.Submission.Create(ctx, h.Person(t, "maker1"), order)
	made := created.Message
	if err != nil || made.ApprovalsRequired != 2 {
		t.Fatal(made.ApprovalsRequired, err)
	}
	_, err = h.DB.ConnectAsApplication(t, "demo").Exec(ctx, forgedApproval, made.InternalID, h.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	seen, err := h.Reader.Message(ctx, "demo", made.InternalID)
	if err != nil || seen.Withheld == "" {
		t.Errorf("shown as ours: %q %v", seen.Withheld, err)
	}
	var withheld *payment.WithheldError
	_, err = h.Approval.Approve(ctx, h.Person(t, "checker2"), service.Input{InternalID: made.InternalID, ContentHash: &made.ContentHash})
	if !errors.As(err, &withheld) {
		t.Errorf("the second approval: %v", err)
	}
	var named bool
	for _, i := range h.Check(t).Invariants {
		named = named || i.ID == "I21" && len(i.Violations) == 1 && i.Violations[0].Key == auditlog.MoveID(made.InternalID, 2).String()
	}
	if !named {
		t.Error("the auditor does not name the move")
	}
}

// TestTheCountOfApprovalsIsNotBelieved: a message that counts fewer approvals than it has is withheld instead of failing for everybody.
func TestTheCountOfApprovalsIsNotBelieved(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	order := h.Order(rulebook.SchemeSIC)
	servicetest.SetAmount(order.Document, "19500.00")
	created, err := h.Submission.Create(ctx, h.Person(t, "maker1"), order)
	made := created.Message
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: made.InternalID, ContentHash: &made.ContentHash})
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.DB.ConnectAsApplication(t, "demo").Exec(ctx, "UPDATE message SET approvals = 0 WHERE message_id = $1", made.InternalID)
	if err != nil {
		t.Fatal(err)
	}
	var withheld *payment.WithheldError
	_, err = h.Approval.Approve(ctx, h.Person(t, "checker2"), service.Input{InternalID: made.InternalID, ContentHash: &made.ContentHash})
	if !errors.As(err, &withheld) {
		t.Errorf("got %v, want a WithheldError", err)
	}
}

// TestAPolicyThatNobodySealedCountsForNothing: a superuser lets a policy ask for no approval, gives the realm the mark of another one, or
// changes the account that is debited; no payment is made of it.
func TestAPolicyThatNobodySealedCountsForNothing(t *testing.T) {
	t.Parallel()
	var refused *payment.RefusalError
	for name, c := range map[string]struct {
		statement string
		because   func(error) bool
	}{
		"policy": {"UPDATE policy SET approvals_required = 0", func(err error) bool { return errors.Is(err, store.ErrNoPolicy) }},
		"realm":  {"UPDATE realm SET mark = 'QX' WHERE realm = 'demo'", func(err error) bool { return errors.Is(err, store.ErrNoPolicy) }},
		"account": {"UPDATE debtor_account SET holder_name = 'Somebody Else'", func(err error) bool {
			return errors.As(err, &refused) && refused.Findings[0].Rule == rulebook.RuleDebtorAccountOfRealm
		}},
	} {
		h := servicetest.New(t)
		maker := h.Person(t, "maker1")
		_, err := h.DB.Owner(t).Exec(ctx, c.statement)
		if err != nil {
			t.Fatal(err)
		}
		_, err = h.Submission.Create(ctx, maker, h.Order(rulebook.SchemeSIC))
		if !c.because(err) {
			t.Errorf("%s: a payment made under it got %v", name, err)
		}
		var messages int
		err = h.DB.Owner(t).QueryRow(ctx, "SELECT count(*) FROM message").Scan(&messages)
		if err != nil || messages != 0 {
			t.Errorf("%s: %d messages are stored: %v", name, messages, err)
		}
	}
}
