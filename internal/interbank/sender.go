package interbank

import (
	"cmp"
	"slices"
	"strings"

	"countersign/internal/account"
	"countersign/internal/iso20022"
)

// BankID names a bank in one way, however a document names it: by its BIC of eleven characters, also where the document names it by its
// Swiss code, else by its code in a national clearing, its LEI, its other identification or its name. "" means that the document names no
// bank.
func BankID(bank iso20022.BranchAndFinancialInstitutionIdentification6) string {
	if bic := bicOf(bank); bic != "" {
		return strings.ToUpper(account.LongBIC(bic))
	}
	institution := bank.FinancialInstitutionID
	member, other := institution.ClearingSystemMemberID, institution.Other
	switch {
	case member != nil && member.ClearingSystemID != nil:
		return member.ClearingSystemID.Code + member.ClearingSystemID.Proprietary + " " + member.MemberID
	case member != nil:
		return member.MemberID
	case other != nil:
		return cmp.Or(institution.LEI, other.ID)
	}
	return cmp.Or(institution.LEI, institution.Name)
}

// CounterpartOf returns the BankID of the creditor's bank of our payment, stored as a BIC or a Swiss bank code.
func CounterpartOf(text string) string {
	if iid, err := account.ParseIID(text); err == nil {
		return BankID(agentByIID(iid.Short()))
	}
	return BankID(agentByBIC(text))
}

// SameSender reports whether two BankIDs name one bank: they are equal, or both are BICs of offices of which one is the head office. Two
// branches are not one bank, because the banks of an association share the first eight characters of their BICs.
func SameSender(one, other string) bool {
	head := strings.HasSuffix(one, headOffice) || strings.HasSuffix(other, headOffice)
	return one != "" && (one == other || head && len(one) == bicLength && len(other) == bicLength && account.SameBank(one, other))
}

const (
	headOffice = "XXX"
	bicLength  = len("BBBBFRPPXXX")
)

// Sender is the BankID of the bank that a document comes from. clearing is the BIC of the clearing, which may stand as the instructing
// agent of documents that it passes on, and is no sender; "" where it is not known. "" means that the document names none.
//
// A pacs.008 comes from its instructing agent, else from the debtor's bank; a pacs.004 from its instructing agent, else from the
// creditor's bank of the returned payment; a camt.056 and a camt.029 from the agent that assigns; a pacs.028 and a pacs.002 from the
// instructing agent.
func Sender(document iso20022.Document, clearing string) string {
	clearing = strings.ToUpper(account.LongBIC(clearing))
	for _, id := range Senders(document) {
		if id != clearing {
			return id
		}
	}
	return ""
}

// Senders returns the BankIDs of the banks that may have sent a document, the surest first; the clearing may be among them.
func Senders(document iso20022.Document) []string {
	return bankIDs(senders(document))
}

// bankIDs are the BankIDs of the banks that are named, each once.
func bankIDs(banks []*agent) []string {
	var ids []string
	for _, bank := range banks {
		if bank == nil {
			continue
		}
		if id := BankID(*bank); id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// senders are the banks that a document may come from, the surest first; nil for one that it does not name.
func senders(document iso20022.Document) []*agent {
	switch d := document.(type) {
	case *iso20022.FIToFICustomerCreditTransfer:
		transaction, single := d.SinglePayment()
		if !single {
			return []*agent{d.GroupHeader.InstructingAgent}
		}
		return []*agent{transaction.InstructingAgent, d.GroupHeader.InstructingAgent, &transaction.DebtorAgent}
	case *iso20022.PaymentReturn:
		list := []*agent{d.GroupHeader.InstructingAgent}
		if transaction, err := returnOf(d); err == nil {
			list = append([]*agent{transaction.InstructingAgent}, list...)
			if transaction.OriginalTransactionReference != nil {
				list = append(list, transaction.OriginalTransactionReference.CreditorAgent)
			}
		}
		return list
	case *iso20022.FIToFIPaymentCancellationRequest:
		return []*agent{d.Assignment.Assigner.Agent}
	case *iso20022.ResolutionOfInvestigation:
		return []*agent{d.Assignment.Assigner.Agent}
	case *iso20022.FIToFIPaymentStatusRequest:
		list := []*agent{d.GroupHeader.InstructingAgent}
		for i := range d.TransactionInformation {
			list = append(list, d.TransactionInformation[i].InstructingAgent)
		}
		return list
	case *iso20022.FIToFIPaymentStatusReport:
		list := []*agent{d.GroupHeader.InstructingAgent}
		for i := range d.TransactionInformationAndStatus {
			list = append(list, d.TransactionInformationAndStatus[i].InstructingAgent)
		}
		return list
	}
	return nil
}

// Counterparts are the BankIDs of the other side of a payment or recall: of a pacs.008 that came in the instructing agents and the debtor's
// bank; of a camt.056 of ours the bank that is asked and the creditor's bank.
func Counterparts(document iso20022.Document) []string {
	var banks []*agent
	switch d := document.(type) {
	case *iso20022.FIToFICustomerCreditTransfer:
		banks = senders(d)
	case *iso20022.FIToFIPaymentCancellationRequest:
		banks = []*agent{d.Assignment.Assignee.Agent}
		if recall, err := recallOf(d); err == nil && recall.OriginalTransactionReference != nil {
			banks = append(banks, recall.OriginalTransactionReference.CreditorAgent)
		}
	}
	return bankIDs(banks)
}
