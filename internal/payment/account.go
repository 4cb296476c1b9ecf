package payment

import (
	"strconv"

	"countersign/internal/account"
	"countersign/internal/i18n"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/money"
	"countersign/internal/rulebook"
)

// DebtorAccount is an account that a realm may debit, with its bank's master data. Client data about the holder is
// ignored.
type DebtorAccount struct {
	IBAN     string // compact
	Scheme   rulebook.Scheme
	Currency string
	Holder   interbank.Holder
	AgentBIC string // of the bank that keeps the account, 8 or 11 characters
	AgentIID string // Swiss or Liechtenstein bank number without leading zeros, "" elsewhere
	Open     bool
}

// The pacs.008 names the debtor and its bank by the account's master data (SPS 4.2). If the order omits the
// creditor's bank, the directory or the IBAN supplies it. Search, pages and approval use these values, so they match
// the document that is sent.

// Where a message's one payment names its debtor.
const (
	debtorAccountPointer = "/Document/CstmrCdtTrfInitn/PmtInf/0/DbtrAcct/Id/IBAN"
	debtorAgentPointer   = "/Document/CstmrCdtTrfInitn/PmtInf/0/DbtrAgt"
)

// asSent replaces the names of the order by those of the interbank document. The order's wording of the debtor is stored beside it where it
// differs.
func (s Summary) asSent(in InstructionInput) Summary {
	scheme, from := in.Scheme, in.Account
	if s.CreditorAgent == "" {
		s.CreditorAgent = rulebook.RouteOf(scheme, s.CreditorAccount, in.Directory)
	}
	if from == nil {
		return s
	}
	if s.DebtorAgent == "" {
		s.DebtorAgent = from.agent(scheme)
	}
	if s.DebtorName != from.Holder.Name {
		s.OrderedDebtorName, s.DebtorName = s.DebtorName, from.Holder.Name
	}
	return s
}

// routedTo returns the BIC of the creditor's bank that was found when the message was created and sealed with its
// version. In SIC the IBAN identifies the bank and this BIC is ignored.
func (m Message) routedTo() string {
	if m.Scheme != rulebook.SchemeSCT {
		return ""
	}
	return m.Summary.CreditorAgent
}

// agent is the account's bank as documents of the scheme name it: by its code in SIC, by its BIC else.
func (a DebtorAccount) agent(scheme rulebook.Scheme) string {
	if scheme == rulebook.SchemeSIC && a.AgentIID != "" {
		return a.AgentIID
	}
	return a.AgentBIC
}

// Debit is the realm's account that a payment information debits, nil for an unknown account, and the limits that
// apply.
type Debit struct {
	Account *DebtorAccount
	Limits  []rulebook.SpendingLimit
}

// debits returns the payment informations of an order; one without content if it has none.
func (in InstructionInput) debits() []Debit {
	return append([]Debit{{Account: in.Account, Limits: in.Limits}}, in.Further...)
}

// check checks a payment information against its account and the limits.
func (d Debit) check(in InstructionInput, index int) []Finding {
	at := "/Document/CstmrCdtTrfInitn/PmtInf/" + strconv.Itoa(index)
	var information *iso20022.PaymentInstruction30
	if in.Document != nil && index < len(in.Document.PaymentInformation) {
		information = &in.Document.PaymentInformation[index]
	}
	var findings []Finding
	if f, wrong := d.checkAccount(in.Scheme, at); wrong {
		findings = append(findings, f)
	} else if f, wrong := d.checkAgent(in.Scheme, information, at); wrong {
		findings = append(findings, f)
	}
	if information != nil && rulebook.IsLater(information, in.Today) {
		d.Limits = rulebook.Unused(d.Limits)
	}
	return append(findings, d.checkLimits(information, at)...)
}

// checkAccount checks the rules that only the realm can check: the account exists, is open, and is of the scheme.
func (d Debit) checkAccount(scheme rulebook.Scheme, at string) (Finding, bool) {
	f := Finding{Rule: rulebook.RuleDebtorAccountOfRealm, Pointer: at + "/DbtrAcct/Id/IBAN", Code: "AC01"}
	switch {
	case d.Account == nil:
		f.Text = "Choose one of your own accounts to debit. The account you chose is not registered in your realm."
	case !d.Account.Open:
		f.Code, f.Text = "AC04", "Choose another account. The account you chose is closed."
	case d.Account.Scheme != scheme:
		f.Text = i18n.Text("Choose an account for %s payments. The account you chose is for %s payments.").With(scheme, d.Account.Scheme)
	default:
		return Finding{}, false
	}
	return f, true
}

// checkAgent refuses a DbtrAgt with another bank than the account's. An order without a bank, or with NOTPROVIDED, leaves it to the
// account. An account of unknown bank, as in countersign validate, which reads no database, accepts any.
func (d Debit) checkAgent(scheme rulebook.Scheme, information *iso20022.PaymentInstruction30, at string) (Finding, bool) {
	if d.Account == nil || d.Account.AgentBIC == "" || information == nil {
		return Finding{}, false
	}
	pointer, same := d.Account.keptBy(information.DebtorAgent.FinancialInstitutionID)
	return Finding{
		Rule: rulebook.RuleDebtorAccountOfRealm, Pointer: at + "/DbtrAgt" + pointer, Code: "AGNT",
		Text: i18n.Text("Enter the bank that holds the account, %s, in DbtrAgt, or write NOTPROVIDED.").With(d.Account.agent(scheme)),
	}, !same
}

// checkLimits checks each payment against the limits alone: the sum of several payments of a dry run is unknown before they are made.
func (d Debit) checkLimits(information *iso20022.PaymentInstruction30, at string) []Finding {
	if len(d.Limits) == 0 || information == nil {
		return nil
	}
	var findings []Finding
	for index, tx := range information.CreditTransferTransactionInformation {
		if tx.Amount.InstructedAmount == nil {
			continue
		}
		amount, err := money.FromDecimal(money.Currency(tx.Amount.InstructedAmount.Currency), tx.Amount.InstructedAmount.Value)
		if err != nil {
			continue // other rules say why
		}
		pointer := at + "/CdtTrfTxInf/" + strconv.Itoa(index) + "/Amt/InstdAmt"
		findings = append(findings, rulebook.CheckSpending(amount, d.Limits, pointer)...)
	}
	return findings
}

// keptBy reports whether the bank may be the account's bank. Otherwise pointer names the contradicting element.
func (a DebtorAccount) keptBy(bank iso20022.FinancialInstitutionIdentification18) (pointer string, same bool) {
	member := bank.ClearingSystemMemberID
	switch {
	case bank.BICFI != "":
		return "/FinInstnId/BICFI", account.SameOffice(bank.BICFI, a.AgentBIC)
	case member != nil:
		iid, err := account.ParseIID(member.MemberID)
		return "/FinInstnId/ClrSysMmbId/MmbId", err == nil && a.AgentIID != "" && iid.Short() == a.AgentIID
	case bank.Other != nil:
		return "/FinInstnId/Othr/Id", bank.Other.ID == iso20022.NotProvided
	}
	return "", true
}

// isAt reports whether an agent, as stored in the search columns, may be the account's bank. An unknown bank or an
// empty agent never contradicts.
func (a DebtorAccount) isAt(agent string) bool {
	if agent == "" || agent == iso20022.NotProvided || a.AgentBIC+a.AgentIID == "" {
		return true
	}
	iid, err := account.ParseIID(agent)
	if err == nil {
		return iid.Short() == a.AgentIID
	}
	return account.SameOffice(agent, a.AgentBIC)
}

// checkDebtor refuses to approve a message whose account was closed while it waited, or whose order shows another debtor or bank than its
// interbank document would name: the account's master data changed meanwhile, or an older version made the message.
func (m Message) checkDebtor() []Finding {
	switch {
	case m.Account == nil:
		return nil
	case !m.Account.Open:
		return []Finding{{
			Rule: rulebook.RuleDebtorAccountOfRealm, Pointer: debtorAccountPointer, Code: "AC04",
			Text: "The debtor's account was closed while the payment was waiting. Withdraw the payment.",
		}}
	case m.Account.Holder.Name == m.Summary.DebtorName && m.Account.isAt(m.Summary.DebtorAgent):
		return nil
	case m.Account.Holder.Name == m.Summary.DebtorName:
		return []Finding{{
			Rule: rulebook.RuleDebtorAccountOfRealm, Pointer: debtorAgentPointer, Code: "AGNT",
			Text: i18n.Text("The payment names %s as the debtor's bank, but the account is held at %s. Withdraw the payment and enter it again.").
				With(m.Summary.DebtorAgent, m.Account.agent(m.Scheme)),
		}}
	}
	return []Finding{{
		Rule: rulebook.RuleDebtorAccountOfRealm, Pointer: "/Document/CstmrCdtTrfInitn/PmtInf/0/Dbtr/Nm", Code: "AC01",
		Text: i18n.Text("The payment names %s as the debtor, but the account belongs to %s. Withdraw the payment and enter it again.").
			With(m.Summary.DebtorName, m.Account.Holder.Name),
	}}
}
