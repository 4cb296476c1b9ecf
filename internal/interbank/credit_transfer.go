package interbank

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"countersign/internal/account"
	"countersign/internal/iso20022"
	"countersign/internal/money"
	"countersign/internal/rulebook"
)

// CreditTransferInput is the input of a pacs.008.
type CreditTransferInput struct {
	Scheme rulebook.Scheme
	// Order is a pain.001 that rulebook.Check and Check of this package accept.
	Order *iso20022.CustomerCreditTransferInitiation
	// From is the debtor account.
	From Account
	// CreditorAgent is the BIC of the creditor's bank where the order names none, as a directory told it; "" for none.
	CreditorAgent string
	// TransactionID is our own reference, unique over time: TxId, and InstrId too.
	TransactionID string
	// Reference is the MsgId.
	Reference string
	// UETR is for the payment of an order that has none; used where the scheme carries UETRs.
	UETR string
	// AcceptedAt is the moment of the release.
	AcceptedAt time.Time
	// Day is the settlement day, as it reads in its own location: the day of AcceptedAt in the scheme's time zone.
	Day time.Time
}

// CreditTransfer makes the pacs.008 of an order.
//
// It fails with ErrScheme, ErrTransactions, ErrIncomplete when creditor, creditor account, the creditor's bank, amount or UETR are
// missing, or an account.Error when the creditor account is no IBAN.
func CreditTransfer(in CreditTransferInput) (*iso20022.FIToFICustomerCreditTransfer, error) {
	c, err := conventionOf(in.Scheme)
	if err != nil {
		return nil, fmt.Errorf("make pacs.008: %w", err)
	}
	information, transaction, single := in.Order.SinglePayment()
	if !single {
		return nil, fmt.Errorf("make pacs.008: payment order: %w", ErrTransactions)
	}
	transfer, err := c.transfer(in, information, transaction)
	if err != nil {
		return nil, fmt.Errorf("make pacs.008: %w", err)
	}
	return &iso20022.FIToFICustomerCreditTransfer{
		GroupHeader: iso20022.GroupHeader93{
			MessageID: in.Reference, CreationDateTime: dateTime(in.AcceptedAt), NumberOfTransactions: "1",
			TotalInterbankSettlementAmount: &transfer.InterbankSettlementAmount, InterbankSettlementDate: iso20022.DateOf(in.Day),
			SettlementInformation: c.settlement(), PaymentTypeInformation: c.paymentType(information, transaction),
			InstructingAgent: &transfer.DebtorAgent,
		},
		CreditTransferTransactionInformation: []iso20022.CreditTransferTransaction39{*transfer},
	}, nil
}

func (c convention) transfer(
	in CreditTransferInput, information *iso20022.PaymentInstruction30, order *iso20022.CreditTransferTransaction34,
) (*iso20022.CreditTransferTransaction39, error) {
	creditor := c.party(order.Creditor)
	if creditor == nil || order.CreditorAccount == nil || order.Amount.InstructedAmount == nil {
		return nil, fmt.Errorf("order without creditor, creditor account or amount: %w", ErrIncomplete)
	}
	iban, err := account.Parse(order.CreditorAccount.ID.IBAN)
	if err != nil {
		return nil, fmt.Errorf("creditor account: %w", err)
	}
	creditorAgent, known := c.creditorAgent(order.CreditorAgent, iban, in.CreditorAgent)
	if !known {
		return nil, fmt.Errorf("payment to a bank that is not known: %w", ErrIncomplete)
	}
	uetr := c.uetr(order.PaymentID.UETR)
	if uetr == "" {
		uetr = c.uetr(in.UETR)
	}
	if uetr == "" && c.ForwardUETR {
		return nil, fmt.Errorf("payment without UETR: %w", ErrIncomplete)
	}
	ultimateDebtor := order.UltimateDebtor
	if ultimateDebtor == nil {
		ultimateDebtor = information.UltimateDebtor
	}
	return &iso20022.CreditTransferTransaction39{
		PaymentID: iso20022.PaymentIdentification7{
			InstructionID: in.TransactionID, EndToEndID: order.PaymentID.EndToEndID, TransactionID: in.TransactionID, UETR: uetr,
		},
		InterbankSettlementAmount:    *order.Amount.InstructedAmount,
		AcceptanceDateTime:           dateTime(in.AcceptedAt),
		ChargeBearer:                 "SLEV",
		UltimateDebtor:               c.party(ultimateDebtor),
		Debtor:                       c.debtor(in.From.Holder, information.Debtor.ID),
		DebtorAccount:                &iso20022.CashAccount38{ID: iso20022.AccountIdentification4Choice{IBAN: in.From.IBAN}},
		DebtorAgent:                  c.debtorAgent(in.From),
		CreditorAgent:                creditorAgent,
		Creditor:                     *creditor,
		CreditorAccount:              c.creditorAccount(order.CreditorAccount),
		UltimateCreditor:             c.party(order.UltimateCreditor),
		Purpose:                      order.Purpose,
		RelatedRemittanceInformation: order.RelatedRemittanceInformation,
		RemittanceInformation:        c.remittance(order.RemittanceInformation),
	}, nil
}

// creditorAccount is the account by its number. Type, currency and name are the customer's own words and stay with the order.
func (c convention) creditorAccount(given *iso20022.CashAccount38) *iso20022.CashAccount38 {
	sent := &iso20022.CashAccount38{ID: given.ID}
	if c.accountProxy {
		sent.Proxy = given.Proxy
	}
	return sent
}

// paymentType returns the payment type: instant, with the scheme's service level and the category purpose of the order, from either level.
func (c convention) paymentType(
	information *iso20022.PaymentInstruction30, transaction *iso20022.CreditTransferTransaction34,
) *iso20022.PaymentTypeInformation28 {
	kind := &iso20022.PaymentTypeInformation28{LocalInstrument: &iso20022.LocalInstrument2Choice{Code: "INST"}}
	if c.ServiceLevel != "" {
		kind.ServiceLevel = []iso20022.ServiceLevel8Choice{{Code: c.ServiceLevel}}
	}
	given := information.PaymentTypeInformation
	if given == nil {
		given = transaction.PaymentTypeInformation
	}
	if given != nil {
		kind.CategoryPurpose = given.CategoryPurpose
	}
	return kind
}

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
