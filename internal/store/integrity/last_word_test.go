package integrity_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"countersign/internal/profile"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store/integrity"
)

// why is what a report says of the row, "" for nothing.
func why(report integrity.Report, m tampering) string {
	for _, i := range report.Invariants {
		for _, v := range i.Violations {
			if i.ID == m.id && v.Table == m.table && v.Key == m.names {
				return v.What
			}
		}
	}
	return ""
}

// TestACheckpointOfAnotherTreeIsNamed: the newest checkpoint is one that the gateway signed, of the same realm, size and time, over other
// rows. Nothing but its root tells.
func TestACheckpointOfAnotherTreeIsNamed(t *testing.T) {
	t.Parallel()
	var houses [2]*servicetest.Env
	var size [2]int64
	var at [2]time.Time
	var note [2]string
	for i := range houses {
		h := servicetest.New(t)
		houses[i] = h
		h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
		h.Notary.Sweep(ctx)
		must(t, h.DB.Owner(t).QueryRow(ctx, "SELECT size, at, note FROM audit_checkpoint WHERE realm = 'demo' ORDER BY size DESC LIMIT 1").Scan(
			&size[i], &at[i], &note[i],
		))
	}
	if size[0] != size[1] || note[0] == note[1] {
		t.Fatalf("the trees have %d and %d leaves, want two of one size", size[0], size[1])
	}
	conn := houses[0].DB.Connect(t)
	_, err := conn.Exec(ctx, "SET session_replication_role = replica")
	must(t, err)
	_, err = conn.Exec(ctx, "UPDATE audit_checkpoint SET at = $1, note = $2 WHERE realm = 'demo' AND size = $3", at[1], note[1], size[0])
	must(t, err)
	row := tampering{id: "I30", table: "audit_checkpoint", names: strconv.FormatInt(size[0], 10)}
	said := why(audit(t, houses[0], houses[0].DB.OwnerURL), row)
	if !strings.Contains(said, "the leaves do not lead to the root of the checkpoint") {
		t.Errorf("of the checkpoint of another tree it is said: %q", said)
	}
}

// TestWhatWasSentOtherwiseIsNamed: what was sent has its seal, and is not what is made of the release: here, by a profile that the auditor
// does not know, which stands for a program that wrote something else.
func TestWhatWasSentOtherwiseIsNamed(t *testing.T) {
	t.Parallel()
	book, err := profile.NewRegistry([]byte("profiles:\n  - {name: boxed, scheme: sct-inst, envelope: {root: Bulk}}"))
	must(t, err)
	book, err = book.Choose("sct-inst", "boxed", profile.Ends{Sender: "AAAADEFF", Receiver: "CLRGDEFFXXX"})
	must(t, err)
	h := servicetest.With(t, servicetest.Options{Profiles: book})
	m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSCT)
	_, err = h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID})
	must(t, err)
	must(t, h.Clearing.Send(ctx, m.Scheme, m.Realm, m.InternalID))
	row := tampering{id: "I17", table: "release", names: m.InternalID.String()}
	if said := why(audit(t, h, h.DB.OwnerURL), row); !strings.Contains(said, "differs from the one that is made of it now") {
		t.Errorf("of what was sent otherwise it is said: %q", said)
	}
}

// TestTheKeyOfAnAmendmentThatIsGoneIsNamed: an amendment has a message id of its own, and its client a key for it.
func TestTheKeyOfAnAmendmentThatIsGoneIsNamed(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	order := h.Order(rulebook.SchemeSIC)
	_, err := h.Submission.Amend(ctx, h.Person(t, "maker2"), m.InternalID, order)
	must(t, err)
	row := tampering{id: "I8", table: "message", names: m.InternalID.String()}
	if said := why(audit(t, h, h.DB.OwnerURL), row); said != "" {
		t.Errorf("untouched, it is said: %q", said)
	}
	conn := h.DB.Connect(t)
	_, err = conn.Exec(ctx, "SET session_replication_role = replica")
	must(t, err)
	_, err = conn.Exec(ctx, "DELETE FROM creation_key WHERE key = $1", order.Document.GroupHeader.MessageID)
	must(t, err)
	if said := why(audit(t, h, h.DB.OwnerURL), row); !strings.Contains(said, "of its version 2 is no creation key") {
		t.Errorf("of the key that is gone it is said: %q", said)
	}
}
