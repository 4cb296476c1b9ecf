package payment

import (
	"time"

	"github.com/google/uuid"
)

// Policy is the rule of a realm a new message falls under. It is frozen into the message: a later policy does not touch it.
type Policy struct {
	ID                uuid.UUID
	ApprovalsRequired int           // 0 to 9
	PendingFor        time.Duration // how long the message may wait for its approvals
}
