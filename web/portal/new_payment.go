package portal

import (
	"context"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/account"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// showNewPayment is the empty form, or with like= the form filled from an earlier payment.
func showNewPayment(v *visit) error {
	err := mayMake(v.by)
	if err != nil {
		return err
	}
	scheme := schemeOf(v.echo.QueryParam("scheme"))
	model := views.NewPayment{Action: "/payments/new", Scheme: string(scheme), Values: views.PaymentValues{Country: homeCountry(scheme)}}
	if like := v.echo.QueryParam("like"); like != "" {
		err = v.fillLike(&model, like)
		if err != nil {
			return err
		}
	}
	model.Values.EndToEndID = v.newEndToEndID()
	return v.renderForm(http.StatusOK, model)
}

// fillLike fills the form from an earlier payment of the realm.
func (v *visit) fillLike(model *views.NewPayment, like string) error {
	id, err := uuid.Parse(like)
	if err != nil {
		return payment.ErrNotFound
	}
	m, err := v.cfg.Reader.Message(v.ctx(), v.by.Realm, id)
	if err != nil {
		return err
	}
	if m.Kind != payment.KindInstruction {
		return payment.ErrNotFound
	}
	document, err := payment.DocumentOf(m)
	if err != nil {
		return err
	}
	model.Scheme, model.Values, model.Prefilled = string(m.Scheme), valuesOf(document), true
	return nil
}

// newEndToEndID proposes a reference that the creditor can quote: the day and six random characters.
func (v *visit) newEndToEndID() string {
	id := v.cfg.NewID()
	return "E2E-" + v.today().Format("20060102") + "-" + strings.ToUpper(hex.EncodeToString(id[13:]))
}

// checkNewPayment takes the form: it is fine and becomes a draft to be checked, or comes back with what is wrong.
func checkNewPayment(v *visit) error {
	err := mayMake(v.by)
	if err != nil {
		return err
	}
	form, err := v.form()
	if err != nil {
		return err
	}
	model := views.NewPayment{Action: "/payments/new", Scheme: string(schemeOf(form.Get("scheme"))), Values: readAnswers(form)}
	if switched := form.Get("switchScheme"); switched != "" {
		return v.switchScheme(model, switched)
	}
	draft, err := v.newDraft(schemeOf(model.Scheme), model.Values)
	if err != nil {
		return err
	}
	return v.checkForm(model, draft, v.cfg.Drafts.Add)
}

// switchScheme shows the form for the other scheme with everything typed kept. The account belongs to a scheme, so the choice of it
// falls back to the first one.
func (v *visit) switchScheme(model views.NewPayment, to string) error {
	model.Scheme = string(schemeOf(to))
	return v.renderForm(http.StatusOK, model)
}

// showEdit is the form of a draft with everything kept.
func showEdit(v *visit) error {
	draft, err := v.openDraft()
	if err != nil {
		return err
	}
	a, err := answersOf(draft)
	if err != nil {
		return err
	}
	if len(draft.File) > 0 {
		return v.echo.Redirect(http.StatusSeeOther, "/payments/upload")
	}
	if a.Wish != nil {
		return v.echo.Redirect(http.StatusSeeOther, a.Wish.path()+"?draft="+draft.ID.String())
	}
	model := views.NewPayment{Action: "/payments/" + draft.ID.String() + "/edit", Scheme: string(draft.Scheme), Values: a.Values}
	err = v.markAmending(&model, draft.Amends)
	if err != nil {
		return err
	}
	return v.renderForm(http.StatusOK, model)
}

// checkEdit takes the changed form of a draft. One that was submitted meanwhile stays as it is: the changed form becomes a new draft.
func checkEdit(v *visit) error {
	err := mayMake(v.by)
	if err != nil {
		return err
	}
	draft, err := v.openDraft()
	if err != nil {
		return err
	}
	asked, err := wishOf(draft)
	if err != nil {
		return err
	}
	if asked != nil {
		return payment.ErrNotFound // it has a form of its own
	}
	form, err := v.form()
	if err != nil {
		return err
	}
	model := views.NewPayment{
		Action: "/payments/" + draft.ID.String() + "/edit", Scheme: string(schemeOf(form.Get("scheme"))), Values: readAnswers(form),
	}
	err = v.markAmending(&model, draft.Amends)
	if err != nil {
		return err
	}
	switched := form.Get("switchScheme")
	if switched != "" && model.Amending == nil {
		return v.switchScheme(model, switched)
	}
	changed, err := v.newDraft(schemeOf(model.Scheme), model.Values)
	if err != nil {
		return err
	}
	changed.Amends, changed.AmendsVersion = draft.Amends, draft.AmendsVersion
	if draft.Amends != uuid.Nil {
		changed.Scheme = draft.Scheme
	}
	if draft.MessageID != uuid.Nil {
		return v.checkForm(model, changed, v.cfg.Drafts.Add)
	}
	changed.ID = draft.ID
	return v.checkForm(model, changed, v.cfg.Drafts.Save)
}

// checkForm has the draft checked and keeps it when it is fine.
func (v *visit) checkForm(model views.NewPayment, draft store.Draft, keep keepDraft) error {
	p, err := v.prepareDraft(draft)
	if err != nil {
		return err
	}
	if !p.fine() {
		return v.refuseForm(model, p)
	}
	err = keep(v.ctx(), v.by, draft)
	if err != nil {
		return err
	}
	return v.goTo("/payments/"+draft.ID.String()+"/check", "")
}

// refuseForm shows the form again with what is wrong in it.
func (v *visit) refuseForm(model views.NewPayment, p prepared) error {
	model.Problems = problemsOf(p.made.problems, p.findings, model.Values)
	return v.renderForm(http.StatusUnprocessableEntity, model)
}

func (v *visit) renderForm(status int, model views.NewPayment) error {
	options, err := v.accountOptions(schemeOf(model.Scheme))
	if err != nil {
		return err
	}
	model.DebtorAccounts, model.Countries = options, countries()
	title := "New payment"
	if model.Amending != nil {
		title = "Amend " + model.Amending.Reference
	}
	model.Shell = v.shell(title, views.PlaceNew)
	model.Shell.Failed = len(model.Problems) > 0
	if model.Values.CreditorIBAN != "" {
		feedback := v.aboutIBAN(model.Values.CreditorIBAN, schemeOf(model.Scheme))
		said := slices.ContainsFunc(model.Problems, func(p ui.Problem) bool { return p.Field == "creditorIban" })
		if !said {
			model.Feedback = &feedback
		}
	}
	return v.render(status, views.NewPaymentPage(model))
}

// accountOptions are the realm's own accounts of a scheme that are open.
func (v *visit) accountOptions(scheme rulebook.Scheme) ([]ui.Option, error) {
	accounts, err := v.cfg.Reader.Accounts(v.ctx(), v.by.Realm)
	if err != nil {
		return nil, err
	}
	var options []ui.Option
	for _, a := range accounts {
		if a.Scheme == scheme && a.Open {
			options = append(options, ui.Option{Value: a.IBAN, Label: ui.GroupFours(a.IBAN) + " · " + a.Holder.Name + " · " + a.Currency})
		}
	}
	return options, nil
}

// showIBAN says what is known of an account number: as a part of the form for htmx, else as the form with this number in it.
func showIBAN(v *visit) error {
	err := mayMake(v.by)
	if err != nil {
		return err
	}
	typed, scheme := v.echo.QueryParam("creditorIban"), schemeOf(v.echo.QueryParam("scheme"))
	if v.fragment() {
		return v.render(http.StatusOK, views.IBANFeedback(v.aboutIBAN(typed, scheme)))
	}
	return v.renderForm(http.StatusOK, views.NewPayment{
		Action: "/payments/new", Scheme: string(scheme),
		Values: views.PaymentValues{CreditorIBAN: typed, Country: homeCountry(scheme), EndToEndID: v.newEndToEndID()},
	})
}

// aboutIBAN reads an account number as typed and asks the rules whether the scheme reaches it.
func (v *visit) aboutIBAN(typed string, scheme rulebook.Scheme) views.IBANCheck {
	check := views.IBANCheck{Scheme: string(scheme)}
	iban, err := account.ParseInput(typed)
	if err != nil {
		var unreadable made
		unreadable.refuse("creditorIban", err)
		check.Problem = unreadable.problems[0]
		return check
	}
	probe := order{scheme: scheme, values: views.PaymentValues{CreditorIBAN: iban.String()}, at: v.at, today: v.today()}.document()
	for _, f := range rulebook.Check(rulebook.Input{Scheme: scheme, Document: probe.document, Today: v.today(), Settings: v.cfg.Rules}) {
		if fieldOf(f.Pointer, views.PaymentValues{}) == "creditorIban" {
			check.Problem = ui.Problem{Field: "creditorIban", Text: f.Text, Code: f.Code}
			return check
		}
	}
	check.Grouped, check.Country = iban.Grouped(), countryName(iban.Country())
	check.Bank = bankName(iban.String(), "")
	if iban.IsQR() {
		check.Bank = strings.TrimPrefix(check.Bank+" · QR-IBAN", " · ")
	}
	return check
}

// keepDraft is how a draft is kept: a new one is added, an open one saved.
type keepDraft func(context.Context, identity.Principal, store.Draft) error
