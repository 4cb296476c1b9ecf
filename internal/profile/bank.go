package profile

import (
	"countersign/internal/account"
	"countersign/internal/iso20022"
)

type (
	bank        = iso20022.BranchAndFinancialInstitutionIdentification6
	paymentCopy = iso20022.OriginalTransactionReference28
)

// The codes of the Swiss clearing (ISO ExternalClearingSystemIdentification1Code).
const (
	clearingByCode   = "CHBCC" // the bank code, without a check digit
	clearingByNumber = "CHSIC" // with one
)

// swissCode is the bank code of a bank that is named by one, or by its number in SIC.
func swissCode(named bank) (account.IID, bool) {
	member := named.FinancialInstitutionID.ClearingSystemMemberID
	if member == nil || member.ClearingSystemID == nil {
		return account.IID{}, false
	}
	var code account.IID
	var err error
	switch member.ClearingSystemID.Code {
	case clearingByCode:
		code, err = account.ParseIID(member.MemberID)
	case clearingByNumber:
		code, err = account.ParseSICNumber(member.MemberID)
	default:
		return account.IID{}, false
	}
	return code, err == nil
}

// member names a bank in the Swiss clearing; what else the document says of it stays.
func member(named bank, system, id string) bank {
	named.FinancialInstitutionID.BICFI = ""
	named.FinancialInstitutionID.ClearingSystemMemberID = &iso20022.ClearingSystemMemberIdentification2{
		ClearingSystemID: &iso20022.ClearingSystemIdentification2Choice{Code: system}, MemberID: id,
	}
	return named
}

// bankName writes a bank in the way of a profile. iban is the account it keeps, "" when none is at hand: a Swiss bank that is named by BIC
// alone is found by it. A bank that cannot be named that way stays as it is.
func (p *Profile) bankName(named bank, iban string) bank {
	code, swiss := swissCode(named)
	if !swiss && p.Banks != BanksByBIC {
		code, swiss = codeOf(named, iban)
	}
	switch {
	case !swiss || p.Banks == "":
		return named
	case p.Banks == BanksByNumber:
		return member(named, clearingByNumber, code.SICNumber())
	case p.Banks == BanksByCode:
		return member(named, clearingByCode, code.Short())
	}
	known, found := account.BankByIID(code)
	if !found || known.BIC.IsZero() {
		return named
	}
	named.FinancialInstitutionID.ClearingSystemMemberID, named.FinancialInstitutionID.BICFI = nil, known.BIC.String()
	return named
}

// codeOf is the bank code in an account number, where the bank is named by nothing but a BIC.
func codeOf(named bank, iban string) (account.IID, bool) {
	institution := named.FinancialInstitutionID
	if institution.BICFI == "" || institution.ClearingSystemMemberID != nil {
		return account.IID{}, false
	}
	kept, err := account.Parse(iban)
	if err != nil {
		return account.IID{}, false
	}
	return kept.IID()
}

// asMade is a bank as makers and rules name it: a Swiss one by bank code, where it came by its number in SIC.
func asMade(named bank, _ string) bank {
	member := named.FinancialInstitutionID.ClearingSystemMemberID
	if member == nil || member.ClearingSystemID == nil || member.ClearingSystemID.Code != clearingByNumber {
		return named
	}
	code, swiss := swissCode(named)
	if !swiss {
		return named // a number that is none stays, and the rules refuse it
	}
	kept := named
	kept.FinancialInstitutionID.ClearingSystemMemberID = &iso20022.ClearingSystemMemberIdentification2{
		ClearingSystemID: &iso20022.ClearingSystemIdentification2Choice{Code: clearingByCode}, MemberID: code.Short(),
	}
	return kept
}

// renaming names a bank in another way; iban is the account it keeps, or "".
type renaming func(named bank, iban string) bank

// at renames a bank where there is one.
func (r renaming) at(named *bank, held *iso20022.CashAccount38) *bank {
	if named == nil {
		return nil
	}
	renamed := r(*named, ibanOf(held))
	return &renamed
}

func ibanOf(held *iso20022.CashAccount38) string {
	if held == nil {
		return ""
	}
	return held.ID.IBAN
}

// every renames the banks of a document that may be changed.
func (r renaming) every(document iso20022.Document) {
	switch d := document.(type) {
	case *iso20022.FIToFICustomerCreditTransfer:
		d.GroupHeader.InstructingAgent, d.GroupHeader.InstructedAgent =
			r.at(d.GroupHeader.InstructingAgent, nil), r.at(d.GroupHeader.InstructedAgent, nil)
		for i := range d.CreditTransferTransactionInformation {
			t := &d.CreditTransferTransactionInformation[i]
			t.InstructingAgent, t.InstructedAgent = r.at(t.InstructingAgent, nil), r.at(t.InstructedAgent, nil)
			t.DebtorAgent = r(t.DebtorAgent, ibanOf(t.DebtorAccount))
			t.CreditorAgent = r(t.CreditorAgent, ibanOf(t.CreditorAccount))
		}
	case *iso20022.PaymentReturn:
		r.returned(d)
	case *iso20022.FIToFIPaymentStatusReport:
		d.GroupHeader.InstructingAgent, d.GroupHeader.InstructedAgent =
			r.at(d.GroupHeader.InstructingAgent, nil), r.at(d.GroupHeader.InstructedAgent, nil)
		for i := range d.TransactionInformationAndStatus {
			t := &d.TransactionInformationAndStatus[i]
			t.InstructingAgent, t.InstructedAgent = r.at(t.InstructingAgent, nil), r.at(t.InstructedAgent, nil)
			r.copied(t.OriginalTransactionReference)
		}
	case *iso20022.FIToFIPaymentCancellationRequest:
		r.assignment(&d.Assignment)
		for i := range d.Underlying {
			for k := range d.Underlying[i].TransactionInformation {
				r.copied(d.Underlying[i].TransactionInformation[k].OriginalTransactionReference)
			}
		}
	case *iso20022.ResolutionOfInvestigation:
		r.assignment(&d.Assignment)
		for i := range d.CancellationDetails {
			for k := range d.CancellationDetails[i].TransactionInformationAndStatus {
				r.copied(d.CancellationDetails[i].TransactionInformationAndStatus[k].OriginalTransactionReference)
			}
		}
	}
}

func (r renaming) returned(d *iso20022.PaymentReturn) {
	d.GroupHeader.InstructingAgent, d.GroupHeader.InstructedAgent =
		r.at(d.GroupHeader.InstructingAgent, nil), r.at(d.GroupHeader.InstructedAgent, nil)
	for i := range d.TransactionInformation {
		t := &d.TransactionInformation[i]
		t.InstructingAgent, t.InstructedAgent = r.at(t.InstructingAgent, nil), r.at(t.InstructedAgent, nil)
		for k := range t.ChargesInformation {
			t.ChargesInformation[k].Agent = r(t.ChargesInformation[k].Agent, "")
		}
		if chain := t.ReturnChain; chain != nil {
			chain.DebtorAgent, chain.CreditorAgent = r.at(chain.DebtorAgent, nil), r.at(chain.CreditorAgent, nil)
		}
		r.copied(t.OriginalTransactionReference)
	}
}

// copied renames the banks in the copy of a payment.
func (r renaming) copied(of *paymentCopy) {
	if of != nil {
		of.DebtorAgent, of.CreditorAgent = r.at(of.DebtorAgent, of.DebtorAccount), r.at(of.CreditorAgent, of.CreditorAccount)
	}
}

func (r renaming) assignment(of *iso20022.CaseAssignment5) {
	of.Assigner.Agent, of.Assignee.Agent = r.at(of.Assigner.Agent, nil), r.at(of.Assignee.Agent, nil)
}
