package portal

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// submit submits a checked draft as the page of the button showed it, not as another window changed it since. Sent twice, by a double
// click, a reload or two windows, it makes one payment: the draft's key is the externalId, and its document is the same each time.
func submit(v *Request, draft store.Draft) error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	became, err := v.became(draft)
	if err != nil || became != uuid.Nil {
		return v.Submitted(draft, became, err)
	}
	if form.Get(CheckedField) != draft.Digest() {
		return v.showDraft(draft, http.StatusConflict, []ui.Problem{{Text: ChangedSince}})
	}
	request, err := formIn(draft)
	if err != nil {
		return err
	}
	if request != nil {
		return v.submitForm(draft, *request)
	}
	p, err := v.buildDraft(draft)
	if err != nil {
		return err
	}
	if !p.fine() {
		return v.refuseDraft(p)
	}
	stopped, err := v.stopAtPayee(p, form)
	if stopped || err != nil {
		return err
	}
	stopped, err = v.stopAtDuplicates(&p, form)
	if stopped || err != nil {
		return err
	}
	m, err := v.createOrAmend(p) // it asks the rules, so nobody did before
	for errors.Is(err, payment.ErrAlike) {
		form.Del("duplicateAcknowledged") // the tick was for others
		stopped, err = v.stopAtDuplicates(&p, form)
		if stopped || err != nil {
			return err
		}
		m, err = v.createOrAmend(p)
	}
	var refused *payment.RefusalError
	switch {
	case errors.As(err, &refused):
		p.findings = refused.Findings
		return v.refuseDraft(p)
	case err != nil && p.draft.Amends != uuid.Nil:
		return v.amendLost(p, err)
	}
	return v.Submitted(draft, m.InternalID, err)
}

// became finds the message of a draft that was submitted before, even when the draft does not name it; zero for none.
func (v *Request) became(draft store.Draft) (uuid.UUID, error) {
	if draft.MessageID != uuid.Nil || draft.Amends != uuid.Nil {
		return draft.MessageID, nil
	}
	found, err := v.Config.Reader.Messages(v.Context(), v.By.Realm, store.Filter{
		ExternalIDs: []string{draft.ID.String()}, MakerUser: v.By.UserID, PageSize: 1,
	})
	if err != nil || len(found) == 0 {
		return uuid.Nil, err
	}
	return found[0].InternalID, nil
}

// stopAtDuplicates lets a payment similar to an earlier one pass only with a tick and a reason; else it renders the page again, and stopped
// is true. An earlier submission of this draft does not count. It notes what the page showed and the maker's text for the
// checkers: the reason for amending, or for paying again.
func (v *Request) stopAtDuplicates(p *prepared, form url.Values) (stopped bool, err error) {
	p.note = strings.TrimSpace(p.values.AmendReason)
	summary, err := payment.SummaryOf(p.built.Document)
	if err != nil {
		return false, nil //nolint:nilerr // an order without an amount or an account has no like; the service says what it lacks
	}
	hits, seen, err := v.duplicates(*p, summary)
	p.seen = seen
	if err != nil || len(hits) == 0 {
		return false, err
	}
	model := views.Check{
		Duplicates: hits, Acknowledged: form.Get("duplicateAcknowledged") == "yes",
		Reason: strings.ReplaceAll(form.Get("duplicateReason"), "\r\n", "\n"),
	}
	p.note, model.Problems = paidAgain(p.note, model)
	if len(model.Problems) == 0 {
		return false, nil
	}
	became, err := v.became(p.draft)
	if err != nil || became != uuid.Nil {
		return true, v.Submitted(p.draft, became, err)
	}
	shown, err := v.preview(*p)
	if err != nil {
		return true, err
	}
	if !shown.fine() {
		return true, v.refuseDraft(shown)
	}
	return true, v.renderCheck(http.StatusUnprocessableEntity, shown, model)
}

// paidAgain adds the reason for a repeated payment to a note, or returns the problems of the answer. The length limits of both reasons add
// up to at most the limit of a note.
func paidAgain(note string, answer views.Check) (whole string, problems []ui.Problem) {
	if !answer.Acknowledged {
		problems = append(problems, ui.Problem{
			Field: "duplicateAcknowledged", Text: "Confirm that this payment is not a duplicate. If it is a duplicate, do not submit the payment.",
		})
	}
	reason := strings.TrimSpace(answer.Reason)
	finding := payment.CheckReason(reason)
	switch {
	case reason == "":
		problems = append(problems, ui.Problem{Field: "duplicateReason", Text: "Explain why you are paying again. The checkers will see " +
			"your reason."})
	case utf8.RuneCountInString(reason) > views.DuplicateReasonLimit:
		text := i18n.Text("Shorten the reason to %d characters.").With(views.DuplicateReasonLimit)
		problems = append(problems, ui.Problem{Field: "duplicateReason", Text: text, Code: "FF01"})
	case finding != nil:
		problems = append(problems, ui.Problem{Field: "duplicateReason", Text: finding.Text, Code: finding.Code})
	}
	return strings.TrimSpace(note + " " + paidAgainMark + reason), problems
}

// paidAgainMark precedes the reason for a repeated payment in a stored note.
const paidAgainMark = "Paid again: "

// storedReason is the reason of a step, with its fixed words in the language of the page.
func storedReason(reason i18n.Text) i18n.Text {
	note := reason.String()
	at := strings.LastIndex(note, paidAgainMark)
	if at < 0 && reason.Stored() != "" {
		return reason
	}
	if at < 0 {
		return views.RejectReason(note)
	}
	return i18n.Join(" ", i18n.Data(strings.TrimSpace(note[:at])), i18n.Text("Reason for paying again: %s").With(note[at+len(paidAgainMark):]))
}

// createOrAmend makes the new message or the new version.
func (v *Request) createOrAmend(p prepared) (payment.Message, error) {
	if p.draft.Amends != uuid.Nil {
		return v.amend(p)
	}
	result, err := v.Config.Submission.Create(v.Context(), v.By, p.input())
	return result.Message, err
}

// amend makes the new version. Losing to a duplicate submit of the same draft counts as success.
func (v *Request) amend(p prepared) (payment.Message, error) {
	current, err := v.Config.Reader.Message(v.Context(), v.By.Realm, p.draft.Amends)
	if err != nil {
		return current, err
	}
	var cause error = &payment.ContentError{Message: current}
	if current.Version == p.draft.AmendsVersion {
		in := p.input()
		in.Replaces = p.draft.AmendsVersion
		_, cause = v.Config.Submission.Amend(v.Context(), v.By, p.draft.Amends, in)
		if _, lost := LostTo(cause); !lost {
			return current, cause
		}
		current, err = v.Config.Reader.Message(v.Context(), v.By.Realm, p.draft.Amends)
		if err != nil {
			return current, err
		}
	}
	document, err := payment.DocumentOf(current)
	if err == nil && document.GroupHeader.MessageID == p.built.Document.GroupHeader.MessageID {
		return current, nil
	}
	return current, cause
}

// amendLost tells the maker that the submission changed or was decided during the amendment. All typed values stay.
func (v *Request) amendLost(p prepared, cause error) error {
	sentence, lost := LostTo(cause)
	if !lost {
		return cause
	}
	model := draftForm(p.draft, p.values)
	err := v.markAmending(&model, p.draft.Amends)
	if err != nil {
		return err
	}
	if changed, is := errors.AsType[*payment.ContentError](cause); is {
		sentence, err = v.amendedMeanwhile(changed.Message)
		if err != nil {
			return err
		}
	}
	model.Problems = []ui.Problem{{Text: i18n.Join(" ", sentence, "Your changes were not submitted. What you typed is still in the form.")}}
	return v.renderForm(http.StatusConflict, model)
}

// amendedMeanwhile names the editor and the time of the pending version, which is not the one that the maker saw.
func (v *Request) amendedMeanwhile(m payment.Message) (i18n.Text, error) {
	versions, err := v.Config.Reader.Versions(v.Context(), v.By.Realm, m.InternalID)
	if err != nil {
		return "", err
	}
	for _, made := range versions {
		if made.Number == m.Version {
			return i18n.Text("%s was amended by %s at %s, after you opened the payment.").
				With(m.GlobalID, made.EditorName, ui.ClockTime(made.At)), nil
		}
	}
	return "", payment.ErrNotFound // a version is stored with its message
}
