package rtransaction

import (
	"errors"
	"net/http"

	"countersign/internal/payment"
	"countersign/internal/rulebook/rtransactionrule"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
	"countersign/web/portal/page"
)

// wishSubject loads what a kept wish is about.
func (v *visit) wishSubject(w wish) (Subject, error) {
	id := w.Original
	if w.Kind == payment.KindResolution {
		id = w.Recall
	}
	return v.subjectOf(w.Kind, id)
}

// showWishCheck shows a recall, return or resolution once more. What is no longer fine goes back to its form.
func (v *visit) showWishCheck(draft store.Draft, w wish) error {
	s, err := v.wishSubject(w)
	if err != nil {
		return err
	}
	if barred := s.Bar(v.Config.Rules); barred != "" {
		return v.cannotWish(s, barred)
	}
	found := v.checkWish(s, w)
	if len(found.problems) > 0 {
		return v.renderWish(http.StatusUnprocessableEntity, s, views.RequestForm{Problems: found.problems}, w)
	}
	policy, err := v.policyFor(s)
	if err != nil {
		return err
	}
	says := v.wording(s, w, found)
	model := views.RequestCheck{
		Shell: v.Shell("Check your answers", s.place()), Action: "/payments/" + draft.ID.String() + "/submit",
		ChangeURL: w.path() + "?draft=" + draft.ID.String(), Cards: v.cards(s), Title: says.title, Words: says.sentence(),
		Submit: "Submit " + says.act, Next: page.NextSteps(w.Kind, policy),
	}
	if policy.ApprovalsRequired > 0 {
		model.Submit += " for approval"
	}
	reason, _ := rtransactionrule.FindReason(s.reasons(), w.Reason)
	lines, _ := w.lines()
	model.Rows = append(model.Rows, ui.Row{Term: "Reason", Value: reason.Text + " (" + reason.Code + ")"})
	if len(lines) > 0 {
		model.Rows = append(model.Rows, plainLines(lines))
	}
	if !found.charge.IsZero() {
		model.Rows = append(model.Rows,
			ui.Row{Term: "Charge kept", Value: found.charge.Format(), Numeric: true},
			ui.Row{Term: "Sent back", Value: says.amount.Format(), Numeric: true})
	}
	for i := range model.Rows {
		model.Rows[i].ChangeURL, model.Rows[i].ChangeName = model.ChangeURL, model.Rows[i].Term
	}
	return v.Render(http.StatusOK, views.RequestCheckPage(model))
}

// policyFor is the policy the new message would fall under.
func (v *visit) policyFor(s Subject) (payment.Policy, error) {
	ours := s.Original.Summary.DebtorAccount
	if s.Original.Direction == payment.DirectionIn {
		ours = s.Original.Summary.CreditorAccount
	}
	return v.Config.Reader.Policy(v.Context(), store.ContextQuery{
		Realm: v.By.Realm, ClientID: v.By.ClientID, Channel: v.By.Channel, Scheme: s.Original.Scheme, Kind: s.Kind,
		Amount: s.Original.Summary.Amount.Minor(), DebtorAccount: ours,
	})
}

// submitWish hands a checked wish to the submission station. A repeat of the same draft is the same message.
func (v *visit) submitWish(draft store.Draft, w wish) error {
	s, err := v.wishSubject(w)
	if err != nil {
		return err
	}
	found := v.checkWish(s, w)
	charge := ""
	if !found.charge.IsZero() {
		charge = found.charge.Decimal().String()
	}
	result, err := v.Config.Submission.CreateRequest(v.Context(), v.By, w.request(draft, charge))
	var refused *payment.RefusalError
	if errors.As(err, &refused) {
		return v.refuseWish(s, w, refused)
	}
	return v.Submitted(draft, result.Message.InternalID, err)
}

// refuseWish shows what stands in the way: beside the fields where they are to blame, else in the place of the form.
func (v *visit) refuseWish(s Subject, w wish, refused *payment.RefusalError) error {
	problems := wishProblems(w, nil, refused.Findings)
	for _, p := range problems {
		if p.Field != "" {
			return v.renderWish(http.StatusUnprocessableEntity, s, views.RequestForm{Problems: problems}, w)
		}
	}
	return v.cannotWish(s, refusalText(refused))
}
