package payment

import (
	"crypto/sha256"
	"strconv"
	"time"

	"github.com/google/uuid"

	"countersign/internal/account"
	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

// Outbound is an interbank document on its way out.
type Outbound struct {
	Reference string // MsgId; the same on every attempt
	Document  iso20022.Document
}

// CreditTransfer makes the pacs.008 of a released instruction from its stored content and the debtor account's master data
// (iso20022-rules 4.1). It is the same whenever it is made: MsgId, TxId and InstrId come from the Global ID, the acceptance time is
// that of the last approval, day is that day in the scheme's time zone.
func CreditTransfer(m Message, doc *iso20022.CustomerCreditTransferInitiation, from DebtorAccount, day time.Time) (Outbound, error) {
	info, tx, err := single(doc)
	if err != nil {
		return Outbound{}, err
	}
	amount := iso20022.Amount{Currency: string(m.Summary.Amount.Currency()), Value: m.Summary.Amount.Decimal()}
	reference := "P8" + string(m.GlobalID)
	transfer := iso20022.CreditTransferTransaction39{
		PaymentID: iso20022.PaymentIdentification7{
			InstructionID: string(m.GlobalID), EndToEndID: tx.PaymentID.EndToEndID, TransactionID: string(m.GlobalID),
		},
		InterbankSettlementAmount: amount,
		AcceptanceDateTime:        dateTime(m.AcceptedAt),
		ChargeBearer:              "SLEV",
		UltimateDebtor:            firstOf(info.UltimateDebtor, tx.UltimateDebtor),
		Debtor:                    debtor(from, info.Debtor),
		DebtorAccount:             &iso20022.CashAccount38{ID: iso20022.AccountIdentification4Choice{IBAN: from.IBAN}},
		DebtorAgent:               debtorAgent(m.Scheme, from),
		CreditorAgent:             creditorAgent(m.Scheme, tx),
		Creditor:                  *tx.Creditor,
		CreditorAccount:           tx.CreditorAccount,
		UltimateCreditor:          tx.UltimateCreditor,
		Purpose:                   tx.Purpose,
		RemittanceInformation:     tx.RemittanceInformation,
	}
	agent := transfer.DebtorAgent
	document := &iso20022.FIToFICustomerCreditTransfer{
		GroupHeader: iso20022.GroupHeader93{
			MessageID: reference, CreationDateTime: dateTime(m.AcceptedAt), NumberOfTransactions: "1",
			TotalInterbankSettlementAmount: &amount, InterbankSettlementDate: iso20022.DateOf(day),
			SettlementInformation: settlement(m.Scheme), PaymentTypeInformation: paymentType(m.Scheme, info),
			InstructingAgent: &agent,
		},
		CreditTransferTransactionInformation: []iso20022.CreditTransferTransaction39{transfer},
	}
	if m.Scheme == rulebook.SchemeSIC {
		document.CreditTransferTransactionInformation[0].PaymentID.UETR = uetr(m, tx.PaymentID.UETR)
	}
	return Outbound{Reference: reference, Document: document}, nil
}

// StatusRequest makes the pacs.028 that asks clearing what became of an instruction; each has its own number, from 1.
func StatusRequest(m Message, number int, at time.Time) Outbound {
	reference := "P28" + string(m.GlobalID) + "-" + strconv.Itoa(number)
	name := "pacs.008.001.08"
	if m.Scheme == rulebook.SchemeSCT {
		name = "pacs.008"
	}
	accepted := dateTime(m.AcceptedAt)
	return Outbound{Reference: reference, Document: &iso20022.FIToFIPaymentStatusRequest{
		GroupHeader: iso20022.GroupHeader91{MessageID: reference, CreationDateTime: dateTime(at)},
		OriginalGroupInformation: []iso20022.OriginalGroupInformation27{{
			OriginalMessageID: "P8" + string(m.GlobalID), OriginalMessageNameID: name,
		}},
		TransactionInformation: []iso20022.PaymentTransaction113{{
			StatusRequestID: "Q" + strconv.Itoa(number) + string(m.GlobalID), OriginalInstructionID: string(m.GlobalID),
			OriginalEndToEndID: m.Summary.EndToEndID, OriginalTransactionID: string(m.GlobalID), AcceptanceDateTime: accepted,
		}},
	}}
}

// uetr is the client's UETR, or one that is made from the Global ID and so is the same on every attempt (version 4 in form).
func uetr(m Message, given string) string {
	if given != "" {
		return given
	}
	digest := sha256.Sum256([]byte("uetr " + string(m.GlobalID)))
	id := uuid.UUID(digest[:16])
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return id.String()
}

// dateTime writes a moment in UTC with milliseconds and without a zero at their end, as SEPA clearing wants it.
func dateTime(at time.Time) iso20022.ISODateTime {
	return iso20022.ISODateTime(at.UTC().Truncate(time.Millisecond).Format("2006-01-02T15:04:05.999Z07:00"))
}

func settlement(scheme rulebook.Scheme) iso20022.SettlementInstruction7 {
	s := iso20022.SettlementInstruction7{SettlementMethod: "CLRG"}
	if scheme == rulebook.SchemeSIC {
		s.ClearingSystem = &iso20022.ClearingSystemIdentification3Choice{Code: "SIP"}
	}
	return s
}

func paymentType(scheme rulebook.Scheme, info *iso20022.PaymentInstruction30) *iso20022.PaymentTypeInformation28 {
	t := &iso20022.PaymentTypeInformation28{LocalInstrument: &iso20022.LocalInstrument2Choice{Code: "INST"}}
	if scheme == rulebook.SchemeSCT {
		t.ServiceLevel = []iso20022.ServiceLevel8Choice{{Code: "SEPA"}}
	}
	if info.PaymentTypeInformation != nil {
		t.CategoryPurpose = info.PaymentTypeInformation.CategoryPurpose
	}
	return t
}

// debtor is the holder as the bank knows it, with the identification the client gave.
func debtor(from DebtorAccount, given iso20022.PartyIdentification135) iso20022.PartyIdentification135 {
	h := from.Holder
	return iso20022.PartyIdentification135{
		Name: h.Name, ID: given.ID,
		PostalAddress: &iso20022.PostalAddress24{
			StreetName: h.Street, BuildingNumber: h.Building, PostCode: h.Postcode, TownName: h.Town, Country: h.Country,
		},
	}
}

func debtorAgent(scheme rulebook.Scheme, from DebtorAccount) iso20022.BranchAndFinancialInstitutionIdentification6 {
	if scheme == rulebook.SchemeSIC && from.AgentIID != "" {
		return agentByIID(from.AgentIID)
	}
	return agentByBIC(from.AgentBIC)
}

// creditorAgent is the bank the client named, or else the one the account number tells. Where neither is known (a SEPA account whose
// bank is in no directory here) the ISO placeholder stands, because pacs.008 requires the element.
func creditorAgent(scheme rulebook.Scheme, tx *iso20022.CreditTransferTransaction34) iso20022.BranchAndFinancialInstitutionIdentification6 {
	iban, err := account.Parse(tx.CreditorAccount.ID.IBAN)
	if err == nil && scheme == rulebook.SchemeSIC {
		if iid, ok := iban.IID(); ok {
			return agentByIID(iid.Short())
		}
	}
	if tx.CreditorAgent != nil {
		return *tx.CreditorAgent
	}
	if err == nil {
		if bank, ok := account.BankOf(iban); ok && !bank.BIC.IsZero() {
			return agentByBIC(bank.BIC.String())
		}
	}
	return iso20022.BranchAndFinancialInstitutionIdentification6{FinancialInstitutionID: iso20022.FinancialInstitutionIdentification18{
		Other: &iso20022.GenericFinancialIdentification1{ID: "NOTPROVIDED"},
	}}
}

func agentByBIC(bic string) iso20022.BranchAndFinancialInstitutionIdentification6 {
	return iso20022.BranchAndFinancialInstitutionIdentification6{
		FinancialInstitutionID: iso20022.FinancialInstitutionIdentification18{BICFI: bic},
	}
}

func agentByIID(iid string) iso20022.BranchAndFinancialInstitutionIdentification6 {
	return iso20022.BranchAndFinancialInstitutionIdentification6{
		FinancialInstitutionID: iso20022.FinancialInstitutionIdentification18{
			ClearingSystemMemberID: &iso20022.ClearingSystemMemberIdentification2{
				ClearingSystemID: &iso20022.ClearingSystemIdentification2Choice{Code: "CHBCC"}, MemberID: iid,
			},
		},
	}
}

func firstOf(parties ...*iso20022.PartyIdentification135) *iso20022.PartyIdentification135 {
	for _, p := range parties {
		if p != nil {
			return p
		}
	}
	return nil
}
