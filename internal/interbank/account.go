package interbank

import (
	"countersign/internal/account"
	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

// Account is an account of our side as its bank knows it. What a client says about the holder does not count (SPS 4.2).
type Account struct {
	IBAN     string // compact
	Holder   Holder
	AgentBIC string // of the bank that keeps the account, 8 or 11 characters
	AgentIID string // Swiss or Liechtenstein bank code without leading zeros, "" elsewhere
}

// Holder is the name and address of an account's holder. All but Name may be "".
type Holder struct {
	Name     string
	Street   string
	Building string
	Postcode string
	Town     string
	Country  string // ISO 3166 alpha-2
}

// The shorthand of this package for long ISO names.
type (
	agent   = iso20022.BranchAndFinancialInstitutionIdentification6
	party   = iso20022.PartyIdentification135
	address = iso20022.PostalAddress24
)

const swissClearing = "CHBCC"

// notProvided stands for the bank of a SEPA account that no directory here knows: pacs.008 requires the element (ISO placeholder).
const notProvided = "NOTPROVIDED"

func agentByBIC(bic string) agent {
	return agent{FinancialInstitutionID: iso20022.FinancialInstitutionIdentification18{BICFI: bic}}
}

func agentByIID(iid string) agent {
	return agent{FinancialInstitutionID: iso20022.FinancialInstitutionIdentification18{
		ClearingSystemMemberID: &iso20022.ClearingSystemMemberIdentification2{
			ClearingSystemID: &iso20022.ClearingSystemIdentification2Choice{Code: swissClearing}, MemberID: iid,
		},
	}}
}

// debtorAgent is the bank of our account.
func (c convention) debtorAgent(from Account) agent {
	if c.agentsByIID && from.AgentIID != "" {
		return agentByIID(from.AgentIID)
	}
	return agentByBIC(from.AgentBIC)
}

// creditorAgent is, in SIC, the bank the IBAN tells, which wins over the one the client names (SPS 3.12). In SEPA it is the one the
// client names, else the one the IBAN tells, else the placeholder.
func (c convention) creditorAgent(named *agent, iban account.IBAN) agent {
	if iid, found := iban.IID(); found && c.agentsByIID {
		return agentByIID(iid.Short())
	}
	if named != nil {
		return *named
	}
	if bank, found := account.BankOf(iban); found && !bank.BIC.IsZero() {
		return agentByBIC(bank.BIC.String())
	}
	return agent{FinancialInstitutionID: iso20022.FinancialInstitutionIdentification18{
		Other: &iso20022.GenericFinancialIdentification1{ID: notProvided},
	}}
}

// AgentOfIBAN is the creditor's bank that a pacs.008 of the scheme names when the order names none, as its Swiss code or BIC; "" when the
// IBAN does not tell it.
func AgentOfIBAN(scheme rulebook.Scheme, iban string) string {
	c, err := conventionOf(scheme)
	if err != nil {
		return ""
	}
	parsed, err := account.Parse(iban)
	if err != nil {
		return ""
	}
	bank := c.creditorAgent(nil, parsed)
	return bank.Code()
}

// bicOf is the BIC of a bank in a document, looked up where it is named by its Swiss code; "" when it is not known.
func bicOf(bank agent) string {
	institution := bank.FinancialInstitutionID
	if institution.BICFI != "" {
		return institution.BICFI
	}
	iid, err := account.ParseIID(memberOf(bank))
	if err != nil {
		return ""
	}
	known, _ := account.BankByIID(iid)
	return known.BIC.String()
}

// memberOf is the code of a bank in the Swiss clearing, "" when it is named otherwise.
func memberOf(bank agent) string {
	member := bank.FinancialInstitutionID.ClearingSystemMemberID
	if member == nil || member.ClearingSystemID == nil || member.ClearingSystemID.Code != swissClearing {
		return ""
	}
	return member.MemberID
}
