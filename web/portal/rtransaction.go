package portal

import (
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// emptyForm returns the form of the path before anything is typed.
func (v *Request) emptyForm(kind payment.Kind) (form, error) {
	err := MayMake(v.By)
	if err != nil {
		return form{}, err
	}
	id, err := v.ID("id")
	if kind == payment.KindResolution {
		return form{Kind: kind, Recall: id}, err
	}
	return form{Kind: kind, Original: id}, err
}

// showForm shows the form, empty or from its draft. A single reason is chosen already. For a received recall near its deadline an answer is
// prepared, which a person still has to submit.
func (v *Request) showForm(kind payment.Kind) error {
	f, err := v.emptyForm(kind)
	if err != nil {
		return err
	}
	a, err := v.previewRequest(f)
	if err != nil {
		return err
	}
	id, fresh := v.DraftNamed(v.Echo.QueryParams())
	draft, kept, err := v.draftOf(a, id, fresh)
	if err != nil {
		return err
	}
	prepared := i18n.Text("")
	if kept == nil {
		prepared = v.proposeReason(&a)
	} else {
		a.form = *kept
		if draft.MessageID == uuid.Nil {
			a.draft = draft
		}
	}
	if barred := a.barred(); barred != "" {
		return v.cannot(a, barred)
	}
	return v.renderRequestForm(http.StatusOK, a, views.RequestForm{Prepared: prepared})
}

// proposeReason chooses the only reason, or the reason of the prepared answer to a recall near its deadline; it returns the explanation.
func (v *Request) proposeReason(a *asked) (prepared i18n.Text) {
	if a.barred() != "" {
		return ""
	}
	if len(a.preview.Reasons) == 1 {
		a.Reason = a.preview.Reasons[0].Code
	}
	prepared = PreparedAnswer(v, a.Subject)
	if prepared != "" {
		a.Reason = noAnswer
	}
	return prepared
}

// noAnswer is the reason of a refusal because the creditor did not answer (NOAS).
const noAnswer = "NOAS"

// preparedDays is the number of days before the deadline from which an answer to a recall is prepared.
const preparedDays = 2

// PreparedAnswer explains why a refusal is filled in already; "" when none is.
func PreparedAnswer(v *Request, s Subject) i18n.Text {
	if s.Kind != payment.KindResolution || daysLeft(v, s.Recall) > preparedDays {
		return ""
	}
	due := Due(v, s.Recall)
	return i18n.Text("Answer the recall by %s (%s). A refusal with the reason “The creditor has not responded” (NOAS) has been filled in, "+
		"but it is never sent automatically. Check and submit the refusal, or give another answer.").With(due.Day, due.Text)
}

// draftOf loads the draft named in the address of a form, and its form if it is of this kind; nil when nothing is stored yet.
func (v *Request) draftOf(a asked, id uuid.UUID, fresh bool) (draft store.Draft, kept *form, err error) {
	if id == uuid.Nil {
		return draft, nil, nil
	}
	draft, err = v.Config.Drafts.Get(v.Context(), v.By, id, v.At)
	if fresh && errors.Is(err, payment.ErrNotFound) {
		return draft, nil, nil
	}
	if err != nil {
		return draft, nil, err
	}
	kept, err = formIn(draft)
	if err == nil && (kept == nil || !kept.about(a.form)) {
		err = payment.ErrNotFound
	}
	return draft, kept, err
}

// takeForm checks the form: a valid one becomes a draft, an invalid one is shown again with its problems.
func (v *Request) takeForm(kind payment.Kind) error {
	f, values, err := v.typedForm(kind)
	if err != nil {
		return err
	}
	a, err := v.check(f)
	if err != nil {
		return err
	}
	at, draft, err := v.placeOfRequest(a, values)
	if err != nil {
		return err
	}
	a.draft = at.Named()
	fine, err := v.passes(a)
	if err != nil || !fine {
		return err
	}
	err = v.Keeper(at)(v.Context(), v.By, draft)
	if err != nil {
		return err
	}
	return v.GoTo("/payments/"+draft.ID.String()+"/check", at.Sentence())
}

// typedForm returns the form in the request.
func (v *Request) typedForm(kind payment.Kind) (form, url.Values, error) {
	f, err := v.emptyForm(kind)
	if err != nil {
		return form{}, nil, err
	}
	values, err := v.Form()
	f.read(values)
	return f, values, err
}

// keepRequestForm saves the form as a draft while it is typed. Nothing is checked.
func (v *Request) keepRequestForm(kind payment.Kind) error {
	f, values, err := v.typedForm(kind)
	if err != nil {
		return err
	}
	a, err := v.previewRequest(f)
	if err != nil {
		return err
	}
	at, draft, err := v.placeOfRequest(a, values)
	if err != nil {
		return err
	}
	err = v.KeepAt(at, draft)
	if err != nil {
		return err
	}
	kept := KeptIn(draft, a.addressOf(draft.ID))
	return v.Render(http.StatusOK, views.DraftKept(Beside(kept, values, at.Other.ID, a.addressOf)))
}

// cannot shows a page in place of a form that the state forbids, with the reason and the typed values.
func (v *Request) cannot(a asked, barred i18n.Text) error {
	s := a.Subject
	heading := map[payment.Kind]i18n.Text{
		payment.KindRecall: "This payment cannot be recalled", payment.KindReturn: "This payment cannot be returned",
		payment.KindResolution: "This recall cannot be refused",
	}[s.Kind]
	about, label := s.Original, i18n.Text("Show the payment")
	if s.Kind == payment.KindResolution {
		about, label = s.Recall, "Show the recall"
	}
	return v.Render(http.StatusConflict, views.ProblemPage(views.Problem{
		Layout: v.layout(heading, views.PlaceNone), Heading: heading, Text: barred,
		NextLabel: label, NextURL: "/payments/" + about.InternalID.String(), Typed: v.Say(a.typed()),
	}))
}

// renderRequestForm completes and renders the form.
func (v *Request) renderRequestForm(status int, a asked, model views.RequestForm) (err error) {
	s := a.Subject
	model.Heading, model.Note = s.heading()
	model.Layout = v.FormShell(model.Heading, rtransactionPlaces[s.Kind], status)
	model.Action, model.BackURL = a.path(), "/payments/"+s.Original.InternalID.String()
	model.Kept, err = v.keptForm(a)
	if err != nil {
		return err
	}
	model.Cards = v.cards(s)
	model.Usual, model.Others = a.offered()
	model.Reason = a.Reason
	lines, length := a.informationLimits()
	model.LineLimit, model.Information = length, make([]string, lines)
	copy(model.Information, a.Information)
	if s.Kind == payment.KindReturn && s.Recalled() {
		model.Charge = &ui.Field{
			ID: "charge", Label: i18n.Text("Charge deducted, in %s").With(s.Original.Summary.Amount.Currency()), Value: a.Charge,
			Optional:  true,
			InputMode: "decimal", Width: "w-10", Hint: "Deducted from the amount sent back",
		}
		for _, p := range model.Problems {
			if p.Field == "charge" {
				model.Charge.Problem = p
			}
		}
		model.Instead = &ui.Step{Label: "Refuse the recall instead", URL: "/recalls/" + s.Recall.InternalID.String() + "/resolve"}
	}
	if s.Kind == payment.KindResolution {
		model.BackURL = "/payments/" + s.Recall.InternalID.String()
		model.Instead = &ui.Step{
			Label: "Accept the recall and send the money back", URL: "/payments/" + s.Original.InternalID.String() + "/return",
		}
	}
	return v.Render(status, views.RequestFormPage(model))
}

// keptForm gives the form the address that saves it while it is typed, and the address that shows it again.
func (v *Request) keptForm(a asked) (views.Kept, error) {
	kept := views.Kept{URL: a.path() + "/keep"}
	if a.draft.ID == uuid.Nil {
		return v.KeyedForm(kept, a.path(), url.Values{})
	}
	kept.Draft, kept.Address, kept.Seen = a.draft.ID.String(), a.addressOf(a.draft.ID), Seen(a.draft)
	return v.KeyedDraft(kept)
}

// heading returns the heading of the form, with a note when its effect is not obvious.
func (s Subject) heading() (heading, note i18n.Text) {
	amount := s.Original.Summary.Amount.Format()
	switch {
	case s.Kind == payment.KindRecall:
		return i18n.Text("Recall %s").
			With(amount), "A recall asks the other bank to send the money back. A payment can be recalled only once."
	case s.Kind == payment.KindReturn && s.Recalled():
		return i18n.Text("Accept the recall and send %s back").With(amount), ""
	case s.Kind == payment.KindReturn:
		return i18n.Text("Return %s").With(amount), ""
	}
	return i18n.Text("Refuse the recall of %s").With(amount), "If you refuse the recall, the money is not sent back."
}

// rtransactionPlaces maps the forms to entries of the navigation.
var rtransactionPlaces = map[payment.Kind]views.Place{
	payment.KindRecall: views.PlacePayments, payment.KindReturn: views.PlaceIncoming, payment.KindResolution: views.PlaceRecalls,
}

// day formats the day of a time in its own location.
func day(at time.Time) string { return at.Format("02.01.2006") }

// plainLines returns the row of the lines of information, of which there is at least one.
func plainLines(lines []string) ui.Row {
	return ui.Row{Term: "Information", Value: lines[0], Details: data(lines[1:]...)}
}
