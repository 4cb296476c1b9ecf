package administration

import "strings"

// What clearing is held to have of a message, in words.
const (
	notTaken = "is not known to have it"
	taken    = "has it, as another document under its id"
)

// MessageValues are the fields of a released message that clearing is not known to have.
func MessageValues(internalID, globalID string) Values {
	return Values{"internalId": internalID, "globalId": globalID, "atClearing": notTaken}
}

// afterMessage says that clearing has the message. By itself that moves nothing: clearing is asked, and what it answers counts.
func (r Request) afterMessage(known Facts) (Values, error) {
	if strings.TrimSpace(r.Note) == "" {
		return nil, refuse("/note", codeMissing, "Say how you know that clearing has it, such as the line of its statement.")
	}
	return known.Before.with(Values{"atClearing": taken}), nil
}
