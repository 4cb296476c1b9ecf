package administration

// The texts about the outcome that clearing has for a message.
const (
	notTaken = "is not known to have it"
	taken    = "has it, as another document under its id"
)

// KindMessageTaken confirms that clearing has a released message as another document under its id, as after a restore: its status is then
// requested from clearing.
const KindMessageTaken Kind = "message.taken"

var messageNoun = Noun{
	Name: "message", Key: "internalId",
	Fields: []Field{
		{Key: "internalId", Label: "Message"}, {Key: "globalId", Label: "Global ID"}, {Key: "atClearing", Label: "Clearing"},
	},
	Actions: []Action{{
		Kind: KindMessageTaken, Label: "Received by clearing", Heading: "Confirm that clearing has received the message %s",
		Words: "Request this confirmation if the gateway was restored from a backup and clearing now refuses a message because it already " +
			"has a different message with the same ID. Once the request is approved, the gateway asks clearing for the state of the message " +
			"and adopts that state. In the note, explain how you know that clearing has the message.",
		NoteMissing: "Explain how you know that clearing has the message. For example, quote a line from the clearing statement.",
	}},
}

// MessageValues are the fields of a released message that clearing is not known to have.
func MessageValues(internalID, globalID string) Values {
	return Values{"internalId": internalID, "globalId": globalID, "atClearing": notTaken}
}

// afterMessage confirms that clearing has the message. It moves nothing itself: the answer of clearing counts.
func (r Request) afterMessage(known Facts) (Values, error) {
	return known.Before.with(Values{"atClearing": taken}), nil
}
