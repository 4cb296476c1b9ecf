package payment

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/govalues/decimal"

	"countersign/internal/account"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
)

// codeWithheld is the reason of a message that failed because it was withheld (ISO: the signer is not allowed to sign).
const codeWithheld = "DS0H"

// statusOf is the ISO group status for clients of each state.
var statusOf = map[State]string{
	StateApprovalPending: "PDNG",
	StateQuestion:        "PDNG",
	StateScheduled:       "PDNG",
	StateApproved:        "ACSP",
	StateProcessing:      "ACSP",
	StateUnconfirmed:     "ACSP", // still open at clearing: never a rejection
	StateSettled:         "ACSC",
	StateFailed:          "RJCT",
	StateRejected:        "RJCT",
	StateWithdrawn:       "RJCT",
	StateExpired:         "RJCT",
}

// StatusReport makes the pain.002 with the present state of an instruction for its client. doc is the message's pain.001.
func StatusReport(m Message, doc *iso20022.CustomerCreditTransferInitiation, at time.Time) *iso20022.CustomerPaymentStatusReport {
	info, tx, single := doc.SinglePayment()
	if !single {
		return nil
	}
	if m.Withheld != "" || m.State == StateFailed && m.StatusCode == codeWithheld {
		return withheldReport(m, at)
	}
	report := withheldReport(m, at)
	agent := debtorBank(m.Account, info)
	nameOriginator(report.OriginalGroupInformationAndStatus.StatusReasonInformation, m, agent)
	report.GroupHeader.DebtorAgent = &agent
	original := &report.OriginalGroupInformationAndStatus
	original.OriginalMessageID, original.OriginalMessageNameID = doc.GroupHeader.MessageID, string(doc.MessageName())
	original.OriginalNumberOfTransactions = doc.GroupHeader.NumberOfTransactions
	original.OriginalControlSum = controlSum(doc, tx.Amount.InstructedAmount)
	instruction := &report.OriginalPaymentInformationAndStatus[0]
	instruction.OriginalPaymentInformationID = info.PaymentInformationID
	transaction := &instruction.TransactionInformationAndStatus[0]
	transaction.OriginalInstructionID, transaction.OriginalEndToEndID = tx.PaymentID.InstructionID, tx.PaymentID.EndToEndID
	transaction.OriginalUETR = tx.PaymentID.UETR
	return report
}

// withheldReport reports the status of an instruction without its content, as for one whose content fails its seal. It repeats only the
// Global ID.
func withheldReport(m Message, at time.Time) *iso20022.CustomerPaymentStatusReport {
	status, reasons := statusOf[m.State], statusReasons(m)
	return &iso20022.CustomerPaymentStatusReport{
		GroupHeader: iso20022.GroupHeader86{MessageID: reportReference(m), CreationDateTime: dateTime(at)},
		OriginalGroupInformationAndStatus: iso20022.OriginalGroupHeader17{
			OriginalMessageID: iso20022.NotProvided, OriginalMessageNameID: string(iso20022.Pain001V09), GroupStatus: status,
			StatusReasonInformation: reasons,
		},
		OriginalPaymentInformationAndStatus: []iso20022.OriginalPaymentInstruction32{{
			OriginalPaymentInformationID: iso20022.NotProvided, PaymentInformationStatus: status,
			TransactionInformationAndStatus: []iso20022.PaymentTransaction105{{
				TransactionStatus: status, StatusReasonInformation: reasons, AccountServicerReference: string(m.GlobalID),
			}},
		}},
	}
}

// controlSum returns the control sum of the order, or its only amount if the order has none; nil for neither.
func controlSum(doc *iso20022.CustomerCreditTransferInitiation, instructed *iso20022.Amount) *decimal.Decimal {
	if doc.GroupHeader.ControlSum != nil || instructed == nil {
		return doc.GroupHeader.ControlSum
	}
	return &instructed.Value
}

// Report makes the pain.002 about the end of an instruction; ok is false for a move that ends none. A content that this program cannot
// read, stored by an older one, does not stop the end: it has no report.
func (t Transition) Report() (out Outbound, ok bool) {
	m := t.After()
	if m.Kind != KindInstruction || !m.Kind.Final(m.State) {
		return Outbound{}, false
	}
	doc, err := DocumentOf(m)
	if err != nil {
		return Outbound{}, false
	}
	report := StatusReport(m, doc, t.at)
	return Outbound{message: m, reference: reportReference(m), document: report}, report != nil
}

// reportReference numbers the reports of a message by its moves: R, the Global ID and the number of the last history row.
func reportReference(m Message) string {
	return "R" + string(m.GlobalID) + "-" + strconv.Itoa(m.Sequence)
}

// statusReasons explains a refusal: the reason of clearing, DS02 (cancelled by an authorised user) for a checker's or maker's word,
// TM01 (cut-off time) for a message that waited too long.
func statusReasons(m Message) []iso20022.StatusReasonInformation12 {
	switch m.State {
	case StateFailed:
		return []iso20022.StatusReasonInformation12{reason(m.StatusCode, m.StatusText)}
	case StateRejected:
		d, _ := m.LastDecision()
		return []iso20022.StatusReasonInformation12{reason("DS02", d.Reason)}
	case StateWithdrawn:
		return []iso20022.StatusReasonInformation12{reason("DS02", "Withdrawn by the maker.")}
	case StateExpired:
		return []iso20022.StatusReasonInformation12{reason("TM01", "Nobody decided in time.")}
	default:
		return nil
	}
}

// RefusalReport makes the pain.002 for an order that was refused: RJCT with one reason for each rule it breaks.
func RefusalReport(
	doc *iso20022.CustomerCreditTransferInitiation, reference string, findings []Finding, at time.Time,
) *iso20022.CustomerPaymentStatusReport {
	reasons := make([]iso20022.StatusReasonInformation12, 0, len(findings))
	for _, f := range findings {
		reasons = append(reasons, reason(f.Code, f.Text.String()))
	}
	report := &iso20022.CustomerPaymentStatusReport{
		GroupHeader: iso20022.GroupHeader86{MessageID: reference, CreationDateTime: dateTime(at)},
		OriginalGroupInformationAndStatus: iso20022.OriginalGroupHeader17{
			OriginalMessageID: iso20022.NotProvided, OriginalMessageNameID: string(iso20022.Pain001V09), GroupStatus: "RJCT",
			StatusReasonInformation: reasons,
		},
	}
	if doc != nil {
		report.OriginalGroupInformationAndStatus.OriginalMessageID = doc.GroupHeader.MessageID
		report.OriginalGroupInformationAndStatus.OriginalNumberOfTransactions = doc.GroupHeader.NumberOfTransactions
		report.OriginalGroupInformationAndStatus.OriginalControlSum = doc.GroupHeader.ControlSum
		if len(doc.PaymentInformation) > 0 {
			agent := debtorBank(nil, &doc.PaymentInformation[0])
			report.GroupHeader.DebtorAgent = &agent
			for i := range reasons {
				reasons[i].Originator = bankAsParty(agent)
			}
		}
	}
	return report
}

// lineLength is the longest line of additional information (Max105Text).
const lineLength = 105

// reason makes one status reason; a longer text is split into several lines.
func reason(id, text string) iso20022.StatusReasonInformation12 {
	r := iso20022.StatusReasonInformation12{Reason: interbank.StatusReasonOf(id)}
	for part := range slices.Chunk([]rune(strings.TrimSpace(text)), lineLength) {
		if line := strings.TrimSpace(string(part)); line != "" {
			r.AdditionalInformation = append(r.AdditionalInformation, line)
		}
	}
	return r
}

// debtorBank returns the bank of the debtor account for a status report: that of the order, which was compared with the account; for an
// order that leaves it to the account (NOTPROVIDED), that of the account's master data or its Swiss account number.
func debtorBank(kept *DebtorAccount, info *iso20022.PaymentInstruction30) iso20022.BranchAndFinancialInstitutionIdentification6 {
	bic := ""
	switch {
	case info.DebtorAgent.Code() != "":
	case kept != nil && kept.AgentBIC != "":
		bic = kept.AgentBIC
	default:
		iban, err := account.Parse(info.DebtorAccount.ID.IBAN)
		if bank, found := account.BankOf(iban); err == nil && found {
			bic = bank.BIC.String()
		}
	}
	if bic == "" {
		return info.DebtorAgent
	}
	return iso20022.BranchAndFinancialInstitutionIdentification6{
		FinancialInstitutionID: iso20022.FinancialInstitutionIdentification18{BICFI: bic},
	}
}

// nameOriginator names the originator of each reason of a refusal (EPC132-08 pain.002: Orgtr is mandatory): the customer, by name, if one
// of their people refused or withdrew the payment or nobody decided; else the bank, by BIC.
func nameOriginator(
	reasons []iso20022.StatusReasonInformation12, m Message, bank iso20022.BranchAndFinancialInstitutionIdentification6,
) {
	originator := bankAsParty(bank)
	if m.State != StateFailed && m.Summary.DebtorName != "" {
		originator = &iso20022.PartyIdentification135{Name: m.Summary.DebtorName}
	}
	for i := range reasons {
		reasons[i].Originator = originator
	}
}

// bankAsParty names a bank as the originator of a reason: by its BIC alone, found by its code where it is named by one; nil when neither is
// known.
func bankAsParty(bank iso20022.BranchAndFinancialInstitutionIdentification6) *iso20022.PartyIdentification135 {
	bic := bank.FinancialInstitutionID.BICFI
	if bic == "" {
		code, err := account.ParseIID(bank.Code())
		if known, found := account.BankByIID(code); err == nil && found {
			bic = known.BIC.String()
		}
	}
	if bic == "" {
		return nil
	}
	return &iso20022.PartyIdentification135{ID: &iso20022.Party38Choice{
		OrganisationID: &iso20022.OrganisationIdentification29{AnyBIC: bic},
	}}
}
