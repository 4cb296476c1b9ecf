package service_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
)

// trail reads the steps of a message in history and audit, which must agree.
func trail(t *testing.T, h *servicetest.Env, id uuid.UUID) (steps string) {
	t.Helper()
	err := h.DB.Owner(t).QueryRow(ctx, `
		SELECT string_agg(h.action || ':' || coalesce(h.reason, ''), ' ' ORDER BY h.sequence) FROM message_history h
		JOIN audit_event a USING (realm, message_id, sequence)
		WHERE h.message_id = $1 AND a.event = 'instruction.' || h.action AND a.actor_person IS NOT DISTINCT FROM h.actor_person
		  AND (h.reason IS NULL OR a.detail::jsonb ->> 'reason' = h.reason)`, id).Scan(&steps)
	if err != nil {
		t.Fatal(err)
	}
	return steps
}

// TestAQuestionIsAnsweredBeforeAnApproval: nobody approves a message that waits for an answer, not even its asker; afterwards the asker
// may, on the same content.
func TestAQuestionIsAnsweredBeforeAnApproval(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	maker, other, asker := h.Person(t, "maker1"), h.Person(t, "maker2"), h.Person(t, "checker1")
	m := h.Create(t, maker, rulebook.SchemeSIC)
	in := service.Input{InternalID: m.InternalID, ContentHash: &m.ContentHash}
	asked, err := h.Approval.Ask(ctx, asker, in, "Why twice?")
	if err != nil || asked.State != payment.StateQuestion || asked.ContentHash != m.ContentHash || asked.Version != 1 {
		t.Fatalf("asked: %s version %d: %v", asked.State, asked.Version, err)
	}
	var repeat *payment.RepeatError
	_, err = h.Approval.Ask(ctx, asker, in, "Why twice?")
	if !errors.As(err, &repeat) {
		t.Errorf("the same question again: %v", err)
	}
	var state *payment.StateError
	for _, name := range []string{"checker1", "checker2"} {
		_, err = h.Approval.Approve(ctx, h.Person(t, name), in)
		if !errors.As(err, &state) {
			t.Errorf("%s approves an open question: %v", name, err)
		}
	}
	_, err = h.Approval.Ask(ctx, h.Person(t, "checker2"), in, "And I?")
	if !errors.As(err, &state) {
		t.Errorf("a second question: %v", err)
	}
	var forbidden *payment.ForbiddenError
	_, err = h.Submission.Answer(ctx, other, m.InternalID, "I know.")
	if !errors.As(err, &forbidden) {
		t.Errorf("another maker answers: %v", err)
	}
	_, err = h.Submission.Answer(ctx, asker, m.InternalID, "I know.")
	if !errors.As(err, &forbidden) {
		t.Errorf("the checker answers: %v", err)
	}
	var malformed *payment.FieldError
	_, err = h.Submission.Answer(ctx, maker, m.InternalID, " \t ")
	if !errors.As(err, &malformed) || malformed.Findings[0].Pointer != "/answer" {
		t.Errorf("a blank answer: %v", err)
	}
	answered, err := h.Submission.Answer(ctx, maker, m.InternalID, "Two instalments.")
	if err != nil || answered.State != payment.StateApprovalPending || answered.ContentHash != m.ContentHash || len(answered.Makers) != 1 {
		t.Fatalf("answered: %s: %v", answered.State, err)
	}
	_, err = h.Submission.Answer(ctx, maker, m.InternalID, "Two instalments.")
	if !errors.As(err, &repeat) {
		t.Errorf("the same answer again: %v", err)
	}
	approved, err := h.Approval.Approve(ctx, asker, in)
	if err != nil || approved.State != payment.StateApproved {
		t.Fatalf("the asker approves: %s: %v", approved.State, err)
	}
	if got := trail(t, h, m.InternalID); got != "submit: ask:Why twice? answer:Two instalments. approve:" {
		t.Errorf("the trail is %q", got)
	}
}

func TestWhoMayAsk(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	both := h.Person(t, "both1")
	m := h.Create(t, both, rulebook.SchemeSIC)
	in := service.Input{InternalID: m.InternalID}
	var fourEyes *payment.FourEyesError
	_, err := h.Approval.Ask(ctx, both, in, "Me?")
	if !errors.As(err, &fourEyes) {
		t.Errorf("the maker asks: %v", err)
	}
	var forbidden *payment.ForbiddenError
	_, err = h.Approval.Ask(ctx, h.Person(t, "maker1"), in, "Me?")
	if !errors.As(err, &forbidden) {
		t.Errorf("a maker asks: %v", err)
	}
	var malformed *payment.FieldError
	_, err = h.Approval.Ask(ctx, h.Person(t, "checker1"), in, "\n")
	if !errors.As(err, &malformed) || malformed.Findings[0].Pointer != "/ApprovalDetails/question" {
		t.Errorf("a blank question: %v", err)
	}
	var content *payment.ContentError
	in.ContentHash = &payment.Digest{1}
	_, err = h.Approval.Ask(ctx, h.Person(t, "checker1"), in, "Which?")
	if !errors.As(err, &content) {
		t.Errorf("a question about other content: %v", err)
	}
}

// TestAnAmendmentAnswersAQuestion: its editor is a maker from then on, the first of two approvals lapses, and the asker may approve the new
// content.
func TestAnAmendmentAnswersAQuestion(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	_, err := h.DB.Connect(t).Exec(ctx, `INSERT INTO policy (realm, policy_id, rank, approvals_required, pending_seconds, created_at)
		VALUES ('demo', gen_random_uuid(), 50, 2, 3600, now())`)
	if err != nil {
		t.Fatal(err)
	}
	h.DB.SealMasterData(t)
	first, asker, editor := h.Person(t, "checker1"), h.Person(t, "checker2"), h.Person(t, "both1")
	m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	in := service.Input{InternalID: m.InternalID}
	_, err = h.Approval.Approve(ctx, first, in)
	if err != nil {
		t.Fatal(err)
	}
	asked, err := h.Approval.Ask(ctx, asker, in, "How much?")
	if err != nil || asked.Approvals() != 1 {
		t.Fatalf("asked with %d approvals: %v", asked.Approvals(), err)
	}
	answered, err := h.Submission.Answer(ctx, h.Person(t, "maker1"), m.InternalID, "As it says.")
	if err != nil || answered.Approvals() != 1 || answered.Withheld != "" {
		t.Fatalf("answered with %d approvals, %q: %v", answered.Approvals(), answered.Withheld, err)
	}
	_, err = h.Approval.Ask(ctx, asker, in, "Still?")
	if err != nil {
		t.Fatal(err)
	}
	order := h.Order(rulebook.SchemeSIC)
	servicetest.SetAmount(order.Document, "150.00")
	amended, err := h.Submission.Amend(ctx, editor, m.InternalID, order)
	if err != nil || amended.State != payment.StateApprovalPending || amended.Version != 2 || amended.Approvals() != 0 {
		t.Fatalf("amended: %s, version %d, %d approvals: %v", amended.State, amended.Version, amended.Approvals(), err)
	}
	in.ContentHash = &amended.ContentHash
	var barred *payment.FourEyesError
	for name, err := range map[string]error{
		"approves": refusalOf(h.Approval.Approve(ctx, editor, in)), "asks": refusalOf(h.Approval.Ask(ctx, editor, in, "Me?")),
	} {
		if !errors.As(err, &barred) {
			t.Errorf("the editor %s: %v", name, err)
		}
	}
	_, err = h.Approval.Approve(ctx, asker, in)
	if err == nil {
		_, err = h.Approval.Approve(ctx, first, in)
	}
	if err != nil {
		t.Error(err)
	}
}

func refusalOf[T any](_ T, err error) error { return err }

// TestAQuestionEndsLikeWhatWaits: it is rejected, withdrawn and expires.
func TestAQuestionEndsLikeWhatWaits(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	maker, checker := h.Person(t, "maker1"), h.Person(t, "checker1")
	asked := func() payment.Message {
		m := h.Create(t, maker, rulebook.SchemeSCT)
		_, err := h.Approval.Ask(ctx, checker, service.Input{InternalID: m.InternalID}, "Really?")
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	m, err := h.Approval.Reject(ctx, h.Person(t, "checker2"), service.Input{InternalID: asked().InternalID}, "No answer.")
	if err != nil || m.State != payment.StateRejected {
		t.Errorf("rejected: %s %v", m.State, err)
	}
	m, err = h.Submission.Withdraw(ctx, maker, asked().InternalID, "")
	if err != nil || m.State != payment.StateWithdrawn {
		t.Errorf("withdrawn: %s %v", m.State, err)
	}
	m = asked()
	h.Clock.Add(m.ExpiresAt.Sub(h.Clock.Now()) - time.Microsecond)
	h.Clearing.RunOnce(ctx)
	h.Clock.Add(time.Microsecond)
	var late *payment.StateError
	_, err = h.Submission.Answer(ctx, maker, m.InternalID, "Yes.")
	if !errors.As(err, &late) || late.Message.State != payment.StateQuestion {
		t.Errorf("an answer when the time is up: %v", err)
	}
	_, err = h.Approval.Reject(ctx, checker, service.Input{InternalID: m.InternalID}, "Late.")
	if !errors.As(err, &late) {
		t.Errorf("a rejection when the time is up: %v", err)
	}
	h.Clearing.RunOnce(ctx)
	m, err = h.Reader.Message(ctx, "demo", m.InternalID)
	if err != nil || m.State != payment.StateExpired {
		t.Errorf("expired: %s %v", m.State, err)
	}
}

// TestAQuestionAndAnApprovalRace: of both exactly one is stored, and nothing is released that waits for an answer.
func TestAQuestionAndAnApprovalRace(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	maker, one, two := h.Person(t, "maker1"), h.Person(t, "checker1"), h.Person(t, "checker2")
	var asked, approved atomic.Int64
	for i := range raced(t) {
		m := h.Create(t, maker, rulebook.SchemeSIC)
		in := service.Input{InternalID: m.InternalID}
		var group sync.WaitGroup
		start := make(chan struct{})
		results := make([]error, 2)
		group.Go(func() { <-start; results[0] = refusalOf(h.Approval.Ask(ctx, one, in, "Why?")) })
		group.Go(func() { <-start; results[1] = refusalOf(h.Approval.Approve(ctx, two, in)) })
		close(start)
		group.Wait()
		if (results[0] == nil) == (results[1] == nil) {
			t.Fatalf("message %d: asked %v, approved %v", i, results[0], results[1])
		}
		var lost *payment.StateError
		if !errors.As(errors.Join(results...), &lost) {
			t.Errorf("the loser is told %v", errors.Join(results...))
		}
		if results[0] == nil {
			asked.Add(1)
		} else {
			approved.Add(1)
		}
	}
	var questions, releases int64
	err := h.DB.Owner(t).QueryRow(ctx, `SELECT (SELECT count(*) FROM message WHERE state = 'Question'), (SELECT count(*) FROM release)`).
		Scan(&questions, &releases)
	if err != nil || questions != asked.Load() || releases != approved.Load() {
		t.Errorf("%d questions of %d, %d releases of %d: %v", questions, asked.Load(), releases, approved.Load(), err)
	}
}

// TestTheDatabaseReleasesNoQuestion: raw SQL as the application's role cannot approve a message that waits for an answer.
func TestTheDatabaseReleasesNoQuestion(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	checker := h.Person(t, "checker1")
	_, err := h.Approval.Ask(ctx, checker, service.Input{InternalID: m.InternalID}, "Why?")
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.DB.Owner(t).Exec(ctx, `INSERT INTO message_history (realm, message_id, sequence, kind, from_state, action, to_state,
		previous_sequence, version, actor_user, actor_person, actor_name, client_id, channel, at)
		VALUES ('demo', $1, 3, 'instruction', 'Question', 'approve', 'Approved', 2, 1, $2, $3, 'x', 'demo-backoffice', 'api', now())`,
		m.InternalID, checker.UserID, checker.PersonID)
	if err == nil {
		t.Error("an open question was approved")
	}
}
