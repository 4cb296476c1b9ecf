package portal

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/orderform"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// markAmending names the submission a form amends, if it amends one.
func (v *Request) markAmending(model *views.NewPayment, id uuid.UUID) error {
	if id == uuid.Nil {
		return nil
	}
	m, err := v.Config.Reader.Message(v.Context(), v.By.Realm, id)
	if err != nil {
		return err
	}
	model.Amending = amending(m)
	return nil
}

// amending names a submission above the form that amends it.
func amending(m payment.Message) *views.Amending {
	return &views.Amending{ID: m.InternalID.String(), Reference: string(m.GlobalID), URL: "/payments/" + m.InternalID.String()}
}

// amendable loads the message of the path for an amendment and tells why it cannot be amended here.
func (v *Request) amendable() (payment.Message, *iso20022.CustomerCreditTransferInitiation, error) {
	m, err := v.Message()
	if err != nil {
		return m, nil, err
	}
	if m.Kind != payment.KindInstruction {
		return m, nil, payment.ErrNotFound
	}
	_, err = m.Amend(v.By, payment.Draft{}, v.At) // asks the domain; nothing is stored
	if err != nil {
		return m, nil, err
	}
	err = m.Trusted()
	if err != nil {
		return m, nil, err
	}
	document, err := payment.DocumentOf(m)
	if err != nil {
		return m, nil, err
	}
	account, err := v.debtorAccount(m.Summary.DebtorAccount)
	if err != nil {
		return m, nil, err
	}
	if !orderform.FitsForm(m.Scheme, document, account) {
		return m, nil, &payment.ForbiddenError{
			Text: "This payment contains more than the form can show. Amend it in the system it came from, or withdraw it and submit a new payment.",
		}
	}
	return m, document, nil
}

// showAmend shows the payment form filled from a waiting submission.
func showAmend(v *Request) error {
	m, document, err := v.amendable()
	if err != nil {
		return v.cannotAmend(m, err)
	}
	shown, err := v.showTyped(m.InternalID)
	if shown || err != nil {
		return err
	}
	model := amendForm(m, m.Version)
	model.Values = inFours(orderform.ValuesOf(document, v.Today()))
	return v.renderForm(http.StatusOK, model)
}

// amendedBy returns the differences between an amendment and the waiting submission; none for a new payment.
func (v *Request) amendedBy(p prepared) ([]views.Change, error) {
	if p.draft.Amends == uuid.Nil {
		return nil, nil
	}
	m, err := v.Config.Reader.Message(v.Context(), v.By.Realm, p.draft.Amends)
	if err != nil {
		return nil, err
	}
	err = m.Trusted()
	if err != nil {
		return nil, err
	}
	before, err := m.ToClearing()
	if err != nil {
		return nil, err
	}
	changes := views.ChangedElements(interbank.ContentOf(before), interbank.ContentOf(p.asked.Document))
	info, _, single := p.built.Document.SinglePayment()
	if single {
		changes = append(changes, views.ChangedDay(m.OrderedDay(), rulebook.ExecutionDay(info))...)
	}
	return changes, nil
}

// amendForm is the form that amends a version of a submission, without answers.
func amendForm(m payment.Message, version int) views.NewPayment {
	path, query := "/payments/"+m.InternalID.String()+"/amend", "?version="+strconv.Itoa(version)
	return views.NewPayment{
		Action: path + query, Kept: views.Kept{URL: path + "/keep" + query}, Scheme: string(m.Scheme), Amending: amending(m),
	}
}

// checkAmend validates the form and stores it as a draft that amends the submission. The scheme cannot change.
func checkAmend(v *Request, in amendment) error {
	m, form, draft := in.of, in.form, FromPage(in.draft, in.form)
	if in.lost != nil {
		return v.tooLateToAmend(in)
	}
	at, err := v.placeOf(form, draft)
	if err != nil {
		return err
	}
	at = at.of(m.InternalID)
	model := amendForm(m, draft.AmendsVersion)
	model.Values = typed(form)
	model.Kept.Draft, model.Kept.Seen = at.named(), Seen(at.Named())
	if switched := form.Get("switchScheme"); switched != "" {
		return v.renderForm(http.StatusOK, model)
	}
	helped, err := v.helped(model, form)
	if helped || err != nil {
		return err
	}
	return v.checkForm(model, at.take(draft), v.Keeper(at), at.Sentence())
}

// amendment is a submitted amendment form.
type amendment struct {
	of    payment.Message
	form  url.Values
	draft store.Draft // that amends the submission, in the version that the address names
	lost  error       // somebody decided the submission meanwhile
}

// amendment reads the submitted form, also when somebody decided the submission meanwhile.
func (v *Request) amendment() (amendment, error) {
	m, _, barred := v.amendable()
	if _, lost := LostTo(barred); barred != nil && !lost {
		return amendment{}, barred
	}
	form, err := v.Form()
	if err != nil {
		return amendment{}, err
	}
	draft, err := v.newDraft(m.Scheme, typed(form))
	draft.Amends, draft.AmendsVersion = m.InternalID, v.versionOf(m)
	return amendment{of: m, form: form, draft: draft, lost: barred}, err
}

// versionOf returns the version of a message that the address names, else the current one.
func (v *Request) versionOf(m payment.Message) int {
	version, err := strconv.Atoi(v.Echo.QueryParam("version"))
	if err != nil || version < 1 || version > m.Version {
		return m.Version
	}
	return version
}

// keepAmend saves an amendment as a draft while it is typed, also after somebody decided the submission, so that nothing typed is lost.
func keepAmend(v *Request, in amendment) error {
	return v.keepAs(in.form, in.draft)
}

// tooLateToAmend keeps the typed values when the submission was decided meanwhile, and links to them.
func (v *Request) tooLateToAmend(in amendment) error {
	kept, _, err := v.keepIn(in.form, in.draft)
	if err != nil {
		return err
	}
	return v.cannotAmend(in.of, in.lost, ui.Step{Label: "Show what you entered", URL: formPath(kept.ID)})
}

// cannotAmend shows why the submission cannot be amended (any more).
func (v *Request) cannotAmend(m payment.Message, err error, also ...ui.Step) error {
	sentence, lost := LostTo(err)
	if !lost {
		return err
	}
	layout := v.layout("Too late to amend", views.PlaceMine)
	return v.Render(http.StatusConflict, views.ProblemPage(views.Problem{
		Layout: layout, Heading: "This payment can no longer be amended", Text: sentence,
		NextLabel: "Show the payment", NextURL: "/payments/" + m.InternalID.String(), Also: also,
	}))
}

// showWithdraw asks for the reason of a withdrawal.
func showWithdraw(v *Request, m payment.Message) error {
	_, err := m.Withdraw(v.By, "-", v.At) // asks the domain; nothing is stored
	kept, lost := v.Unsent(m.InternalID)
	if lost != nil {
		return lost
	}
	return v.renderWithdraw(m, views.Words{Text: kept.Fields.Get("reason")}, err)
}

// keepWithdraw saves the reason of a withdrawal while it is typed, also after somebody else decided the submission.
func keepWithdraw(v *Request, m payment.Message) error {
	_, err := m.Withdraw(v.By, "-", v.At) // asks the domain; nothing is stored
	_, lost := LostTo(err)
	var malformed *payment.FieldError
	if err != nil && !lost && !errors.As(err, &malformed) {
		return err
	}
	return v.KeepTyped(m.InternalID, "reason")
}

// withdraw withdraws a submission in the version that its maker saw.
func withdraw(v *Request, m payment.Message) error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	model := views.Words{Text: form.Get("reason")}
	if m.State.Pending() && form.Get("version") != strconv.Itoa(m.Version) {
		return v.renderWithdraw(m, model, &payment.ContentError{Message: m})
	}
	seen, err := Done(v.Config.Submission.Withdraw(v.Context(), v.By, m.InternalID, model.Text))
	if err != nil {
		return v.renderWithdraw(seen, model, err)
	}
	v.Forget(m.InternalID)
	return v.GoTo(v.afterWithdrawal(m), i18n.Text("%s has been withdrawn.").With(m.GlobalID))
}

// afterWithdrawal returns the page to show after a withdrawal: a checker withdraws submissions of others.
func (v *Request) afterWithdrawal(m payment.Message) string {
	if !m.MadeBy(v.By.PersonID) {
		return "/payments/" + m.InternalID.String()
	}
	return "/mine"
}

// renderWithdraw renders the page of a withdrawal, with the cause of a refusal if there is one.
func (v *Request) renderWithdraw(m payment.Message, model views.Words, cause error) error {
	model.Act, model.Conflict, model.Required = views.ActWithdraw, Conflict(cause, m, model.Text), !m.MadeBy(v.By.PersonID)
	if model.Conflict != nil {
		model.Conflict.Lost, model.Conflict.NextURL, model.Conflict.NextLabel = "Nothing was withdrawn.", "/mine", "Go to my submissions"
		if to := v.afterWithdrawal(m); to != "/mine" {
			model.Conflict.NextURL, model.Conflict.NextLabel = to, "Show the payment"
		}
		if m.State == payment.StateWithdrawn { // by another of its makers, or for another reason
			model.Conflict.Lost = "The payment or request has already been withdrawn."
		}
		if _, amended := errors.AsType[*payment.ContentError](cause); amended {
			model.Conflict.Sentence = "The payment was amended after you opened it. Read the new version before you withdraw the payment."
		}
	}
	model.Layout = v.layout("Withdraw", views.PlaceMine)
	return v.renderWords(m, model, cause)
}

// renderWords renders a page that asks for a reason, with the cause of a refusal and its conflict; nil for none.
func (v *Request) renderWords(m payment.Message, model views.Words, cause error) error {
	status := http.StatusOK
	var malformed *payment.FieldError
	switch {
	case model.Conflict != nil:
		status = http.StatusConflict
	case errors.As(cause, &malformed):
		status = http.StatusUnprocessableEntity
		for _, f := range malformed.Findings {
			field := f.Pointer[strings.LastIndex(f.Pointer, "/")+1:]
			model.Problems = append(model.Problems, ui.Problem{Field: field, Text: f.Text, Code: f.Code})
		}
	case cause != nil:
		return cause
	}
	var err error
	model.Message, err = FullMessage(v, m)
	if err != nil {
		return err
	}
	model.Layout.Failed = len(model.Problems) > 0
	return v.Render(status, views.WordsPage(model))
}
