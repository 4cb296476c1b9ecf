package service_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/testutil"
)

// TestApprovalsAgainstAmendments: 48 messages (make race: 200), eight amendments each, against checkers who approve what they last read.
// Every message ends approved in a version its approver named, and nobody is told that a message does not exist.
func TestApprovalsAgainstAmendments(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	const amendments, checking = 8, 4
	messages := raced(t)
	maker, editor := h.Person(t, "maker1"), h.Person(t, "maker2")
	people := checkers(t, h, checking)
	ids := make([]uuid.UUID, messages)
	for i := range ids {
		ids[i] = h.Create(t, maker, rulebook.SchemeSIC).InternalID
	}
	r := amendmentRace{t: t, h: h, named: make(map[uuid.UUID]payment.Digest)}
	var group sync.WaitGroup
	for part := range checking {
		group.Go(func() {
			for _, id := range ids[part*messages/checking : (part+1)*messages/checking] {
				var pair sync.WaitGroup
				pair.Go(func() { r.amend(editor, id, amendments) })
				r.approve(people[part], id)
				pair.Wait()
			}
		})
	}
	group.Wait()
	if r.lost.Load() > 0 {
		t.Errorf("%d times a message that exists was not found", r.lost.Load())
	}
	r.checkReleases(ids)
}

// amendmentRace notes what its racers meet.
type amendmentRace struct {
	t     *testing.T
	h     *servicetest.Env
	lost  atomic.Int64
	mu    sync.Mutex
	named map[uuid.UUID]payment.Digest // the content the winning approval named
}

func (r *amendmentRace) amend(editor identity.Principal, id uuid.UUID, times int) {
	for i := range times {
		order := r.h.Order(rulebook.SchemeSIC)
		servicetest.SetAmount(order.Document, fmt.Sprintf("%d.00", 200+i))
		_, err := r.h.Submission.Amend(ctx, editor, id, order)
		var moved *payment.StateError
		switch {
		case errors.Is(err, payment.ErrNotFound):
			r.lost.Add(1)
		case err != nil && !errors.As(err, &moved):
			r.t.Errorf("amend: %v", err)
		}
	}
}

// approve tries until it gets through: without naming the content, which may pass for the first version only, then naming what it read.
func (r *amendmentRace) approve(checker identity.Principal, id uuid.UUID) {
	for {
		seen, err := r.h.Reader.Message(ctx, "demo", id)
		if err != nil {
			r.t.Errorf("read: %v", err)
			return
		}
		unnamed := service.Input{InternalID: id}
		m, err := r.h.Approval.Approve(ctx, checker, unnamed)
		if err == nil {
			if m.Version != 1 {
				r.t.Errorf("version %d was approved by somebody who named no content", m.Version)
			}
			r.note(id, m.ContentHash)
			return
		}
		if !r.expected(err) {
			return
		}
		_, err = r.h.Approval.Approve(ctx, checker, service.Input{InternalID: id, ContentHash: &seen.ContentHash, Version: seen.Version})
		if err == nil {
			r.note(id, seen.ContentHash)
			return
		}
		if !r.expected(err) {
			return
		}
	}
}

// expected reports whether another try makes sense.
func (r *amendmentRace) expected(err error) bool {
	var changed *payment.ContentError
	switch {
	case errors.Is(err, payment.ErrNotFound):
		r.lost.Add(1)
		return true
	case errors.As(err, &changed):
		return true
	}
	r.t.Errorf("approve: %v", err)
	return false
}

func (r *amendmentRace) note(id uuid.UUID, content payment.Digest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.named[id] = content
}

// checkReleases holds each release against what its approver named.
func (r *amendmentRace) checkReleases(ids []uuid.UUID) {
	r.t.Helper()
	conn := r.h.DB.Connect(r.t)
	for _, id := range ids {
		var released []byte
		var endings int
		err := conn.QueryRow(
			ctx,
			`SELECT r.content_hash, (SELECT count(*) FROM decision d WHERE d.message_id = r.message_id AND d.action = 'approve')
			FROM release r WHERE r.message_id = $1`,
			id,
		).Scan(&released, &endings)
		if err != nil {
			r.t.Fatalf("release of %s: %v", id, err)
		}
		if payment.Digest(released) != r.named[id] || endings != 1 {
			r.t.Errorf("%s was released in a version its approver had not named, or with %d approvals", id, endings)
		}
	}
}

// TestAnAmendedMessageIsApprovedByItsContentOnly: who approves an amended message must say what they read.
func TestAnAmendedMessageIsApprovedByItsContentOnly(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	checker := h.Person(t, "checker1")
	m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	order := h.Order(rulebook.SchemeSIC)
	servicetest.SetAmount(order.Document, "9999.00")
	amended, err := h.Submission.Amend(ctx, h.Person(t, "maker2"), m.InternalID, order)
	if err != nil {
		t.Fatal(err)
	}
	for name, in := range map[string]service.Input{
		"nothing named":         {InternalID: m.InternalID},
		"only a version named":  {InternalID: m.InternalID, Version: amended.Version},
		"the content of before": {InternalID: m.InternalID, ContentHash: &m.ContentHash},
		"a digest of zeros":     {InternalID: m.InternalID, ContentHash: new(payment.Digest), Version: amended.Version},
	} {
		var changed *payment.ContentError
		_, err = h.Approval.Approve(ctx, checker, in)
		if !errors.As(err, &changed) || changed.Unnamed != (in.ContentHash == nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
	approved, err := h.Approval.Approve(ctx, checker, service.Input{InternalID: m.InternalID, ContentHash: &amended.ContentHash})
	if err != nil || approved.State != payment.StateApproved {
		t.Errorf("with the content named: %s %v", approved.State, err)
	}
}
