package portal

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
)

// Place names the draft that stores a form; there may be none.
type Place struct {
	Kept  store.Draft // with its key alone where nothing is kept under that yet; zero where the form has none
	Open  bool        // it is this person's, holds such a form, and was not submitted
	Other store.Draft // the draft that the form was of, which another window changed since; zero for none
}

// KeepDraft stores a draft: it inserts a new one or updates an open one.
type KeepDraft func(context.Context, identity.Principal, store.Draft) error

// Apart is the sentence shown when a form becomes a draft of its own because another window changed its draft.
const Apart i18n.Text = "The draft was changed in another window. What you typed in this window is now a separate draft. You can " +
	"find both drafts under “My submissions”, “Drafts”."

// DraftNamed returns the key of the draft that stores a form; fresh reports that the draft may not exist yet. A key from the page of a form
// means one draft for each person, so a form that is sent twice makes one draft. It is zero for a form without a key.
func (v *Request) DraftNamed(form url.Values) (id uuid.UUID, fresh bool) {
	id, err := uuid.Parse(form.Get(fieldDraft))
	if err == nil {
		return id, false
	}
	key := formKey(form)
	if key == uuid.Nil {
		return uuid.Nil, false
	}
	return uuid.NewSHA1(key, v.By.UserID[:]), true
}

// PlaceOf finds the draft for a form: the named one, else a new one. A draft that another window changed since the page was made stays
// unchanged, and the form becomes a draft of its own. holds reports whether a draft has this type of form and is open.
func (v *Request) PlaceOf(form url.Values, draft store.Draft, holds func(store.Draft) (bool, error)) (Place, error) {
	id, fresh := v.DraftNamed(form)
	if id == uuid.Nil {
		return Place{}, nil
	}
	at, err := v.placeIn(id, fresh, holds)
	if err != nil || !at.Open || !draft.Overlooks(at.Kept) {
		return at, err
	}
	// One draft of its own for each page, however often that is sent.
	own, err := v.placeIn(uuid.NewSHA1(draft.FormKey, slices.Concat(v.By.UserID[:], id[:])), true, holds)
	if own.Open && draft.Overlooks(own.Kept) { // a third window
		own = Place{}
	}
	own.Other = at.Kept
	return own, err
}

// placeIn returns the place of a form in a draft. A form that is not saved yet has its future key, or none.
func (v *Request) placeIn(id uuid.UUID, fresh bool, holds func(store.Draft) (bool, error)) (Place, error) {
	kept, err := v.Config.Drafts.Get(v.Context(), v.By, id, v.At)
	switch {
	case errors.Is(err, payment.ErrNotFound) && fresh:
		return Place{Kept: store.Draft{ID: id}}, nil
	case errors.Is(err, payment.ErrNotFound):
		return Place{}, nil
	case err != nil:
		return Place{}, err
	}
	open, err := holds(kept)
	if err != nil || !open {
		return Place{}, err
	}
	return Place{Kept: kept, Open: true}, nil
}

// Named returns the draft that the refused form names; zero for none.
func (p Place) Named() store.Draft {
	switch {
	case p.Other.ID != uuid.Nil:
		return p.Other
	case p.Open:
		return p.Kept
	}
	return store.Draft{}
}

// take returns the draft as it is stored in the place. A draft that amends a message stays one, of the same scheme.
func (p Place) take(draft store.Draft) store.Draft {
	if named := p.Named(); named.Amends != uuid.Nil && draft.Amends == uuid.Nil {
		draft.Scheme, draft.Amends, draft.AmendsVersion = named.Scheme, named.Amends, named.AmendsVersion
	}
	if p.Kept.ID != uuid.Nil {
		draft.ID, draft.Seen = p.Kept.ID, p.Kept.SavedAt
	}
	return draft
}

// Sentence returns the message for the next page; "" for none.
func (p Place) Sentence() i18n.Text {
	if p.Other.ID != uuid.Nil {
		return Apart
	}
	return ""
}

// Keeper returns the function that stores a sent form in its draft.
func (v *Request) Keeper(at Place) KeepDraft {
	if at.Open {
		return v.Config.Drafts.Save
	}
	return v.Config.Drafts.Add
}

// KeepAt saves a form as a draft while it is typed: in the open draft of its place, else in a new one unless the person has too many.
func (v *Request) KeepAt(at Place, draft store.Draft) error {
	err := fits(draft.Answers)
	if err != nil {
		return err
	}
	if at.Open {
		return v.Config.Drafts.Keep(v.Context(), v.By, draft)
	}
	full, err := v.Config.Drafts.Full(v.Context(), v.By, v.At, maxDrafts)
	if err != nil {
		return err
	}
	if full {
		return &payment.ForbiddenError{Text: "This form was not saved because you have too many drafts. Submit or delete some drafts."}
	}
	return v.Config.Drafts.Add(v.Context(), v.By, draft)
}

// Beside tells a form that became a draft of its own which draft it came from: the one that another window just changed, else the one that
// the form names.
func Beside(kept views.Kept, form url.Values, other uuid.UUID, address func(uuid.UUID) string) views.Kept {
	kept.Anew = other != uuid.Nil
	if !kept.Anew {
		other = keyIn(form, fieldAside)
	}
	if other != uuid.Nil {
		kept.Aside, kept.Other = other.String(), address(other)
	}
	return kept
}

// keepAddress receives the form of a payment while it is typed.
const keepAddress = "/payments/keep"

// formPath returns the page of the form of a draft.
func formPath(draft uuid.UUID) string { return "/payments/" + draft.String() + "/edit" }

// of returns the place of a form that amends the message, zero for a new payment. The place of another form counts as none.
func (p Place) of(amends uuid.UUID) Place {
	if named := p.Named(); named.ID != uuid.Nil && named.Amends != amends {
		return Place{}
	}
	return p
}

// named returns the key of the draft that the refused form names; "" for none.
func (p Place) named() string {
	if named := p.Named(); named.ID != uuid.Nil {
		return named.ID.String()
	}
	return ""
}

// placeOf finds the place of a payment form that is stored as the draft.
func (v *Request) placeOf(form url.Values, draft store.Draft) (Place, error) {
	return v.PlaceOf(form, draft, func(kept store.Draft) (bool, error) {
		other, err := FormOf(kept)
		return other == "" && len(kept.File) == 0 && kept.MessageID == uuid.Nil, err
	})
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
	return draft, at.Other.ID, v.KeepAt(at, draft)
}

// placeOfRequest finds where a form is saved, and its draft there: the one that the form or its address names, else a new one.
func (v *Request) placeOfRequest(a asked, values url.Values) (Place, store.Draft, error) {
	draft, err := v.newRequestDraft(a)
	if err != nil {
		return Place{}, draft, err
	}
	draft = FromPage(draft, values)
	if values.Get("draft") == "" && v.Echo.QueryParam("draft") != "" {
		values = v.Echo.QueryParams()
	}
	at, err := v.PlaceOf(values, draft, func(kept store.Draft) (bool, error) {
		f, err := formIn(kept)
		return f != nil && f.about(a.form) && kept.MessageID == uuid.Nil, err
	})
	return at, at.take(draft), err
}
