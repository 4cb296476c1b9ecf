package checker

import (
	"strings"

	"github.com/google/uuid"

	"countersign/internal/identity"
)

// look notes that this person has the message open and may decide it, and asks who else has.
func (v *visit) look(message uuid.UUID) error {
	if !v.By.Has(identity.RoleChecker) {
		return nil
	}
	return v.Config.Desk.Look(v.Context(), v.By, message, v.At)
}

// looked names the others who look at a message: "Checker 2"; "" for nobody.
func (v *visit) looked(message uuid.UUID) string { return lookedBy(v.lookers[message]) }

// lookedBy is the sentence beside a message that others have open.
func lookedBy(names []string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0] + " is looking at this"
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1] + " are looking at this"
}
