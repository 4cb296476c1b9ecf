package beneficiary

import (
	"errors"
	"net/http"

	"github.com/google/uuid"

	"countersign/internal/admin"
	"countersign/internal/administration"
	"countersign/internal/language"
	"countersign/internal/payment"
	"countersign/views"
	"countersign/views/ui"
	"countersign/web/portal/page"
)

// showChange shows one change, field by field, and lets a checker decide it.
func showChange(v *visit) error {
	id, err := v.ID("id")
	if err != nil {
		return err
	}
	change, err := v.station.BeneficiaryChange(v.Context(), v.By, id)
	if err != nil {
		return err
	}
	return v.Render(http.StatusOK, views.ChangePage(v.change(change)))
}

// change is a change as a page shows it.
func (v *visit) change(c administration.Change) views.RealmChange {
	title := heading(c)
	shown := views.RealmChange{
		Shell: v.Shell(language.Sentence(title), views.PlaceBeneficiaries), ID: c.ID.String(),
		Heading: language.Sentence(title), State: string(c.State()), Subject: c.Subject,
		Note: c.Note, Requester: c.Requester.Name, RequestedAt: c.RequestedAt, Book: true,
	}
	for _, d := range c.Differences() {
		if d.Field == "beneficiaryId" || d.Field == "status" && c.Kind == administration.KindBeneficiaryCreate {
			continue // it says nothing to people
		}
		shown.Differences = append(shown.Differences, views.ChangeDifference{
			Field: language.Sentence(administration.Label(d.Field)), Before: language.Sentence(said(d.Field, d.Before)),
			After: language.Sentence(said(d.Field, d.After)),
		})
	}
	if c.Kind == administration.KindBeneficiaryRemove { // whose account it is stands in no difference
		account := said("creditorIban", c.Before["creditorIban"])
		shown.Differences = append(shown.Differences, views.ChangeDifference{
			Field: "IBAN", Before: language.Sentence(account),
			After: language.Sentence(account),
		})
	}
	if d := c.Decision; d != nil {
		shown.Decider, shown.DecidedAt, shown.Reason, shown.DecisionWords = d.By.Name, d.At, d.Reason, language.Sentence(string(c.State()))
	}
	err := c.MayDecide(v.By)
	if err != nil {
		shown.Barred = language.Sentence(err.Error())
	}
	return shown
}

// said is a field of a beneficiary for people.
func said(field, text string) string {
	switch {
	case text == "":
		return "–"
	case field == "creditorIban":
		return ui.GroupFours(text)
	case field == "country":
		return page.CountryName(text)
	}
	return text
}

func approve(v *visit) error { return v.decide(true) }

func reject(v *visit) error { return v.decide(false) }

func (v *visit) decide(approve bool) error {
	id, err := v.ID("id")
	if err != nil {
		return err
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	decided, err := v.station.DecideBeneficiary(v.Context(), v.By, admin.DecideInput{
		ChangeID: id, Approve: approve, Reason: form.Get("reason"),
	})
	if err != nil {
		return v.undecided(id, form.Get("reason"), err)
	}
	return v.GoTo("/beneficiaries/changes/"+id.String(), language.Sentence("The change is "+string(decided.State())+"."))
}

// undecided shows the change again with why the decision was not taken.
func (v *visit) undecided(id uuid.UUID, reason string, cause error) error {
	var conflict *administration.ConflictError
	var malformed *payment.FieldError
	var fourEyes *payment.FourEyesError
	status, problem := http.StatusConflict, ui.Problem{Text: language.Sentence(cause.Error())}
	switch {
	case errors.As(cause, &malformed) && len(malformed.Findings) > 0:
		status, problem = http.StatusUnprocessableEntity, ui.Problem{Field: "reason", Text: language.Sentence(malformed.Findings[0].Text)}
	case errors.As(cause, &fourEyes):
		status = http.StatusForbidden
	case errors.As(cause, &conflict):
	default:
		return cause
	}
	change, err := v.station.BeneficiaryChange(v.Context(), v.By, id)
	if err != nil {
		return err
	}
	shown := v.change(change)
	shown.Shell.Failed, shown.Problems = true, []ui.Problem{problem}
	if change.Decision == nil {
		shown.Reason = reason
	}
	return v.Render(status, views.ChangePage(shown))
}
