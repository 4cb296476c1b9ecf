package portal

import (
	"cmp"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/account"
	"countersign/internal/i18n"
	"countersign/internal/iso20022"
	"countersign/internal/orderform"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// showNewPayment renders the form: empty, from a saved form, or prefilled from the address.
func showNewPayment(v *Request) error {
	shown, err := v.showTyped(uuid.Nil)
	if shown || err != nil {
		return err
	}
	scheme := SchemeOf(v.Echo.QueryParam("scheme"))
	model := views.NewPayment{Action: "/payments/new", Scheme: string(scheme)}
	err = v.prefill(&model)
	if err != nil {
		return err
	}
	model.Values.EndToEndID = cmp.Or(model.Values.EndToEndID, v.newEndToEndID())
	begun, err := v.begun()
	if err != nil {
		return err
	}
	model.Drafts = begun.count()
	return v.renderForm(http.StatusOK, model)
}

// showTyped shows the saved form whose key is in the address: a new payment or an amendment of the message. shown is false when nothing was
// saved.
func (v *Request) showTyped(amends uuid.UUID) (shown bool, err error) {
	id, fresh := v.DraftNamed(v.Echo.QueryParams())
	if !fresh {
		return false, nil
	}
	draft, err := v.Config.Drafts.Get(v.Context(), v.By, id, v.At)
	if errors.Is(err, payment.ErrNotFound) || err == nil && draft.Amends != amends {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, v.showDraftForm(draft)
}

// prefill fills the form from the payment, template or beneficiary in the address.
func (v *Request) prefill(model *views.NewPayment) error {
	if like := v.Echo.QueryParam("like"); like != "" {
		return v.fillLike(model, like)
	}
	if id := v.Echo.QueryParam("template"); id != "" {
		return v.fillTemplate(model, id)
	}
	if id := v.Echo.QueryParam("beneficiary"); id != "" {
		var err error
		model.Picked, err = v.fillCreditor(&model.Values, beneficiaryPick+id)
		return err
	}
	return nil
}

// fillLike fills the form from an earlier payment of the realm. The correction of a payment that was never sent keeps its end-to-end id, by
// which the dashboard knows that it was corrected.
func (v *Request) fillLike(model *views.NewPayment, like string) error {
	id, err := uuid.Parse(like)
	if err != nil {
		return payment.ErrNotFound
	}
	m, document, err := v.order(id)
	if err != nil {
		return err
	}
	model.Scheme, model.Values, model.Prefilled = string(m.Scheme), orderform.ValuesOf(document, v.Today()), true
	model.Values.Basis = orderform.BasisPayment + like
	if m.State != payment.StateRejected {
		model.Values.EndToEndID = ""
	}
	return nil
}

// order reads a payment of the realm with its order. A message of another kind is not found, and one that contradicts its seal is an error.
func (v *Request) order(id uuid.UUID) (payment.Message, *iso20022.CustomerCreditTransferInitiation, error) {
	m, err := v.Config.Reader.Message(v.Context(), v.By.Realm, id)
	if err == nil && m.Kind != payment.KindInstruction {
		err = payment.ErrNotFound
	}
	if err == nil {
		err = m.Trusted()
	}
	if err != nil {
		return m, nil, err
	}
	document, err := payment.DocumentOf(m)
	return m, document, err
}

// corrected is the rejected, failed or withdrawn payment that a form was filled from; nil for none.
func (v *Request) corrected(basis string) (*views.Corrected, error) {
	id, err := uuid.Parse(strings.TrimPrefix(basis, orderform.BasisPayment))
	if err != nil {
		return nil, nil //nolint:nilerr,nilnil // it was filled from none
	}
	m, err := v.Config.Reader.Message(v.Context(), v.By.Realm, id)
	if errors.Is(err, payment.ErrNotFound) || err == nil && !views.IsCorrected(m) {
		return nil, nil //nolint:nilnil // nothing ended that the form corrects
	}
	return &views.Corrected{
		Reference: string(m.GlobalID), URL: views.PaymentURL(m.InternalID), State: m.State, Why: views.StatusReason(m),
	}, err
}

// newEndToEndID proposes a reference that the creditor can quote: the day and six random characters.
func (v *Request) newEndToEndID() string {
	id := v.Config.NewID()
	return "E2E-" + v.Today().Format("20060102") + "-" + strings.ToUpper(hex.EncodeToString(id[13:]))
}

// checkNewPayment validates the form. A valid form becomes a draft to check; an invalid one is shown with its problems.
func checkNewPayment(v *Request, form url.Values) error {
	model := views.NewPayment{Action: "/payments/new", Scheme: string(SchemeOf(form.Get("scheme"))), Values: typed(form)}
	draft, err := v.newDraft(SchemeOf(model.Scheme), model.Values)
	if err != nil {
		return err
	}
	draft = FromPage(draft, form)
	at, err := v.placeOf(form, draft)
	if err != nil {
		return err
	}
	at = at.of(uuid.Nil)
	model.Kept.Draft, model.Kept.Seen = at.named(), Seen(at.Named())
	if switched := form.Get("switchScheme"); switched != "" {
		return v.switchScheme(model, switched)
	}
	helped, err := v.helped(model, form)
	if helped || err != nil {
		return err
	}
	return v.checkForm(model, at.take(draft), v.Keeper(at), at.Sentence())
}

// switchScheme shows the form for the other scheme with all typed values. An account belongs to a scheme, so the account falls back to the
// first option.
func (v *Request) switchScheme(model views.NewPayment, to string) error {
	model.Scheme = string(SchemeOf(to))
	model.Values.DebtorAccount = "" // it was of the other scheme
	return v.renderForm(http.StatusOK, model)
}

// checkForm checks the draft and stores a valid one; sentence is shown on the next page, "" for none.
func (v *Request) checkForm(model views.NewPayment, draft store.Draft, keep KeepDraft, sentence i18n.Text) error {
	p, err := v.prepareDraft(draft)
	if err != nil {
		return err
	}
	if !p.fine() {
		return v.refuseForm(model, p)
	}
	err = keep(v.Context(), v.By, draft)
	if err != nil {
		return err
	}
	if draft.Batch != uuid.Nil {
		return v.GoTo(batchPath(draft.Batch), i18n.Text("Line %d corrected: %s").With(draft.Line, model.Values.CreditorName))
	}
	return v.GoTo("/payments/"+draft.ID.String()+"/check", sentence)
}

// refuseForm renders the form with its problems.
func (v *Request) refuseForm(model views.NewPayment, p prepared) error {
	model.Problems = problemsOf(p.built.Problems, p.findings, model.Values)
	return v.renderForm(http.StatusUnprocessableEntity, model)
}

func (v *Request) renderForm(status int, model views.NewPayment) error {
	options, err := v.accountOptions(SchemeOf(model.Scheme))
	if err != nil {
		return err
	}
	listed := func(o ui.Option) bool { return o.Value == model.Values.DebtorAccount }
	named := model.Values.DebtorAccount != "" || ui.ProblemOf(model.Problems, "debtorAccount").Text != ""
	if named && !slices.ContainsFunc(options, listed) { // no choice was made, so the first account must not be preselected
		options = slices.Insert(options, 0, ui.Option{Label: "Choose an account"})
	}
	model.DebtorAccounts, model.Countries = options, Countries(v.Language())
	model.Recent, err = v.recent(model.Scheme)
	if err != nil {
		return err
	}
	model.Outlook, err = v.outlook(SchemeOf(model.Scheme), model.Values, amended(model))
	if err != nil {
		return err
	}
	model.Corrected, err = v.corrected(model.Values.Basis)
	if err != nil {
		return err
	}
	place := views.PlaceNew
	switch {
	case model.Amending != nil:
		place = views.PlaceMine
	case model.Line != nil:
		place = views.PlaceUpload
	}
	err = v.keepForm(&model)
	if err != nil {
		return err
	}
	model.Layout = v.layout(model.Heading(), place)
	model.Layout.Failed = len(model.Problems) > 0
	if model.Values.CreditorIBAN != "" && ui.ProblemOf(model.Problems, "creditorIban").Field == "" {
		feedback, err := v.aboutIBAN(model.Values.CreditorIBAN, SchemeOf(model.Scheme))
		if err != nil {
			return err
		}
		model.Feedback = &feedback
	}
	return v.Render(status, views.NewPaymentPage(model))
}

// keepForm gives a form the address that saves it while it is typed, and the address that shows it again.
func (v *Request) keepForm(model *views.NewPayment) (err error) {
	model.Kept.URL = cmp.Or(model.Kept.URL, keepAddress)
	if draft, err := uuid.Parse(model.Kept.Draft); err == nil {
		model.Kept.Address = formPath(draft)
		model.Kept, err = v.KeyedDraft(model.Kept)
		return err
	}
	path := "/payments/new"
	if model.Amending != nil {
		path = "/payments/" + model.Amending.ID + "/amend"
	}
	model.Kept, err = v.KeyedForm(model.Kept, path, url.Values{"scheme": {model.Scheme}})
	return err
}

// accountOptions returns the open accounts of the realm in a scheme.
func (v *Request) accountOptions(scheme rulebook.Scheme) ([]ui.Option, error) {
	accounts, err := v.Config.Reader.Accounts(v.Context(), v.By.Realm)
	if err != nil {
		return nil, err
	}
	var options []ui.Option
	for _, a := range accounts {
		if a.Scheme == scheme && a.Open {
			options = append(options, ui.Option{
				Value: a.IBAN,
				Label: i18n.Data(ui.GroupFours(a.IBAN) + " · " + a.Holder.Name + " · " + a.Currency),
			})
		}
	}
	return options, nil
}

// typed returns the answers of a form as the page shows them again.
func typed(form url.Values) orderform.Values {
	values := orderform.ReadForm(form)
	iban, err := account.ParseInput(values.CreditorIBAN)
	addressed := values.Street+values.BuildingNumber+values.AddressLine1+values.AddressLine2+values.Postcode+values.Town != ""
	if values.Country == "" && addressed && err == nil {
		values.Country = iban.Country() // most live where their account is; the check page shows it
	}
	return values
}
