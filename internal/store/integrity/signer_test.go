package integrity_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/store/integrity"
	"countersign/internal/store/storetest"
	"countersign/internal/testutil"
)

func count(t *testing.T, h *servicetest.Env, what string) (n int) {
	t.Helper()
	must(t, h.DB.Owner(t).QueryRow(ctx, "SELECT count(*) FROM "+what).Scan(&n))
	return n
}

// unsealed are the rows that no tree has.
const unsealed = `(SELECT realm, event_id AS id FROM audit_event UNION ALL SELECT realm, document_id FROM document) r
	WHERE NOT EXISTS (SELECT FROM audit_leaf l WHERE l.realm = r.realm AND l.row_id = r.id)`

func TestEveryRowIsSealedOnce(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	for range 3 {
		h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	}
	if count(t, h, unsealed) == 0 {
		t.Fatal("nothing waits for its seal")
	}
	h.Notary.Sweep(ctx)
	if n := count(t, h, unsealed); n != 0 {
		t.Fatalf("%d rows are not sealed", n)
	}
	if used := h.Database.For(store.ForSeals).Usage(); used.Idle+used.InUse == 0 {
		t.Error("rows are sealed by the connections of something else, which may hold them all")
	}
	h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSCT)
	h.Notary.Sweep(ctx)
	h.Notary.Sweep(ctx)
	if n := count(t, h, unsealed); n != 0 {
		t.Fatalf("%d rows are not sealed", n)
	}
	if leaves, size := count(t, h, "audit_leaf"), h.Notary.Standing().Rows; int64(leaves) != size {
		t.Errorf("%d leaves, and the checkpoints are of %d", leaves, size)
	}
}

// While the file of marks is written, on a disk that may hang, nothing else waits: not the standing, which readiness tells, and no payment.
func TestNothingWaitsForTheFileOfMarks(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	maker, done := h.Person(t, "maker1"), make(chan error, 1)
	must(t, h.Database.Marks().Set(func(map[string]store.Mark) {
		go func() {
			h.Notary.Standing()
			_, err := h.Submission.Create(ctx, maker, h.Order(rulebook.SchemeSIC))
			done <- err
		}()
		select {
		case err := <-done:
			must(t, err)
		case <-time.After(20 * time.Second):
			t.Error("it waits")
		}
	}))
}

// A transaction that began early and commits late: younger rows are sealed before its own, and its own all the same.
func TestARowThatCommitsLateIsNotPassedOver(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	h.Notary.Sweep(ctx)
	late, err := h.DB.Connect(t).Begin(ctx)
	must(t, err)
	_, err = late.Exec(ctx, `INSERT INTO audit_event (realm, event_id, event, actor_name, channel, detail, at, key_id, seal)
		VALUES ('demo', '00000000-0000-7000-8000-000000000001', 'sign-in.refused', 'x', 'api', '{}', $1, 'test', sha256('x'))`, h.Clock.Now())
	must(t, err)
	h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	h.Notary.Sweep(ctx)
	if n := count(t, h, unsealed); n != 0 {
		t.Errorf("%d rows wait for a transaction that is none of theirs", n)
	}
	must(t, late.Commit(ctx))
	h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	h.Clock.Add(5 * time.Second)
	h.Notary.Sweep(ctx)
	if n := count(t, h, unsealed); n != 0 {
		t.Errorf("%d rows are not sealed", n)
	}
	if s := h.Notary.Standing(); s.Behind != 0 || s.Rows == 0 || !s.Newest.Equal(h.Clock.Now()) {
		t.Errorf("all is sealed, and the standing is %+v", s)
	}
	audited(t, h, "00000000-0000-7000-8000-000000000001") // no gateway sealed it
}

// TestRowsOfAnotherServerAreSealed: after a move to another server the numbers of transactions mean nothing, and all rows are sealed.
func TestRowsOfAnotherServerAreSealed(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	for range 3 {
		h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	}
	h.Notary.Sweep(ctx)
	_, err := h.DB.Owner(t).Exec(ctx, "UPDATE document SET written_in = '99999999999'")
	must(t, err)
	_, err = h.DB.Owner(t).Exec(ctx, "UPDATE audit_tree SET server = 'another', sealed_below = '99999999999'")
	must(t, err)
	h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSCT)
	h.Again(t, servicetest.Options{}).Notary.Sweep(ctx)
	if n := count(t, h, unsealed); n != 0 {
		t.Errorf("%d rows are not sealed after the move to another server", n)
	}
	audited(t, h)
}

// While a look at master data waits for somebody who holds a table of it, rows are sealed: they need nothing of it.
func TestALookAtMasterDataHoldsNothingUp(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	h.Notary.Sweep(ctx)
	h.Clock.Add(2 * time.Minute) // the next look is due
	holder, looker := h.DB.Connect(t), h.DB.Connect(t)
	held, err := holder.Begin(ctx)
	must(t, err)
	_, err = held.Exec(ctx, "LOCK TABLE user_setup IN ACCESS EXCLUSIVE MODE")
	must(t, err)
	watching, stop := context.WithCancel(ctx)
	over := make(chan struct{})
	go func() { h.Notary.Watch(watching); close(over) }()
	// waits is since when a look waits for the table; each gives up after a while, and the next one begins.
	waits := func() (since string) {
		must(t, looker.QueryRow(ctx, `SELECT coalesce(min(waitstart)::text, '') FROM pg_locks
			WHERE relation = 'user_setup'::regclass AND NOT granted`).Scan(&since))
		return since
	}
	sealed := false
	for tries := 0; tries < 3 && !sealed; tries++ {
		begun := waits()
		for ; begun == ""; begun = waits() {
			time.Sleep(20 * time.Millisecond)
		}
		h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
		for !sealed && waits() == begun {
			sealed = count(t, h, unsealed) == 0
		}
	}
	if !sealed {
		t.Error("no row was sealed while a look at master data waited")
	}
	must(t, held.Rollback(ctx))
	stop()
	<-over
	audited(t, h)
}

// Several gateways seal at once while payments are made: each row once, one tree.
func TestGatewaysThatSealAtOnceMakeOneTree(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	other := h.Again(t, servicetest.Options{})
	maker := h.Person(t, "maker1")
	var sealing, making sync.WaitGroup
	made := make(chan struct{})
	for _, by := range []*integrity.Service{h.Notary, other.Notary} {
		sealing.Go(func() {
			for {
				by.Sweep(ctx)
				select {
				case <-made:
					return
				default:
				}
			}
		})
	}
	for range 4 {
		making.Go(func() {
			for range 10 {
				_, err := h.Submission.Create(ctx, maker, h.Order(rulebook.SchemeSIC))
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	making.Wait()
	close(made)
	sealing.Wait()
	h.Notary.Sweep(ctx)
	if n := count(t, h, unsealed); n != 0 {
		t.Errorf("%d rows are not sealed", n)
	}
	audited(t, h)
}

// Nothing is sealed on top of a tree that somebody else wrote, went back, or whose key is gone; the log says so with an alarm, once.
func TestNothingIsSealedOnATreeThatWasChanged(t *testing.T) {
	t.Parallel()
	const leaves = "audit_leaf WHERE realm = 'demo'"
	for name, change := range map[string]string{
		"edge":       "UPDATE audit_tree SET edge = ARRAY(SELECT sha256('x'::bytea) FROM unnest(edge)) WHERE realm = 'demo'",
		"size":       "UPDATE audit_tree SET size = 0, edge = '{}' WHERE realm = 'demo'",
		"checkpoint": "DELETE FROM audit_checkpoint WHERE realm = 'demo'",
		"signature":  "UPDATE audit_checkpoint SET note = replace(note, 'time 2026', 'time 2025') WHERE realm = 'demo'",
		"gone back": "DELETE FROM audit_leaf WHERE realm = 'demo'; DELETE FROM audit_node WHERE realm = 'demo'; " +
			"DELETE FROM audit_checkpoint WHERE realm = 'demo'; UPDATE audit_tree SET size = 0, edge = '{}' WHERE realm = 'demo'",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := servicetest.New(t)
			log := &testutil.Log{}
			h.Log = log
			h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
			h.Notary.Sweep(ctx)
			before := count(t, h, leaves)
			_, err := h.DB.Owner(t).Exec(ctx, change)
			must(t, err)
			if name == "gone back" {
				before = 0
			}
			h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
			h.Notary.Sweep(ctx)
			h.Notary.Sweep(ctx)
			if after := count(t, h, leaves); after != before {
				t.Errorf("%d leaves, and then %d", before, after)
			}
			if stopped := h.Notary.Standing().Stopped; len(stopped) != 1 || stopped[0] != "demo" {
				t.Errorf("stopped: %v", stopped)
			}
			if alarms := strings.Count(log.String(), "alarm=true"); alarms != 1 {
				t.Errorf("%d alarms, want one:\n%s", alarms, log)
			}
		})
	}
}

// The alarm about master data that somebody changed past the gateway names the rows.
func TestRowsThatSomebodyChangedAreNamedWithinAMinute(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	log := &testutil.Log{}
	h.Log = log
	h.Person(t, "maker1") // reads the master data
	_, err := h.DB.Connect(t).Exec(ctx, `SET session_replication_role = replica; DELETE FROM policy WHERE realm = 'demo' AND approvals_required = 2;
		UPDATE client SET may_decide_own = true WHERE client_id = 'demo-straight'`)
	must(t, err)
	h.Notary.Sweep(ctx)
	if said := log.String(); !strings.Contains(said, `rows="client demo-straight, policy `) || strings.Count(said, "alarm=true") != 1 {
		t.Errorf("the log says\n%s", said)
	}
}

// audited has the auditor look at everything, and find nothing but the rows that are named.
func audited(t *testing.T, h *servicetest.Env, but ...string) {
	t.Helper()
	report, err := integrity.Check(ctx, integrity.Config{
		DatabaseURL: h.DB.OwnerURL, Seal: h.Seal, Tokens: storetest.Keys(t), AuditKeys: storetest.AuditKeys(t), Now: h.Clock.Now(),
		Zone: h.Clock.Now().Location(),
	})
	must(t, err)
	for _, i := range report.Invariants {
		for _, v := range i.Violations {
			if !slices.Contains(but, v.Key) {
				t.Errorf("%s is broken by %s %s: %s", i.ID, v.Table, v.Key, v.What)
			}
		}
	}
	if report.Leaves == 0 || report.Checkpoints == 0 {
		t.Errorf("%d leaves and %d checkpoints were looked at", report.Leaves, report.Checkpoints)
	}
}

func TestTheStandingIsSaidInWords(t *testing.T) {
	t.Parallel()
	for want, standing := range map[string]integrity.SignerStanding{
		"not sealed: give a file of keys with COUNTERSIGN_AUDIT_KEY_FILE":       {},
		"sealed, with 2 rows that do not fit their seal: run countersign check": {On: true, Unverified: 2},
		"sealed":     {On: true, Behind: 9 * time.Second},
		"12s behind": {On: true, Behind: 12400 * time.Millisecond},
		"stopped in bank, demo: the audit tree differs from the signed one, run countersign check": {On: true, Stopped: []string{"bank", "demo"}},
	} {
		if standing.String() != want {
			t.Errorf("%+v is said as %q, want %q", standing, standing.String(), want)
		}
	}
}

// TestTheTreeOfAnIdleRealmMovesOn: within a minute no poll and no check scans transactions again for a realm that wrote nothing.
func TestTheTreeOfAnIdleRealmMovesOn(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	h.Notary.Sweep(ctx)
	h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	h.Notary.Sweep(ctx)
	const behind = "audit_tree t WHERE EXISTS (SELECT FROM audit_event e WHERE e.written_in >= t.sealed_below)"
	if count(t, h, behind) == 0 {
		t.Error("no other realm is idle")
	}
	h.Clock.Add(time.Minute)
	h.Notary.Sweep(ctx)
	if n := count(t, h, behind); n > 0 {
		t.Errorf("%d trees stay behind", n)
	}
	audited(t, h)
}
