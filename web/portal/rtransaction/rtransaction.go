package rtransaction

import (
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/language"
	"countersign/internal/payment"
	"countersign/internal/store/lifecycle"
	"countersign/views"
	"countersign/views/ui"
	"countersign/web/portal/page"
)

func showRecall(v *visit) error { return v.showForm(payment.KindRecall) }

func checkRecall(v *visit) error { return v.takeForm(payment.KindRecall) }

func showReturn(v *visit) error { return v.showForm(payment.KindReturn) }

func checkReturn(v *visit) error { return v.takeForm(payment.KindReturn) }

func showResolve(v *visit) error { return v.showForm(payment.KindResolution) }

func checkResolve(v *visit) error { return v.takeForm(payment.KindResolution) }

// emptyForm is the form of the path before anything is typed.
func (v *visit) emptyForm(kind payment.Kind) (form, error) {
	err := page.MayMake(v.By)
	if err != nil {
		return form{}, err
	}
	id, err := v.ID("id")
	if kind == payment.KindResolution {
		return form{Kind: kind, Recall: id}, err
	}
	return form{Kind: kind, Original: id}, err
}

// showForm is the form: empty, or as a draft of it was left. Where there is one reason it is chosen. A received recall that should have
// an answer by now gets one prepared, which a person still has to submit.
func (v *visit) showForm(kind payment.Kind) error {
	f, err := v.emptyForm(kind)
	if err != nil {
		return err
	}
	a, err := v.look(f)
	if err != nil {
		return err
	}
	if barred := a.barred(); barred != "" {
		return v.cannot(a.Subject, barred)
	}
	if len(a.preview.Reasons) == 1 {
		a.Reason = a.preview.Reasons[0].Code
	}
	prepared := PreparedAnswer(v.Visit, a.Subject)
	if prepared != "" {
		a.Reason = noAnswer
	}
	draft, err := v.draftOf(a)
	if err != nil {
		return err
	}
	if draft != nil {
		kept, err := formIn(*draft)
		if err != nil {
			return err
		}
		a.form, prepared = *kept, ""
	}
	return v.renderForm(http.StatusOK, a, views.RequestForm{Prepared: prepared})
}

// noAnswer is the reason of a refusal because the creditor did not answer (NOAS).
const noAnswer = "NOAS"

// preparedDays is how many days before its last one an answer to a recall is prepared.
const preparedDays = 2

// PreparedAnswer says why a refusal is filled in already; "" when none is.
func PreparedAnswer(v *page.Visit, s Subject) language.Text {
	if s.Kind != payment.KindResolution || daysLeft(v, s.Recall) > preparedDays {
		return ""
	}
	due := Due(v, s.Recall)
	return language.Text("Answer by %s (%s): the refusal “The creditor does not answer” (NOAS) is filled in. "+
		"It is never sent by itself: check it and submit it, or answer otherwise.").With(due.Day, due.Text)
}

// draftOf loads the draft the address names, if it is one of this form; nil when there is none.
func (v *visit) draftOf(a asked) (*lifecycle.Draft, error) {
	id, err := uuid.Parse(v.Echo.QueryParam("draft"))
	if err != nil {
		return nil, nil //nolint:nilnil // the form of no draft
	}
	draft, err := v.Config.Drafts.Get(v.Context(), v.By, id, v.At)
	if err != nil {
		return nil, err
	}
	kept, err := formIn(draft)
	if err != nil {
		return nil, err
	}
	if kept == nil || kept.Kind != a.form.Kind || kept.Original != a.form.Original {
		return nil, payment.ErrNotFound
	}
	return &draft, nil
}

// takeForm takes the form: it is fine and becomes a draft to be checked, or comes back with what is wrong.
func (v *visit) takeForm(kind payment.Kind) error {
	f, err := v.emptyForm(kind)
	if err != nil {
		return err
	}
	values, err := v.Form()
	if err != nil {
		return err
	}
	f.read(values)
	a, fine, err := v.passed(f)
	if err != nil || !fine {
		return err
	}
	draft, err := v.newDraft(a.preview.About.Original.Scheme, a.form)
	if err != nil {
		return err
	}
	earlier, err := v.draftOf(a)
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

// cannot stands in the place of a form that the state forbids, with the sentence that says why.
func (v *visit) cannot(s Subject, barred language.Text) error {
	heading := map[payment.Kind]language.Text{
		payment.KindRecall: "This payment cannot be recalled", payment.KindReturn: "This payment cannot be sent back",
		payment.KindResolution: "This recall cannot be refused",
	}[s.Kind]
	about, label := s.Original, language.Text("Show the payment")
	if s.Kind == payment.KindResolution {
		about, label = s.Recall, "Show the recall"
	}
	return v.Render(http.StatusConflict, views.ProblemPage(views.Problem{
		Shell: v.Shell(heading, views.PlaceNone), Heading: heading, Text: barred,
		NextLabel: label, NextURL: "/payments/" + about.InternalID.String(),
	}))
}

// renderForm completes the form.
func (v *visit) renderForm(status int, a asked, model views.RequestForm) error {
	s := a.Subject
	model.Heading, model.Note = s.heading()
	model.Shell = v.Shell(model.Heading, s.place())
	model.Shell.Failed = len(model.Problems) > 0
	model.Action, model.BackURL = a.path(), "/payments/"+s.Original.InternalID.String()
	if draft := v.Echo.QueryParam("draft"); draft != "" {
		model.Action += "?draft=" + draft
	}
	model.Cards = v.cards(s)
	model.Usual, model.Others = a.offered()
	model.Reason = a.Reason
	lines, length := a.informationLimits()
	model.LineLimit, model.Information = length, make([]string, lines)
	copy(model.Information, a.Information)
	if s.Kind == payment.KindReturn && s.Recalled() {
		model.Charge = &ui.Field{
			ID: "charge", Label: language.Text("Charge kept, in %s").With(s.Original.Summary.Amount.Currency()), Value: a.Charge,
			Optional:  true,
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
func (s Subject) heading() (heading, note language.Text) {
	amount := s.Original.Summary.Amount.Format()
	switch {
	case s.Kind == payment.KindRecall:
		return language.Text("Recall %s").
			With(amount), "The other bank is asked for the money. A payment can be recalled once, whatever the answer."
	case s.Kind == payment.KindReturn && s.Recalled():
		return language.Text("Grant the recall: send %s back").With(amount), ""
	case s.Kind == payment.KindReturn:
		return language.Text("Return %s").With(amount), ""
	}
	return language.Text("Refuse the recall of %s").With(amount), "A refusal is the negative answer to the recall: the money stays."
}

// places are the entries of the navigation that the forms belong to.
var places = map[payment.Kind]views.Place{
	payment.KindRecall: views.PlacePayments, payment.KindReturn: views.PlaceIncoming, payment.KindResolution: views.PlaceRecalls,
}

func (s Subject) place() views.Place { return places[s.Kind] }

// day writes a day as it reads in its own location.
func day(at time.Time) string { return at.Format("02.01.2006") }

// plainLines joins lines of information for a place that shows one.
func plainLines(lines []string) ui.Row {
	if len(lines) == 0 {
		return ui.Row{}
	}
	return ui.Row{Term: "Information", Value: strings.TrimSpace(lines[0]), Details: page.DataLines(lines[1:])}
}
