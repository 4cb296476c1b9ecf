package page

import (
	"time"

	"github.com/google/uuid"

	"countersign/internal/store/lifecycle"
)

// DraftLife is how long a draft waits for its submission.
const DraftLife = 24 * time.Hour

// MaxDrafts is how many drafts of a person are listed and counted, the last changed first.
const MaxDrafts = 50

// OpenDraft loads the draft the path names; it is the visitor's own or does not exist.
func (v *Visit) OpenDraft() (lifecycle.Draft, error) {
	id, err := v.ID("id")
	if err != nil {
		return lifecycle.Draft{}, err
	}
	return v.Config.Drafts.Get(v.Context(), v.By, id, v.At)
}

// Submitted notes what the draft became and goes to the confirmation.
func (v *Visit) Submitted(draft lifecycle.Draft, id uuid.UUID, err error) error {
	if err != nil {
		return err
	}
	if draft.MessageID == uuid.Nil {
		err = v.Config.Drafts.Submitted(v.Context(), v.By, draft.ID, id)
		if err != nil {
			return err
		}
	}
	return v.GoTo("/payments/"+id.String()+"/submitted", "")
}
