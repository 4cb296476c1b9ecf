package rtransactionrule_test

import (
	"strings"
	"testing"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/code"
	"countersign/internal/money"
	"countersign/internal/rulebook"
	"countersign/internal/rulebook/rtransactionrule"
)

// lists are the three lists of reasons with the ISO set their codes are of.
var lists = []struct {
	name string
	of   func(rulebook.Scheme) []rtransactionrule.Reason
	set  code.Set
}{
	{"recall", rtransactionrule.RecallReasons, code.CancellationReasons},
	{"return", rtransactionrule.ReturnReasons, code.ReturnReasons},
	{"resolution", rtransactionrule.ResolutionReasons, code.CancellationRejections},
}

func TestReasonsAreCompleteAndOfTheISOLists(t *testing.T) {
	t.Parallel()
	for _, list := range lists {
		for _, scheme := range rulebook.Schemes() {
			seen := map[string]bool{}
			for _, reason := range list.of(scheme) {
				if seen[reason.Code] || !list.set.Has(reason.Code) || reason.Text == "" || reason.Source == "" {
					t.Errorf("%s %s: %+v", scheme, list.name, reason)
				}
				seen[reason.Code] = true
				limits := reason.Information
				if limits.Required > limits.Allowed || limits.Allowed > 0 && limits.Length+len(limits.Prefix) != 105 {
					t.Errorf("%s %s %s: %+v", scheme, list.name, reason.Code, limits)
				}
			}
			if len(seen) < 6 {
				t.Errorf("%s %s has %d reasons", scheme, list.name, len(seen))
			}
		}
		if list.of("sepa") != nil {
			t.Errorf("an unknown scheme has reasons for a %s", list.name)
		}
	}
	if got, want := len(rtransactionrule.ReturnReasons(rulebook.SchemeSIC)), len(code.ReturnReasons.All()); got != want {
		t.Errorf("SIC has %d return reasons, ISO %d", got, want)
	}
	if got := len(rtransactionrule.ReturnReasons(rulebook.SchemeSCT)); got != 18 {
		t.Errorf("SCT has %d return reasons, the EPC list 18", got)
	}
}

func TestListsCannotBeChanged(t *testing.T) {
	t.Parallel()
	for _, list := range lists {
		list.of(rulebook.SchemeSCT)[0].Code = "XXXX"
		if list.of(rulebook.SchemeSCT)[0].Code == "XXXX" {
			t.Errorf("the list of %s reasons was changed from outside", list.name)
		}
	}
}

// wantFindings wants exactly these "rule pointer code" in order.
func wantFindings(t *testing.T, name string, findings []iso20022.Finding, want ...string) {
	t.Helper()
	got := make([]string, 0, len(findings))
	for _, f := range findings {
		got = append(got, f.Rule+" "+f.Pointer+" "+f.Code)
		if !strings.HasSuffix(f.Text, ".") || !code.StatusReasons.Has(f.Code) {
			t.Errorf("%s: finding %+v", name, f)
		}
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s:\n got %q\nwant %q", name, got, want)
	}
}

func TestCheckRecall(t *testing.T) {
	t.Parallel()
	const lines = "/RecallDetails/additionalInformation"
	long := strings.Repeat("ä", 106)
	cases := []struct {
		name  string
		asked rtransactionrule.Case
		want  []string
	}{
		{"good", rtransactionrule.Case{
			Request: rtransactionrule.Request{Reason: "FRAD", Information: []string{"Täuschung"}}, Scheme: rulebook.SchemeSCT,
		}, nil},
		{"no line is needed", rtransactionrule.Case{Request: rtransactionrule.Request{Reason: "FRAD"}, Scheme: rulebook.SchemeSCT}, nil},
		{
			"unknown reason",
			rtransactionrule.Case{Request: rtransactionrule.Request{Reason: "NARR"}, Scheme: rulebook.SchemeSCT},
			[]string{"reason-unknown /RecallDetails/reason CH16"},
		},
		{
			"a reason of the other scheme",
			rtransactionrule.Case{Request: rtransactionrule.Request{Reason: "AM09"}, Scheme: rulebook.SchemeSIC},
			[]string{"reason-unknown /RecallDetails/reason CH16"},
		},
		{"no line with DUPL in SEPA", rtransactionrule.Case{
			Request: rtransactionrule.Request{Reason: "DUPL", Information: []string{"x"}}, Scheme: rulebook.SchemeSCT,
		}, []string{"information-lines " + lines + " CH17"}},
		{"lines with DUPL in SIC", rtransactionrule.Case{
			Request: rtransactionrule.Request{Reason: "DUPL", Information: []string{"x", "y"}}, Scheme: rulebook.SchemeSIC,
		}, nil},
		{"two lines", rtransactionrule.Case{
			Request: rtransactionrule.Request{Reason: "CUST", Information: []string{"x", "y"}}, Scheme: rulebook.SchemeSCT,
		}, []string{"information-lines " + lines + " CH17"}},
		{"105 characters", rtransactionrule.Case{
			Request: rtransactionrule.Request{Reason: "CUST", Information: []string{long[:210]}}, Scheme: rulebook.SchemeSCT,
		}, nil},
		{"106 characters", rtransactionrule.Case{
			Request: rtransactionrule.Request{Reason: "CUST", Information: []string{long}}, Scheme: rulebook.SchemeSCT,
		}, []string{"information-length " + lines + "/0 CH16"}},
		{"a character outside the set", rtransactionrule.Case{
			Request: rtransactionrule.Request{Reason: "CUST", Information: []string{"a", "b→"}}, Scheme: rulebook.SchemeSIC,
		}, []string{"information-characters " + lines + "/1 CH16"}},
		{"a blank line", rtransactionrule.Case{
			Request: rtransactionrule.Request{Reason: "CUST", Information: []string{" "}}, Scheme: rulebook.SchemeSIC,
		}, []string{"information-blank " + lines + "/0 CH16"}},
	}
	for _, test := range cases {
		test.asked.Settled, test.asked.Today = day("2026-03-02"), day("2026-03-16")
		wantFindings(t, test.name, rtransactionrule.CheckRecall(test.asked), test.want...)
	}
	late := rtransactionrule.Case{
		Request: rtransactionrule.Request{Reason: "DUPL"}, Scheme: rulebook.SchemeSCT, Settled: day("2026-03-02"), Today: day("2026-03-17"),
	}
	wantFindings(t, "a day late", rtransactionrule.CheckRecall(late), "recall-deadline /identifiers/internalId TM01")
	late.Reason = "CUST"
	wantFindings(t, "in time for another reason", rtransactionrule.CheckRecall(late))
}

// byAgreement lets SEPA payments go back without a recall.
var byAgreement = rulebook.Settings{SCTReturnsWithoutRecall: true}

func amount(t *testing.T, currency money.Currency, minor int64) money.Amount {
	t.Helper()
	made, err := money.FromMinor(currency, minor)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestCheckReturn(t *testing.T) {
	t.Parallel()
	const reason, charge = "/ReturnDetails/reason", "/ReturnDetails/chargeAmount"
	cases := []struct {
		name  string
		asked rtransactionrule.Case
		want  []string
	}{
		{"answer to a recall", rtransactionrule.Case{Request: rtransactionrule.Request{Reason: "FOCR"}, Recalled: true}, nil},
		{"answer to a recall with words", rtransactionrule.Case{
			Request: rtransactionrule.Request{Reason: "FOCR", Information: []string{"x"}}, Recalled: true,
		}, []string{"information-lines /ReturnDetails/additionalInformation CH17"}},
		{"answer with a charge", rtransactionrule.Case{
			Request: rtransactionrule.Request{Reason: "FOCR", Charge: amount(t, money.EUR, 999)}, Recalled: true,
		}, nil},
		{
			"answer without a recall",
			rtransactionrule.Case{Request: rtransactionrule.Request{Reason: "FOCR"}},
			[]string{"reason-after-recall " + reason + " CH16"},
		},
		{
			"another reason after a recall",
			rtransactionrule.Case{Request: rtransactionrule.Request{Reason: "AC04"}, Recalled: true},
			[]string{"reason-after-recall " + reason + " CH16"},
		},
		{"plain return by agreement", rtransactionrule.Case{Request: rtransactionrule.Request{Reason: "AC04"}, Settings: byAgreement}, nil},
		{"plain return", rtransactionrule.Case{
			Request: rtransactionrule.Request{Reason: "AC04"},
		}, []string{"return-without-recall " + reason + " CH17"}},
		{"unknown reason", rtransactionrule.Case{
			Request: rtransactionrule.Request{Reason: "TM01"},
		}, []string{"reason-unknown " + reason + " CH16"}},
		{"charge on a plain return", rtransactionrule.Case{
			Request: rtransactionrule.Request{Reason: "AC04", Charge: amount(t, money.EUR, 1)}, Settings: byAgreement,
		}, []string{"charge-without-recall " + charge + " CH17"}},
		{"charge with another reason after a recall", rtransactionrule.Case{
			Request: rtransactionrule.Request{Reason: "AC04", Charge: amount(t, money.EUR, 1)}, Recalled: true,
		}, []string{
			"reason-after-recall " + reason + " CH16", "charge-without-recall " + charge + " CH17",
		}},
		{"charge of all", rtransactionrule.Case{
			Request: rtransactionrule.Request{Reason: "FOCR", Charge: amount(t, money.EUR, 1000)}, Recalled: true,
		}, []string{"charge-too-large " + charge + " AM02"}},
		{"charge in francs", rtransactionrule.Case{
			Request: rtransactionrule.Request{Reason: "FOCR", Charge: amount(t, money.CHF, 1)}, Recalled: true,
		}, []string{"charge-currency " + charge + " AM03"}},
		{"information with a plain return", rtransactionrule.Case{
			Request: rtransactionrule.Request{Reason: "AC04", Information: []string{"x"}}, Settings: byAgreement,
		}, []string{"information-lines /ReturnDetails/additionalInformation CH17"}},
	}
	for _, test := range cases {
		test.asked.Scheme, test.asked.Amount = rulebook.SchemeSCT, amount(t, money.EUR, 1000)
		test.asked.Settled, test.asked.Today = day("2026-03-02"), day("2026-03-05")
		wantFindings(t, test.name, rtransactionrule.CheckReturn(test.asked), test.want...)
	}
}

func TestAReturnHasItsTimeAndItsWords(t *testing.T) {
	t.Parallel()
	late := rtransactionrule.Case{
		Request: rtransactionrule.Request{Reason: "AC04"}, Scheme: rulebook.SchemeSCT, Amount: amount(t, money.EUR, 1000),
		Settled: day("2026-03-02"), Today: day("2026-03-06"), Settings: byAgreement,
	}
	wantFindings(t, "a day late", rtransactionrule.CheckReturn(late), "return-deadline /identifiers/creditId TM01")
	late.Reason, late.Recalled = "FOCR", true
	wantFindings(t, "an answer is never late", rtransactionrule.CheckReturn(late))
	narrative := rtransactionrule.Case{
		Request: rtransactionrule.Request{Reason: "NARR"}, Scheme: rulebook.SchemeSIC, Amount: amount(t, money.CHF, 1),
	}
	wantFindings(t, "a narrative without words", rtransactionrule.CheckReturn(narrative),
		"information-missing /ReturnDetails/additionalInformation CH21")
}

func TestCheckResolution(t *testing.T) {
	t.Parallel()
	const lines = "/ResolutionDetails/additionalInformation"
	cases := []struct {
		name  string
		asked rtransactionrule.Case
		want  []string
	}{
		{"good", rtransactionrule.Case{Request: rtransactionrule.Request{Reason: "NOAS"}, Scheme: rulebook.SchemeSCT, RecallReason: "DUPL"}, nil},
		{"yes is a return", rtransactionrule.Case{
			Request: rtransactionrule.Request{Reason: "FOCR"}, Scheme: rulebook.SchemeSCT, RecallReason: "DUPL",
		}, []string{"reason-unknown /ResolutionDetails/reason CH16"}},
		{"legal without words, SIC", rtransactionrule.Case{Request: rtransactionrule.Request{Reason: "LEGL"}, Scheme: rulebook.SchemeSIC}, nil},
		{"legal without words, SEPA", rtransactionrule.Case{Request: rtransactionrule.Request{Reason: "LEGL"}, Scheme: rulebook.SchemeSCT}, nil},
		{
			"a narrative without words",
			rtransactionrule.Case{Request: rtransactionrule.Request{Reason: "NARR"}, Scheme: rulebook.SchemeSIC},
			[]string{"information-missing " + lines + " CH21"},
		},
		{"legal, two lines", rtransactionrule.Case{
			Request: rtransactionrule.Request{Reason: "LEGL", Information: []string{"x", strings.Repeat("y", 98)}}, Scheme: rulebook.SchemeSCT,
		}, nil},
		{"legal, a line too long for its prefix", rtransactionrule.Case{
			Request: rtransactionrule.Request{Reason: "LEGL", Information: []string{strings.Repeat("y", 99)}}, Scheme: rulebook.SchemeSCT,
		}, []string{"information-length " + lines + "/0 CH16"}},
		{"legal, three lines", rtransactionrule.Case{
			Request: rtransactionrule.Request{Reason: "LEGL", Information: []string{"x", "y", "z"}}, Scheme: rulebook.SchemeSCT,
		}, []string{"information-lines " + lines + " CH17"}},
		{"words after a recall for fraud", rtransactionrule.Case{
			Request: rtransactionrule.Request{Reason: "CUST", Information: make10()}, Scheme: rulebook.SchemeSCT, RecallReason: "FRAD",
		}, nil},
		{"words after a wrong account", rtransactionrule.Case{
			Request: rtransactionrule.Request{Reason: "CUST", Information: make10()}, Scheme: rulebook.SchemeSCT, RecallReason: "AC03",
		}, nil},
		{"words after a duplicate", rtransactionrule.Case{
			Request: rtransactionrule.Request{Reason: "CUST", Information: []string{"x"}}, Scheme: rulebook.SchemeSCT, RecallReason: "DUPL",
		}, []string{"information-lines " + lines + " CH17"}},
		{"words in SIC", rtransactionrule.Case{
			Request: rtransactionrule.Request{Reason: "CUST", Information: []string{"x"}}, Scheme: rulebook.SchemeSIC, RecallReason: "DUPL",
		}, nil},
	}
	for _, test := range cases {
		wantFindings(t, test.name, rtransactionrule.CheckResolution(test.asked), test.want...)
	}
}

func make10() []string { return strings.Split("a b c d e f g h i j", " ") }

func TestTheTableOfRequestRulesIsComplete(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, rule := range append(rtransactionrule.Rules(), rulebook.Rules()...) {
		if seen[rule.ID] || len(rule.Code) != 4 || rule.Text == "" || rule.Source == "" || rule.Element == "" {
			t.Errorf("rule %+v stands twice or has an empty column", rule)
		}
		seen[rule.ID] = true
	}
}
