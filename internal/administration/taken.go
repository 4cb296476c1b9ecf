package administration

import "strings"

// What clearing is held to have of a message, in words.
const (
	notTaken = "is not known to have it"
	taken    = "has it, as another document under its id"
)

// KindMessageTaken says that clearing has a released message as another document under its id, as it may after a restore: clearing is then
// asked for its outcome.
const KindMessageTaken Kind = "message.taken"

var messageNoun = Noun{
	Name: "message", Key: "internalId",
	Fields: []Field{
		{Key: "internalId", Label: "Message"}, {Key: "globalId", Label: "Global ID"}, {Key: "atClearing", Label: "Clearing"},
	},
	Actions: []Action{{
		Kind: KindMessageTaken, Label: "Clearing has it", Heading: "Say that clearing has the message %s",
		Words: "After a restore from a backup: clearing refuses the message because it has another one under its id. Once this is approved, the gateway " +
			"asks clearing for its state, and the answer counts. The note says how you know.",
	}},
}

// MessageValues are the fields of a released message that clearing is not known to have.
func MessageValues(internalID, globalID string) Values {
	return Values{"internalId": internalID, "globalId": globalID, "atClearing": notTaken}
}

// afterMessage confirms that clearing has the message. By itself that moves nothing: clearing is asked, and its answer counts.
func (r Request) afterMessage(known Facts) (Values, error) {
	if strings.TrimSpace(r.Note) == "" {
		return nil, refuse("/note", codeMissing, "Say how you know that clearing has it, such as the line of its statement.")
	}
	return known.Before.with(Values{"atClearing": taken}), nil
}
