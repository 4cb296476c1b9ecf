package rulebook_test

import (
	"strings"
	"testing"

	"countersign/internal/iso20022"
	"countersign/internal/money"
	"countersign/internal/rulebook"
)

// requestCase is one request with the rule it is about; refused says whether that rule, and only that, refuses it.
type requestCase struct {
	rule    string
	refused bool
	check   func() []iso20022.Finding
}

func recallCase(rule string, refused bool, change func(*rulebook.RTransactionCase)) requestCase {
	return requestCase{rule, refused, func() []iso20022.Finding {
		asked := rulebook.RTransactionCase{
			Request: rulebook.Request{Reason: "FRAD"}, Scheme: rulebook.SchemeSCT, Settled: day("2026-03-02"), Today: day("2026-03-03"),
		}
		change(&asked)
		return rulebook.CheckRecall(asked)
	}}
}

func returnCase(rule string, refused bool, change func(*rulebook.RTransactionCase)) requestCase {
	return requestCase{rule, refused, func() []iso20022.Finding {
		asked := rulebook.RTransactionCase{
			Request: rulebook.Request{
				Reason: "FOCR",
			},
			Scheme: rulebook.SchemeSCT, Recalled: true, Amount: euros(1000), Settled: day("2026-03-02"), Today: day("2026-03-03"),
		}
		change(&asked)
		return rulebook.CheckReturn(asked)
	}}
}

func resolutionCase(rule string, refused bool, change func(*rulebook.RTransactionCase)) requestCase {
	return requestCase{rule, refused, func() []iso20022.Finding {
		asked := rulebook.RTransactionCase{
			Request: rulebook.Request{Reason: "LEGL", Information: []string{"Urteil"}}, Scheme: rulebook.SchemeSCT, RecallReason: "DUPL",
		}
		change(&asked)
		return rulebook.CheckResolution(asked)
	}}
}

func euros(minor int64) money.Amount { return sumOf(money.EUR, minor) }

func sumOf(currency money.Currency, minor int64) money.Amount {
	amount, err := money.FromMinor(currency, minor)
	if err != nil {
		panic(err)
	}
	return amount
}

func recallOf(reason string) func(*rulebook.RTransactionCase) {
	return func(asked *rulebook.RTransactionCase) { asked.Reason = reason }
}

func recallLines(lines ...string) func(*rulebook.RTransactionCase) {
	return func(asked *rulebook.RTransactionCase) { asked.Information = lines }
}

func recalledOn(today string) func(*rulebook.RTransactionCase) {
	return func(asked *rulebook.RTransactionCase) { asked.Reason, asked.Today = "TECH", day(today) }
}

func charge(kept money.Amount) func(*rulebook.RTransactionCase) {
	return func(asked *rulebook.RTransactionCase) { asked.Charge = kept }
}

func plainReturn(change func(*rulebook.RTransactionCase)) func(*rulebook.RTransactionCase) {
	return func(asked *rulebook.RTransactionCase) {
		asked.Reason, asked.Recalled, asked.Settings = "AC04", false, byAgreement
		change(asked)
	}
}

var requestCases = []requestCase{
	recallCase("reason-unknown", false, recallOf("CUST")),
	recallCase("reason-unknown", true, recallOf("FOCR")),
	returnCase("reason-after-recall", false, func(*rulebook.RTransactionCase) {}),
	returnCase("reason-after-recall", true, func(asked *rulebook.RTransactionCase) { asked.Recalled = false }),
	returnCase("reason-after-recall", true, func(asked *rulebook.RTransactionCase) { asked.Reason = "AC04" }),
	returnCase("return-without-recall", false, plainReturn(func(*rulebook.RTransactionCase) {})),
	returnCase("return-without-recall", true, plainReturn(func(asked *rulebook.RTransactionCase) { asked.Settings = rulebook.Settings{} })),
	resolutionCase("information-missing", false, func(*rulebook.RTransactionCase) {}),
	resolutionCase("information-missing", true, func(asked *rulebook.RTransactionCase) {
		asked.Scheme, asked.Reason, asked.Information = rulebook.SchemeSIC, "NARR", nil
	}),
	recallCase("information-lines", false, recallLines("a")),
	recallCase("information-lines", true, recallLines("a", "b")),
	recallCase("information-length", false, recallLines(strings.Repeat("ü", 105))),
	recallCase("information-length", true, recallLines(strings.Repeat("ü", 106))),
	recallCase("information-characters", false, recallLines("Grüße")),
	recallCase("information-characters", true, recallLines("→")),
	recallCase("information-blank", false, recallLines("a")),
	recallCase("information-blank", true, recallLines(" ")),
	returnCase("charge-without-recall", false, charge(euros(1))),
	returnCase("charge-without-recall", true, plainReturn(charge(euros(1)))),
	returnCase("charge-currency", false, charge(euros(1))),
	returnCase("charge-currency", true, charge(sumOf(money.CHF, 1))),
	returnCase("charge-too-large", false, charge(euros(999))),
	returnCase("charge-too-large", true, charge(euros(1000))),
	recallCase("recall-deadline", false, recalledOn("2026-03-16")),
	recallCase("recall-deadline", true, recalledOn("2026-03-17")),
	returnCase("return-deadline", false, plainReturn(func(asked *rulebook.RTransactionCase) { asked.Today = day("2026-03-05") })),
	returnCase("return-deadline", true, plainReturn(func(asked *rulebook.RTransactionCase) { asked.Today = day("2026-03-06") })),
}

// Each rule about recalls, returns and resolutions has a case it accepts and a case it alone refuses.
func TestEachRequestRuleHasCases(t *testing.T) {
	t.Parallel()
	accepted, refused := map[string]bool{}, map[string]bool{}
	for _, test := range requestCases {
		findings := test.check()
		right := len(findings) == 0
		if test.refused {
			refused[test.rule] = true
			right = len(findings) == 1 && findings[0].Rule == test.rule
		} else {
			accepted[test.rule] = true
		}
		if !right {
			t.Errorf("rule %s, refused %v: %+v", test.rule, test.refused, findings)
		}
	}
	rules := rulebook.RTransactionRules()
	for _, rule := range rules {
		if !accepted[rule.ID] || !refused[rule.ID] {
			t.Errorf("rule %s: accepting case %v, refusing case %v", rule.ID, accepted[rule.ID], refused[rule.ID])
		}
		delete(refused, rule.ID)
	}
	for id := range refused {
		t.Errorf("case for unknown rule %q among %d", id, len(rules))
	}
}
