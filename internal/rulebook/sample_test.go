package rulebook_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/code"
	"countersign/internal/iso20022/codec"
	"countersign/internal/rulebook"
)

func decode(t *testing.T, path string) *iso20022.CustomerCreditTransferInitiation {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	document, findings := codec.DecodeXML(content)
	order, isOrder := document.(*iso20022.CustomerCreditTransferInitiation)
	if !isOrder {
		t.Fatalf("%s is no payment order: %+v", filepath.Base(path), findings)
	}
	return order
}

// The two constructed chains start with an order that is good on its day and too old on any later.
func TestSamples(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		order := decode(t, "../iso20022/testdata/"+string(scheme)+"_01_pain.001.001.09.xml")
		input := rulebook.Input{Scheme: scheme, Document: order, Today: time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)}
		findings := rulebook.Check(input)
		if len(findings) != 0 {
			t.Errorf("%s on its day: %+v", scheme, findings)
		}
		input.Today = today
		findings = rulebook.Check(input)
		if len(findings) != 1 || findings[0].Rule != "execution-date-past" || findings[0].Code != "CH04" {
			t.Errorf("%s later: %+v", scheme, findings)
		}
	}
}

// TestAnAgentThatSaysNothing: the schema lets an empty debtor agent through, the guidelines forbid it (SPS section 3.4).
func TestAnAgentThatSaysNothing(t *testing.T) {
	t.Parallel()
	order := decode(t, "../iso20022/testdata/sct-inst_01_pain.001.001.09.xml")
	order.PaymentInformation[0].DebtorAgent.FinancialInstitutionID = iso20022.FinancialInstitutionIdentification18{}
	findings := rulebook.Check(rulebook.Input{Scheme: rulebook.SchemeSCT, Document: order, Today: today})
	wantPointer(t, findings, "agent-empty", infoAt+"/DbtrAgt/FinInstnId")
}

func TestCodesAreOfTheISOList(t *testing.T) {
	t.Parallel()
	for _, rule := range rulebook.Rules() {
		if !code.StatusReasons.Has(rule.Code) {
			t.Errorf("rule %s: %s is no external status reason", rule.ID, rule.Code)
		}
	}
}
