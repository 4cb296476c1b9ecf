package rtransaction

import (
	"net/url"

	"github.com/google/uuid"

	"countersign/internal/store/message"
	"countersign/web/portal/page"
)

// place is where a form is kept, and what it becomes there.
type place struct {
	page.Place
	draft message.Draft
}

// placeOf finds where a form is kept: in the draft that it, or its address, names, else in a new one.
func (v *visit) placeOf(a asked, values url.Values) (place, error) {
	draft, err := v.newDraft(a)
	if err != nil {
		return place{}, err
	}
	draft = page.FromPage(draft, values)
	if values.Get("draft") == "" && v.Echo.QueryParam("draft") != "" {
		values = v.Echo.QueryParams()
	}
	at, err := v.PlaceOf(values, draft, func(kept message.Draft) (bool, error) {
		f, err := formIn(kept)
		return f != nil && f.about(a.form) && kept.MessageID == uuid.Nil, err
	})
	return place{Place: at, draft: at.Take(draft)}, err
}
