package payment

import "strings"

// EventType names what happened to a message, or that a change was applied, in the stream of events.
type EventType string

// The event types that are not made of the name of a state.
const (
	EventCreated         EventType = "message.created"
	EventAmended         EventType = "message.amended"
	EventPaymentReceived EventType = "payment.received"
	EventRecallReceived  EventType = "recall.received"
	EventRecallAnswered  EventType = "recall.answered"
	EventChangeApplied   EventType = "change.applied"
)

// Event returns the type of the event of a move; "" for a move that changes nothing for a client, such as a question to clearing.
func (m Move) Event() EventType {
	switch {
	case m.Action == ActionSubmit:
		return EventCreated
	case m.Action == ActionAmend:
		return EventAmended
	case m.From == StateNone && m.Kind == KindPayment && m.To != StateFailed:
		return EventPaymentReceived
	case m.From == StateNone && m.Kind == KindReceivedRecall:
		return EventRecallReceived
	case m.To == StateAnswered, m.Action == ActionAccept, m.Action == ActionRefuseRecall:
		return EventRecallAnswered
	case m.From == m.To && m.Action != ActionApprove && m.To != StateProcessing:
		return ""
	}
	return m.To.event()
}

func (s State) event() EventType {
	return EventType("message." + strings.ReplaceAll(strings.ToLower(string(s)), " ", "_"))
}
