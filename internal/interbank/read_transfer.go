package interbank

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/money"
)

// Transfer is an incoming payment.
type Transfer struct {
	MessageID     string
	InstructionID string
	EndToEndID    string
	TransactionID string
	UETR          string // "" when the scheme does not carry it

	Amount     money.Amount
	Day        time.Time // settlement day, midnight UTC; zero when the document does not say
	AcceptedAt time.Time // when the debtor's bank accepted it: the scheme's clock starts here; zero when the document does not say

	Debtor           PartyAccount
	Creditor         PartyAccount
	UltimateDebtor   string // name
	UltimateCreditor string // name

	Reference  string // of the creditor (QRR or SCOR), "" when there is none
	Remittance string // unstructured text, lines joined by a space
	Purpose    string // code or proprietary
}

// PartyAccount is the debtor or creditor of a payment.
type PartyAccount struct {
	Name  string
	IBAN  string // "" when the account has another number
	Agent string // BIC of the bank, else its code in a national clearing, its other identification, or its name
}

// ReadTransfer reads an incoming pacs.008. It fails with ErrTransactions, ErrIncomplete without TxId, or on an amount (money.Error),
// date or time that cannot be read.
func ReadTransfer(document *iso20022.FIToFICustomerCreditTransfer) (Transfer, error) {
	transaction, err := transferOf(document)
	if err != nil {
		return Transfer{}, fmt.Errorf("read payment: %w", err)
	}
	amount, err := readAmount("IntrBkSttlmAmt", &transaction.InterbankSettlementAmount)
	if err != nil {
		return Transfer{}, fmt.Errorf("read pacs.008: %w", err)
	}
	day, err := readDay(settlementDay(document, transaction))
	if err != nil {
		return Transfer{}, fmt.Errorf("read pacs.008: %w", err)
	}
	accepted, err := readMoment(transaction.AcceptanceDateTime)
	if err != nil {
		return Transfer{}, fmt.Errorf("read pacs.008: %w", err)
	}
	read := Transfer{
		MessageID: document.GroupHeader.MessageID, InstructionID: transaction.PaymentID.InstructionID,
		EndToEndID: transaction.PaymentID.EndToEndID, TransactionID: transaction.PaymentID.TransactionID,
		UETR: transaction.PaymentID.UETR, Amount: amount, Day: day, AcceptedAt: accepted,
		Debtor:         partyAccount(&transaction.Debtor, transaction.DebtorAccount, transaction.DebtorAgent),
		Creditor:       partyAccount(&transaction.Creditor, transaction.CreditorAccount, transaction.CreditorAgent),
		UltimateDebtor: nameOf(transaction.UltimateDebtor), UltimateCreditor: nameOf(transaction.UltimateCreditor),
	}
	if transaction.Purpose != nil {
		read.Purpose = transaction.Purpose.Code + transaction.Purpose.Proprietary
	}
	read.Reference, read.Remittance = readRemittance(transaction.RemittanceInformation)
	return read, nil
}

func partyAccount(named *party, held *iso20022.CashAccount38, bank agent) PartyAccount {
	s := PartyAccount{Name: nameOf(named), Agent: agentName(bank)}
	if held != nil {
		s.IBAN = held.ID.IBAN
	}
	return s
}

func nameOf(named *party) string {
	if named == nil {
		return ""
	}
	return named.Name
}

// agentName returns the display name of a bank, from any identification that the sender gave.
func agentName(bank agent) string {
	institution := bank.FinancialInstitutionID
	other := institution.Other
	if other == nil {
		other = &iso20022.GenericFinancialIdentification1{}
	}
	return cmp.Or(bank.Code(), other.ID, institution.Name)
}

// readRemittance is the first reference and all text of a remittance.
func readRemittance(given *iso20022.RemittanceInformation16) (reference, text string) {
	if given == nil {
		return "", ""
	}
	lines := slices.Clone(given.Unstructured)
	for i := range given.Structured {
		lines = append(lines, given.Structured[i].AdditionalRemittanceInformation...)
	}
	if creditor := given.CreditorReference(); creditor != nil {
		reference = creditor.Reference
	}
	return reference, strings.Join(lines, " ")
}
