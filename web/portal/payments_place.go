package portal

import (
	"net/http"
	"net/url"

	"github.com/google/uuid"

	"countersign/internal/store"
	"countersign/views"
)

// keepAddress receives the form of a payment while it is typed.
const keepAddress = "/payments/keep"

// formPath returns the page of the form of a draft.
func formPath(draft uuid.UUID) string { return "/payments/" + draft.String() + "/edit" }

// place names the draft that stores the form of a payment.
type place struct{ Place }

// of returns the place of a form that amends the message, zero for a new payment. The place of another form counts as none.
func (p place) of(amends uuid.UUID) place {
	if named := p.Named(); named.ID != uuid.Nil && named.Amends != amends {
		return place{}
	}
	return p
}

// take returns the draft as it is stored in the place. A draft that amends a message stays one, of the same scheme.
func (p place) take(draft store.Draft) store.Draft {
	named := p.Named()
	if named.Amends != uuid.Nil && draft.Amends == uuid.Nil { // an amendment stays one, of the same scheme
		draft.Scheme, draft.Amends, draft.AmendsVersion = named.Scheme, named.Amends, named.AmendsVersion
	}
	return p.Take(draft)
}

// named returns the key of the draft that the refused form names; "" for none.
func (p place) named() string {
	if named := p.Named(); named.ID != uuid.Nil {
		return named.ID.String()
	}
	return ""
}

// placeOf finds the place of a payment form that is stored as the draft.
func (v *Request) placeOf(form url.Values, draft store.Draft) (place, error) {
	at, err := v.PlaceOf(form, draft, func(kept store.Draft) (bool, error) {
		other, err := FormOf(kept)
		return other == "" && len(kept.File) == 0 && kept.MessageID == uuid.Nil, err
	})
	return place{at}, err
}

// keepAs saves a form in its named draft, or in a new one, and answers with the place.
func (v *Request) keepAs(form url.Values, draft store.Draft) error {
	draft, other, err := v.keepIn(form, draft)
	if err != nil {
		return err
	}
	kept := KeptIn(draft, formPath(draft.ID))
	return v.Render(http.StatusOK, views.DraftKept(Beside(kept, form, other, formPath)))
}

// keepIn saves a form in its named draft, or in a new one; other is the named draft if another window changed it meanwhile.
func (v *Request) keepIn(form url.Values, draft store.Draft) (kept store.Draft, other uuid.UUID, err error) {
	draft = FromPage(draft, form)
	at, err := v.placeOf(form, draft)
	if err != nil {
		return draft, uuid.Nil, err
	}
	if draft.Amends != uuid.Nil {
		at = at.of(draft.Amends)
	}
	draft = at.take(draft)
	return draft, at.Other.ID, v.KeepAt(at.Place, draft)
}
