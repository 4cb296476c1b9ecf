package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"countersign/internal/auditlog"
	"countersign/internal/identity"
	"countersign/internal/payment"
)

// RefusedStep is a step of a message that a person was not allowed to take.
type RefusedStep struct {
	By      identity.Principal
	At      time.Time
	Message payment.Message // as it was found; zero when there is none
	Action  payment.Action
	Cause   error
}

// RefusedStep stores a refused step in the audit trail of its message. Malformed requests and requests about unknown messages leave no
// event. A withheld message raises the alarm in the log as well.
func (s *Messages) RefusedStep(ctx context.Context, step RefusedStep) {
	why, refused := payment.Refused(step.Cause)
	if !refused || step.Message.InternalID == uuid.Nil {
		return
	}
	if why == payment.RefusedWithheld {
		s.db.Log().ErrorContext(
			ctx, "a message that does not fit its seal or its document was to be acted on", "alarm", true, "realm", step.By.Realm, "message",
			step.Message.InternalID, "error", step.Cause,
		)
	}
	s.db.Refused(ctx, Refusal{
		Realm: step.By.Realm, Event: auditlog.RefusedEventOf(string(step.Message.Kind), string(step.Action)), MessageID: step.Message.InternalID,
		Actor: step.By.Actor(), Why: why, Cause: step.Cause, At: step.At,
	})
}
