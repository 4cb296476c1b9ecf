package portal

import (
	"errors"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// ShowCheck shows the check page of a draft that is an R-transaction, with problems if there are any; held is false for a payment, which it
// leaves alone.
func ShowCheck(v *Request, draft store.Draft, status int, problems []ui.Problem) (held bool, err error) {
	f, err := formIn(draft)
	if err != nil || f == nil {
		return false, err
	}
	return true, v.showCheckPage(draft, *f, status, problems)
}

// Submit submits a draft that is an R-transaction; held is false for a payment, which it leaves alone.
func Submit(v *Request, draft store.Draft) (held bool, err error) {
	f, err := formIn(draft)
	if err != nil || f == nil {
		return false, err
	}
	return true, v.submitForm(draft, *f)
}

// FormOf returns the address of the form of a draft that is an R-transaction; "" for a payment.
func FormOf(draft store.Draft) (string, error) {
	f, err := formIn(draft)
	if err != nil || f == nil {
		return "", err
	}
	return f.addressOf(draft.ID), nil
}

// Sketch is a draft of an R-transaction as a list shows it.
type Sketch struct {
	URL      string    // its form
	Toward   i18n.Text // what it is, before the name
	Name     string    // of the other side of the payment
	Currency string
	Amount   string // of the payment
	Reason   i18n.Text
}

// SketchOf returns the entry of a draft in a list; the URL is "" for a payment.
func SketchOf(draft store.Draft) (Sketch, error) {
	f, err := formIn(draft)
	if err != nil || f == nil {
		return Sketch{}, err
	}
	toward := map[payment.Kind]i18n.Text{
		payment.KindRecall: "Recall from", payment.KindReturn: "Return of money to", payment.KindResolution: "Refusal to return money to",
	}[f.Kind]
	return Sketch{
		URL: f.addressOf(draft.ID), Toward: toward, Name: f.Name, Currency: f.Currency, Amount: f.Amount,
		Reason: views.ReasonText(f.Kind, draft.Scheme, f.Reason),
	}, nil
}

// routes maps the routes of forms to kinds of R-transactions.
var routes = map[string]payment.Kind{
	"/payments/:id/recall": payment.KindRecall, "/payments/:id/return": payment.KindReturn, "/recalls/:id/resolve": payment.KindResolution,
}

// KeepRTransaction stores an R-transaction form that was sent after the session ended, as a draft of the session's person. It returns the
// address that opens the draft; "" for another form, for a form about no payment, and for a person with too many drafts.
func KeepRTransaction(v *Request) (string, error) {
	kind, ours := routes[strings.TrimSuffix(v.Echo.Path(), "/keep")]
	if !ours {
		return "", nil
	}
	values, err := v.Form()
	if err != nil {
		return "", err
	}
	id, err := v.ID("id")
	if err != nil {
		return "", nil //nolint:nilerr // a form about nothing is not kept
	}
	f := form{Kind: kind, Original: id}
	if kind == payment.KindResolution {
		f.Original, f.Recall = uuid.Nil, id
	}
	a, err := v.previewRequest(f)
	if errors.Is(err, payment.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	a.read(values)
	at, err := v.placeOfRequest(a, values)
	if err != nil {
		return "", err
	}
	err = v.KeepAt(at.Place, at.draft)
	var tooMany *payment.ForbiddenError
	if errors.As(err, &tooMany) {
		return "", nil
	}
	return a.addressOf(at.draft.ID), err
}
