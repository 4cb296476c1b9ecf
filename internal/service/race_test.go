package service_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/testutil"
)

// checkers adds people who may decide and returns them.
func checkers(t *testing.T, h *servicetest.Env, n int) []identity.Principal {
	t.Helper()
	conn := h.DB.Connect(t)
	list := make([]identity.Principal, n)
	for i := range list {
		name := fmt.Sprintf("racer%d", i)
		_, err := conn.Exec(ctx, `
			WITH p AS (INSERT INTO person VALUES ('demo', gen_random_uuid(), $1, 'payments', now()) RETURNING person_id),
			     u AS (INSERT INTO user_account (realm, user_id, person_id, duty, name, password_hash, status, created_at)
			     SELECT 'demo', gen_random_uuid(), person_id, 'payments', $1, 'no password', 'active', now() FROM p
			     RETURNING user_id)
			INSERT INTO user_role (realm, user_id, duty, role, granted_at)
			SELECT 'demo', user_id, 'payments', 'checker', '2020-01-01' FROM u`, name)
		if err != nil {
			t.Fatal(err)
		}
	}
	h.DB.SealMasterData(t)
	for i := range list {
		list[i] = h.Person(t, fmt.Sprintf("racer%d", i))
	}
	return list
}

// raced is how many messages the races are about: 48, or as many as make race says.
func raced(t *testing.T) int {
	t.Helper()
	return testutil.Count(t, "COUNTERSIGN_RACED", 48)
}

// lockedReads counts the messages that are read under a lock.
type lockedReads struct{ atomic.Int64 }

// TraceQueryStart counts a statement that locks a message.
func (n *lockedReads) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	if strings.Contains(data.SQL, "name: MessageLock ") {
		n.Add(1)
	}
	return ctx
}

// TraceQueryEnd does nothing.
func (n *lockedReads) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TestWhoComesTooLateWaitsForNobody: how a message was decided is told while another transaction holds it.
func TestWhoComesTooLateWaitsForNobody(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	first, second := h.Person(t, "checker1"), h.Person(t, "checker2")
	m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	_, err := h.Approval.Approve(ctx, first, service.Input{InternalID: m.InternalID})
	if err != nil {
		t.Fatal(err)
	}
	holder, err := h.DB.Connect(t).Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	_, err = holder.Exec(ctx, "SELECT FROM message WHERE message_id = $1 FOR NO KEY UPDATE", m.InternalID)
	if err != nil {
		t.Fatal(err)
	}
	var moved *payment.StateError
	_, err = h.Approval.Approve(ctx, second, service.Input{InternalID: m.InternalID})
	if !errors.As(err, &moved) || moved.Message.State != payment.StateApproved {
		t.Errorf("a second approval: %v", err)
	}
	_, err = h.Approval.Reject(ctx, second, service.Input{InternalID: m.InternalID}, "too late")
	if !errors.As(err, &moved) {
		t.Errorf("a rejection: %v", err)
	} else if d, decided := moved.Message.LastDecision(); !decided || d.PersonID != first.PersonID {
		t.Errorf("who rejects is told %v", err)
	}
	var repeat *payment.RepeatError
	_, err = h.Approval.Approve(ctx, first, service.Input{InternalID: m.InternalID})
	if !errors.As(err, &repeat) {
		t.Errorf("the same approval again: %v", err)
	}
	err = holder.Rollback(ctx)
	if err != nil {
		t.Fatal(err)
	}
}

// TestManyCheckersOneDecision: 64 checkers race over 48 messages (make race: 200), each rejecting every other one. Each message gets
// exactly one decision and at most one release, and every loser learns what the message has become.
func TestManyCheckersOneDecision(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	locks := &lockedReads{}
	h := servicetest.Traced(t, locks, 0)
	defer h.CheckInvariants(t)
	const racers = 64
	messages := raced(t)
	maker := h.Person(t, "maker1")
	people := checkers(t, h, racers)
	ids := make([]uuid.UUID, messages)
	for i := range ids {
		ids[i] = h.Create(t, maker, rulebook.SchemeSIC).InternalID
	}
	var won, lost atomic.Int64
	var group sync.WaitGroup
	for i, who := range people {
		group.Go(func() {
			for j, id := range ids {
				var err error
				if (i+j)%2 == 0 { // who is ahead stays ahead, so everybody does both
					_, err = h.Approval.Approve(ctx, who, service.Input{InternalID: id})
				} else {
					_, err = h.Approval.Reject(ctx, who, service.Input{InternalID: id}, "lost the race?")
				}
				var moved *payment.StateError
				switch {
				case err == nil:
					won.Add(1)
				case errors.As(err, &moved):
					lost.Add(1)
					if d, ok := moved.Message.LastDecision(); !ok || d.PersonID == who.PersonID {
						t.Errorf("the loser is told %v", err)
					}
				default:
					t.Errorf("neither won nor lost: %v", err)
				}
			}
		})
	}
	group.Wait()
	if won.Load() != int64(messages) || lost.Load() != int64(messages)*(racers-1) {
		t.Errorf("%d won and %d lost, want %d and %d", won.Load(), lost.Load(), messages, messages*(racers-1))
	}
	if took := locks.Load(); took > int64(messages) {
		t.Errorf("%d of %d who lost waited for the lock of the message, each for all before it", took, lost.Load())
	}
	var decisions, releases, approved int
	err := h.DB.Owner(t).QueryRow(ctx, `SELECT (SELECT count(*) FROM decision), (SELECT count(*) FROM release),
		(SELECT count(*) FROM message WHERE state = 'Approved')`).Scan(&decisions, &releases, &approved)
	if err != nil {
		t.Fatal(err)
	}
	if decisions != messages || releases != approved || approved == 0 || approved == messages {
		t.Errorf("%d decisions, %d approved, %d releases", decisions, approved, releases)
	}
}

func TestAnAmendmentVoidsApprovalsAndBarsItsEditor(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	conn := h.DB.Connect(t)
	_, err := conn.Exec(ctx, `INSERT INTO policy (realm, policy_id, rank, approvals_required, pending_seconds, created_at)
		VALUES ('demo', gen_random_uuid(), 50, 2, 3600, now())`)
	if err != nil {
		t.Fatal(err)
	}
	h.DB.SealMasterData(t)
	m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	one, err := h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID})
	if err != nil || one.State != payment.StateApprovalPending {
		t.Fatalf("first approval: %s %v", one.State, err)
	}
	editor := h.Person(t, "both1")
	order := h.Order(rulebook.SchemeSIC)
	servicetest.SetAmount(order.Document, "150.00")
	amended, err := h.Submission.Amend(ctx, editor, m.InternalID, order)
	if err != nil || amended.Version != 2 || amended.Approvals() != 0 || len(amended.Makers) != 2 {
		t.Fatalf("amended: version %d, %d approvals, %d makers: %v", amended.Version, amended.Approvals(), len(amended.Makers), err)
	}
	var barred *payment.FourEyesError
	_, err = h.Approval.Approve(ctx, editor, service.Input{InternalID: m.InternalID})
	if !errors.As(err, &barred) {
		t.Errorf("the editor approves: %v", err)
	}
	var changed *payment.ContentError
	_, err = h.Approval.Approve(ctx, h.Person(t, "checker2"), service.Input{InternalID: m.InternalID, ContentHash: &m.ContentHash})
	if !errors.As(err, &changed) {
		t.Errorf("an approval of the old content: %v", err)
	}
	for i, name := range []string{"checker1", "checker2"} {
		m, err = h.Approval.Approve(ctx, h.Person(t, name), service.Input{InternalID: m.InternalID, ContentHash: &amended.ContentHash})
		if err != nil {
			t.Fatal(i, err)
		}
	}
	if m.State != payment.StateApproved {
		t.Errorf("after two approvals of the new version it is %s", m.State)
	}
}

func TestWhatIsNotOnesOwnRealmDoesNotExist(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	stranger := h.Principal(t, servicetest.Door{Realm: "demo2", Name: "checker1", Client: "portal", Channel: identity.ChannelPortal})
	_, err := h.Approval.Approve(ctx, stranger, service.Input{InternalID: m.InternalID})
	if !errors.Is(err, payment.ErrNotFound) {
		t.Errorf("another realm's checker: %v", err)
	}
	_, err = h.Approval.Approve(ctx, stranger, service.Input{InternalID: uuid.New()})
	if !errors.Is(err, payment.ErrNotFound) {
		t.Errorf("a made-up id: %v", err)
	}
}
