package simulator

import (
	"time"

	"countersign/internal/account"
	"countersign/internal/iso20022"
	"countersign/internal/money"
)

// The accounts of incoming payments: of the demo realm, and of a made-up customer elsewhere.
const (
	demoAccountCHF  = "CH5021977000004331346"
	demoAccountEUR  = "DE62007620110623852957"
	otherAccountCHF = "CH1180005000088877700"
	otherMemberCHF  = "80005" // its bank in SIC
	otherAccountEUR = "FR1420041010050500013M02606"
	otherAgentEUR   = "BBBBFRPPXXX"
	ownAgentEUR     = "AAAADEFFXXX" // the gateway's bank; in SIC the account names it
	creditorName    = "Muster AG"
	otherName       = "Beispiel GmbH"
	defaultAmount   = "100.00"
)

// incoming is a payment to a customer of the gateway, made by a scenario.
type incoming struct {
	document *iso20022.FIToFICustomerCreditTransfer
	answered chan struct{} // closed when the gateway's pacs.002 is here
	status   string
	reason   string
	recalls  int
}

// answer records the gateway's pacs.002; only the first counts.
func (i *incoming) answer(status, reason string) {
	if i.status != "" {
		return
	}
	i.status, i.reason = status, reason
	close(i.answered)
}

func (i *incoming) transaction() *iso20022.CreditTransferTransaction39 {
	return &i.document.CreditTransferTransactionInformation[0]
}

// transfer holds the values of an incoming payment.
type transfer struct {
	scheme          scheme
	amount          money.Amount
	creditorAccount account.IBAN
	debtorName      string
	remittance      string
	transactionID   string
	endToEndID      string
	uetr            string
	at              time.Time
}

// document is the pacs.008 of the transfer.
func (t transfer) document(messageID string) *iso20022.FIToFICustomerCreditTransfer {
	amount := iso20022.Amount{Currency: string(t.amount.Currency()), Value: t.amount.Decimal()}
	debtorAgent, creditorAgent := t.agents()
	transaction := iso20022.CreditTransferTransaction39{
		PaymentID: iso20022.PaymentIdentification7{
			InstructionID: t.transactionID, EndToEndID: t.endToEndID, TransactionID: t.transactionID, UETR: t.uetr,
		},
		InterbankSettlementAmount: amount,
		AcceptanceDateTime:        iso20022.DateTimeOf(t.at),
		ChargeBearer:              chargesShared,
		Debtor:                    iso20022.PartyIdentification135{Name: t.debtorName, PostalAddress: &t.scheme.otherAddress},
		DebtorAccount:             cashAccount(t.scheme.otherAccount),
		DebtorAgent:               debtorAgent,
		CreditorAgent:             creditorAgent,
		Creditor:                  iso20022.PartyIdentification135{Name: creditorName},
		CreditorAccount:           cashAccount(t.creditorAccount.String()),
	}
	if t.remittance != "" {
		transaction.RemittanceInformation = &iso20022.RemittanceInformation16{Unstructured: []string{t.remittance}}
	}
	return &iso20022.FIToFICustomerCreditTransfer{
		GroupHeader: iso20022.GroupHeader93{
			MessageID:                      messageID,
			CreationDateTime:               iso20022.DateTimeOf(t.at),
			NumberOfTransactions:           "1",
			TotalInterbankSettlementAmount: &amount,
			InterbankSettlementDate:        iso20022.DateOf(t.at),
			SettlementInformation:          t.scheme.settlement(),
			PaymentTypeInformation:         t.scheme.paymentType(),
			InstructingAgent:               &debtorAgent,
		},
		CreditTransferTransactionInformation: []iso20022.CreditTransferTransaction39{transaction},
	}
}

// agents are the banks: by the bank number inside the IBAN in SIC, by BIC in SEPA.
func (t transfer) agents() (debtorAgent, creditorAgent iso20022.BranchAndFinancialInstitutionIdentification6) {
	if iid, found := t.creditorAccount.IID(); found && t.scheme.currency == "CHF" {
		return agentByMember(otherMemberCHF), agentByMember(iid.Short())
	}
	return agentByBIC(otherAgentEUR), agentByBIC(ownAgentEUR)
}

// agentByMember is a bank by its number in the Swiss clearing.
func agentByMember(member string) iso20022.BranchAndFinancialInstitutionIdentification6 {
	identification := &iso20022.ClearingSystemMemberIdentification2{
		ClearingSystemID: &iso20022.ClearingSystemIdentification2Choice{Code: "CHBCC"},
		MemberID:         member,
	}
	return iso20022.BranchAndFinancialInstitutionIdentification6{
		FinancialInstitutionID: iso20022.FinancialInstitutionIdentification18{ClearingSystemMemberID: identification},
	}
}

func agentByBIC(bic string) iso20022.BranchAndFinancialInstitutionIdentification6 {
	return iso20022.BranchAndFinancialInstitutionIdentification6{
		FinancialInstitutionID: iso20022.FinancialInstitutionIdentification18{BICFI: bic},
	}
}

func cashAccount(iban string) *iso20022.CashAccount38 {
	return &iso20022.CashAccount38{ID: iso20022.AccountIdentification4Choice{IBAN: iban}}
}
