package payment_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

// A second factor counts for the person and the content it was shown for, and for no other.
func TestASecondFactorCountsForOneContent(t *testing.T) {
	t.Parallel()
	m := pending(maker, 1)
	asked := terms(sealer(t, 'k'))
	asked.StepUp = true
	good := identity.StepUp{UseID: uuid.New(), UserID: checker.UserID, Kind: identity.FactorTOTP, For: m.Approval(), At: noon}
	for name, change := range map[string]func(*identity.StepUp){
		"of another account": func(s *identity.StepUp) { s.UserID = second.UserID },
		"another message":    func(s *identity.StepUp) { s.For.MessageID = uuid.New() },
		"another version":    func(s *identity.StepUp) { s.For.Version++ },
		"another content":    func(s *identity.StepUp) { s.For.ContentHash = payment.Digest{9} },
	} {
		shown := good
		change(&shown)
		var needed *payment.StepUpError
		_, err := m.Approve(payment.Verdict{By: checker, At: noon, ContentHash: &orderedHash, StepUp: &shown}, asked)
		if !errors.As(err, &needed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := m.Approve(payment.Verdict{By: checker, At: noon, ContentHash: &orderedHash, StepUp: &good}, asked)
	if err != nil {
		t.Errorf("the right one: %v", err)
	}
}

// A new role brings no checker along for a message that waits already.
func TestACheckerIsOneBeforeTheMessage(t *testing.T) {
	t.Parallel()
	m := pending(maker, 1)
	for since, refused := range map[time.Duration]bool{-time.Hour: false, 0: false, time.Microsecond: true} {
		late := checker
		late.Grants = []identity.Grant{{ID: uuid.New(), Role: identity.RoleChecker, GrantedAt: m.CreatedAt.Add(since)}}
		var forbidden *payment.ForbiddenError
		_, err := m.Approve(by(late), terms(sealer(t, 'k')))
		if errors.As(err, &forbidden) != refused || !refused && err != nil {
			t.Errorf("a checker since %s after it was made: %v", since, err)
		}
	}
}

// An amendment leaves the message with its editor among its makers, and without the approvals given so far.
func TestAnAmendmentBeginsAnew(t *testing.T) {
	t.Parallel()
	m := pending(maker, 2)
	once, err := m.Approve(by(checker), terms(sealer(t, 'k')))
	if err != nil {
		t.Fatal(err)
	}
	editor := person("editor", identity.RoleMaker)
	changed, err := once.After().Amend(editor, payment.Draft{
		DocumentID: uuid.New(), Content: ordered, Hash: orderedHash, Summary: orderedSummary, ApprovalsRequired: 2,
		Origin: payment.Origin{Reference: "another"},
	}, noon)
	if err != nil {
		t.Fatal(err)
	}
	after := changed.After()
	if len(after.Decisions) != 0 || after.Approvals() != 0 || after.Version != 2 {
		t.Errorf("version %d has %d decisions", after.Version, len(after.Decisions))
	}
	if !slices.Equal(after.Makers, []uuid.UUID{maker.PersonID, editor.PersonID}) {
		t.Errorf("its makers are %v", after.Makers)
	}
}

func TestOnlyWhoMadeItWithdraws(t *testing.T) {
	t.Parallel()
	var forbidden *payment.ForbiddenError
	_, err := pending(maker, 1).Withdraw(person("another maker", identity.RoleMaker), "", noon)
	if !errors.As(err, &forbidden) {
		t.Errorf("another maker: %v", err)
	}
	_, err = pending(maker, 1).Withdraw(checker, "", noon)
	if !errors.As(err, &forbidden) {
		t.Errorf("a checker: %v", err)
	}
	_, err = pending(maker, 1).Withdraw(maker, "", noon)
	if err != nil {
		t.Errorf("its maker: %v", err)
	}
}

// What the table does not hold is refused to everybody: no answer of clearing moves what waits for approval, or what has ended.
func TestOnlyTheMovesOfTheTableAreMade(t *testing.T) {
	t.Parallel()
	for _, state := range instructionStates {
		m := pending(maker, 1)
		m.State, m.AcceptedAt = state, noon.Add(-time.Minute)
		_, _, settle := m.Settle(noon)
		_, _, reject := m.RejectByClearing("AC04", "", noon)
		_, timeOut := m.TimeOut(10*time.Second, noon)
		_, inquire := m.Inquire(noon, noon)
		_, withhold := m.Withhold(noon)
		for action, err := range map[payment.Action]error{
			payment.ActionSettle: settle, payment.ActionRejectByClearing: reject, payment.ActionTimeOut: timeOut,
			payment.ActionInquire: inquire, payment.ActionWithhold: withhold,
		} {
			legal := slices.ContainsFunc(payment.Moves(), func(move payment.Move) bool {
				return move.Kind == m.Kind && move.From == state && move.Action == action
			})
			again := state == payment.StateSettled && action == payment.ActionSettle
			if errors.Is(err, payment.ErrIllegalMove) == (legal || again) {
				t.Errorf("%s in %s, legal: %t: %v", action, state, legal, err)
			}
		}
	}
	if payment.Legal(payment.Move{
		Kind: payment.KindInstruction, From: payment.StateApprovalPending, Action: payment.ActionDeliver, To: payment.StateProcessing,
	}) {
		t.Error("what waits for approval may be delivered")
	}
}

// A delivery is noted once.
func TestADeliveryIsNotedOnce(t *testing.T) {
	t.Parallel()
	m := pending(maker, 1)
	m.State, m.AcceptedAt = payment.StateApproved, noon
	first, moves, err := m.Deliver(noon, noon)
	if err != nil || !moves {
		t.Fatalf("the first time: %t %v", moves, err)
	}
	_, moves, err = first.After().Deliver(noon, noon.Add(time.Second))
	if err != nil || moves {
		t.Errorf("the second time it moves: %t %v", moves, err)
	}
}

// A recall after its steps says until when it is to be answered, and how often clearing was asked for the answer.
func TestARecallAfterItsStepsIsAsItIsStored(t *testing.T) {
	t.Parallel()
	m := pending(maker, 1)
	m.Kind, m.State, m.AcceptedAt = payment.KindRecall, payment.StateProcessing, noon
	last := time.Date(noon.Year(), noon.Month(), noon.Day()+15, 0, 0, 0, 0, time.UTC)
	taken, moves, err := m.Acknowledge(last, noon)
	if err != nil || !moves || !taken.After().AnswerBy.Equal(last) {
		t.Fatalf("acknowledged, it is to be answered by %s: %t %v", taken.After().AnswerBy, moves, err)
	}
	late, err := taken.After().FallDue(last.AddDate(0, 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	now := late.After()
	for asked := range 2 {
		inquired, err := now.Inquire(noon, noon)
		if now = inquired.After(); err != nil || now.Inquiries != asked+1 || !now.AnswerBy.Equal(last) {
			t.Errorf("asked %d times says %d, to be answered by %s: %v", asked+1, now.Inquiries, now.AnswerBy, err)
		}
	}
}

// What is not a maker's to ask for is refused before anything is asked about the payment.
func TestARecallNeedsAMaker(t *testing.T) {
	t.Parallel()
	paid := pending(maker, 1)
	paid.State, paid.Direction, paid.AcceptedAt = payment.StateSettled, payment.DirectionOut, noon
	in := payment.RTransactionInput{
		RTransaction: payment.RTransaction{Kind: payment.KindRecall, Scheme: rulebook.SchemeSIC, OriginalID: paid.InternalID},
		By:           checker, About: payment.RTransactionSubject{Original: paid}, At: noon, Zone: time.UTC,
	}
	var forbidden *payment.ForbiddenError
	_, err := payment.NewRTransaction(in)
	if !errors.As(err, &forbidden) {
		t.Errorf("a checker: %v", err)
	}
}

// The answer to a recall of one payment is none to the recall of another.
func TestAResolutionIsAboutTheRecallOfItsPayment(t *testing.T) {
	t.Parallel()
	came := pending(maker, 1)
	came.Kind, came.State, came.Direction = payment.KindPayment, payment.StateBooked, payment.DirectionIn
	recall := payment.Message{
		Realm: "demo", InternalID: uuid.New(), Kind: payment.KindReceivedRecall, State: payment.StateAwaitingDecision,
		Scheme: came.Scheme, OriginalID: uuid.New(), // of another payment
	}
	_, err := payment.NewRTransaction(payment.RTransactionInput{
		RTransaction: payment.RTransaction{Kind: payment.KindResolution, Scheme: came.Scheme, RecallID: recall.InternalID},
		By:           maker, About: payment.RTransactionSubject{Original: came, Recall: recall}, At: noon, Zone: time.UTC,
	})
	var refused *payment.RefusalError
	if !errors.As(err, &refused) || refused.Findings[0].Pointer != "/identifiers/recallId" {
		t.Errorf("the recall of another payment: %v", err)
	}
}

// One recall of a payment, whatever became of it, unless it ended before it left.
func TestAPaymentIsRecalledOnce(t *testing.T) {
	t.Parallel()
	paid := pending(maker, 1)
	paid.State, paid.Direction, paid.AcceptedAt = payment.StateSettled, payment.DirectionOut, noon
	for state, again := range map[payment.State]bool{
		payment.StateApprovalPending: false, payment.StateProcessing: false, payment.StateAccepted: false, payment.StateRefused: false,
		payment.StateFailed: false, payment.StateRejected: true, payment.StateWithdrawn: true, payment.StateExpired: true,
	} {
		about := payment.RTransactionSubject{Original: paid, Others: []payment.Message{{Kind: payment.KindRecall, State: state}}}
		err := about.Eligible(payment.KindRecall, rulebook.Settings{})
		var refused *payment.RefusalError
		if is := errors.As(err, &refused) && refused.Findings[0].Code == "AM05"; is == again {
			t.Errorf("a recall that is %s: %v", state, err)
		}
	}
}
