package service_test

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"countersign/internal/administration"
	"countersign/internal/auditlog"
	"countersign/internal/demo"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/store/integrity"
	"countersign/internal/store/storetest"
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

// TestTheTokenKeyAloneLowersAPolicy: a superuser lets payments leave without an approval. Without the token key the rows count for nothing;
// with it, policy and head are sealed anew, and neither the gateway nor the check can know it: docs/security.md says so.
func TestTheTokenKeyAloneLowersAPolicy(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	maker := h.Person(t, "maker1")
	_, err := h.DB.Connect(t).Exec(ctx, "SET session_replication_role = replica; UPDATE policy SET approvals_required = 0 WHERE realm = 'demo'")
	must(t, err)
	gateway := restarted(t, h)
	_, err = gateway.Submission.Create(ctx, maker, gateway.Order(rulebook.SchemeSIC))
	if err == nil {
		t.Error("a policy that is not under the head counts")
	}
	sentNothing(t, gateway)
	h.DB.SealMasterData(t)
	gateway = restarted(t, h)
	m := gateway.Create(t, maker, rulebook.SchemeSIC)
	gateway.Clock.Add(sentLater)
	gateway.Clearing.RunOnce(ctx)
	if sent := len(gateway.Network.Delivered()); sent != 1 || m.ApprovalsRequired != 0 {
		t.Errorf("%d documents left with %d approvals: docs/security.md says that they do", sent, m.ApprovalsRequired)
	}
	for _, i := range gateway.Check(t).Invariants {
		if len(i.Violations) > 0 {
			t.Errorf("the check names %v: docs/security.md says that it does not", i.Violations)
		}
	}
}

// TestTheAuditKeyAloneLetsEarlierMasterDataCount: a superuser puts a retired policy back with its head, deletes the row of the trail that tells
// of the change, and signs the checkpoints anew under the older head. Only a gateway that remembers a checkpoint refuses; the check names the row.
func TestTheAuditKeyAloneLetsEarlierMasterDataCount(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "marks.json")
	marking := servicetest.Options{Database: func(db *storetest.DB) *store.Database {
		marks, err := store.OpenMarks(file)
		must(t, err)
		opened, err := store.Open(ctx, store.Config{URL: db.URL, Seal: db.Seal, TokenKeys: storetest.Keys(t), Marks: marks})
		must(t, err)
		t.Cleanup(opened.Close)
		return opened
	}}
	h := servicetest.On(t, servicetest.Demo(t), marking)
	conn := h.DB.Connect(t)
	was, head := remember(t, conn, "policy", policyOf), remember(t, conn, "realm_head", "true")
	h.Notary.Sweep(ctx)
	var older int64
	must(t, conn.QueryRow(ctx, "SELECT number FROM realm_head WHERE realm = 'demo'").Scan(&older))
	agreed(t, h, service.RequestInput{Kind: administration.KindPolicyRetire, Subject: keyOfRow(t, conn, "policy", policyOf)})
	h.Notary.Sweep(ctx)
	was.putBack(t, conn)
	head.putBack(t, conn)
	var row string
	must(t, conn.QueryRow(ctx, "SELECT event_id::text FROM audit_event WHERE event = 'realm.rows' AND realm = 'demo' ORDER BY event_id DESC LIMIT 1").Scan(&row))
	_, err := conn.Exec(ctx, "SET session_replication_role = replica; DELETE FROM audit_event WHERE event_id = '"+row+"'")
	must(t, err)
	signer, err := auditlog.NewSigner(storetest.AuditKeys(t))
	must(t, err)
	var notes []string
	must(t, conn.QueryRow(ctx, "SELECT array_agg(note) FROM audit_checkpoint WHERE realm = 'demo'").Scan(&notes))
	for _, note := range notes {
		c, err := signer.Public().Read(demo.Realm, note)
		must(t, err)
		c.Head = older
		again, err := signer.Sign(c)
		must(t, err)
		_, err = conn.Exec(ctx, "UPDATE audit_checkpoint SET note = $2 WHERE note = $1", note, again)
		must(t, err)
	}
	for name, c := range map[string]struct {
		options servicetest.Options
		counts  bool
	}{
		"without a file of marks": {servicetest.Options{Database: func(db *storetest.DB) *store.Database { return db.Open(t, db.Seal) }}, true},
		"with a file of marks":    {marking, false},
	} {
		gateway := servicetest.On(t, h.DB, c.options)
		gateway.Notary.Sweep(ctx)
		_, err := gateway.Submission.Create(ctx, gateway.Principal(t, straight), gateway.Order(rulebook.SchemeSIC))
		if (err == nil) != c.counts {
			t.Errorf("%s: a payment by the retired policy: %v", name, err)
		}
	}
	report, err := integrity.CheckTrail(ctx, integrity.Config{DatabaseURL: h.DB.OwnerURL, AuditKeys: storetest.AuditKeys(t), Now: h.Clock.Now()})
	must(t, err)
	if !slices.ContainsFunc(report.Invariants[0].Violations, func(v integrity.Violation) bool { return v.Key == row }) {
		t.Errorf("the check does not name the row of the trail: %v", report.Invariants[0].Violations)
	}
}
