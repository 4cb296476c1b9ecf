package rulebook

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/internal/account"
	"countersign/internal/i18n"
	"countersign/internal/iso20022"
	"countersign/internal/money"
)

// Input is the input of a check.
type Input struct {
	Scheme   Scheme
	Document *iso20022.CustomerCreditTransferInitiation
	// Today is the day of the check, as the date reads in its own location: Europe/Zurich.
	Today time.Time
	// Now is the time of the check. If it is zero, a requested time of today passes at any hour.
	Now      time.Time
	Settings Settings
	// ManyTransactions lets a message hold more than one payment, for a dry run.
	ManyTransactions bool
}

// Check holds a document against every rule of its scheme and returns all findings, in document order. Of more than 199 it returns those
// found first and, last, one that says so. An unknown scheme or a missing document has no findings: there is nothing to check.
func Check(input Input) []iso20022.Finding {
	profile, known := input.Scheme.Profile()
	if !known || input.Document == nil {
		return nil
	}
	inspection := inspection{
		input: input, profile: profile, document: input.Document, base: documentPointer,
		limit: input.Settings.LimitOn(input.Scheme, input.Today), terms: input.Settings.TermsOn(input.Scheme, input.Today),
		unstructuredEnd: input.Settings.UnstructuredEnd(input.Scheme),
	}
	inspection.runMessage(plans[input.Scheme])
	findings := inDocumentOrder(inspection.findings)
	if inspection.more {
		findings = append(findings, iso20022.Finding{
			Rule: moreFindings.ID, Pointer: moreFindings.Element, Code: moreFindings.Code, Text: moreFindings.Text,
		})
	}
	return findings
}

// maxFindings is the largest number of findings of one check, without the final one about the limit. A large document
// can break a rule in thousands of places.
const maxFindings = 199

const documentPointer = "/Document/CstmrCdtTrfInitn"

// inspection is a document while it is checked: the part in hand, where it stands, and the values several rules need.
type inspection struct {
	input           Input
	profile         Profile
	limit           money.Amount
	terms           Terms
	unstructuredEnd time.Time

	document           *iso20022.CustomerCreditTransferInitiation
	information        *iso20022.PaymentInstruction30
	transaction        *iso20022.CreditTransferTransaction34
	party              *iso20022.PartyIdentification135
	agent              *iso20022.BranchAndFinancialInstitutionIdentification6
	informationPointer string
	transactionPointer string
	structured         *iso20022.StructuredRemittanceInformation16
	paymentType        *iso20022.PaymentTypeInformation26 // in force; empty for none
	typePointer        string
	// base and tail together point to the part in hand; they are put together only for a finding.
	base, tail string

	debtorAccount   readAccount
	creditorAccount readAccount
	amount          money.Amount
	amountRefusal   *money.Error

	rule     *Rule
	findings []iso20022.Finding
	more     bool // than maxFindings
}

// readAccount is the outcome of reading an IBAN: the number, or why it is none.
type readAccount struct {
	iban    account.IBAN
	refusal *account.Error
}

func (i *inspection) runMessage(plan *plan) {
	i.run(plan[levelMessage])
	i.runParties(plan, messageParties(i.document))
	i.runAgents(plan, messageAgents(i.document))
	for index := range i.document.PaymentInformation {
		i.information = &i.document.PaymentInformation[index]
		i.informationPointer = indexed(documentPointer+"/PmtInf/", index)
		i.runInformation(plan)
	}
}

func (i *inspection) runInformation(plan *plan) {
	i.debtorAccount = readIBAN(&i.information.DebtorAccount)
	i.base = i.informationPointer
	i.run(plan[levelInformation])
	i.runParties(plan, informationParties(i.information))
	i.runAgents(plan, informationAgents(i.information))
	for index := range i.information.CreditTransferTransactionInformation {
		i.transaction = &i.information.CreditTransferTransactionInformation[index]
		i.transactionPointer = indexed(i.informationPointer+"/CdtTrfTxInf/", index)
		i.runTransaction(plan)
	}
}

func (i *inspection) runTransaction(plan *plan) {
	i.creditorAccount = readIBAN(i.transaction.CreditorAccount)
	i.readAmount()
	i.readPaymentType()
	i.base = i.transactionPointer
	i.run(plan[levelTransaction])
	structured := i.remittance().Structured
	for index := range structured {
		i.structured, i.tail = &structured[index], indexed("/RmtInf/Strd/", index)
		i.run(plan[levelStructured])
	}
	i.tail = ""
	i.runParties(plan, transactionParties(i.transaction))
	i.runAgents(plan, transactionAgents(i.transaction))
}

func (i *inspection) run(rules []*Rule) {
	for _, rule := range rules {
		i.rule = rule
		rule.Check(i)
	}
}

// checkBroken is the Check of a rule that only says when it is broken: it reports the Element of the rule, in the part in hand.
func checkBroken(i *inspection) {
	if !i.rule.broken(i) {
		return
	}
	if below, ofType := strings.CutPrefix(i.rule.Element, paymentTypeElement); ofType {
		i.reportAt(i.typePointer+below, i.rule.Text)
		return
	}
	i.report(strings.TrimPrefix(i.rule.Element, partElements[i.rule.level]))
}

func (i *inspection) runParties(plan *plan, parties [3]namedParty) {
	for _, party := range parties {
		if party.party == nil {
			continue
		}
		i.party, i.tail = party.party, party.pointer
		i.run(plan[levelParty])
	}
	i.tail = ""
}

func (i *inspection) runAgents(plan *plan, agents [4]namedAgent) {
	for _, agent := range agents {
		if agent.agent == nil {
			continue
		}
		i.agent, i.tail = agent.agent, agent.pointer
		i.run(plan[levelAgent])
	}
	i.tail = ""
}

// report notes that the rule in hand is broken at a place below the part in hand.
func (i *inspection) report(below string) {
	i.reportAt(i.base+i.tail+below, i.rule.Text)
}

// reportText is report with a sentence that fits the case.
func (i *inspection) reportText(below string, text i18n.Text) {
	i.reportAt(i.base+i.tail+below, text)
}

// reportAt notes a finding at a place that is not below the part in hand. What two transactions report of their common PmtInf is noted
// once.
func (i *inspection) reportAt(pointer string, text i18n.Text) {
	finding := iso20022.Finding{Rule: i.rule.ID, Pointer: pointer, Code: i.rule.Code, Text: text}
	switch {
	case slices.Contains(i.findings, finding):
	case len(i.findings) == maxFindings:
		i.more = true
	default:
		i.findings = append(i.findings, finding)
	}
}

// readIBAN reads the IBAN of an account; an account without one has neither number nor refusal.
func readIBAN(from *iso20022.CashAccount38) readAccount {
	if from == nil || from.ID.IBAN == "" {
		return readAccount{}
	}
	iban, err := account.Parse(from.ID.IBAN)
	refusal, _ := errors.AsType[*account.Error](err)
	return readAccount{iban: iban, refusal: refusal}
}

// readAmount reads the instructed amount as one of the scheme's currency; a wrong currency is a rule of its own.
func (i *inspection) readAmount() {
	i.amount, i.amountRefusal = money.Amount{}, nil
	instructed := i.transaction.Amount.InstructedAmount
	if instructed == nil {
		return
	}
	amount, err := money.FromDecimal(i.profile.Currency, instructed.Value)
	i.amount = amount
	i.amountRefusal, _ = errors.AsType[*money.Error](err)
}

// indexed is prefix and index; a message nearly always has index 0 only.
func indexed(prefix string, index int) string {
	return prefix + strconv.Itoa(index)
}

// namedParty is a party of a document and its pointer below the part that holds it.
type namedParty struct {
	pointer string
	party   *iso20022.PartyIdentification135
}

// namedAgent is a bank of a document and its pointer below the part that holds it.
type namedAgent struct {
	pointer string
	agent   *iso20022.BranchAndFinancialInstitutionIdentification6
}

const (
	initiatingPartyPointer = "/GrpHdr/InitgPty"
	debtorAgentPointer     = "/DbtrAgt"
	creditorAgentPointer   = "/CdtrAgt"
)

func messageParties(from *iso20022.CustomerCreditTransferInitiation) [3]namedParty {
	return [3]namedParty{{initiatingPartyPointer, &from.GroupHeader.InitiatingParty}}
}

func informationParties(from *iso20022.PaymentInstruction30) [3]namedParty {
	return [3]namedParty{{"/Dbtr", &from.Debtor}, {"/UltmtDbtr", from.UltimateDebtor}}
}

func transactionParties(from *iso20022.CreditTransferTransaction34) [3]namedParty {
	return [3]namedParty{
		{"/UltmtDbtr", from.UltimateDebtor}, {"/Cdtr", from.Creditor}, {"/UltmtCdtr", from.UltimateCreditor},
	}
}

func messageAgents(from *iso20022.CustomerCreditTransferInitiation) [4]namedAgent {
	return [4]namedAgent{{"/GrpHdr/FwdgAgt", from.GroupHeader.ForwardingAgent}}
}

func informationAgents(from *iso20022.PaymentInstruction30) [4]namedAgent {
	return [4]namedAgent{{debtorAgentPointer, &from.DebtorAgent}, {"/ChrgsAcctAgt", from.ChargesAccountAgent}}
}

func transactionAgents(from *iso20022.CreditTransferTransaction34) [4]namedAgent {
	return [4]namedAgent{
		{"/IntrmyAgt1", from.IntermediaryAgent1},
		{"/IntrmyAgt2", from.IntermediaryAgent2},
		{"/IntrmyAgt3", from.IntermediaryAgent3},
		{creditorAgentPointer, from.CreditorAgent},
	}
}
