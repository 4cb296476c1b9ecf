package profile

import (
	"strings"

	"countersign/internal/account"
	"countersign/internal/iso20022"
)

type bank = iso20022.BranchAndFinancialInstitutionIdentification6

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

// bankName is the renaming of a profile: a Swiss bank that is named by BIC alone is found by the account it keeps. A bank that cannot be
// named that way stays as it is.
func (p *Profile) bankName(named bank, iban func() string) bank {
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
func codeOf(named bank, iban func() string) (account.IID, bool) {
	institution := named.FinancialInstitutionID
	if institution.BICFI == "" || institution.ClearingSystemMemberID != nil {
		return account.IID{}, false
	}
	kept, err := account.Parse(iban())
	if err != nil {
		return account.IID{}, false
	}
	return kept.IID()
}

// asMade is the renaming of makers and rules: a Swiss bank by bank code, where it came by its number in SIC. A number that is none stays,
// and the rules refuse it.
func asMade(named bank, _ func() string) bank {
	code, swiss := swissCode(named)
	if !swiss || named.FinancialInstitutionID.ClearingSystemMemberID.ClearingSystemID.Code != clearingByNumber {
		return named
	}
	kept := named
	kept.FinancialInstitutionID.ClearingSystemMemberID = &iso20022.ClearingSystemMemberIdentification2{
		ClearingSystemID: &iso20022.ClearingSystemIdentification2Choice{Code: clearingByCode}, MemberID: code.Short(),
	}
	return kept
}

// renaming names a bank in another way; iban returns the number of the account it keeps, "" when the document names none.
type renaming func(named bank, iban func() string) bank

// every renames the banks of a document that may be changed.
func (r renaming) every(document iso20022.Document) {
	bankPlaces.each(document, func(found iso20022.Found) {
		named := found.Value.Addr().Interface().(*bank)
		*named = r(*named, func() string { return ibanBeside(found) })
	})
}

// ibanBeside is the number of the account that stands beside its bank, such as DbtrAcct beside DbtrAgt.
func ibanBeside(found iso20022.Found) string {
	field, has := iso20022.FieldOf(found.Parent.Type(), strings.TrimSuffix(found.Tag(), "Agt")+"Acct")
	if !has {
		return ""
	}
	held, _ := found.Parent.Field(field).Interface().(*iso20022.CashAccount38)
	if held == nil {
		return ""
	}
	return held.ID.IBAN
}
