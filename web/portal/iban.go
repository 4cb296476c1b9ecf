package portal

import (
	"cmp"
	"net/http"
	"strings"

	"countersign/internal/account"
	"countersign/internal/i18n"
	"countersign/internal/orderform"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/views"
	"countersign/views/ui"
)

// showIBAN renders the details of an account number: a fragment for htmx, else the form with this number.
func showIBAN(v *Request) error {
	typed, scheme := v.Echo.QueryParam("creditorIban"), SchemeOf(v.Echo.QueryParam("scheme"))
	if v.Fragment() {
		check, err := v.aboutIBAN(typed, scheme)
		if err != nil {
			return err
		}
		return v.Render(http.StatusOK, views.IBANFeedback(check))
	}
	return v.renderForm(http.StatusOK, views.NewPayment{
		Action: "/payments/new", Scheme: string(scheme),
		Values: orderform.Values{CreditorIBAN: typed, EndToEndID: v.newEndToEndID()},
	})
}

// aboutIBAN reads a typed account number and checks by the rules and the bank directory whether the scheme reaches it.
func (v *Request) aboutIBAN(typed string, scheme rulebook.Scheme) (views.IBANCheck, error) {
	check := views.IBANCheck{Scheme: string(scheme)}
	iban, err := account.ParseInput(typed)
	if err != nil {
		check.Problem = ui.Problem(orderform.ProblemOf("creditorIban", err))
		return check, nil
	}
	probe := orderform.Order{Scheme: scheme, Values: orderform.Values{CreditorIBAN: iban.String()}, At: v.At, Today: v.Today()}.Build()
	order := payment.Order{Scheme: scheme, Document: probe.Document}
	bank, findings, err := v.Config.Submission.ValidateWithBank(v.Context(), v.By, order, iban)
	if err != nil {
		return check, err
	}
	for _, f := range findings {
		if orderform.FieldOf(f.Pointer, orderform.Values{}) == "creditorIban" {
			check.Problem = ui.Problem{Field: "creditorIban", Text: f.Text, Code: f.Code}
			return check, nil
		}
	}
	check = describeIBAN(iban, scheme)
	if bank.Instant {
		check.Reached, check.Bank = true, cmp.Or(check.Bank, bank.Name)
	}
	return check, nil
}

// describeIBAN describes the bank of an account, as far as its number tells.
func describeIBAN(iban account.IBAN, scheme rulebook.Scheme) views.IBANCheck {
	check := views.IBANCheck{Scheme: string(scheme), Grouped: iban.Grouped(), Country: i18n.Country(iban.Country())}
	check.Bank = views.BankName(iban.String(), "", nil)
	if iban.IsQR() {
		check.Bank = strings.TrimPrefix(check.Bank+" · QR-IBAN", " · ")
	}
	return check
}

// inFours formats the account of prefilled answers in groups of four: documents and bills have it in one piece.
func inFours(values orderform.Values) orderform.Values {
	if _, err := account.Parse(values.CreditorIBAN); err == nil {
		values.CreditorIBAN = ui.GroupFours(values.CreditorIBAN)
	}
	return values
}
