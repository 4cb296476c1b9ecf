package rtransaction

import (
	"errors"
	"net/url"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/store/lifecycle"
	"countersign/web/portal/page"
)

// place is where a form is kept.
type place struct {
	draft lifecycle.Draft // what the form becomes there
	kept  lifecycle.Draft // what is kept there; zero for nothing yet
	open  bool            // it is there, and was not submitted
	other lifecycle.Draft // the draft that the form was of, which another window changed since; zero for none
}

// named is the draft that the form names when it comes back with what is wrong; zero for none.
func (p place) named() lifecycle.Draft {
	if p.other.ID != uuid.Nil {
		return p.other
	}
	return p.kept
}

// placeOf finds where a form is kept: in the draft that it, or its address, names, else in a new one. What another window changed since the
// page of the form was made is left alone: the form goes on in a draft of its own.
func (v *visit) placeOf(a asked, values url.Values) (place, error) {
	draft, err := v.newDraft(a)
	if err != nil {
		return place{}, err
	}
	draft = page.FromPage(draft, values)
	if values.Get("draft") == "" && v.Echo.QueryParam("draft") != "" {
		values = v.Echo.QueryParams()
	}
	id, fresh := v.DraftNamed(values)
	at, err := v.placeIn(a, draft, id, fresh)
	if err != nil || !at.open || !draft.Overlooks(at.kept) {
		return at, err
	}
	own, err := v.placeIn(a, draft, v.Aside(draft, id), true)
	if own.open && draft.Overlooks(own.kept) { // a third window
		own = place{draft: draft}
	}
	own.other = at.kept
	return own, err
}

// placeIn is the place of a form in a draft: one that was submitted, and one that is over, is none. A form that is not kept yet may have
// the key that its draft will have.
func (v *visit) placeIn(a asked, draft lifecycle.Draft, id uuid.UUID, fresh bool) (place, error) {
	kept, err := v.draftOf(a, id, fresh)
	switch {
	case errors.Is(err, payment.ErrNotFound) || err == nil && kept != nil && kept.MessageID != uuid.Nil:
		return place{draft: draft}, nil
	case err != nil:
		return place{}, err
	case kept == nil:
		if fresh {
			draft.ID = id
		}
		return place{draft: draft}, nil
	}
	at := place{draft: draft, kept: *kept, open: true}
	at.draft.ID, at.draft.Seen = kept.ID, kept.SavedAt
	return at, nil
}

// keepByTheWay keeps a form in its place while it is being typed.
func (v *visit) keepByTheWay(at place) error {
	if at.open {
		return v.KeepDraft(at.draft)
	}
	return v.AddKept(at.draft)
}
