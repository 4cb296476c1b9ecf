package maker

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/google/uuid"

	"countersign/internal/language"
	"countersign/internal/payment"
	"countersign/internal/store/lifecycle"
	"countersign/views"
	"countersign/web/portal/page"
	"countersign/web/portal/rtransaction"
)

// keepAddress is where the form of a payment is kept while it is being typed.
const keepAddress = "/payments/keep"

// formPath is where the form of a draft is found again.
func formPath(draft uuid.UUID) string { return "/payments/" + draft.String() + "/edit" }

// place is where a form is kept.
type place struct {
	kept  lifecycle.Draft // with its key alone where nothing is kept under that yet; zero where the form has none
	open  bool            // it is this person's, holds a payment form, and was not submitted
	other lifecycle.Draft // the draft that the form was of, which another window changed since; zero for none
}

// about is what was kept of the form before; zero for nothing.
func (p place) about() lifecycle.Draft {
	if p.other.ID != uuid.Nil {
		return p.other
	}
	return p.kept
}

// of is the place of a form that amends the message, zero for a new payment: what was kept of another form is none.
func (p place) of(amends uuid.UUID) place {
	if about := p.about(); !about.SavedAt.IsZero() && about.Amends != amends {
		return place{}
	}
	return p
}

// take is the draft that a form becomes in its place.
func (p place) take(draft lifecycle.Draft) lifecycle.Draft {
	about := p.about()
	if about.Amends != uuid.Nil && draft.Amends == uuid.Nil { // an amendment stays one, of the same scheme
		draft.Scheme, draft.Amends, draft.AmendsVersion = about.Scheme, about.Amends, about.AmendsVersion
	}
	if p.open || p.kept.SavedAt.IsZero() && p.kept.ID != uuid.Nil {
		draft.ID, draft.Seen = p.kept.ID, p.kept.SavedAt
	}
	return draft
}

// named is the draft that the form names when it comes back with what is wrong; "" for none.
func (p place) named() string {
	switch {
	case p.other.ID != uuid.Nil:
		return p.other.ID.String()
	case p.open:
		return p.kept.ID.String()
	}
	return ""
}

// sentence is what the page says that follows; "" for nothing.
func (p place) sentence() language.Text {
	if p.other.ID != uuid.Nil {
		return page.Apart
	}
	return ""
}

// keeper is how a form that was sent is kept in its place.
func (v *visit) keeper(at place) keepDraft {
	if at.open {
		return v.Config.Drafts.Save
	}
	return v.Config.Drafts.Add
}

// keepAs keeps a form in the draft it names, or in a new one, and says so.
func (v *visit) keepAs(form url.Values, draft lifecycle.Draft) error {
	draft, other, err := v.keepIn(form, draft)
	if err != nil {
		return err
	}
	kept := page.KeptIn(draft, formPath(draft.ID))
	return v.Render(http.StatusOK, views.DraftKept(page.Beside(kept, form, other, formPath)))
}

// keepIn keeps a form in the draft it names, or in a new one; other is the draft that it was of, if another window changed that since.
func (v *visit) keepIn(form url.Values, draft lifecycle.Draft) (kept lifecycle.Draft, other uuid.UUID, err error) {
	draft = page.FromPage(draft, form)
	at, err := v.placeOf(form, draft)
	if err != nil {
		return draft, uuid.Nil, err
	}
	if draft.Amends != uuid.Nil {
		at = at.of(draft.Amends)
	}
	draft = at.take(draft)
	if at.open {
		return draft, at.other.ID, v.KeepDraft(draft)
	}
	return draft, at.other.ID, v.AddKept(draft)
}

// placeOf finds where a form is kept. What another window changed since the page of the form was made is left alone: the form goes on in a
// draft of its own.
func (v *visit) placeOf(form url.Values, draft lifecycle.Draft) (place, error) {
	id, fresh := v.DraftNamed(form)
	if id == uuid.Nil {
		return place{}, nil
	}
	at, err := v.openDraft(id, fresh)
	if err != nil || !at.open || !draft.Overlooks(at.kept) {
		return at, err
	}
	own, err := v.openDraft(v.Aside(draft, id), true)
	if own.open && draft.Overlooks(own.kept) { // a third window
		own = place{}
	}
	own.other = at.kept
	return own, err
}

// openDraft finds a draft of a payment form. That of a form that is not kept yet has the key that it will have, or none.
func (v *visit) openDraft(id uuid.UUID, fresh bool) (place, error) {
	draft, err := v.Config.Drafts.Get(v.Context(), v.By, id, v.At)
	switch {
	case errors.Is(err, payment.ErrNotFound) && fresh:
		return place{kept: lifecycle.Draft{ID: id}}, nil
	case errors.Is(err, payment.ErrNotFound):
		return place{}, nil
	case err != nil:
		return place{}, err
	}
	other, err := rtransaction.FormOf(draft)
	if err != nil || other != "" || len(draft.File) > 0 || draft.MessageID != uuid.Nil {
		return place{}, err
	}
	return place{kept: draft, open: true}, nil
}
