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

// back ends the pauses of what failed while clearing was away, when clearing accepts the first document after an interruption. Other
// pauses, such as that of a document that clearing refuses, continue. The breaker calls back under its own lock, so back does not read the
// state of the connection.
func (l *lane) back() {
	message := func(_ uuid.UUID, why error) bool { return unheard(why) }
	l.deliveries.endThose(message)
	l.inquiries.endThose(message)
	l.answers.endThose(func(_ string, why error) bool { return unheard(why) })
}
