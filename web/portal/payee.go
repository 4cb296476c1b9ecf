package portal

import (
	"net/url"

	"github.com/google/uuid"

	"countersign/internal/payee"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
)

// payeeOf returns the payee verification of a draft.
func (v *Request) payeeOf(p prepared) (payee.Verification, error) {
	return v.Config.Submission.Payee(v.Context(), v.By, p.draft.Amends, p.input())
}

// payeeView returns the view of a verification. A form can take over the name of the account; a file must be corrected at its source.
func payeeView(p prepared, found payee.Verification) *views.Payee {
	view := views.PayeeView(found)
	if view != nil && len(p.draft.File) == 0 {
		view.UseURL = "/payments/" + p.draft.ID.String() + "/payee"
	}
	return view
}

// usePayee copies the name that the payee's bank answered into the form, and shows the check page again.
func usePayee(v *Request, draft store.Draft) error {
	other, err := FormOf(draft)
	if err != nil {
		return err
	}
	if other != "" || len(draft.File) > 0 || draft.MessageID != uuid.Nil {
		return payment.ErrNotFound
	}
	p, err := v.prepareDraft(draft)
	if err != nil {
		return err
	}
	if !p.fine() {
		return v.refuseDraft(p)
	}
	found, err := v.payeeOf(p)
	if err != nil {
		return err
	}
	if found.Result == payee.CloseMatch {
		p.values.CreditorName = found.MatchedName
		err = v.saveAnswers(draft.ID, p)
	}
	if err != nil {
		return err
	}
	return v.GoTo("/payments/"+draft.ID.String()+"/check", "")
}

// saveAnswers stores changed answers of a draft. The check page shows the problems, as for any draft.
func (v *Request) saveAnswers(id uuid.UUID, p prepared) error {
	changed, err := v.newDraft(p.draft.Scheme, p.values)
	if err != nil {
		return err
	}
	changed.ID, changed.Amends, changed.AmendsVersion = id, p.draft.Amends, p.draft.AmendsVersion
	return v.Config.Drafts.Save(v.Context(), v.By, changed)
}

// stopAtPayee renders the check page again when the payee verification differs from the one that the maker saw. The next submission passes.
func (v *Request) stopAtPayee(p prepared, form url.Values) (stopped bool, err error) {
	found, err := v.payeeOf(p)
	if err != nil || !found.Warns() || form.Get(views.FieldPayee) == string(found.Result) {
		return false, err
	}
	return true, v.GoTo("/payments/"+p.draft.ID.String()+"/check", "")
}
