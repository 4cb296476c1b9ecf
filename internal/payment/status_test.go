package payment_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

// The status reports of the constructed chains follow from their orders; ids and times are ours.
func TestStatusReportsOfTheConstructedChains(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		order := readSample[*iso20022.CustomerCreditTransferInitiation](t, scheme, "01_pain.001.001.09")
		for status, m := range map[string]payment.Message{
			"PDNG": {State: payment.StateApprovalPending},
			"ACSC": {State: payment.StateSettled},
			"RJCT": {State: payment.StateFailed, StatusCode: "AM02", StatusText: "Amount above instant limit"},
		} {
			want := readSample[*iso20022.CustomerPaymentStatusReport](t, scheme, "02_pain.002.001.10_"+status)
			m.GlobalID, m.Sequence = "DM00000000000000", 7
			made := payment.StatusReport(m, order, noon)
			if findings := codec.Validate(made); len(findings) > 0 {
				t.Errorf("%s %s does not follow its schema: %+v", scheme, status, findings)
			}
			transaction := &made.OriginalPaymentInformationAndStatus[0].TransactionInformationAndStatus[0]
			if difference := cmp.Diff(
				made.OriginalGroupInformationAndStatus.StatusReasonInformation, transaction.StatusReasonInformation,
			); difference != "" {
				t.Errorf("%s %s gives two reasons: %s", scheme, status, difference)
			}
			transaction.StatusReasonInformation = nil // said once more than in the sample
			for i := range made.OriginalGroupInformationAndStatus.StatusReasonInformation {
				made.OriginalGroupInformationAndStatus.StatusReasonInformation[i].Originator = nil // TestARefusalSaysWhoseWordItIs
			}
			mask(made)
			mask(want)
			if difference := cmp.Diff(xmlOf(t, want), xmlOf(t, made)); difference != "" {
				t.Errorf("%s %s (-want +got):\n%s", scheme, status, difference)
			}
		}
	}
}

// EPC132-08 pain.002: Orgtr is mandatory in a refusal, a bank by its BIC or a customer by their name; the debtor's bank is never a
// placeholder where the account tells it.
func TestARefusalSaysWhoseWordItIs(t *testing.T) {
	t.Parallel()
	for scheme, bank := range map[rulebook.Scheme]string{rulebook.SchemeSIC: "RAIFCH22005", rulebook.SchemeSCT: "AAAADEFFXXX"} {
		order := readSample[*iso20022.CustomerCreditTransferInitiation](t, scheme, "01_pain.001.001.09")
		order.PaymentInformation[0].DebtorAgent = iso20022.BranchAndFinancialInstitutionIdentification6{
			FinancialInstitutionID: iso20022.FinancialInstitutionIdentification18{
				Other: &iso20022.GenericFinancialIdentification1{ID: iso20022.NotProvided},
			},
		}
		kept := &payment.DebtorAccount{AgentBIC: bank}
		for state, want := range map[payment.State]string{
			payment.StateFailed: "<AnyBIC>" + bank + "</AnyBIC>", payment.StateRejected: "<Nm>Muster AG</Nm>",
			payment.StateWithdrawn: "<Nm>Muster AG</Nm>", payment.StateExpired: "<Nm>Muster AG</Nm>",
		} {
			m := payment.Message{
				GlobalID: "DM00000000000000", Sequence: 7, State: state, StatusCode: "AM02", Account: kept,
				Summary: payment.Summary{DebtorName: "Muster AG"},
			}
			report := payment.StatusReport(m, order, noon)
			text := strings.Join(xmlOf(t, report), "")
			if count := strings.Count(strings.ReplaceAll(text, " ", ""), strings.ReplaceAll(want, " ", "")); count != 2 {
				t.Errorf("%s %s: %q stands %d times, want twice: %s", scheme, state, want, count, text)
			}
			if got := report.GroupHeader.DebtorAgent.Code(); got != bank {
				t.Errorf("%s %s: the debtor's bank is %q, want %s", scheme, state, got, bank)
			}
		}
		refused := payment.RefusalReport(order, "RF1", []payment.Finding{{Code: "AM02", Text: "Too much."}}, noon)
		reasons := refused.OriginalGroupInformationAndStatus.StatusReasonInformation
		if scheme == rulebook.SchemeSIC && (reasons[0].Originator == nil || reasons[0].Originator.ID.OrganisationID.AnyBIC != bank) {
			t.Errorf("%s: the refusal is the word of %+v", scheme, reasons[0].Originator)
		}
	}
}

// A withheld payment's report repeats nothing of a content that nobody may have entered.
func TestTheReportOfAWithheldPaymentRepeatsNothingOfIt(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		order := readSample[*iso20022.CustomerCreditTransferInitiation](t, scheme, "01_pain.001.001.09")
		for name, m := range map[string]payment.Message{
			"while it waits": {State: payment.StateApprovalPending, Withheld: "It was changed."},
			"when it failed": {State: payment.StateFailed, StatusCode: "DS0H", StatusText: "It was withheld."},
		} {
			m.GlobalID, m.Sequence = "DM00000000000000", 7
			made := payment.StatusReport(m, order, noon)
			if findings := codec.Validate(made); len(findings) > 0 {
				t.Errorf("%s, %s does not follow its schema: %+v", scheme, name, findings)
			}
			text := strings.Join(xmlOf(t, made), "\n")
			info, tx, _ := order.SinglePayment()
			for _, said := range []string{order.GroupHeader.MessageID, info.PaymentInformationID, tx.PaymentID.EndToEndID} {
				if strings.Contains(text, ">"+said+"<") {
					t.Errorf("%s, %s repeats %s:\n%s", scheme, name, said, text)
				}
			}
			if !strings.Contains(text, "DM00000000000000") {
				t.Errorf("%s, %s does not say which payment it is", scheme, name)
			}
		}
	}
}

func readSample[D iso20022.Document](t *testing.T, scheme rulebook.Scheme, name string) D {
	t.Helper()
	content, err := os.ReadFile("../iso20022/testdata/" + string(scheme) + "_" + name + ".xml")
	if err != nil {
		t.Fatal(err)
	}
	document, findings := codec.DecodeXML(content)
	read, is := document.(D)
	if !is || len(findings) > 0 {
		t.Fatalf("%s: %+v", name, findings)
	}
	return read
}

// mask takes away what differs from one report to the next.
func mask(report *iso20022.CustomerPaymentStatusReport) {
	report.GroupHeader.MessageID, report.GroupHeader.CreationDateTime = "M", "2026-03-02T10:00:00Z"
	for i := range report.OriginalPaymentInformationAndStatus {
		transactions := report.OriginalPaymentInformationAndStatus[i].TransactionInformationAndStatus
		for j := range transactions {
			transactions[j].AccountServicerReference = ""
		}
	}
}

func xmlOf(t *testing.T, document iso20022.Document) []string {
	t.Helper()
	encoded, err := codec.EncodeXMLIndented(document)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(encoded), "\n")
}

// Every state has a report that follows the schema, and so has every refusal.
func TestEveryStatusReportFollowsTheSchema(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		order := benchmarkOrder(t, scheme)
		for _, state := range payment.States() {
			m := payment.Message{
				GlobalID: "DM00000000000000", Sequence: 1, State: state, StatusCode: "AB05", StatusText: strings.Repeat("Zu spät. ", 40),
			}
			if report := payment.StatusReport(m, order, noon); report.OriginalGroupInformationAndStatus.GroupStatus != "" {
				if findings := codec.Validate(report); len(findings) > 0 {
					t.Errorf("%s %s: %+v", scheme, state, findings)
				}
			}
		}
		broken := benchmarkOrder(t, scheme)
		broken.PaymentInformation[0].CreditTransferTransactionInformation[0].Creditor = nil
		broken.PaymentInformation[0].RequestedExecutionDate.Date = "2020-01-01"
		findings := payment.CheckInstruction(benchmarkInput(scheme, broken))
		for _, doc := range []*iso20022.CustomerCreditTransferInitiation{broken, nil} {
			report := payment.RefusalReport(doc, "RF1", findings, noon)
			if wrong := codec.Validate(report); len(wrong) > 0 || len(findings) < 2 {
				t.Errorf("%s: %+v after %+v", scheme, wrong, findings)
			}
		}
	}
}
