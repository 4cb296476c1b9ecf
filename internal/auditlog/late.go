package auditlog

import (
	"time"

	"github.com/google/uuid"

	"countersign/internal/keyring"
)

// Late is the note that a row was sealed after it was stored, by an operator who answers for it.
type Late struct {
	Realm, Relation string // Realm is "" for a row of no realm
	Key             string // of the row within its realm, its columns with a space between
	RunID           uuid.UUID
	By, Reason      string
	Before, At      time.Time
}

func (l Late) fields() keyring.Fields {
	f := make(keyring.Fields, 0, 320)
	f.Text("countersign sealed afterwards 1", l.Realm, l.Relation, l.Key)
	f.ID(l.RunID)
	f.Text(l.By, l.Reason)
	f.Moment(l.Before)
	f.Moment(l.At)
	return f
}

// SealLate makes the seal of the note.
func (s Sealer) SealLate(l Late) keyring.Seal { return s.documents.Seal(l.fields()) }

// CheckLate holds the note against its seal. Errors: those of keyring.Ring.Check.
func (s Sealer) CheckLate(l Late, seal keyring.Seal) error {
	return s.documents.Check(seal, l.fields())
}
