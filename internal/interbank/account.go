package interbank

import (
	"countersign/internal/account"
	"countersign/internal/iso20022"
)

// Account is one of our accounts with its bank's master data. Client data about the holder is ignored (SPS 4.2).
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

// creditorAgent returns, in SIC, the bank of the IBAN, which overrides the client's (SPS 3.12). In SEPA it returns the client's bank, else
// that of the directory when the order was received, else that of the IBAN. It reports whether there is one: clearing could not route a
// payment with a placeholder.
func (c convention) creditorAgent(named *agent, iban account.IBAN, routed string) (agent, bool) {
	if iid, found := iban.IID(); found && c.agentsByIID {
		return agentByIID(iid.Short()), true
	}
	if named != nil {
		return *named, true
	}
	if routed != "" {
		return agentByBIC(routed), true
	}
	bank, found := account.BankOf(iban)
	return agentByBIC(bank.BIC.String()), found && !bank.BIC.IsZero()
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
