package portal_test

import (
	"net/http"
	"testing"
	"time"

	"countersign/internal/interbank"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
)

// TestTheDashboardBearsAForeignCurrency: a payment in the other scheme's currency is refused and does not take the page down. Nothing that came in counts.
func TestTheDashboardBearsAForeignCurrency(t *testing.T) {
	t.Parallel()
	o := setup(t).clearing()
	for scheme, foreign := range map[rulebook.Scheme]rulebook.Scheme{
		rulebook.SchemeSIC: rulebook.SchemeSCT, rulebook.SchemeSCT: rulebook.SchemeSIC,
	} {
		o.arrived(scheme, "GOOD-"+string(scheme))
		order := servicetest.Document(scheme, 900, time.Now())
		tx := &order.PaymentInformation[0].CreditTransferTransactionInformation[0]
		profile, _ := foreign.Profile()
		tx.Amount.InstructedAmount.Currency = string(profile.Currency)
		tx.CreditorAccount.ID.IBAN = map[rulebook.Scheme]string{
			rulebook.SchemeSIC: "CH5021977000004331346", rulebook.SchemeSCT: "DE62007620110623852957",
		}[scheme]
		document, err := interbank.CreditTransfer(interbank.CreditTransferInput{
			Scheme: scheme, Order: order, TransactionID: "ODD-" + string(scheme), Reference: "ODD-" + string(scheme),
			UETR: "7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10",
			From: interbank.Account{
				IBAN: "CH4821966000009613388", Holder: interbank.Holder{Name: "Anna Beispiel", Town: "Zuerich", Country: "CH"},
				AgentBIC: "BBBBCHZZXXX", AgentIID: "21966",
			},
			CreditorAgent: "AAAADEFFXXX", AcceptedAt: time.Now(), Day: time.Now(),
		})
		o.receive(scheme, "ODD-"+string(scheme), document, err)
		realm, id, err := o.Incoming(t.Context(), scheme, "ODD-"+string(scheme))
		if err != nil {
			t.Fatal(err)
		}
		if m := o.message(realm, id.String()); m.State != payment.StateFailed || m.StatusCode != "AM03" {
			t.Errorf("%s: a payment in %s is %s %s", scheme, profile.Currency, m.State, m.StatusCode)
		}
	}
	for _, name := range []string{"maker1", "checker1", "supervisor1", "both1"} {
		o.as(name).get("/").is(http.StatusOK).says("SIC · 0 paymentsCHF 0.00").says("SEPA · 0 paymentsEUR 0.00")
	}
}
