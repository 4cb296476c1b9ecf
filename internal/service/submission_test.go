package service_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
)

var ctx = context.Background()

func TestAKeyNeverExpires(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	maker := h.Person(t, "maker1")
	order := h.Order(rulebook.SchemeSIC)
	first, err := h.Submission.Create(ctx, maker, order)
	if err != nil || first.Replayed {
		t.Fatal(first.Replayed, err)
	}
	h.Clock.Add(48 * time.Hour) // the execution date is over: a rule would refuse the order today
	again, err := h.Submission.Create(ctx, maker, order)
	if err != nil || !again.Replayed || again.Message.InternalID != first.Message.InternalID {
		t.Errorf("the same order two days later: %v %v", again.Replayed, err)
	}
	other := h.Order(rulebook.SchemeSIC)
	other.ExternalID = order.ExternalID
	wantRefusal(t, other, h, "DU01", "/identifiers/externalId")
	other = h.Order(rulebook.SchemeSIC)
	other.Document.GroupHeader.MessageID = order.Document.GroupHeader.MessageID
	wantRefusal(t, other, h, "DU01", "/Document/CstmrCdtTrfInitn/GrpHdr/MsgId")
}

// TestARepeatIsRefusedForGoodOnlyWhenItIsNone: whose order a rule refuses today hears of that when nothing was taken under its key. While
// that cannot be found out, a client that gave up would pay twice under the next key.
func TestARepeatIsRefusedForGoodOnlyWhenItIsNone(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	maker := h.Person(t, "maker1")
	order := h.Order(rulebook.SchemeSIC)
	_, err := h.Submission.Create(ctx, maker, order)
	if err != nil {
		t.Fatal(err)
	}
	h.Clock.Add(48 * time.Hour)
	holder := h.DB.Connect(t)
	_, err = holder.Exec(ctx, "BEGIN; LOCK TABLE creation_key IN ACCESS EXCLUSIVE MODE")
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Submission.Create(ctx, maker, order)
	if !errors.Is(err, store.ErrBusy) {
		t.Errorf("while nobody can tell: %v", err)
	}
	_, err = holder.Exec(ctx, "ROLLBACK; UPDATE creation_key SET fingerprint = sha256('x')")
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Submission.Create(ctx, maker, order)
	var withheld *payment.WithheldError
	if !errors.As(err, &withheld) {
		t.Errorf("under a key that was changed: %v", err)
	}
	var stored int
	err = holder.QueryRow(ctx, "SELECT count(*) FROM message").Scan(&stored)
	if err != nil || stored != 1 {
		t.Errorf("%d messages stored: %v", stored, err)
	}
}

func wantRefusal(t *testing.T, order payment.Order, h *servicetest.Env, code, pointer string) {
	t.Helper()
	_, err := h.Submission.Create(ctx, h.Person(t, "maker1"), order)
	var refused *payment.RefusalError
	if !errors.As(err, &refused) || len(refused.Findings) != 1 || refused.Findings[0].Code != code || refused.Findings[0].Pointer != pointer {
		t.Errorf("got %v, want %s at %s", err, code, pointer)
	}
}

func TestAnAmendmentOfAnOlderVersionIsRefused(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	maker := h.Person(t, "maker1")
	m := h.Create(t, maker, rulebook.SchemeSCT)
	change := h.Order(rulebook.SchemeSCT)
	change.Replaces, change.Note = 1, "wrong amount"
	amended, err := h.Submission.Amend(ctx, maker, m.InternalID, change)
	if err != nil || amended.Version != 2 {
		t.Fatalf("version %d: %v", amended.Version, err)
	}
	late := h.Order(rulebook.SchemeSCT)
	late.Replaces = 1
	var changed *payment.ContentError
	_, err = h.Submission.Amend(ctx, h.Person(t, "maker2"), m.InternalID, late)
	if !errors.As(err, &changed) {
		t.Errorf("an amendment of version 1: %v", err)
	}
	steps, err := h.Reader.History(ctx, m.Realm, m.InternalID)
	if err != nil || steps[len(steps)-1].Reason.String() != "wrong amount" {
		t.Errorf("history ends with %+v: %v", steps[len(steps)-1], err)
	}
}

func TestADryRunStoresNothingAndTakesManyPayments(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	maker := h.Person(t, "maker1")
	order := h.Order(rulebook.SchemeSIC)
	findings, err := h.Submission.Validate(ctx, maker, order)
	if err != nil || len(findings) != 0 {
		t.Errorf("a good order: %v %v", findings, err)
	}
	servicetest.SetAmount(order.Document, "20000.01")
	findings, err = h.Submission.Validate(ctx, maker, order)
	if err != nil || len(findings) != 1 || findings[0].Code != "AM14" && findings[0].Code != "AM02" {
		t.Errorf("an order above the limit: %v %v", findings, err)
	}
	var stored int
	err = h.DB.Owner(t).QueryRow(ctx, "SELECT count(*) FROM message").Scan(&stored)
	if err != nil || stored != 0 {
		t.Errorf("%d messages stored: %v", stored, err)
	}
	var forbidden *payment.ForbiddenError
	_, err = h.Submission.Create(ctx, h.Person(t, "checker1"), order)
	if !errors.As(err, &forbidden) {
		t.Errorf("a checker creates: %v", err)
	}
}
