package interbank

import (
	"reflect"

	"countersign/internal/account"
	"countersign/internal/iso20022"
)

// namesBankOfIBAN reports whether the creditor's bank that an order names, by BIC or by its Swiss code alone, is the one of the IBAN.
// Branches of a bank count as the bank.
func namesBankOfIBAN(transaction reflect.Value) bool {
	order, is := transaction.Interface().(iso20022.CreditTransferTransaction34)
	if !is || order.CreditorAgent == nil || order.CreditorAccount == nil {
		return false
	}
	iban, err := account.Parse(order.CreditorAccount.ID.IBAN)
	if err != nil {
		return false
	}
	named := order.CreditorAgent.FinancialInstitutionID
	if named.LEI != "" {
		return false
	}
	if member := named.ClearingSystemMemberID; member != nil {
		given, err := account.ParseIID(member.MemberID)
		known, found := iban.IID()
		return err == nil && found && given == known
	}
	const bankLength = 8
	bank, found := account.BankOf(iban)
	return found && len(named.BICFI) >= bankLength && !bank.BIC.IsZero() && named.BICFI[:bankLength] == bank.BIC.String()[:bankLength]
}
