package portal

import (
	"net/http"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/i18n"
	"countersign/internal/orderform"
	"countersign/internal/payment"
	"countersign/internal/service"
	"countersign/views"
	"countersign/views/ui"
)

// askedBeneficiary is a requested change: its kind, its beneficiary and the values of the form.
type askedBeneficiary struct {
	kind    administration.Kind
	subject administration.Beneficiary // zero for a new one
	values  administration.Values
}

// showNew shows the form of a new beneficiary; with from= it is filled from a payment of the realm.
func showNew(v *Request) error {
	ask := askedBeneficiary{kind: administration.KindBeneficiaryCreate, values: administration.Values{"country": "CH"}}
	err := ask.kind.MayAsk(v.By)
	if err != nil {
		return err
	}
	id, err := uuid.Parse(v.Echo.QueryParam("from"))
	if err == nil {
		ask.values, err = v.creditorOf(id)
		if err != nil {
			return err
		}
	}
	return v.Render(http.StatusOK, views.ChangeFormPage(v.beneficiaryForm(ask)))
}

// creditorOf returns the fields of a payment's creditor.
func (v *Request) creditorOf(id uuid.UUID) (administration.Values, error) {
	m, err := v.Config.Reader.Message(v.Context(), v.By.Realm, id)
	if err != nil {
		return nil, err
	}
	if m.Kind != payment.KindInstruction {
		return nil, payment.ErrNotFound
	}
	err = m.Trusted()
	if err != nil {
		return nil, err
	}
	document, err := payment.DocumentOf(m)
	if err != nil {
		return nil, err
	}
	answers, values := orderform.ValuesOf(document, v.Today()), administration.Values{}
	for _, f := range answers.Fields() {
		for _, name := range administration.KindBeneficiaryCreate.Fields() {
			if f.Name == name {
				values[name] = *f.Value
			}
		}
	}
	return values, nil
}

// showUpdate shows the form to change a beneficiary.
func showUpdate(v *Request) error { return v.show(administration.KindBeneficiaryUpdate) }

// showRemove shows the form to remove a beneficiary.
func showRemove(v *Request) error { return v.show(administration.KindBeneficiaryRemove) }

func (v *Request) show(kind administration.Kind) error {
	ask, err := v.about(kind)
	if err != nil {
		return err
	}
	return v.Render(http.StatusOK, views.ChangeFormPage(v.beneficiaryForm(ask)))
}

// about loads the beneficiary of the path for a person who may request the change.
func (v *Request) about(kind administration.Kind) (askedBeneficiary, error) {
	ask := askedBeneficiary{kind: kind}
	err := kind.MayAsk(v.By)
	if err != nil || kind.Creates() {
		return ask, err
	}
	id, err := v.ID("id")
	if err != nil {
		return ask, err
	}
	ask.subject, err = v.Config.Admin.Beneficiary(v.Context(), v.By, id)
	ask.values = ask.subject.Values()
	return ask, err
}

// beneficiaryForm returns the form of a change with its values.
func (v *Request) beneficiaryForm(ask askedBeneficiary) views.ChangeForm {
	model := views.ChangeForm{
		Heading: "New beneficiary", Action: "/beneficiaries/new", BackURL: "/beneficiaries",
		Words: "Enter the name and account as the creditor gave them to you. A checker must approve them before anyone can use them.",
	}
	switch ask.kind {
	case administration.KindBeneficiaryUpdate:
		model.Heading, model.Action = i18n.Text("Change %s").With(ask.subject.Name), "/beneficiaries/"+ask.subject.ID+"/change"
		model.Words = "A checker decides. Until then, payments are filled in as before. " +
			"Check with the creditor through a contact you already know, not one from the invoice."
	case administration.KindBeneficiaryRemove:
		model.Heading, model.Action = i18n.Text("Remove %s").With(ask.subject.Name), "/beneficiaries/"+ask.subject.ID+"/remove"
		model.Words = i18n.Text("A checker decides. After that, %s can no longer be chosen by name.").
			With(ui.GroupFours(ask.subject.IBAN))
	default:
	}
	model.Layout = v.layout(model.Heading, views.PlaceBeneficiaries)
	for _, name := range ask.kind.Fields() {
		field := ask.kind.Field(name)
		if field.Type == administration.TypeCountry {
			model.Inputs = append(model.Inputs, views.ChangeInput{Choice: ui.Choice{
				ID: name, Label: field.Label, Value: ask.values[name], Options: Countries(v.Language()),
			}})
			continue
		}
		input := ui.Field{
			ID: name, Label: field.Label, Hint: field.Hint, Value: ask.values[name],
			IBAN: field.Type == administration.TypeIBAN, Optional: !field.Required,
		}
		if field.Max > 16 { // a shorter one needs no counter
			input.Limit = field.Max
		}
		model.Inputs = append(model.Inputs, views.ChangeInput{Field: input})
	}
	return model
}

func askNew(v *Request) error { return v.ask(administration.KindBeneficiaryCreate) }

func askUpdate(v *Request) error { return v.ask(administration.KindBeneficiaryUpdate) }

func askRemove(v *Request) error { return v.ask(administration.KindBeneficiaryRemove) }

// ask stores a requested change, or renders the form with the problems beside its fields.
func (v *Request) ask(kind administration.Kind) error {
	ask, err := v.about(kind)
	if err != nil {
		return err
	}
	typed, err := v.Form()
	if err != nil {
		return err
	}
	ask.values = administration.Values{}
	for _, name := range kind.Fields() {
		ask.values[name] = strings.TrimSpace(typed.Get(name))
	}
	if ask.values["street"]+ask.values["buildingNumber"]+ask.values["addressLine1"]+ask.values["addressLine2"]+ask.values["postcode"]+
		ask.values["town"] == "" {
		ask.values["country"] = "" // the country alone, which the form offers, is no address
	}
	note := typed.Get("note")
	made, err := v.Config.Admin.Request(v.Context(), v.By, service.RequestInput{
		Kind: kind, Subject: ask.subject.ID, Values: ask.values.Compact(), Note: note,
	})
	if err != nil {
		ask.values["country"] = typed.Get("country")
		model := v.beneficiaryForm(ask)
		model.Note = note
		return v.RefuseChange(model, err)
	}
	return v.GoTo("/beneficiaries/changes/"+made.Change.ID.String(), "A checker will now decide.")
}
