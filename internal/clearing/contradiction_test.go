package clearing_test

import (
	"fmt"
	"testing"

	"github.com/govalues/decimal"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
)

type statusReport = iso20022.FIToFIPaymentStatusReport

// says changes the group and the transaction of a status report.
func says(change func(*iso20022.OriginalGroupHeader17, *iso20022.PaymentTransaction110)) func(*statusReport) {
	return func(d *statusReport) {
		change(&d.OriginalGroupInformationAndStatus[0], &d.TransactionInformationAndStatus[0])
	}
}

var closed = []iso20022.StatusReasonInformation12{{Reason: &iso20022.StatusReason6Choice{Code: "AC04"}}}

// contradictions are status reports that say two things of one payment.
func contradictions() []lie[*statusReport] {
	type (
		group       = iso20022.OriginalGroupHeader17
		transaction = iso20022.PaymentTransaction110
	)
	foreign := decimal.MustParse("99.99")
	return []lie[*statusReport]{
		{"GrpSts", says(func(g *group, _ *transaction) { g.GroupStatus = "RJCT" })},
		{"GrpSts", says(func(g *group, tx *transaction) { g.GroupStatus, tx.TransactionStatus = "RJCT", "ACSC" })},
		{"GrpSts", says(func(g *group, tx *transaction) { g.GroupStatus, tx.TransactionStatus = "RJCT", "PDNG" })},
		{"GrpSts", says(func(g *group, tx *transaction) {
			g.GroupStatus, tx.TransactionStatus, tx.StatusReasonInformation = "ACSC", "RJCT", closed
		})},
		{"StsRsnInf/Rsn", says(func(_ *group, tx *transaction) { tx.StatusReasonInformation = closed })},
		{"StsRsnInf/Rsn", says(func(g *group, _ *transaction) { g.StatusReasonInformation = closed })},
		{"OrgnlNbOfTxs", says(func(g *group, _ *transaction) { g.OriginalNumberOfTransactions = "2" })},
		{"OrgnlNbOfTxs", says(func(g *group, _ *transaction) { g.OriginalNumberOfTransactions = "10" })},
		{"OrgnlCtrlSum", says(func(g *group, _ *transaction) { g.OriginalControlSum = &foreign })},
		{"TxSts", says(func(_ *group, tx *transaction) { tx.TransactionStatus = "OKAY" })},
		{"GrpSts", says(func(g *group, tx *transaction) { g.GroupStatus, tx.TransactionStatus = "OKAY", "" })},
	}
}

func TestAStatusThatContradictsItselfIsQuarantined(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		h := servicetest.New(t)
		defer h.CheckInvariants(t)
		m := approved(t, h, scheme)
		send(t, h, m)
		sent := lastSent(t, h, "pacs.008").(*iso20022.FIToFICustomerCreditTransfer)
		whole := decimal.MustParse("100")
		liars[*statusReport]{scheme: scheme, about: m, lies: contradictions(), honest: func() *statusReport {
			report, err := interbank.StatusReport(
				interbank.StatusReportInput{Scheme: scheme, About: sent, Reference: "S", StatusID: "S", At: h.Clock.Now()},
			)
			if err != nil {
				t.Fatal(err)
			}
			// What clearing may repeat without saying anything new.
			group, tx := &report.OriginalGroupInformationAndStatus[0], &report.TransactionInformationAndStatus[0]
			group.GroupStatus, group.OriginalNumberOfTransactions, group.OriginalControlSum = "ACCP", "01", &whole
			tx.StatusReasonInformation = []iso20022.StatusReasonInformation12{{AdditionalInformation: []string{"Paid."}}}
			tx.OriginalTransactionReference = &iso20022.OriginalTransactionReference28{
				InterbankSettlementDate: sent.GroupHeader.InterbankSettlementDate,
			}
			return report
		}}.play(t, h)
		want{state: payment.StateSettled}.check(t, h, m)
	}
}

func TestTheLargestChargeOfARecallIsASetting(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		profile, _ := scheme.Profile()
		amount := func(minor int64) money.Amount {
			made, err := money.FromMinor(profile.Currency, minor)
			if err != nil {
				t.Fatal(err)
			}
			return made
		}
		h := servicetest.New(t)
		defer h.CheckInvariants(t)
		m, paid, _ := recalledPayment(t, h, scheme)
		keep := func(charge money.Amount) string {
			back, err := interbank.Return(interbank.RTransactionInput{
				Request: rulebook.Request{Reason: "FOCR", Charge: charge}, Scheme: scheme, Original: paid, Bank: "BBBBFRPPXXX",
				MessageID: "RET", ID: "RET", At: h.Clock.Now(), Day: h.Clock.Now(),
			})
			reference := fmt.Sprint("KEEP-", charge.Minor())
			receive(t, h, inbound(t, scheme, reference, back, err))
			outcome, _ := inboxOf(t, h, reference)
			return outcome
		}
		if outcome := keep(amount(25_01)); outcome != "quarantined" {
			t.Errorf("%s: a return that keeps more than the largest charge is %s", scheme, outcome)
		}
		if outcome := keep(amount(25_00)); outcome != "matched" {
			t.Errorf("%s: a return that keeps the largest charge is %s", scheme, outcome)
		}
		want{state: payment.StateAccepted}.check(t, h, m)
		for set, largest := range map[money.Amount]money.Amount{{}: amount(25_00), amount(5_00): amount(5_00), amount(0): amount(0)} {
			if got := (rulebook.Settings{SICRecallCharge: set, SCTRecallCharge: set}).RecallCharge(scheme); got != largest {
				t.Errorf("%s: set to %v, the largest charge is %v", scheme, set, got)
			}
		}
	}
}
