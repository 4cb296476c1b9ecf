package rulebook_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

// ruleCase changes a good document and names what must be found: the rule at the pointer, and the other rules the same change breaks. An
// empty pointer means the document stays good; the rule is then the one whose boundary the case is near.
type ruleCase struct {
	rule     string
	name     string
	base     func() *document
	change   func(d *document)
	settings func(s *rulebook.Settings)
	input    func(in *rulebook.Input)
	pointer  string
	also     []string
}

const (
	root   = "/Document/CstmrCdtTrfInitn"
	infoAt = root + "/PmtInf/0"
	txAt   = infoAt + "/CdtTrfTxInf/0"
)

// schemeOf is the scheme a base document is made for.
func schemeOf(d *document) rulebook.Scheme {
	if d.tx.Amount.InstructedAmount.Currency == "EUR" {
		return rulebook.SchemeSCT
	}
	return rulebook.SchemeSIC
}

func allCases() []ruleCase {
	return slices.Concat(messageCases, referenceCases, amountCases, typeCases, purposeCases, dateCases, partyCases, addressCases,
		agentCases, accountCases, remittanceCases, forbiddenCases, subsetCases, textCases)
}

func TestRules(t *testing.T) {
	t.Parallel()
	for _, test := range allCases() {
		t.Run(test.rule+"/"+test.name, func(t *testing.T) {
			t.Parallel()
			base := test.base
			if base == nil {
				base = swissPayment
			}
			document := base()
			input := rulebook.Input{Scheme: schemeOf(document), Document: document.CustomerCreditTransferInitiation, Today: today}
			if test.change != nil {
				test.change(document)
			}
			if test.settings != nil {
				test.settings(&input.Settings)
			}
			if test.input != nil {
				test.input(&input)
			}
			findings := rulebook.Check(input)
			wanted := slices.Clone(test.also)
			if test.pointer != "" {
				wanted = append(wanted, test.rule)
				wantPointer(t, findings, test.rule, test.pointer)
			}
			wantRules(t, findings, wanted)
		})
	}
}

func wantPointer(t *testing.T, findings []iso20022.Finding, rule, pointer string) {
	t.Helper()
	if !slices.ContainsFunc(findings, func(f iso20022.Finding) bool { return f.Rule == rule && f.Pointer == pointer }) {
		t.Errorf("rule %s does not point to %s: %+v", rule, pointer, findings)
	}
}

// wantRules wants findings of exactly these rules, each with the code of its row and a sentence.
func wantRules(t *testing.T, findings []iso20022.Finding, rules []string) {
	t.Helper()
	var found []string
	for _, finding := range findings {
		found = append(found, finding.Rule)
		row := rowOf(finding.Rule)
		if finding.Code != row.Code || !strings.HasSuffix(finding.Text.String(), ".") {
			t.Errorf("finding %+v does not follow its row", finding)
		}
	}
	slices.Sort(found)
	slices.Sort(rules)
	if !slices.Equal(slices.Compact(found), slices.Compact(rules)) {
		t.Errorf("rules broken %q, want %q", found, rules)
	}
}

func rowOf(id string) rulebook.Rule {
	rules := rulebook.Rules()
	index := slices.IndexFunc(rules, func(r rulebook.Rule) bool { return r.ID == id })
	if index < 0 {
		return rulebook.Rule{}
	}
	return rules[index]
}

// Every rule of this package has a case it accepts and a case it refuses.
func TestEachRuleHasCases(t *testing.T) {
	t.Parallel()
	accepted, refused := map[string]bool{}, map[string]bool{}
	for _, test := range allCases() {
		if rowOf(test.rule).ID == "" {
			t.Errorf("case for unknown rule %q", test.rule)
		}
		if test.pointer == "" {
			accepted[test.rule] = true
		} else {
			refused[test.rule] = true
		}
	}
	for _, rule := range rulebook.Rules() {
		if rule.Check != nil && (!accepted[rule.ID] || !refused[rule.ID]) {
			t.Errorf("rule %s: accepting case %v, refusing case %v", rule.ID, accepted[rule.ID], refused[rule.ID])
		}
	}
}

func TestTableIsComplete(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, rule := range rulebook.Rules() {
		if seen[rule.ID] {
			t.Errorf("rule %s stands twice", rule.ID)
		}
		seen[rule.ID] = true
		if rule.ID == "" || len(rule.Code) != 4 || rule.Text == "" || rule.Source == "" || rule.Element == "" {
			t.Errorf("rule %+v has an empty column", rule)
		}
		if (rule.Check == nil) != (rule.CheckedBy != "") {
			t.Errorf("rule %s is checked nowhere or twice", rule.ID)
		}
	}
}

func TestGoodDocumentsBreakNothing(t *testing.T) {
	t.Parallel()
	for name, base := range map[string]func() *document{"Swiss": swissPayment, "SEPA": sepaPayment, "QR": qrPayment} {
		document := base()
		findings := rulebook.Check(rulebook.Input{
			Scheme: schemeOf(document), Document: document.CustomerCreditTransferInitiation, Today: today, Now: today,
		})
		if len(findings) != 0 {
			t.Errorf("%s payment: %+v", name, findings)
		}
	}
}

func TestFindingsComeInDocumentOrder(t *testing.T) {
	t.Parallel()
	document := swissPayment()
	document.tx.RemittanceInformation.Unstructured = []string{"x"}
	document.tx.Creditor.Name = ""
	document.tx.Amount.InstructedAmount.Currency = "USD"
	document.tx.PaymentID.EndToEndID = "/x"
	document.info.DebtorAccount = ibanAccount(qrIBAN)
	document.info.RequestedExecutionDate.Date = "2026-11-19"
	document.GroupHeader.MessageID = "a//b"
	document.GroupHeader.NumberOfTransactions = "2"
	findings := rulebook.Check(rulebook.Input{Scheme: rulebook.SchemeSIC, Document: document.CustomerCreditTransferInitiation, Today: today})
	want := []string{
		root + "/GrpHdr/MsgId", root + "/GrpHdr/NbOfTxs", infoAt + "/ReqdExctnDt/Dt", infoAt + "/DbtrAcct/Id/IBAN",
		txAt + "/PmtId/EndToEndId", txAt + "/Amt/InstdAmt/Ccy", txAt + "/Cdtr/Nm", txAt + "/RmtInf",
	}
	var got []string
	for _, finding := range findings {
		got = append(got, finding.Pointer)
	}
	if !slices.Equal(got, want) {
		t.Errorf("pointers\n got %q\nwant %q", got, want)
	}
}

func TestComparePointers(t *testing.T) {
	t.Parallel()
	ordered := []string{
		root, root + "/GrpHdr", root + "/GrpHdr/MsgId", root + "/PmtInf", infoAt + "/PmtInfId",
		txAt, txAt + "/Cdtr/PstlAdr/AdrLine/0", txAt + "/Cdtr/PstlAdr/AdrLine/1", txAt + "/CdtrAcct",
		infoAt + "/CdtTrfTxInf/2", infoAt + "/CdtTrfTxInf/10", root + "/PmtInf/1/PmtInfId", root + "/Unknown/x",
	}
	for a := range ordered {
		for b := range ordered {
			got, want := rulebook.ComparePointers(ordered[a], ordered[b]), 0
			switch {
			case a < b:
				want = -1
			case a > b:
				want = 1
			}
			if got != want {
				t.Errorf("ComparePointers(%s, %s) = %d, want %d", ordered[a], ordered[b], got, want)
			}
		}
	}
}

func TestNothingToCheck(t *testing.T) {
	t.Parallel()
	if findings := rulebook.Check(rulebook.Input{Scheme: rulebook.SchemeSIC}); findings != nil {
		t.Errorf("no document: %v", findings)
	}
	if findings := rulebook.Check(rulebook.Input{Scheme: "x", Document: swissPayment().CustomerCreditTransferInitiation}); findings != nil {
		t.Errorf("no scheme: %v", findings)
	}
}

// Values built in code may lack anything; the check says so and does not fall over.
func TestEmptyDocumentsAreRefusedInPeace(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		for _, document := range []*iso20022.CustomerCreditTransferInitiation{
			{},
			{PaymentInformation: make([]iso20022.PaymentInstruction30, 1)},
			{PaymentInformation: []iso20022.PaymentInstruction30{{
				CreditTransferTransactionInformation: make([]iso20022.CreditTransferTransaction34, 1),
			}}},
		} {
			if len(rulebook.Check(rulebook.Input{Scheme: scheme, Document: document, Today: today})) == 0 {
				t.Errorf("%s: an empty document is accepted", scheme)
			}
		}
	}
}

// Two transactions that break a rule of their common payment information break it once.
func TestCommonFindingsAreNotRepeated(t *testing.T) {
	t.Parallel()
	document := swissPayment()
	document.addTransaction()
	document.info.PaymentTypeInformation = nil
	findings := rulebook.Check(rulebook.Input{
		Scheme: rulebook.SchemeSIC, Document: document.CustomerCreditTransferInitiation, Today: today, ManyTransactions: true,
	})
	if len(findings) != 1 || findings[0].Rule != "local-instrument-missing" {
		t.Errorf("findings %+v", findings)
	}
}

func TestProfiles(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		profile, known := scheme.Profile()
		if !known || profile.NameLength == 0 {
			t.Errorf("%s has no profile", scheme)
		}
	}
	if _, known := rulebook.Scheme("sepa").Profile(); known {
		t.Error("an unknown scheme has a profile")
	}
}

func BenchmarkCheck(b *testing.B) {
	for name, document := range map[string]*document{"swiss": qrPayment(), "sepa": sepaPayment()} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			input := rulebook.Input{
				Scheme: schemeOf(document), Document: document.CustomerCreditTransferInitiation, Today: today, Now: today.Add(time.Hour),
			}
			for b.Loop() {
				rulebook.Check(input)
			}
		})
	}
}
