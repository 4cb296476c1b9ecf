package page

import (
	"errors"
	"net/url"
	"time"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/store/lifecycle"
)

// parkedLife is how long a form that came too late can be filled in again.
const parkedLife = time.Hour

// fieldParked is the name under which addresses and forms carry the key of what was parked.
const fieldParked = "parked"

// Parked is what somebody typed before their session ran out: the fields of the form, and the file it sent.
type Parked struct {
	ID       string
	Fields   url.Values
	File     []byte
	FileName string
}

// Park keeps the fields of the form in the request, and a file, for the visitor; the address returned opens the page where they are filled
// in again.
func (v *Visit) Park(where string, file []byte, name string) (string, error) {
	form, err := v.Form()
	if err != nil {
		return "", err
	}
	parked := lifecycle.Parked{
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

// Unpark finds what was kept for the visitor under the key in the address; there is nothing under no key, and under somebody else's.
func (v *Visit) Unpark() (Parked, error) { return v.UnparkAs(v.Echo.QueryParam(fieldParked)) }

// UnparkAs finds what was kept for the visitor under a key.
func (v *Visit) UnparkAs(key string) (Parked, error) {
	id, err := uuid.Parse(key)
	if err != nil {
		return Parked{}, nil //nolint:nilerr // nothing is kept under what is no key
	}
	kept, err := v.Config.Drafts.Parked(v.Context(), v.By, id, v.At)
	if errors.Is(err, payment.ErrNotFound) {
		return Parked{}, nil
	}
	if err != nil {
		return Parked{}, err
	}
	fields, err := url.ParseQuery(string(kept.Fields))
	return Parked{ID: kept.ID.String(), Fields: fields, File: kept.File, FileName: kept.FileName}, err
}
