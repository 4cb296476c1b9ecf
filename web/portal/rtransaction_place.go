package portal

import (
	"net/url"

	"github.com/google/uuid"

	"countersign/internal/store"
)

// savedForm is the place of a stored form, with its draft.
type savedForm struct {
	Place
	draft store.Draft
}

// placeOfRequest finds where a form is saved: in the draft that the form or its address names, else in a new one.
func (v *Request) placeOfRequest(a asked, values url.Values) (savedForm, error) {
	draft, err := v.newRequestDraft(a)
	if err != nil {
		return savedForm{}, err
	}
	draft = FromPage(draft, values)
	if values.Get("draft") == "" && v.Echo.QueryParam("draft") != "" {
		values = v.Echo.QueryParams()
	}
	at, err := v.PlaceOf(values, draft, func(kept store.Draft) (bool, error) {
		f, err := formIn(kept)
		return f != nil && f.about(a.form) && kept.MessageID == uuid.Nil, err
	})
	return savedForm{Place: at, draft: at.Take(draft)}, err
}
