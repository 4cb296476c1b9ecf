package payment

import "slices"

// Move is a legal step of a message.
type Move struct {
	Kind   Kind
	From   State
	Action Action
	To     State
}

// steps are the legal moves, several in a row: each of the kinds may go from each of the states to each of the ends. A row without ends
// leaves the state as it is.
var steps = []struct {
	kinds  kinds
	from   states
	action Action
	to     states
}{
	// What people enter, until it is released.
	{ofPeople, states{StateNone}, ActionSubmit, states{StateApprovalPending, StateProcessing}},
	{kinds{KindInstruction}, states{StateNone}, ActionSubmit, states{StateScheduled}},
	{ofPeople, states{StateApprovalPending}, ActionApprove, states{StateApprovalPending, StateApproved}},
	{kinds{KindInstruction}, states{StateApprovalPending}, ActionApprove, states{StateScheduled}},
	{ofPeople, undecided, ActionReject, states{StateRejected}},
	{ofPeople, undecided, ActionWithdraw, states{StateWithdrawn}},
	{kinds{KindInstruction}, undecided, ActionAmend, states{StateApprovalPending}},
	{ofPeople, undecided, ActionExpire, states{StateExpired}},
	{ofPeople, states{StateApprovalPending}, ActionAsk, states{StateQuestion}},
	{ofPeople, states{StateQuestion}, ActionAnswer, states{StateApprovalPending}},
	{kinds{KindInstruction}, states{StateScheduled}, ActionRelease, states{StateApproved}},
	{kinds{KindInstruction}, states{StateScheduled}, ActionWithdraw, states{StateWithdrawn}},

	// The same, until clearing has answered.
	{ofPeople, released, ActionDeliver, states{StateProcessing}},
	{ofMoney, unanswered, ActionSettle, states{StateSettled}},
	{ofPeople, released, ActionRejectByClearing, states{StateFailed}},
	{ofPeople, released, ActionWithhold, states{StateFailed}},
	{ofMoney, unanswered, ActionStop, states{StateFailed}},
	{kinds{KindInstruction}, states{StateScheduled}, ActionCancel, states{StateFailed}},
	{ofPeople, released, ActionReport, nil},
	{ofMoney, released, ActionTimeOut, states{StateUnconfirmed}},
	{ofMoney, states{StateUnconfirmed}, ActionDeliver, nil},
	{ofMoney, states{StateUnconfirmed}, ActionInquire, nil},
	{ofMoney, states{StateUnconfirmed}, ActionRejectByClearing, states{StateFailed}},
	{ofMoney, states{StateUnconfirmed}, ActionReport, nil},

	{kinds{KindRecall}, released, ActionAcknowledge, states{StateAcknowledged}},
	{kinds{KindRecall}, states{StateApproved, StateProcessing, StateAcknowledged, StateOverdue}, ActionAccept, states{StateAccepted}},
	{kinds{KindRecall}, states{StateApproved, StateProcessing, StateAcknowledged, StateOverdue}, ActionRefuseRecall, states{StateRefused}},
	{kinds{KindRecall}, states{StateAcknowledged, StateOverdue}, ActionRejectByClearing, states{StateFailed}},
	{kinds{KindRecall}, states{StateProcessing, StateAcknowledged}, ActionFallDue, states{StateOverdue}},
	{kinds{KindRecall}, states{StateOverdue}, ActionInquire, nil},
	{kinds{KindRecall}, states{StateOverdue}, ActionAcknowledge, nil},
	{kinds{KindRecall}, states{StateAcknowledged, StateOverdue}, ActionReport, nil},

	{kinds{KindResolution}, released, ActionDeliver, states{StateCommunicated}},
	{kinds{KindResolution}, released, ActionAcknowledge, states{StateCommunicated}},

	// What comes in.
	{kinds{KindReturn}, states{StateNone}, ActionReceive, states{StateSettled}},
	{kinds{KindResolution}, states{StateNone}, ActionReceive, states{StateCommunicated}},
	{kinds{KindPayment}, states{StateNone}, ActionReceive, states{StateAccepted}},
	{kinds{KindPayment}, states{StateNone, StateAccepted}, ActionBook, states{StateBooked}},
	{kinds{KindPayment}, states{StateNone, StateAccepted, StateBooked}, ActionRejectByClearing, states{StateFailed}},
	{kinds{KindPayment}, states{StateAccepted}, ActionReport, nil},
	{kinds{KindReceivedRecall}, states{StateNone}, ActionReceive, states{StateAwaitingDecision}},
	{kinds{KindReceivedRecall}, states{StateAwaitingDecision}, ActionAnswer, states{StateAnswered}},
}

type (
	kinds  []Kind
	states []State
)

// What rows of the table have in common.
var (
	ofPeople = kinds{KindInstruction, KindReturn, KindRecall, KindResolution}
	ofMoney  = kinds{KindInstruction, KindReturn}

	undecided  = states{StateApprovalPending, StateQuestion}
	released   = states{StateApproved, StateProcessing}
	unanswered = states{StateApproved, StateProcessing, StateUnconfirmed}
)

// moves is the table of legal moves. The database has the same rows (table legal_move) and refuses any other.
var moves = func() (list []Move) {
	for _, kind := range Kinds() {
		for _, step := range steps {
			if !slices.Contains(step.kinds, kind) {
				continue
			}
			for _, from := range step.from {
				if len(step.to) == 0 {
					list = append(list, Move{kind, from, step.action, from})
				}
				for _, to := range step.to {
					list = append(list, Move{kind, from, step.action, to})
				}
			}
		}
	}
	return list
}()

// Moves returns a copy of the table of legal moves.
func Moves() []Move {
	return slices.Clone(moves)
}

// Legal reports whether the table has the move.
func Legal(move Move) bool {
	return slices.Contains(moves, move)
}

// Final reports whether no move leaves the state of a message of this kind.
func (k Kind) Final(s State) bool {
	return !slices.ContainsFunc(moves, func(m Move) bool { return m.Kind == k && m.From == s })
}
