package portal

import (
	"strings"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/payment"
)

// look records that a checker has the message open; nothing for others.
func (v *Request) look(m payment.Message) error {
	if !v.By.Has(identity.RoleChecker) {
		return nil
	}
	return v.Config.Desk.Look(v.Context(), v.By, m, v.At)
}

// lookAtAll records that a checker has these messages open on one page; nothing for others.
func (v *Request) lookAtAll(messages []payment.Message) error {
	if !v.By.Has(identity.RoleChecker) || len(messages) == 0 {
		return nil
	}
	return v.Config.Desk.LookAtAll(v.Context(), v.By, messages, v.At)
}

// looked names the other people who view a message: "Checker 2 is looking at this"; "" for none.
func (v *Request) looked(message uuid.UUID) i18n.Text { return lookedBy(v.viewers[message]) }

// lookedBy is the sentence beside a message that others have open.
func lookedBy(names []string) i18n.Text {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return i18n.Text("%s is viewing this item").With(names[0])
	}
	last := len(names) - 1
	return i18n.Text("%s and %s are viewing this item").With(strings.Join(names[:last], ", "), names[last])
}
