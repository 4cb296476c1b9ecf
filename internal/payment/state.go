package payment

import "countersign/internal/i18n"

// State is the state of a message. The names are those of the wire contract.
type State string

// The states.
const (
	// StateNone is before creation; no message is ever stored in it.
	StateNone State = "None"
	// StateApprovalPending waits for one or more checkers. A checker moves it on, the maker withdraws or amends it, time expires it.
	StateApprovalPending State = "Approval Pending"
	// StateQuestion is pending too: a checker asked the maker. An answer or an amendment brings it back to StateApprovalPending; nobody
	// approves it before that. It is rejected, withdrawn and expires as there.
	StateQuestion State = "Question"
	// StateScheduled has all its approvals and waits for its execution day, on which it is checked again and released. It is withdrawn by
	// its maker or a checker.
	StateScheduled State = "Scheduled"
	// StateApproved has its last approval and is released; its delivery moves it on, or an answer that overtakes the note of it.
	StateApproved State = "Approved"
	// StateProcessing is with clearing, or needed no approval and is on its way there. The answer of clearing ends it.
	StateProcessing State = "Processing"
	// StateUnconfirmed had no answer in the scheme's time. It is not rejected: it is never sent again under a new identifier, and
	// a late answer still ends it.
	StateUnconfirmed State = "Unconfirmed"
	// StateSettled is final: the money has moved. A return that came in is settled from the first.
	StateSettled State = "Settled"
	// StateFailed is final: clearing refused the message with a reason, its stored content differed from the approved content, or we
	// refused an inbound message.
	StateFailed State = "Failed"
	// StateRejected is final: a checker refused it.
	StateRejected State = "Rejected"
	// StateWithdrawn is final: its maker took it back while it was pending.
	StateWithdrawn State = "Withdrawn"
	// StateExpired is final: nobody decided in the time its policy gives.
	StateExpired State = "Expired"

	// StateAcknowledged is a recall that clearing has confirmed to have passed on (camt.025, SIC only).
	StateAcknowledged State = "Acknowledged"
	// StateAccepted is final for a recall: the other bank sent the money back (pacs.004 with FOCR). For an incoming payment it means that
	// our positive answer is out and clearing has not confirmed the settlement: the money is not credited yet.
	StateAccepted State = "Accepted"
	// StateRefused is final: the other bank does not send the money back (camt.029 with RJCR).
	StateRefused State = "Refused"
	// StateOverdue is a recall without an answer in the time the scheme gives. A late answer still ends it.
	StateOverdue State = "Overdue"
	// StateCommunicated is final: the refusal of a recall (camt.029) is with the bank that recalled, ours or another.
	StateCommunicated State = "Communicated"
	// StateBooked is an incoming payment that settled, or that we accepted where clearing does not confirm settlement. It stays booked unless
	// clearing refuses it later; what returns it is shown beside it.
	StateBooked State = "Booked"
	// StateAwaitingDecision is a received recall that nobody has answered yet.
	StateAwaitingDecision State = "Awaiting Decision"
	// StateAnswered is final: a return or a resolution answered the received recall.
	StateAnswered State = "Answered"
)

// Text is the name of the state for people.
func (s State) Text() i18n.Text { return i18n.Kept(string(s)) }

// Pending reports whether a message in the state is neither released nor ended: its maker may change it and a checker may reject it.
func (s State) Pending() bool { return s == StateApprovalPending || s == StateQuestion }

// Waits reports whether a message in the state waits here for a person or for its day.
func (s State) Waits() bool {
	return s.Pending() || s == StateScheduled || s == StateAwaitingDecision
}

// Final returns the states that a message does not leave, but for a booked payment that clearing refuses later. A recall does not leave
// StateAccepted either.
func Final() []State {
	return []State{
		StateSettled, StateFailed, StateRejected, StateWithdrawn, StateExpired, StateRefused, StateCommunicated, StateBooked, StateAnswered,
	}
}

// States returns every state a stored message can be in, in the order of a life.
func States() []State {
	return []State{
		StateApprovalPending, StateQuestion, StateScheduled, StateApproved, StateProcessing, StateUnconfirmed, StateSettled, StateFailed,
		StateRejected, StateWithdrawn, StateExpired,
		StateAcknowledged, StateOverdue, StateAccepted, StateRefused, StateCommunicated, StateBooked, StateAwaitingDecision, StateAnswered,
	}
}

// Action causes a transition of a message.
type Action string

// The actions.
const (
	ActionSubmit           Action = "submit"
	ActionApprove          Action = "approve"
	ActionReject           Action = "reject"
	ActionAsk              Action = "ask" // a checker asks the maker instead of deciding
	ActionWithdraw         Action = "withdraw"
	ActionAmend            Action = "amend"
	ActionExpire           Action = "expire"
	ActionRelease          Action = "release"  // the execution day has come
	ActionCancel           Action = "cancel"   // on its day, a check refused it: not sent
	ActionDeliver          Action = "deliver"  // clearing has taken the document
	ActionSettle           Action = "settle"   // clearing answered positively
	ActionRejectByClearing Action = "refuse"   // clearing answered negatively, or an incoming payment was refused
	ActionWithhold         Action = "withhold" // the stored content is not what was approved: not sent
	ActionStop             Action = "stop"     // core banking refused the funds, or was not reached: not sent
	ActionTimeOut          Action = "time out" // no answer in the scheme's time
	ActionInquire          Action = "inquire"  // clearing was asked for the status
	ActionReport           Action = "report"   // clearing reported a status that ends nothing, such as pending

	ActionAcknowledge  Action = "acknowledge" // clearing confirmed the receipt (camt.025)
	ActionAccept       Action = "accept"      // the other bank sent the money back
	ActionRefuseRecall Action = "decline"     // the other bank refused the recall
	ActionFallDue      Action = "fall due"    // no answer to a recall in time
	ActionBook         Action = "book"        // an incoming payment settled
	ActionReceive      Action = "receive"     // a payment was accepted; a recall, or the answer to one of ours, came in
	ActionAnswer       Action = "answer"      // a received recall was answered, or a checker's question
)

// Kind is the kind of a message.
type Kind string

// The kinds.
const (
	KindInstruction    Kind = "instruction"     // a payment we send
	KindRecall         Kind = "recall"          // our request to undo it
	KindReturn         Kind = "return"          // a payment sent back: by us, or by another bank whom we asked for it
	KindResolution     Kind = "resolution"      // the refusal of a recall: by us, or by another bank
	KindPayment        Kind = "payment"         // an incoming payment
	KindReceivedRecall Kind = "received recall" // another bank's request to undo it
)

var kindTexts = map[Kind]i18n.Text{
	KindInstruction: "payment", KindRecall: "recall", KindReturn: "return", KindResolution: "refusal of a recall",
	KindPayment: "incoming payment", KindReceivedRecall: "received recall",
}

// Text is the name of the kind in a sentence.
func (k Kind) Text() i18n.Text { return kindTexts[k] }

// Kinds returns every kind.
func Kinds() []Kind {
	return []Kind{KindInstruction, KindRecall, KindReturn, KindResolution, KindPayment, KindReceivedRecall}
}
