package service_test

import (
	"errors"
	"testing"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
)

// TestTheReleaseKeyAloneTakesNoMakerAway: a superuser who has the release key makes somebody else the maker of a waiting message, or plants a
// message of somebody else, and seals all versions. The seals of the audit rows have another key: the true maker does not decide.
func TestTheReleaseKeyAloneTakesNoMakerAway(t *testing.T) {
	t.Parallel()
	ask := func(t *testing.T, h *servicetest.Env, m payment.Message) {
		_, err := h.Approval.Ask(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID, ContentHash: &m.ContentHash}, "Why?")
		must(t, err)
		_, err = h.Submission.Answer(ctx, h.Person(t, "both1"), m.InternalID, "As agreed.")
		must(t, err)
	}
	approve := func(t *testing.T, h *servicetest.Env, m payment.Message) {
		_, err := h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID, ContentHash: &m.ContentHash})
		must(t, err)
	}
	for name, c := range map[string]struct {
		amount  string
		before  func(*testing.T, *servicetest.Env, payment.Message)
		planted bool
		changed string
	}{
		"just entered":               {amount: "21.00"},
		"after a question":           {amount: "21.00", before: ask},
		"after the first approval":   {amount: "15000.00", before: approve},
		"planted by the application": {amount: "21.00", planted: true},
		"with one approval less": {
			amount: "15000.00", changed: "UPDATE message SET approvals_required = 1; UPDATE message_version SET approvals_required = 1; ",
		},
	} {
		for _, where := range []string{"same gateway", "restarted"} {
			t.Run(name+" "+where, func(t *testing.T) {
				t.Parallel()
				h := servicetest.New(t)
				order := h.Order(rulebook.SchemeSIC)
				servicetest.SetAmount(order.Document, c.amount)
				made, err := h.Submission.Create(ctx, h.Person(t, "both1"), order)
				must(t, err)
				m := made.Message
				if c.before != nil {
					c.before(t, h, m)
				}
				id := m.InternalID
				if c.planted {
					id = servicetest.Forge(t, h.DB, m, nil)
				}
				conn := h.DB.Connect(t)
				_, err = conn.Exec(ctx, "SET session_replication_role = replica; "+c.changed+`
					UPDATE message m SET maker_user = a.user_id, maker_person = a.person_id FROM user_account a WHERE a.realm = m.realm AND a.name = 'maker2';
					UPDATE message_version v SET makers = ARRAY[a.person_id], first_maker = a.person_id, maker_user = a.user_id, maker_person = a.person_id
					FROM user_account a WHERE a.realm = v.realm AND a.name = 'maker2'`)
				must(t, err)
				h.DB.SealVersions(t)
				gateway := h
				if where == "restarted" {
					gateway = restarted(t, h)
				}
				defer gateway.Run(t)()
				_, err = gateway.Approval.Approve(ctx, gateway.Person(t, "both1"), service.Input{InternalID: id, ContentHash: &m.ContentHash})
				var withheld *payment.WithheldError
				if !errors.As(err, &withheld) {
					t.Errorf("the maker approves under the name of another one: %v", err)
				}
				sentNothing(t, gateway)
			})
		}
	}
}
