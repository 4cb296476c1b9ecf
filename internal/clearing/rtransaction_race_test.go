package clearing_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
)

func TestAPaymentThatWasRefusedIsNotRecalled(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	_, err := h.DB.Owner(t).Exec(ctx, "UPDATE debtor_account SET open = false WHERE iban LIKE '%532013000'")
	must(t, err)
	h.DB.SealMasterData(t)
	document := transfer(t, h, rulebook.SchemeSCT, "TX7", "DE89370400440532013000")
	receive(t, h, inbound(t, rulebook.SchemeSCT, "IN-TX7", document, nil))
	refused := incoming(t, h, rulebook.SchemeSCT, "TX7")
	recall, err := interbank.CancellationRequest(interbank.RTransactionInput{
		Request: rulebook.Request{Reason: "DUPL"}, Scheme: rulebook.SchemeSCT, Original: document, MessageID: "RE7", ID: "RE7",
		At: h.Clock.Now(),
	})
	receive(t, h, inbound(t, rulebook.SchemeSCT, "RE7", recall, err))
	h.Clock.Add(3 * time.Second)
	h.Clearing.RunOnce(ctx)
	no := lastSent(t, h, "camt.029").(*iso20022.ResolutionOfInvestigation)
	said := no.CancellationDetails[0].TransactionInformationAndStatus[0].CancellationStatusReasonInformation[0].Reason.Code
	if outcome, reason := inboxOf(t, h, "RE7"); outcome != "matched" || said != "NOOR" {
		t.Errorf("the recall of a payment that is %s is %s: %s, answered with %s", refused.State, outcome, reason, said)
	}
	_, err = h.Messages.ReceivedRecallOf(ctx, refused.Realm, refused.InternalID)
	if !errors.Is(err, payment.ErrNotFound) {
		t.Errorf("a payment that was refused has a recall: %v", err)
	}
}

func TestARecallThatOvertakesItsPaymentWaits(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	early := transfer(t, h, rulebook.SchemeSCT, "TX5", receiving[rulebook.SchemeSCT])
	doubled := func(id string) interbank.RTransactionInput {
		return interbank.RTransactionInput{Request: rulebook.Request{Reason: "DUPL"}, Scheme: rulebook.SchemeSCT, ID: id}
	}
	receive(t, h, inbound(t, rulebook.SchemeSCT, "RE5", recalling(t, h, early, doubled("RE5")), nil))
	receive(t, h, inbound(t, rulebook.SchemeSCT, "IN-TX5", early, nil))
	original := incoming(t, h, rulebook.SchemeSCT, "TX5")
	if _, err := h.Messages.ReceivedRecallOf(ctx, original.Realm, original.InternalID); err != nil {
		t.Errorf("the recall did not find its payment: %v", err)
	}
	stranger := transfer(t, h, rulebook.SchemeSCT, "TX6", receiving[rulebook.SchemeSCT])
	receive(t, h, inbound(t, rulebook.SchemeSCT, "RE6", recalling(t, h, stranger, doubled("RE6")), nil))
	h.Clock.Add(2 * time.Minute)
	h.Clearing.RunOnce(ctx)
	var outcome string
	err := h.DB.Owner(t).QueryRow(ctx, "SELECT outcome FROM inbox WHERE reference = 'RE6'").Scan(&outcome)
	if err != nil || outcome != "answered" {
		t.Errorf("a recall of nothing is %s: %v", outcome, err)
	}
}

func TestTwoMakersOneRecall(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	original := settled(t, h, rulebook.SchemeSCT)
	in := payment.RTransaction{
		Request: rulebook.Request{Reason: "CUST"}, Kind: payment.KindRecall, Scheme: rulebook.SchemeSCT, OriginalID: original.InternalID,
	}
	makers := []string{"maker1", "maker2", "both1"}
	errs := make([]error, len(makers))
	var group sync.WaitGroup
	for i, name := range makers {
		who := h.Person(t, name)
		group.Go(func() { _, errs[i] = h.Submission.CreateRTransaction(ctx, who, in) })
	}
	group.Wait()
	won := 0
	for _, err := range errs {
		var refused *payment.RefusalError
		if err == nil {
			won++
		} else if !errors.As(err, &refused) || refused.Findings[0].Code != "AM05" {
			t.Errorf("the loser got %v", err)
		}
	}
	if won != 1 {
		t.Errorf("%d recalls of one payment", won)
	}
}

func TestARejectedRecallFreesItsPaymentAndADeadlineEndsInTheQueue(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	original := settled(t, h, rulebook.SchemeSCT)
	in := payment.RTransaction{
		Request: rulebook.Request{Reason: "DUPL"}, Kind: payment.KindRecall, Scheme: rulebook.SchemeSCT, OriginalID: original.InternalID,
	}
	first, err := h.Submission.CreateRTransaction(ctx, h.Person(t, "maker1"), in)
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Approval.Reject(ctx, h.Person(t, "checker1"), service.Input{InternalID: first.Message.InternalID}, "not a duplicate")
	if err != nil {
		t.Fatal(err)
	}
	if got := payment.RecallStatusOf(current(t, h, original).RecallState); got != "" {
		t.Errorf("after the rejection the original shows %q", got)
	}
	h.Clock.Add(13 * 24 * time.Hour)
	second, err := h.Submission.CreateRTransaction(ctx, h.Person(t, "maker1"), in)
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.DB.Owner(t).Exec(ctx, "UPDATE message SET expires_at = expires_at + interval '10 days'")
	if err != nil {
		t.Fatal(err)
	}
	h.DB.SealVersions(t)
	h.Clock.Add(2 * 24 * time.Hour)
	_, err = h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: second.Message.InternalID})
	var refused *payment.RefusalError
	if !errors.As(err, &refused) || refused.Findings[0].Code != "TM01" {
		t.Errorf("an approval after the deadline: %v", err)
	}
	refusedAgain(t, h, in, "TM01")
	_, err = h.DB.Owner(t).Exec(ctx, "UPDATE message SET expires_at = expires_at - interval '10 days'") // the auditor finds it
	if err != nil {
		t.Fatal(err)
	}
	h.DB.SealVersions(t)
}

func TestReturnAndResolutionRaceAndOneWins(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		h := servicetest.New(t)
		original, document := booked(t, h, scheme, "TX9")
		id := receivedRecall(t, h, original, document).InternalID
		asked := []payment.RTransaction{
			{Request: rulebook.Request{Reason: "FOCR"}, Kind: payment.KindReturn, Scheme: scheme, OriginalID: original.InternalID},
			{
				Request: rulebook.Request{Reason: "CUST"}, Kind: payment.KindResolution, Scheme: scheme, OriginalID: original.InternalID,
				RecallID: id,
			},
		}
		errs := make([]error, 8)
		var group sync.WaitGroup
		for i := range errs {
			who := h.Person(t, []string{"maker1", "maker2"}[i%2])
			group.Go(func() { _, errs[i] = h.Submission.CreateRTransaction(ctx, who, asked[i/2%2]) })
		}
		group.Wait()
		won := 0
		for _, err := range errs {
			var refused *payment.RefusalError
			if err == nil {
				won++
			} else if !errors.As(err, &refused) || refused.Findings[0].Code != "AM05" {
				t.Errorf("%s: a loser got %v", scheme, err)
			}
		}
		if won != 1 {
			t.Errorf("%s: %d answers to one recall", scheme, won)
		}
		h.CheckInvariants(t)
	}
}
