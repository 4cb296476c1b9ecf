package portal

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// parkedLife is the life of a form that was sent after the session had ended.
const parkedLife = time.Hour

// fieldParked is the parameter and form field with the key of a saved form.
const fieldParked = "parked"

// Parked holds a form that was sent after its session had ended, or typed and not sent: its fields and its file.
type Parked struct {
	ID       string
	Fields   url.Values
	File     []byte
	FileName string
	At       time.Time
}

// Park saves the fields of the form in the request, and a file, for the visitor. It returns the address of the page that fills them in
// again.
func (v *Request) Park(where string, file []byte, name string) (string, error) {
	form, err := v.Form()
	if err != nil {
		return "", err
	}
	parked := store.Parked{
		ID: v.Config.NewID(), Fields: []byte(form.Encode()), File: file, FileName: name, At: v.At, ExpiresAt: v.At.Add(parkedLife),
	}
	err = v.Config.Drafts.Park(v.Context(), v.By, parked)
	if err != nil {
		return "", err
	}
	address, err := url.Parse(where)
	if err != nil {
		return "", err
	}
	query := address.Query()
	query.Set(fieldParked, parked.ID.String())
	address.RawQuery = query.Encode()
	return address.String(), nil
}

// Unpark loads the visitor's saved form by the key in the address; it is empty for no key and for somebody else's.
func (v *Request) Unpark() (Parked, error) { return v.UnparkAs(v.Echo.QueryParam(fieldParked)) }

// UnparkAs loads the visitor's saved form by its key.
func (v *Request) UnparkAs(key string) (Parked, error) {
	id, err := uuid.Parse(key)
	if err != nil {
		return Parked{}, nil //nolint:nilerr // an invalid key has no saved form
	}
	return parkedOf(v.Config.Drafts.Parked(v.Context(), v.By, id, v.At))
}

// parkedOf parses the fields of a saved form; empty for none.
func parkedOf(kept store.Parked, err error) (Parked, error) {
	if errors.Is(err, payment.ErrNotFound) {
		return Parked{}, nil
	}
	if err != nil {
		return Parked{}, err
	}
	fields, err := url.ParseQuery(string(kept.Fields))
	return Parked{ID: kept.ID.String(), Fields: fields, File: kept.File, FileName: kept.FileName, At: kept.At}, err
}

// typedLife is the life of unsent text about a message or a draft.
const typedLife = 24 * time.Hour

// KeepTyped saves the fields of the form while somebody types the named reason about a message or a draft; an empty reason deletes the
// saved one. A person has one for each message.
func (v *Request) KeepTyped(about uuid.UUID, reason string) error {
	kept, err := v.keepTyped(about, reason)
	if err != nil {
		return err
	}
	return v.Render(http.StatusOK, views.DraftKept(kept))
}

func (v *Request) keepTyped(about uuid.UUID, reason string) (kept views.Kept, err error) {
	form, err := v.Form()
	if err != nil {
		return kept, err
	}
	fields := []byte(form.Encode())
	err = fits(fields)
	if err != nil {
		return kept, err
	}
	if strings.TrimSpace(form.Get(reason)) == "" {
		return kept, v.Config.Drafts.Forget(v.Context(), v.By, about, v.At)
	}
	kept.At = ui.ClockTime(v.At)
	return kept, v.Config.Drafts.Type(v.Context(), v.By, store.Parked{
		ID: about, Fields: fields, At: v.At, ExpiresAt: v.At.Add(typedLife),
	})
}

// Unsent loads the visitor's unsent text about a message or a draft: the form sent after the session had ended, if the address names one,
// else the text saved while it was typed.
func (v *Request) Unsent(about uuid.UUID) (Parked, error) {
	parked, err := v.Unpark()
	if err != nil || parked.ID != "" {
		return parked, err
	}
	return parkedOf(v.Config.Drafts.Typed(v.Context(), v.By, about, v.At))
}

// Forget deletes the visitor's unsent text about a finished message. It ignores errors, because the text expires after a day.
func (v *Request) Forget(about uuid.UUID) {
	err := v.Config.Drafts.Forget(v.Context(), v.By, about, v.At)
	if err != nil {
		v.Config.Log.WarnContext(v.Context(), "what was typed about a message that is dealt with stays for a day", "error", err)
	}
}

// keepAfterTimeout saves a form that was sent after the session ended, for the session's person. Nothing is checked, decided or submitted.
// It returns the address that opens the form again for that person only; "" when there is nothing to save: another form, or an unknown
// session.
func keepAfterTimeout(v *Request) (string, error) {
	owner, known, err := v.LapsedOwner()
	if err != nil || !known {
		return "", err
	}
	v.By = owner
	defer func() { v.By = identity.Principal{} }()
	for _, keep := range []func(*Request) (string, error){KeepRTransaction, keepLate, KeepPayment} {
		path, err := keep(v)
		if err != nil || path != "" {
			return path, err
		}
	}
	return "", nil
}
