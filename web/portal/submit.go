package portal

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// submit hands a checked draft to the submission station. Sent twice, by a double click, a reload or two windows, it makes one payment:
// the draft's key is the externalId, and its document is the same each time.
func submit(v *visit) error {
	draft, err := v.openDraft()
	if err != nil {
		return err
	}
	form, err := v.form()
	if err != nil {
		return err
	}
	became, err := v.became(draft)
	if err != nil || became != uuid.Nil {
		return v.submitted(draft, became, err)
	}
	asked, err := wishOf(draft)
	if err != nil {
		return err
	}
	if asked != nil {
		return v.submitWish(draft, *asked)
	}
	p, err := v.prepareDraft(draft)
	if err != nil {
		return err
	}
	if !p.fine() {
		return v.refuseDraft(p)
	}
	stopped, err := v.stopAtDuplicates(p, form)
	if stopped || err != nil {
		return err
	}
	m, err := v.handIn(p)
	var refused *payment.RefusalError
	switch {
	case errors.As(err, &refused):
		p.findings = refused.Findings
		return v.refuseDraft(p)
	case err != nil && p.draft.Amends != uuid.Nil:
		return v.amendLost(p, err)
	}
	return v.submitted(draft, m.InternalID, err)
}

// submitted notes what the draft became and goes to the confirmation.
func (v *visit) submitted(draft store.Draft, id uuid.UUID, err error) error {
	if err != nil {
		return err
	}
	if draft.MessageID == uuid.Nil {
		err = v.cfg.Drafts.Submitted(v.ctx(), v.by, draft.ID, id)
		if err != nil {
			return err
		}
	}
	return v.goTo("/payments/"+id.String()+"/submitted", "")
}

// became finds the message of a draft that was submitted before, even when the note about it was lost; zero when there is none.
func (v *visit) became(draft store.Draft) (uuid.UUID, error) {
	if draft.MessageID != uuid.Nil || draft.Amends != uuid.Nil {
		return draft.MessageID, nil
	}
	found, err := v.cfg.Reader.Messages(v.ctx(), v.by.Realm, store.Filter{
		ExternalID: draft.ID.String(), MakerUser: v.by.UserID, PageSize: 1,
	})
	if err != nil || len(found) == 0 {
		return uuid.Nil, err
	}
	return found[0].InternalID, nil
}

// stopAtDuplicates lets a payment like an earlier one pass only with a tick and a reason; else it answers with the page again, and
// stopped is true. An earlier payment that is this very draft, submitted a moment ago, is none.
func (v *visit) stopAtDuplicates(p prepared, form url.Values) (stopped bool, err error) {
	hits, err := v.duplicates(p)
	if err != nil || len(hits) == 0 {
		return false, err
	}
	model := views.Check{
		Duplicates: hits, Acknowledged: form.Get("duplicateAcknowledged") == "yes", Reason: form.Get("duplicateReason"),
	}
	if !model.Acknowledged {
		model.Problems = append(model.Problems, ui.Problem{
			Field: "duplicateAcknowledged", Text: "Confirm that this payment is wanted in addition, or do not submit it.",
		})
	}
	if strings.TrimSpace(model.Reason) == "" {
		model.Problems = append(model.Problems, ui.Problem{Field: "duplicateReason", Text: "Say why it is paid again."})
	}
	if len(model.Problems) == 0 {
		return false, nil
	}
	became, err := v.became(p.draft)
	if err != nil || became != uuid.Nil {
		return true, v.submitted(p.draft, became, err)
	}
	return true, v.renderCheck(http.StatusUnprocessableEntity, p, model)
}

// handIn makes the new message or the new version.
func (v *visit) handIn(p prepared) (payment.Message, error) {
	if p.draft.Amends == uuid.Nil {
		result, err := v.cfg.Submission.Create(v.ctx(), v.by, p.input())
		return result.Message, err
	}
	current, err := v.cfg.Reader.Message(v.ctx(), v.by.Realm, p.draft.Amends)
	if err != nil {
		return current, err
	}
	if current.Version == p.draft.AmendsVersion {
		in := p.input()
		in.Note, in.Replaces = strings.TrimSpace(p.answers.Values.AmendReason), p.draft.AmendsVersion
		return v.cfg.Submission.Amend(v.ctx(), v.by, p.draft.Amends, in)
	}
	document, err := payment.DocumentOf(current)
	if err != nil {
		return current, err
	}
	if document.GroupHeader.MessageID == p.made.document.GroupHeader.MessageID {
		return current, nil // this draft was submitted a moment ago
	}
	return current, &payment.ContentError{Message: current}
}

// amendLost tells the maker that the submission moved on while it was being amended. Everything typed is kept.
func (v *visit) amendLost(p prepared, cause error) error {
	sentence, lost := lostTo(cause)
	if !lost {
		return cause
	}
	model := views.NewPayment{
		Action: "/payments/" + p.draft.ID.String() + "/edit", Scheme: string(p.draft.Scheme), Values: p.answers.Values,
		Problems: []ui.Problem{{Text: sentence + " Your changes were not stored."}},
	}
	err := v.markAmending(&model, p.draft.Amends)
	if err != nil {
		return err
	}
	return v.renderForm(http.StatusConflict, model)
}
