package clearing

import (
	"errors"

	"github.com/google/uuid"
)

// unheardError is why a document was not handed over, where that is about clearing, or the way to it, and not about the document.
type unheardError struct{ error }

// Unwrap is the error of the network.
func (e unheardError) Unwrap() error { return e.error }

// unheard says whether something was not handed over for want of clearing.
func unheard(err error) bool {
	var e unheardError
	return errors.As(err, &e)
}

// back has what waits for clearing leave at once, when the first document is taken after an interruption: nothing waits any longer because
// of attempts that failed while clearing was away. What pauses for another reason, such as a document that clearing refuses, goes on to
// pause. The breaker calls it under its own lock: nobody is asked here how the connection stands.
func (l *lane) back() {
	message := func(_ uuid.UUID, why error) bool { return unheard(why) }
	l.deliveries.endThose(message)
	l.inquiries.endThose(message)
	l.answers.endThose(func(_ string, why error) bool { return unheard(why) })
	for _, realm := range l.realms() {
		l.toDeliver.tell(realm)
		l.toInquire.tell(realm)
	}
}
