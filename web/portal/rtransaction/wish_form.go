package rtransaction

import (
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
	"countersign/web/portal/page"
)

func showRecall(v *visit) error { return v.showWish(payment.KindRecall) }

func checkRecall(v *visit) error { return v.takeWish(payment.KindRecall) }

func showReturn(v *visit) error { return v.showWish(payment.KindReturn) }

func checkReturn(v *visit) error { return v.takeWish(payment.KindReturn) }

func showResolve(v *visit) error { return v.showWish(payment.KindResolution) }

func checkResolve(v *visit) error { return v.takeWish(payment.KindResolution) }

// wished loads what the form of the path is about. barred says why it cannot be sent, "" when it can.
func (v *visit) wished(kind payment.Kind) (s Subject, barred string, err error) {
	err = page.MayMake(v.By)
	if err != nil {
		return s, "", err
	}
	id, err := v.ID("id")
	if err != nil {
		return s, "", err
	}
	s, err = v.subjectOf(kind, id)
	return s, s.Bar(v.Config.Rules), err
}

// newWish is the wish of an empty form.
func (s Subject) newWish() wish {
	w := wish{Kind: s.Kind, Original: s.Original.InternalID}
	if s.Kind == payment.KindResolution {
		w.Recall = s.Recall.InternalID
	}
	return w
}

// showWish is the form: empty, or as a draft of it was left. Where there is one reason it is chosen. A received recall that should have
// an answer by now gets one prepared, which a person still has to submit.
func (v *visit) showWish(kind payment.Kind) error {
	s, barred, err := v.wished(kind)
	if err != nil {
		return err
	}
	if barred != "" {
		return v.cannotWish(s, barred)
	}
	w := s.newWish()
	if reasons := s.reasons(); len(reasons) == 1 {
		w.Reason = reasons[0].Code
	}
	prepared := PreparedAnswer(v.Visit, s)
	if prepared != "" {
		w.Reason = noAnswer
	}
	draft, err := v.wishDraft(s)
	if err != nil {
		return err
	}
	if draft != nil {
		kept, err := wishOf(*draft)
		if err != nil {
			return err
		}
		w, prepared = *kept, ""
	}
	return v.renderWish(http.StatusOK, s, views.RequestForm{Prepared: prepared}, w)
}

// noAnswer is the reason of a refusal because the creditor did not answer (NOAS).
const noAnswer = "NOAS"

// preparedDays is how many days before its last one an answer to a recall is prepared.
const preparedDays = 2

// PreparedAnswer says why a refusal is filled in already; "" when none is.
func PreparedAnswer(v *page.Visit, s Subject) string {
	if s.Kind != payment.KindResolution || daysLeft(v, s.Recall) > preparedDays {
		return ""
	}
	due := Due(v, s.Recall)
	return "Answer by " + due.Day + " (" + due.Text + "): the refusal “The creditor does not answer” (NOAS) is filled in. " +
		"It is never sent by itself: check it and submit it, or answer otherwise."
}

// wishDraft loads the draft the address names, if it is one of this form; nil when there is none.
func (v *visit) wishDraft(s Subject) (*store.Draft, error) {
	id, err := uuid.Parse(v.Echo.QueryParam("draft"))
	if err != nil {
		return nil, nil //nolint:nilnil // the form of no draft
	}
	draft, err := v.Config.Drafts.Get(v.Context(), v.By, id, v.At)
	if err != nil {
		return nil, err
	}
	kept, err := wishOf(draft)
	if err != nil {
		return nil, err
	}
	if kept == nil || kept.Kind != s.Kind || kept.Original != s.Original.InternalID {
		return nil, payment.ErrNotFound
	}
	return &draft, nil
}

// takeWish takes the form: it is fine and becomes a draft to be checked, or comes back with what is wrong.
func (v *visit) takeWish(kind payment.Kind) error {
	s, barred, err := v.wished(kind)
	if err != nil {
		return err
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	if barred != "" {
		return v.cannotWish(s, barred)
	}
	w := s.newWish()
	w.read(form)
	if found := v.checkWish(s, w); len(found.problems) > 0 {
		return v.renderWish(http.StatusUnprocessableEntity, s, views.RequestForm{Problems: found.problems}, w)
	}
	draft, err := v.newWishDraft(s.Original.Scheme, w)
	if err != nil {
		return err
	}
	earlier, err := v.wishDraft(s)
	if err != nil {
		return err
	}
	keep := v.Config.Drafts.Add
	if earlier != nil && earlier.MessageID == uuid.Nil {
		draft.ID, keep = earlier.ID, v.Config.Drafts.Save
	}
	err = keep(v.Context(), v.By, draft)
	if err != nil {
		return err
	}
	return v.GoTo("/payments/"+draft.ID.String()+"/check", "")
}

// cannotWish stands in the place of a form that the state forbids, with the sentence that says why.
func (v *visit) cannotWish(s Subject, barred string) error {
	heading := map[payment.Kind]string{
		payment.KindRecall: "This payment cannot be recalled", payment.KindReturn: "This payment cannot be sent back",
		payment.KindResolution: "This recall cannot be refused",
	}[s.Kind]
	about, label := s.Original, "Show the payment"
	if s.Kind == payment.KindResolution {
		about, label = s.Recall, "Show the recall"
	}
	return v.Render(http.StatusConflict, views.ProblemPage(views.Problem{
		Shell: v.Shell(heading, views.PlaceNone), Heading: heading, Text: barred,
		NextLabel: label, NextURL: "/payments/" + about.InternalID.String(),
	}))
}

// renderWish completes the form.
func (v *visit) renderWish(status int, s Subject, model views.RequestForm, w wish) error {
	model.Heading, model.Note = s.heading()
	model.Shell = v.Shell(model.Heading, s.place())
	model.Shell.Failed = len(model.Problems) > 0
	model.Action, model.BackURL = w.path(), "/payments/"+s.Original.InternalID.String()
	if draft := v.Echo.QueryParam("draft"); draft != "" {
		model.Action += "?draft=" + draft
	}
	model.Cards = v.cards(s)
	model.Usual, model.Others = v.offered(s)
	model.Reason = w.Reason
	lines, length := s.room()
	model.LineLimit, model.Information = length, make([]string, lines)
	copy(model.Information, w.Information)
	if s.Kind == payment.KindReturn && s.Recalled() {
		model.Charge = &ui.Field{
			ID: "charge", Label: "Charge kept, in " + string(s.Original.Summary.Amount.Currency()), Value: w.Charge, Optional: true,
			InputMode: "decimal", Width: "w-10", Hint: "Goes off the amount that is sent back",
		}
		for _, p := range model.Problems {
			if p.Field == "charge" {
				model.Charge.Problem = p
			}
		}
		model.Instead = &views.Link{Label: "Refuse the recall instead", URL: "/recalls/" + s.Recall.InternalID.String() + "/resolve"}
	}
	if s.Kind == payment.KindResolution {
		model.BackURL = "/payments/" + s.Recall.InternalID.String()
		model.Instead = &views.Link{
			Label: "Grant: send the money back", URL: "/payments/" + s.Original.InternalID.String() + "/return",
		}
	}
	return v.Render(status, views.RequestFormPage(model))
}

// heading names the form, with a sentence about what it does where it is not plain.
func (s Subject) heading() (heading, note string) {
	amount := s.Original.Summary.Amount.Format()
	switch {
	case s.Kind == payment.KindRecall:
		return "Recall " + amount, "The other bank is asked for the money. A payment can be recalled once, whatever the answer."
	case s.Kind == payment.KindReturn && s.Recalled():
		return "Grant the recall: send " + amount + " back", ""
	case s.Kind == payment.KindReturn:
		return "Return " + amount, ""
	}
	return "Refuse the recall of " + amount, "A refusal is the negative answer to the recall: the money stays."
}

func (s Subject) place() views.Place {
	switch s.Kind {
	case payment.KindReturn:
		return views.PlaceIncoming
	case payment.KindResolution:
		return views.PlaceRecalls
	case payment.KindRecall, payment.KindInstruction, payment.KindPayment, payment.KindReceivedRecall:
	}
	return views.PlacePayments
}

// settledOn is the day a payment settled, in the zone of the banking day: ours at its last approval, another bank's on its arrival.
func (v *visit) settledOn(m payment.Message) time.Time {
	if m.Kind == payment.KindInstruction {
		return m.AcceptedAt.In(v.Config.Zone)
	}
	return m.CreatedAt.In(v.Config.Zone)
}

// day writes a day as it reads in its own location.
func day(at time.Time) string { return at.Format("02.01.2006") }

// plainLines joins lines of information for a place that shows one.
func plainLines(lines []string) ui.Row {
	if len(lines) == 0 {
		return ui.Row{}
	}
	return ui.Row{Term: "Information", Value: strings.TrimSpace(lines[0]), Details: lines[1:]}
}
