package portal

import (
	"net/http"
	"net/url"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/orderform"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
)

// showDraftForm shows the form of a draft; the forms of R-transactions and files have addresses of their own.
func (v *Request) showDraftForm(draft store.Draft) error {
	if len(draft.File) > 0 {
		return v.Echo.Redirect(http.StatusSeeOther, "/payments/upload")
	}
	form, err := FormOf(draft)
	if err != nil {
		return err
	}
	if form != "" {
		return v.Echo.Redirect(http.StatusSeeOther, form)
	}
	values, err := orderform.DecodeValues(draft.Answers)
	if err != nil {
		return err
	}
	model := draftForm(draft, inFours(values))
	err = v.markAmending(&model, draft.Amends)
	if err != nil {
		return err
	}
	if draft.Batch != uuid.Nil && draft.MessageID == uuid.Nil {
		p, err := v.prepareDraft(draft)
		if err != nil {
			return err
		}
		model.Problems = problemsOf(p.built.Problems, p.findings, values) // what the line of the file said is to be mended
	}
	return v.renderForm(http.StatusOK, model)
}

// draftForm returns the form of a draft with these answers. The draft keeps further typing, unless it was submitted.
func draftForm(draft store.Draft, values orderform.Values) views.NewPayment {
	model := views.NewPayment{Action: formPath(draft.ID), Scheme: string(draft.Scheme), Values: values}
	if draft.MessageID == uuid.Nil {
		model.Kept.Draft, model.Kept.Seen = draft.ID.String(), Seen(draft)
		if draft.Batch != uuid.Nil {
			model.Line = &views.FileLine{Number: draft.Line, File: draft.FileName, URL: batchPath(draft.Batch)}
		}
	}
	return model
}

// checkEdit validates the changed form of a draft. A draft that was submitted meanwhile stays unchanged: the form becomes a new draft.
func checkEdit(v *Request, draft store.Draft) error {
	other, err := FormOf(draft)
	if err != nil {
		return err
	}
	if other != "" || len(draft.File) > 0 {
		return payment.ErrNotFound // it has a form of its own, or is changed by another file
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	model := draftForm(draft, typed(form))
	model.Scheme = string(SchemeOf(form.Get("scheme")))
	err = v.markAmending(&model, draft.Amends)
	if err != nil {
		return err
	}
	changed, at, err := v.placeOfEdit(draft, form, model)
	if err != nil {
		return err
	}
	model.Kept.Draft = at.named()
	switched := form.Get("switchScheme")
	if switched != "" && model.Amending == nil {
		return v.switchScheme(model, switched)
	}
	helped, err := v.helped(model, form)
	if helped || err != nil {
		return err
	}
	if at.named() == "" {
		return v.checkForm(model, changed, v.Config.Drafts.Add, another)
	}
	return v.checkForm(model, changed, v.Keeper(at), at.Sentence())
}

// placeOfEdit reads the changed form of a draft and finds where it is stored: in that draft, or in another one in which the form was
// continued.
func (v *Request) placeOfEdit(draft store.Draft, form url.Values, model views.NewPayment) (store.Draft, Place, error) {
	changed, err := v.newDraft(SchemeOf(model.Scheme), model.Values)
	if err != nil {
		return changed, Place{}, err
	}
	changed.Amends, changed.AmendsVersion = draft.Amends, draft.AmendsVersion
	if draft.Amends != uuid.Nil {
		changed.Scheme = draft.Scheme
	}
	changed = FromPage(changed, form)
	at, err := v.placeOf(OfDraft(form, draft.ID), changed)
	at = at.of(draft.Amends)
	changed = at.take(changed)
	if at.Open {
		changed.Batch, changed.Line = at.Kept.Batch, at.Kept.Line
	}
	return changed, at, err
}

// another explains that the form of a meanwhile submitted draft became a new draft.
const another = i18n.Text("Your draft has already been submitted. This form contains a different payment, which has not been submitted " +
	"yet.")
