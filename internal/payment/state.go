package payment

import "slices"

// State is where a message stands. The names are those of the wire contract.
type State string

// The states of an instruction.
const (
	// StateNone is before creation; no message is ever stored in it.
	StateNone State = "None"
	// StateApprovalPending waits for one or more checkers. A checker moves it on, the maker withdraws or amends it, time expires it.
	StateApprovalPending State = "Approval Pending"
	// StateApproved has its last approval and is released; the relay moves it on when clearing has taken the document.
	StateApproved State = "Approved"
	// StateProcessing is with clearing, or needed no approval and is on its way there. The answer of clearing ends it.
	StateProcessing State = "Processing"
	// StateUnconfirmed had no answer in the scheme's time. It is not rejected: it is never sent again under a new identifier, and
	// a late answer still ends it.
	StateUnconfirmed State = "Unconfirmed"
	// StateSettled is final: the money has moved.
	StateSettled State = "Settled"
	// StateFailed is final: clearing refused it with a reason, or its stored content did not match what was approved.
	StateFailed State = "Failed"
	// StateRejected is final: a checker refused it.
	StateRejected State = "Rejected"
	// StateWithdrawn is final: its maker took it back while it was pending.
	StateWithdrawn State = "Withdrawn"
	// StateExpired is final: nobody decided in the time its policy gives.
	StateExpired State = "Expired"
)

// States returns every state a stored message can be in, in the order of a life.
func States() []State {
	return []State{
		StateApprovalPending, StateApproved, StateProcessing, StateUnconfirmed, StateSettled, StateFailed,
		StateRejected, StateWithdrawn, StateExpired,
	}
}

// Final reports whether no move leaves the state.
func (s State) Final() bool {
	return !slices.ContainsFunc(moves[:], func(m Move) bool { return m.From == s })
}

// Action is what moves a message from one state to the next.
type Action string

// The actions.
const (
	ActionSubmit   Action = "submit"
	ActionApprove  Action = "approve"
	ActionReject   Action = "reject"
	ActionWithdraw Action = "withdraw"
	ActionAmend    Action = "amend"
	ActionExpire   Action = "expire"
	ActionDeliver  Action = "deliver"  // clearing has taken the document
	ActionSettle   Action = "settle"   // clearing answered positively
	ActionRefuse   Action = "refuse"   // clearing answered negatively
	ActionWithhold Action = "withhold" // the stored content is not what was approved: not sent
	ActionTimeOut  Action = "time out" // no answer in the scheme's time
	ActionInquire  Action = "inquire"  // clearing was asked for the status
)

// Kind is what a message asks for.
type Kind string

// The kinds.
const (
	KindInstruction Kind = "instruction"
)

// Move is one legal step of a message's life.
type Move struct {
	Kind   Kind
	From   State
	Action Action
	To     State
}

// moves is the table of legal moves. The database holds the same rows (table legal_move) and refuses any other.
var moves = [...]Move{
	{KindInstruction, StateNone, ActionSubmit, StateApprovalPending},
	{KindInstruction, StateNone, ActionSubmit, StateProcessing},
	{KindInstruction, StateApprovalPending, ActionApprove, StateApprovalPending},
	{KindInstruction, StateApprovalPending, ActionApprove, StateApproved},
	{KindInstruction, StateApprovalPending, ActionReject, StateRejected},
	{KindInstruction, StateApprovalPending, ActionWithdraw, StateWithdrawn},
	{KindInstruction, StateApprovalPending, ActionAmend, StateApprovalPending},
	{KindInstruction, StateApprovalPending, ActionExpire, StateExpired},
	{KindInstruction, StateApproved, ActionDeliver, StateProcessing},
	{KindInstruction, StateApproved, ActionSettle, StateSettled},
	{KindInstruction, StateApproved, ActionRefuse, StateFailed},
	{KindInstruction, StateApproved, ActionWithhold, StateFailed},
	{KindInstruction, StateApproved, ActionTimeOut, StateUnconfirmed},
	{KindInstruction, StateProcessing, ActionDeliver, StateProcessing},
	{KindInstruction, StateProcessing, ActionSettle, StateSettled},
	{KindInstruction, StateProcessing, ActionRefuse, StateFailed},
	{KindInstruction, StateProcessing, ActionWithhold, StateFailed},
	{KindInstruction, StateProcessing, ActionTimeOut, StateUnconfirmed},
	{KindInstruction, StateUnconfirmed, ActionDeliver, StateUnconfirmed},
	{KindInstruction, StateUnconfirmed, ActionInquire, StateUnconfirmed},
	{KindInstruction, StateUnconfirmed, ActionSettle, StateSettled},
	{KindInstruction, StateUnconfirmed, ActionRefuse, StateFailed},
}

// Moves returns a copy of the table of legal moves.
func Moves() []Move {
	return slices.Clone(moves[:])
}

// Legal reports whether the table holds the move.
func Legal(move Move) bool {
	return slices.Contains(moves[:], move)
}
