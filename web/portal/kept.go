package portal

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/orderform"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// DraftLife is the time before an unsubmitted draft expires.
const DraftLife = 24 * time.Hour

// MaxDrafts limits the drafts of a person that are listed and counted, the last changed first.
const MaxDrafts = 50

// maxDrafts limits the open drafts of a person above which forms are no longer saved automatically. Drafts of batch files do not count.
const maxDrafts = 200

// fits refuses a form whose stored row is larger than a form may be: nothing else of it was checked.
func fits(content []byte) error {
	if len(content) > maxForm {
		return &FormError{Cause: &http.MaxBytesError{Limit: maxForm}}
	}
	return nil
}

// The fields of a form about its draft: the key of the draft; the key that came with the page; the time of saving of the shown draft; and
// the draft that another window changed, so that this form became a draft of its own.
const (
	fieldDraft   = "draft"
	fieldFormKey = "form"
	fieldSeen    = "seen"
	fieldAside   = "aside"
)

// sentForm returns the fields of a POST request; none for a GET.
func (v *Request) sentForm() (url.Values, error) {
	if v.Echo.Request().Method != http.MethodPost {
		return nil, nil //nolint:nilnil // no form was sent, and no field of it
	}
	return v.Form()
}

// KeyedForm gives a form its key (that of the request or the address, else a new one) and the address that shows the form again after
// something was typed.
func (v *Request) KeyedForm(kept views.Kept, path string, query url.Values) (views.Kept, error) {
	sent, err := v.sentForm()
	if err != nil {
		return kept, err
	}
	if sent == nil {
		sent = v.Echo.QueryParams()
	}
	key := formKey(sent)
	if key == uuid.Nil {
		key = v.Config.NewID()
	}
	kept.Form = key.String()
	query.Set(fieldFormKey, kept.Form)
	kept.Address = path + "?" + query.Encode()
	return kept, nil
}

// KeyedDraft gives the form of a draft the key and the version of the request, because the form shows the typed values. A page that shows
// the stored draft has a new key, so that two windows are distinguished.
func (v *Request) KeyedDraft(kept views.Kept) (views.Kept, error) {
	sent, err := v.sentForm()
	if err != nil {
		return kept, err
	}
	kept.Form = v.Config.NewID().String()
	if key := formKey(sent); key != uuid.Nil {
		kept.Form, kept.Seen = key.String(), sent.Get(fieldSeen)
	}
	return kept, nil
}

// formKey returns the key that came with the page of a form; zero for none.
func formKey(form url.Values) uuid.UUID { return keyIn(form, fieldFormKey) }

// keyIn returns the key in a field; zero for none.
func keyIn(form url.Values, field string) uuid.UUID {
	key, err := uuid.Parse(form.Get(field))
	if err != nil {
		return uuid.Nil
	}
	return key
}

// Seen returns the time of saving of the shown draft, as a form field holds it.
func Seen(draft store.Draft) string { return strconv.FormatInt(draft.SavedAt.UnixMicro(), 10) }

// OfDraft adds the id of the draft to a form that names none.
func OfDraft(form url.Values, draft uuid.UUID) url.Values {
	if form.Get(fieldDraft) != "" {
		return form
	}
	named := maps.Clone(form)
	named.Set(fieldDraft, draft.String())
	return named
}

// FromPage records in a draft the page that sends it and the content that the page showed.
func FromPage(draft store.Draft, form url.Values) store.Draft {
	draft.FormKey = formKey(form)
	micro, err := strconv.ParseInt(form.Get(fieldSeen), 10, 64)
	if err == nil {
		draft.Seen = time.UnixMicro(micro).UTC()
	}
	return draft
}

// KeptIn describes where a form is saved: its draft and the address that shows it.
func KeptIn(draft store.Draft, address string) views.Kept {
	kept := views.Kept{Draft: draft.ID.String(), Address: address, Seen: Seen(draft), At: ui.ClockTime(draft.SavedAt)}
	if draft.FormKey != uuid.Nil {
		kept.Form = draft.FormKey.String()
	}
	return kept
}

// OpenDraft loads the draft the path names; it is the visitor's own or does not exist.
func (v *Request) OpenDraft() (store.Draft, error) {
	id, err := v.ID("id")
	if err != nil {
		return store.Draft{}, err
	}
	return v.Config.Drafts.Get(v.Context(), v.By, id, v.At)
}

// Submitted records the resulting message in the draft and redirects to the confirmation.
func (v *Request) Submitted(draft store.Draft, id uuid.UUID, err error) error {
	if err != nil {
		return err
	}
	if draft.MessageID == uuid.Nil {
		err = v.Config.Drafts.Submitted(v.Context(), v.By, draft, id)
		if err != nil {
			return err
		}
	}
	return v.GoTo("/payments/"+id.String()+"/submitted", "")
}

// CheckedField is the form field of a check page with the digest of the shown draft, or of all lines of a file. A draft changed in another
// window since then is not submitted.
const CheckedField = "checked"

// ChangedSince is the refusal of a submission whose content differs from the page.
const ChangedSince i18n.Text = "The details were changed after the page was loaded, perhaps in another window. Nothing was " +
	"submitted. Check the details again."

// KeepPayment saves a form that a maker sent after the session ended, for the same person: a payment form as a draft, a file unchanged. It
// returns the address that opens it again; "" for another form.
func KeepPayment(v *Request) (string, error) {
	switch path := v.Echo.Path(); path {
	case "/payments/new", keepAddress, "/payments/:id/edit", "/payments/:id/amend", "/payments/:id/amend/keep":
		return keepForm(v, path)
	case "/payments/upload":
		return keepFile(v)
	case qrBillPath:
		return keepQRBill(v)
	}
	return "", nil
}

// keepFile saves an uploaded file of an accepted size.
func keepFile(v *Request) (string, error) {
	content, name, err := v.uploaded(orderform.MaxFile)
	if err != nil || len(content) == 0 || len(content) > orderform.MaxFile {
		return "", err
	}
	return v.Park("/payments/upload", content, name)
}

func keepForm(v *Request, path string) (string, error) {
	form, err := v.Form()
	if err != nil {
		return "", err
	}
	draft, err := v.newDraft(SchemeOf(form.Get("scheme")), orderform.ReadForm(form))
	if err != nil {
		return "", err
	}
	switch path {
	case "/payments/:id/edit":
		earlier, err := v.OpenDraft()
		if err != nil && !errors.Is(err, payment.ErrNotFound) {
			return "", err
		}
		draft.Amends, draft.AmendsVersion = earlier.Amends, earlier.AmendsVersion
	case "/payments/:id/amend", "/payments/:id/amend/keep":
		m, err := v.Message()
		if errors.Is(err, payment.ErrNotFound) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		draft.Amends, draft.AmendsVersion = m.InternalID, v.versionOf(m)
	}
	kept, _, err := v.keepIn(form, draft)
	var tooMany *payment.ForbiddenError
	if errors.As(err, &tooMany) {
		return "", nil
	}
	return formPath(kept.ID), err
}
