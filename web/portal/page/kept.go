package page

import (
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"

	"countersign/internal/language"
	"countersign/internal/payment"
	"countersign/internal/store/lifecycle"
	"countersign/views"
	"countersign/views/ui"
)

// DraftLife is how long a draft waits for its submission.
const DraftLife = 24 * time.Hour

// MaxDrafts is how many drafts of a person are listed and counted, the last changed first.
const MaxDrafts = 50

// maxDrafts is how many open drafts a person may have before no further form is kept by the way; those of files of many payments are not
// counted.
const maxDrafts = 200

// AddKept keeps a form by the way, while somebody types it, as a new draft, unless they have very many.
func (v *Visit) AddKept(draft lifecycle.Draft) error {
	err := fits(draft.Answers)
	if err != nil {
		return err
	}
	full, err := v.Config.Drafts.Full(v.Context(), v.By, v.At, maxDrafts)
	if err != nil {
		return err
	}
	if full {
		return &payment.ForbiddenError{Text: "This form is not kept: too many drafts of yours wait already. Submit some of them."}
	}
	return v.Config.Drafts.Add(v.Context(), v.By, draft)
}

// KeepDraft keeps a form by the way, while somebody types it, in its draft.
func (v *Visit) KeepDraft(draft lifecycle.Draft) error {
	err := fits(draft.Answers)
	if err != nil {
		return err
	}
	return v.Config.Drafts.Keep(v.Context(), v.By, draft)
}

// fits refuses what became larger on the way into its row than forms may be: nothing of it was checked.
func fits(content []byte) error {
	if len(content) > maxForm {
		return &FormError{Cause: &http.MaxBytesError{Limit: maxForm}}
	}
	return nil
}

// The fields under which a form carries the key of the draft it is kept in, and before there is one the key that came with its page.
const (
	fieldDraft   = "draft"
	fieldFormKey = "form"
)

// DraftNamed is the draft that a form is kept in, or would be: fresh tells that it may not be there yet. A key that came with the page of a
// form is that of one draft for each person, so that what is sent twice at once, or found again before it arrived, is one form, and two
// windows are two. It is zero for a form without a key.
func (v *Visit) DraftNamed(form url.Values) (id uuid.UUID, fresh bool) {
	id, err := uuid.Parse(form.Get(fieldDraft))
	if err == nil {
		return id, false
	}
	key, err := uuid.Parse(form.Get(fieldFormKey))
	if err != nil {
		return uuid.Nil, false
	}
	return uuid.NewSHA1(key, v.By.UserID[:]), true
}

// KeyedForm gives a form the key that it was sent with, or that its address carries, else a new one, and the address under which it is
// found again as soon as something is typed.
func (v *Visit) KeyedForm(kept views.Kept, path string, query url.Values) (views.Kept, error) {
	sent := v.Echo.QueryParams()
	if v.Echo.Request().Method == http.MethodPost {
		form, err := v.Form()
		if err != nil {
			return kept, err
		}
		sent = form
	}
	key, err := uuid.Parse(sent.Get(fieldFormKey))
	if err != nil {
		key = v.Config.NewID()
	}
	kept.Form = key.String()
	query.Set(fieldFormKey, kept.Form)
	kept.Address = path + "?" + query.Encode()
	return kept, nil
}

// KeptIn says in which draft a form is kept, and where it is found again.
func KeptIn(draft uuid.UUID, address string, at time.Time) views.Kept {
	return views.Kept{Draft: draft.String(), Address: address, At: ui.ClockTime(at)}
}

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

// CheckedField is the field of a check page that tells what it showed: the digest of the draft, or of all lines of a file. What was typed
// in another window since is not submitted by its button.
const CheckedField = "checked"

// ChangedSince is said where something else would have been submitted than what was shown.
const ChangedSince language.Text = "" +
	"This was changed after the page was made, in another window perhaps. Nothing was submitted: check it again."
