package portal

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/orderform"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
)

const (
	// maxPicks limits the beneficiaries offered at once.
	maxPicks = 8
	// maxRecent limits the offered creditors of the last payments.
	maxRecent = 4

	beneficiaryPick = "beneficiary:"
	recentPick      = "payment:"
)

// findCreditors lists the beneficiaries that match a search: as a part of the form for htmx, else within the form.
func findCreditors(v *Request) error {
	find := Searchable(v.Echo.QueryParam("find"))
	if !v.Fragment() {
		scheme := SchemeOf(v.Echo.QueryParam("scheme"))
		return v.renderFound(views.NewPayment{
			Action: "/payments/new", Scheme: string(scheme),
			Values: orderform.Values{EndToEndID: v.newEndToEndID()},
		}, find)
	}
	if strings.TrimSpace(find) == "" {
		return v.Echo.NoContent(http.StatusOK)
	}
	picks, err := v.picks(find)
	if err != nil {
		return err
	}
	return v.Render(http.StatusOK, views.PickList(picks))
}

// picks returns the beneficiaries that match a search.
func (v *Request) picks(find string) (views.Picks, error) {
	list, err := v.Config.Admin.Beneficiaries(v.Context(), v.By, store.Book{Search: find, PageSize: maxPicks + 1})
	picks := views.Picks{More: len(list) > maxPicks}
	for _, b := range list[:min(len(list), maxPicks)] {
		picks.List = append(picks.List, views.Pick{Value: beneficiaryPick + b.ID, Name: b.Name, Account: b.IBAN, Detail: b.Town})
	}
	return picks, err
}

// renderFound renders the form with the beneficiaries that match a search.
func (v *Request) renderFound(model views.NewPayment, find string) error {
	picks, err := v.picks(find)
	if err != nil {
		return err
	}
	model.Find, model.Found = find, &picks
	return v.renderForm(http.StatusOK, model)
}

// helped answers the search for a creditor and the choice of one with the form and all typed values; helped is false for another request.
// Any button searches when the form has a search text and no creditor.
func (v *Request) helped(model views.NewPayment, form url.Values) (helped bool, err error) {
	picked, find := form.Get("pick"), Searchable(strings.TrimSpace(form.Get("find")))
	switch {
	case picked != "":
		name, err := v.fillCreditor(&model.Values, picked)
		if err != nil {
			return true, err
		}
		model.Picked = name
		return true, v.renderForm(http.StatusOK, model)
	case form.Get("act") == "find", find != "" && model.Values.CreditorName+model.Values.CreditorIBAN == "":
		return true, v.renderFound(model, find)
	}
	return false, nil
}

// fillCreditor fills the chosen creditor into the form and returns its name.
func (v *Request) fillCreditor(values *orderform.Values, picked string) (name string, err error) {
	text, beneficiary := strings.CutPrefix(picked, beneficiaryPick)
	if !beneficiary {
		text = strings.TrimPrefix(picked, recentPick)
	}
	id, err := uuid.Parse(text)
	if err != nil {
		return "", payment.ErrNotFound
	}
	found := views.NewPayment{}
	if beneficiary {
		found.Values, err = v.beneficiaryValues(id)
	} else {
		err = v.fillLike(&found, id.String())
	}
	from := found.Values
	values.CreditorName, values.CreditorIBAN, values.AddressKind = from.CreditorName, from.CreditorIBAN, from.AddressKind
	values.Street, values.BuildingNumber, values.Postcode, values.Town = from.Street, from.BuildingNumber, from.Postcode, from.Town
	values.AddressLine1, values.AddressLine2, values.Country = from.AddressLine1, from.AddressLine2, from.Country
	return from.CreditorName, err
}

// beneficiaryValues returns the form values of a beneficiary in force.
func (v *Request) beneficiaryValues(id uuid.UUID) (orderform.Values, error) {
	b, err := v.Config.Admin.Beneficiary(v.Context(), v.By, id)
	if err == nil && b.Status != administration.StatusInForce {
		err = payment.ErrNotFound
	}
	values := orderform.Values{
		CreditorName: b.Name, CreditorIBAN: b.IBAN, AddressKind: orderform.AddressStructured, Street: b.Street, BuildingNumber: b.BuildingNumber,
		AddressLine1: b.AddressLine1, AddressLine2: b.AddressLine2, Postcode: b.Postcode, Town: b.Town, Country: b.Country,
	}
	if b.AddressLine1+b.AddressLine2 != "" {
		values.AddressKind = orderform.AddressHybrid
	}
	return values, err
}

// recent returns the creditors of this person's last payments.
func (v *Request) recent(scheme string) ([]views.Pick, error) {
	list, err := v.Config.Reader.RecentCreditors(v.Context(), v.By, SchemeOf(scheme), maxRecent)
	picks := make([]views.Pick, 0, len(list))
	for _, r := range list {
		picks = append(picks, views.Pick{Value: recentPick + r.MessageID.String(), Name: r.Name, Account: r.Account})
	}
	return picks, err
}
