package service_test

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
)

// decideThrough is an approval of a message, $1, by checker1 through the API and the client $2, as the gateway would write it.
const decideThrough = `
INSERT INTO decision (realm, message_id, version, ordinal, makers, content_hash, approvals_required, checker_user, checker_person,
  client_id, channel, action, decided_at, checker_role, grant_id, granted_at, message_created_at)
SELECT v.realm, v.message_id, v.version, 1, v.makers, v.content_hash, v.approvals_required, u.user_id, u.person_id, $2, 'api', 'approve',
  now(), 'checker', g.grant_id, g.granted_at, m.created_at
FROM message m JOIN message_version v USING (realm, message_id, version)
JOIN user_account u ON u.realm = v.realm AND u.name = 'checker1' JOIN user_role g ON g.user_id = u.user_id AND g.role = 'checker'
WHERE m.message_id = $1`

// TestAClientThatAmendedDoesNotDecide: one back end that holds two passwords is one pair of eyes, also when it only changed the message,
// and also when somebody changed it again since. The database holds the same rule.
func TestAClientThatAmendedDoesNotDecide(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	through := func(name, client string) identity.Principal {
		return h.Principal(t, servicetest.Door{Realm: "demo", Name: name, Client: client, Channel: identity.ChannelAPI})
	}
	amend := func(m payment.Message, by identity.Principal) payment.Message {
		amended, err := h.Submission.Amend(ctx, by, m.InternalID, h.Order(rulebook.SchemeSIC))
		if err != nil {
			t.Fatal(err)
		}
		return amended
	}
	m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	m = amend(m, through("maker2", "demo-straight"))
	for name, change := range map[string]func(){
		"the client of the last editor":     func() {},
		"the client of an editor before it": func() { m = amend(m, h.Person(t, "maker1")) },
	} {
		change()
		var four *payment.FourEyesError
		for action, decide := range map[string]func(service.Input) (payment.Message, error){
			"approve": func(in service.Input) (payment.Message, error) {
				return h.Approval.Approve(ctx, through("checker1", "demo-straight"), in)
			},
			"reject": func(in service.Input) (payment.Message, error) {
				return h.Approval.Reject(ctx, through("checker1", "demo-straight"), in, "no")
			},
		} {
			_, err := decide(service.Input{InternalID: m.InternalID, ContentHash: &m.ContentHash})
			if !errors.As(err, &four) ||
				four.Text.String() != "The client demo-straight changed this payment or request. Another client, or a person in the portal, must "+
					"approve or reject it." {
				t.Errorf("%s, %s: %v", name, action, err)
			}
		}
		var refused *pgconn.PgError
		_, err := h.DB.ConnectAsApplication(t, "demo").Exec(ctx, decideThrough, m.InternalID, "demo-straight")
		if !errors.As(err, &refused) || refused.Code != privilege {
			t.Errorf("%s, with plain SQL: %v, want SQLSTATE %s", name, err, privilege)
		}
	}
	approved, err := h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID, ContentHash: &m.ContentHash})
	if err != nil || approved.State != payment.StateApproved {
		t.Errorf("in the portal: %s %v", approved.State, err)
	}
}

// TestAClientThatOnlyReadsDecides: the rule bars the clients that a message came through, and no other.
func TestAClientThatOnlyReadsDecides(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	checker := h.Principal(t, servicetest.Door{Realm: "demo", Name: "checker1", Client: "demo-straight", Channel: identity.ChannelAPI})
	approved, err := h.Approval.Approve(ctx, checker, service.Input{InternalID: m.InternalID})
	if err != nil || approved.State != payment.StateApproved {
		t.Errorf("%s %v", approved.State, err)
	}
}
