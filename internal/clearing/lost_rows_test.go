package clearing_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/administration"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/internal/testutil"
)

// marking opens databases for a gateway that keeps its marks in a file.
func marking(t *testing.T, file string) func(*storetest.DB) *store.Database {
	t.Helper()
	return func(db *storetest.DB) *store.Database {
		marks, err := store.OpenMarks(file)
		must(t, err)
		opened, err := store.Open(ctx, store.Config{
			URL: db.URL, Seal: db.Seal, TokenKeys: storetest.Keys(t), Marks: marks,
		})
		must(t, err)
		t.Cleanup(opened.Close)
		return opened
	}
}

// TestAGatewayStartsWhileAnotherOneSeals: another gateway holds the tree as this one starts. Its payments go on all the same.
func TestAGatewayStartsWhileAnotherOneSeals(t *testing.T) {
	t.Parallel()
	options := servicetest.Options{Database: marking(t, filepath.Join(t.TempDir(), "marks.json"))}
	h := servicetest.On(t, servicetest.New(t).DB, options)
	h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	h.Notary.Sweep(ctx)
	again := servicetest.On(t, h.DB, options)
	other, err := h.DB.Owner(t).Begin(ctx)
	must(t, err)
	_, err = other.Exec(ctx, "SELECT FROM audit_tree FOR UPDATE")
	must(t, err)
	ended := make(chan error)
	go func() {
		_, err := other.Exec(ctx, "SELECT pg_sleep(1)")
		ended <- errors.Join(err, other.Commit(ctx))
	}()
	again.Notary.Compare(ctx)
	if stopped := again.Database.Marks().Stopped(); len(stopped) > 0 {
		t.Errorf("payments are stopped: %v", stopped)
	}
	must(t, <-ended)
}

// TestPaymentsStopOnADatabaseThatLostRows: a failover loses payments that were acknowledged, approved and settled. A gateway that starts
// after it enters and releases nothing until two administrators have compared the payments with clearing, also when the trail has grown
// beyond its old size meanwhile. Then each payment comes to its state at clearing.
func TestPaymentsStopOnADatabaseThatLostRows(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	needsPrograms(t)
	const lost = 30
	marks := filepath.Join(t.TempDir(), "marks.json")
	h := servicetest.On(t, servicetest.New(t).DB, servicetest.Options{Database: marking(t, marks)})
	maker, checker := h.Person(t, "maker1"), h.Person(t, "checker1")
	var known []payment.Message
	for range lost {
		known = append(known, h.Create(t, maker, rulebook.SchemeSIC))
	}
	h.Notary.Sweep(ctx)
	backup := dump(t, h)
	there := &memory{has: map[string]string{}}
	h.Network.Refuse = there.refuse
	for i, one := range known {
		_, err := h.Approval.Approve(ctx, checker, service.Input{InternalID: one.InternalID})
		must(t, err)
		send(t, h, one)
		receive(t, h, answer(t, one, "A"+string(rune('a'+i)), "ACSC", ""))
	}
	gone := h.Create(t, maker, rulebook.SchemeSCT)
	h.Notary.Sweep(ctx)

	db := restored(t, backup)
	at := h.Clock.Now().Add(time.Minute)
	first := started(t, db, servicetest.Options{At: at}, 100)
	for range 4 * lost { // by a gateway without a file, so that the trail is longer than the lost one
		first.Create(t, first.Person(t, "maker1"), rulebook.SchemeSCT)
	}
	first.Notary.Sweep(ctx)
	if before := h.Notary.Standing().Rows; first.Notary.Standing().Rows <= before {
		t.Fatalf("the trails have %d rows, and had %d", first.Notary.Standing().Rows, before)
	}
	again := started(t, db, servicetest.Options{At: at, Database: marking(t, marks)}, 300)
	again.Network.Refuse = there.refuse
	log := listen(again)
	refusing(t, again, known[0])
	again.Notary.Compare(ctx)
	again.Notary.Sweep(ctx)
	refusing(t, again, known[0])
	if alarms(log) != 1 || !strings.Contains(log.String(), "are stopped until two administrators") {
		t.Errorf("the log:\n%s", log)
	}
	if said := again.Notary.Standing().String(); !strings.Contains(said, "payments stopped in demo") ||
		!strings.Contains(said, "of 31 payments known to this gateway") {
		t.Errorf("the state is %q", said)
	}
	missing := again.Notary.Standing().Missing["demo"]
	for _, one := range append(known, gone) {
		if !slices.Contains(missing, string(one.GlobalID)) || !strings.Contains(log.String(), string(one.GlobalID)) {
			t.Errorf("payment %s is not named: %v, and the log:\n%s", one.GlobalID, missing, log)
		}
	}
	reconcile(t, again, known[0])
	again.Notary.Sweep(ctx)
	if missing := again.Notary.Standing().Missing; len(missing) > 0 {
		t.Errorf("after the comparison payments are missing: %v", missing)
	}
	if _, err := again.Messages.Message(ctx, "demo", gone.InternalID); !errors.Is(err, payment.ErrNotFound) {
		t.Fatalf("nothing was lost: %v", err)
	}
	again.Create(t, again.Person(t, "maker1"), rulebook.SchemeSCT)
	for _, one := range known {
		_, err := again.Approval.Approve(ctx, again.Person(t, "checker1"), service.Input{InternalID: one.InternalID})
		must(t, err)
	}
	again.Clock.Add(11 * time.Second)
	again.Clearing.RunOnce(ctx)
	for _, one := range known {
		sayTakenOf(t, again, one)
	}
	for range 6 {
		again.Clock.Add(time.Minute)
		again.Clearing.RunOnce(ctx)
	}
	for i, one := range known {
		receive(t, again, answer(t, one, "B"+string(rune('a'+i)), "ACSC", ""))
		want{state: payment.StateSettled}.check(t, again, one)
	}
	again.Notary.Sweep(ctx)
	last := started(t, db, servicetest.Options{At: again.Clock.Now(), Database: marking(t, marks)}, 400)
	last.Notary.Compare(ctx)
	last.Create(t, last.Person(t, "maker1"), rulebook.SchemeSIC)
}

// started is a gateway whose orders have numbers of their own.
func started(t *testing.T, db *storetest.DB, options servicetest.Options, orders int) *servicetest.Env {
	t.Helper()
	h := servicetest.On(t, db, options)
	for range orders {
		h.Order(rulebook.SchemeSIC)
	}
	return h
}

// refusing: nothing is entered and nothing released; a rejection is taken.
func refusing(t *testing.T, h *servicetest.Env, m payment.Message) {
	t.Helper()
	_, err := h.Submission.Create(ctx, h.Person(t, "maker1"), h.Order(rulebook.SchemeSIC))
	if !errors.Is(err, store.ErrStopped) {
		t.Errorf("a payment is entered: %v", err)
	}
	_, err = h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID})
	if !errors.Is(err, store.ErrStopped) {
		t.Errorf("a payment is released: %v", err)
	}
}

// reconcile has two administrators say that the payments agree with clearing; one alone changes nothing.
func reconcile(t *testing.T, h *servicetest.Env, m payment.Message) {
	t.Helper()
	in := service.RequestInput{Kind: administration.KindRealmReconciled}
	_, err := h.Admin.Request(ctx, h.Person(t, "admin1"), in)
	var malformed *payment.FieldError
	if !errors.As(err, &malformed) || malformed.Findings[0].Pointer != "/note" {
		t.Errorf("without a word what was compared: %v", err)
	}
	in.Note = "the statements of clearing up to today"
	made, err := h.Admin.Request(ctx, h.Person(t, "admin1"), in)
	must(t, err)
	_, err = h.Admin.Decide(ctx, h.Person(t, "admin1"), service.DecideInput{ChangeID: made.Change.ID, Approve: true})
	var alone *payment.FourEyesError
	if !errors.As(err, &alone) {
		t.Errorf("one administrator alone: %v", err)
	}
	h.Notary.Sweep(ctx)
	refusing(t, h, m)
	_, err = h.Admin.Decide(ctx, h.Person(t, "admin2"), service.DecideInput{ChangeID: made.Change.ID, Approve: true})
	must(t, err)
}

// sayTakenOf has two administrators say that clearing has a message as another document.
func sayTakenOf(t *testing.T, h *servicetest.Env, m payment.Message) {
	t.Helper()
	made, err := h.Admin.Request(ctx, h.Person(t, "admin1"), service.RequestInput{
		Kind: administration.KindMessageTaken, Subject: string(m.GlobalID), Note: "clearing's statement",
	})
	must(t, err)
	_, err = h.Admin.Decide(ctx, h.Person(t, "admin2"), service.DecideInput{ChangeID: made.Change.ID, Approve: true})
	must(t, err)
}
