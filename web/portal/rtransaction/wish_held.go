package rtransaction

import (
	"errors"

	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/web/portal/page"
)

// ShowCheck shows what a draft holds once more if it is an R-transaction; held is false for a payment, which it leaves alone.
func ShowCheck(v *page.Visit, draft store.Draft) (held bool, err error) {
	w, err := wishOf(draft)
	if err != nil || w == nil {
		return false, err
	}
	return true, (&visit{v}).showWishCheck(draft, *w)
}

// Submit submits what a draft holds if it is an R-transaction; held is false for a payment, which it leaves alone.
func Submit(v *page.Visit, draft store.Draft) (held bool, err error) {
	w, err := wishOf(draft)
	if err != nil || w == nil {
		return false, err
	}
	return true, (&visit{v}).submitWish(draft, *w)
}

// FormOf is the address of the form of the R-transaction a draft holds; "" for a payment.
func FormOf(draft store.Draft) (string, error) {
	w, err := wishOf(draft)
	if err != nil || w == nil {
		return "", err
	}
	return w.path() + "?draft=" + draft.ID.String(), nil
}

// wishForms are the forms for R-transactions by their route.
var wishForms = map[string]payment.Kind{
	"/payments/:id/recall": payment.KindRecall, "/payments/:id/return": payment.KindReturn, "/recalls/:id/resolve": payment.KindResolution,
}

// Keep keeps a form of an R-transaction that was sent after the session had run out, as a draft of the person whose session it
// was. The address returned opens it again; it is "" for another form.
func Keep(v *page.Visit) (string, error) {
	kind, ours := wishForms[v.Echo.Path()]
	if !ours {
		return "", nil
	}
	form, err := v.Form()
	if err != nil {
		return "", err
	}
	id, err := v.ID("id")
	if err != nil {
		return "", nil //nolint:nilerr // a form about nothing is not kept
	}
	s, err := (&visit{v}).subjectOf(kind, id)
	if errors.Is(err, payment.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	w := s.newWish()
	w.read(form)
	draft, err := (&visit{v}).newWishDraft(s.Original.Scheme, w)
	if err != nil {
		return "", err
	}
	return w.path() + "?draft=" + draft.ID.String(), v.Config.Drafts.Add(v.Context(), v.By, draft)
}
