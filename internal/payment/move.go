package payment

import "slices"

// Move is a legal step of a message.
type Move struct {
	Kind   Kind
	From   State
	Action Action
	To     State
}

// moves is the table of legal moves. The database has the same rows (table legal_move) and refuses any other.
var moves = [...]Move{
	{KindInstruction, StateNone, ActionSubmit, StateApprovalPending},
	{KindInstruction, StateNone, ActionSubmit, StateProcessing},
	{KindInstruction, StateNone, ActionSubmit, StateScheduled},
	{KindInstruction, StateApprovalPending, ActionApprove, StateApprovalPending},
	{KindInstruction, StateApprovalPending, ActionApprove, StateApproved},
	{KindInstruction, StateApprovalPending, ActionApprove, StateScheduled},
	{KindInstruction, StateApprovalPending, ActionReject, StateRejected},
	{KindInstruction, StateApprovalPending, ActionWithdraw, StateWithdrawn},
	{KindInstruction, StateApprovalPending, ActionAmend, StateApprovalPending},
	{KindInstruction, StateApprovalPending, ActionExpire, StateExpired},
	{KindInstruction, StateApprovalPending, ActionAsk, StateQuestion},
	{KindInstruction, StateQuestion, ActionAnswer, StateApprovalPending},
	{KindInstruction, StateQuestion, ActionAmend, StateApprovalPending},
	{KindInstruction, StateQuestion, ActionReject, StateRejected},
	{KindInstruction, StateQuestion, ActionWithdraw, StateWithdrawn},
	{KindInstruction, StateQuestion, ActionExpire, StateExpired},
	{KindInstruction, StateApproved, ActionDeliver, StateProcessing},
	{KindInstruction, StateApproved, ActionSettle, StateSettled},
	{KindInstruction, StateApproved, ActionRejectByClearing, StateFailed},
	{KindInstruction, StateApproved, ActionWithhold, StateFailed},
	{KindInstruction, StateApproved, ActionTimeOut, StateUnconfirmed},
	{KindInstruction, StateProcessing, ActionDeliver, StateProcessing},
	{KindInstruction, StateProcessing, ActionSettle, StateSettled},
	{KindInstruction, StateProcessing, ActionRejectByClearing, StateFailed},
	{KindInstruction, StateProcessing, ActionWithhold, StateFailed},
	{KindInstruction, StateProcessing, ActionTimeOut, StateUnconfirmed},
	{KindInstruction, StateUnconfirmed, ActionDeliver, StateUnconfirmed},
	{KindInstruction, StateUnconfirmed, ActionInquire, StateUnconfirmed},
	{KindInstruction, StateUnconfirmed, ActionSettle, StateSettled},
	{KindInstruction, StateUnconfirmed, ActionRejectByClearing, StateFailed},
	{KindInstruction, StateApproved, ActionStop, StateFailed},
	{KindInstruction, StateProcessing, ActionStop, StateFailed},
	{KindInstruction, StateUnconfirmed, ActionStop, StateFailed},
	{KindInstruction, StateScheduled, ActionRelease, StateApproved},
	{KindInstruction, StateScheduled, ActionCancel, StateFailed},
	{KindInstruction, StateScheduled, ActionWithdraw, StateWithdrawn},

	{KindReturn, StateNone, ActionSubmit, StateApprovalPending},
	{KindReturn, StateNone, ActionSubmit, StateProcessing},
	{KindReturn, StateApprovalPending, ActionApprove, StateApprovalPending},
	{KindReturn, StateApprovalPending, ActionApprove, StateApproved},
	{KindReturn, StateApprovalPending, ActionReject, StateRejected},
	{KindReturn, StateApprovalPending, ActionWithdraw, StateWithdrawn},
	{KindReturn, StateApprovalPending, ActionExpire, StateExpired},
	{KindReturn, StateApprovalPending, ActionAsk, StateQuestion},
	{KindReturn, StateQuestion, ActionAnswer, StateApprovalPending},
	{KindReturn, StateQuestion, ActionReject, StateRejected},
	{KindReturn, StateQuestion, ActionWithdraw, StateWithdrawn},
	{KindReturn, StateQuestion, ActionExpire, StateExpired},
	{KindReturn, StateApproved, ActionDeliver, StateProcessing},
	{KindReturn, StateApproved, ActionSettle, StateSettled},
	{KindReturn, StateApproved, ActionRejectByClearing, StateFailed},
	{KindReturn, StateApproved, ActionWithhold, StateFailed},
	{KindReturn, StateApproved, ActionTimeOut, StateUnconfirmed},
	{KindReturn, StateProcessing, ActionDeliver, StateProcessing},
	{KindReturn, StateProcessing, ActionSettle, StateSettled},
	{KindReturn, StateProcessing, ActionRejectByClearing, StateFailed},
	{KindReturn, StateProcessing, ActionWithhold, StateFailed},
	{KindReturn, StateProcessing, ActionTimeOut, StateUnconfirmed},
	{KindReturn, StateUnconfirmed, ActionDeliver, StateUnconfirmed},
	{KindReturn, StateUnconfirmed, ActionInquire, StateUnconfirmed},
	{KindReturn, StateUnconfirmed, ActionSettle, StateSettled},
	{KindReturn, StateUnconfirmed, ActionRejectByClearing, StateFailed},
	{KindReturn, StateApproved, ActionStop, StateFailed},
	{KindReturn, StateProcessing, ActionStop, StateFailed},
	{KindReturn, StateUnconfirmed, ActionStop, StateFailed},
	{KindReturn, StateNone, ActionReceive, StateSettled},

	{KindRecall, StateNone, ActionSubmit, StateApprovalPending},
	{KindRecall, StateNone, ActionSubmit, StateProcessing},
	{KindRecall, StateApprovalPending, ActionApprove, StateApprovalPending},
	{KindRecall, StateApprovalPending, ActionApprove, StateApproved},
	{KindRecall, StateApprovalPending, ActionReject, StateRejected},
	{KindRecall, StateApprovalPending, ActionWithdraw, StateWithdrawn},
	{KindRecall, StateApprovalPending, ActionExpire, StateExpired},
	{KindRecall, StateApprovalPending, ActionAsk, StateQuestion},
	{KindRecall, StateQuestion, ActionAnswer, StateApprovalPending},
	{KindRecall, StateQuestion, ActionReject, StateRejected},
	{KindRecall, StateQuestion, ActionWithdraw, StateWithdrawn},
	{KindRecall, StateQuestion, ActionExpire, StateExpired},
	{KindRecall, StateApproved, ActionDeliver, StateProcessing},
	{KindRecall, StateApproved, ActionWithhold, StateFailed},
	{KindRecall, StateProcessing, ActionDeliver, StateProcessing},
	{KindRecall, StateProcessing, ActionWithhold, StateFailed},
	{KindRecall, StateApproved, ActionAcknowledge, StateAcknowledged},
	{KindRecall, StateProcessing, ActionAcknowledge, StateAcknowledged},
	{KindRecall, StateApproved, ActionAccept, StateAccepted},
	{KindRecall, StateApproved, ActionRefuseRecall, StateRefused},
	{KindRecall, StateApproved, ActionRejectByClearing, StateFailed},
	{KindRecall, StateProcessing, ActionAccept, StateAccepted},
	{KindRecall, StateProcessing, ActionRefuseRecall, StateRefused},
	{KindRecall, StateProcessing, ActionRejectByClearing, StateFailed},
	{KindRecall, StateAcknowledged, ActionAccept, StateAccepted},
	{KindRecall, StateAcknowledged, ActionRefuseRecall, StateRefused},
	{KindRecall, StateAcknowledged, ActionRejectByClearing, StateFailed},
	{KindRecall, StateOverdue, ActionAccept, StateAccepted},
	{KindRecall, StateOverdue, ActionRefuseRecall, StateRefused},
	{KindRecall, StateOverdue, ActionRejectByClearing, StateFailed},
	{KindRecall, StateProcessing, ActionFallDue, StateOverdue},
	{KindRecall, StateAcknowledged, ActionFallDue, StateOverdue},
	{KindRecall, StateOverdue, ActionInquire, StateOverdue},
	{KindRecall, StateOverdue, ActionAcknowledge, StateOverdue},

	{KindResolution, StateNone, ActionSubmit, StateApprovalPending},
	{KindResolution, StateNone, ActionSubmit, StateProcessing},
	{KindResolution, StateApprovalPending, ActionApprove, StateApprovalPending},
	{KindResolution, StateApprovalPending, ActionApprove, StateApproved},
	{KindResolution, StateApprovalPending, ActionReject, StateRejected},
	{KindResolution, StateApprovalPending, ActionWithdraw, StateWithdrawn},
	{KindResolution, StateApprovalPending, ActionExpire, StateExpired},
	{KindResolution, StateApprovalPending, ActionAsk, StateQuestion},
	{KindResolution, StateQuestion, ActionAnswer, StateApprovalPending},
	{KindResolution, StateQuestion, ActionReject, StateRejected},
	{KindResolution, StateQuestion, ActionWithdraw, StateWithdrawn},
	{KindResolution, StateQuestion, ActionExpire, StateExpired},
	{KindResolution, StateApproved, ActionDeliver, StateProcessing},
	{KindResolution, StateApproved, ActionDeliver, StateCommunicated},
	{KindResolution, StateApproved, ActionWithhold, StateFailed},
	{KindResolution, StateProcessing, ActionDeliver, StateProcessing},
	{KindResolution, StateProcessing, ActionDeliver, StateCommunicated},
	{KindResolution, StateProcessing, ActionWithhold, StateFailed},
	{KindResolution, StateApproved, ActionAcknowledge, StateCommunicated},
	{KindResolution, StateProcessing, ActionAcknowledge, StateCommunicated},
	{KindResolution, StateApproved, ActionRejectByClearing, StateFailed},
	{KindResolution, StateProcessing, ActionRejectByClearing, StateFailed},
	{KindResolution, StateNone, ActionReceive, StateCommunicated},

	{KindInstruction, StateApproved, ActionReport, StateApproved},
	{KindInstruction, StateProcessing, ActionReport, StateProcessing},
	{KindInstruction, StateUnconfirmed, ActionReport, StateUnconfirmed},
	{KindReturn, StateApproved, ActionReport, StateApproved},
	{KindReturn, StateProcessing, ActionReport, StateProcessing},
	{KindReturn, StateUnconfirmed, ActionReport, StateUnconfirmed},
	{KindRecall, StateApproved, ActionReport, StateApproved},
	{KindRecall, StateProcessing, ActionReport, StateProcessing},
	{KindRecall, StateAcknowledged, ActionReport, StateAcknowledged},
	{KindRecall, StateOverdue, ActionReport, StateOverdue},
	{KindResolution, StateApproved, ActionReport, StateApproved},
	{KindResolution, StateProcessing, ActionReport, StateProcessing},

	{KindPayment, StateNone, ActionReceive, StateAccepted},
	{KindPayment, StateNone, ActionBook, StateBooked},
	{KindPayment, StateAccepted, ActionBook, StateBooked},
	{KindPayment, StateAccepted, ActionRejectByClearing, StateFailed},
	{KindPayment, StateAccepted, ActionReport, StateAccepted},
	{KindPayment, StateNone, ActionRejectByClearing, StateFailed},
	{KindPayment, StateBooked, ActionRejectByClearing, StateFailed},

	{KindReceivedRecall, StateNone, ActionReceive, StateAwaitingDecision},
	{KindReceivedRecall, StateAwaitingDecision, ActionAnswer, StateAnswered},
}

// Moves returns a copy of the table of legal moves.
func Moves() []Move {
	return slices.Clone(moves[:])
}

// Legal reports whether the table has the move.
func Legal(move Move) bool {
	return slices.Contains(moves[:], move)
}

// Final reports whether no move leaves the state of a message of this kind.
func (k Kind) Final(s State) bool {
	return !slices.ContainsFunc(moves[:], func(m Move) bool { return m.Kind == k && m.From == s })
}
