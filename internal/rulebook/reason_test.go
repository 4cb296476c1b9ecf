package rulebook_test

import (
	"strings"
	"testing"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/code"
	"countersign/internal/money"
	"countersign/internal/rulebook"
)

// lists are the three lists of reasons with the ISO set their codes are of.
var lists = []struct {
	name string
	of   func(rulebook.Scheme) []rulebook.Reason
	set  code.Set
}{
	{"recall", rulebook.RecallReasons, code.CancellationReasons},
	{"return", rulebook.ReturnReasons, code.ReturnReasons},
	{"resolution", rulebook.ResolutionReasons, code.CancellationRejections},
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
		for _, iso := range list.set.All() {
			_, named := rulebook.FindReason(list.of(rulebook.SchemeSCT), iso.Code)
			if further, _ := rulebook.Further(list.set, iso.Code); !named && (further.Text == "" || further.Text.String() == iso.Text) {
				t.Errorf("%s: %s has no plain words", list.name, iso.Code)
			}
		}
		if list.of("sepa") != nil {
			t.Errorf("an unknown scheme has reasons for a %s", list.name)
		}
	}
	if got, want := len(rulebook.ReturnReasons(rulebook.SchemeSIC)), len(code.ReturnReasons.All()); got != want {
		t.Errorf("SIC has %d return reasons, ISO %d", got, want)
	}
	if got := len(rulebook.ReturnReasons(rulebook.SchemeSCT)); got != 18 {
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
		if !strings.HasSuffix(f.Text.String(), ".") || !code.StatusReasons.Has(f.Code) {
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
		asked rulebook.RTransactionCase
		want  []string
	}{
		{"good", rulebook.RTransactionCase{
			Request: rulebook.Request{Reason: "FRAD", Information: []string{"Täuschung"}}, Scheme: rulebook.SchemeSCT,
		}, nil},
		{"no line is needed", rulebook.RTransactionCase{Request: rulebook.Request{Reason: "FRAD"}, Scheme: rulebook.SchemeSCT}, nil},
		{
			"unknown reason",
			rulebook.RTransactionCase{Request: rulebook.Request{Reason: "NARR"}, Scheme: rulebook.SchemeSCT},
			[]string{"reason-unknown /RecallDetails/reason CH16"},
		},
		{
			"a reason of the other scheme",
			rulebook.RTransactionCase{Request: rulebook.Request{Reason: "AM09"}, Scheme: rulebook.SchemeSIC},
			[]string{"reason-unknown /RecallDetails/reason CH16"},
		},
		{"no line with DUPL in SEPA", rulebook.RTransactionCase{
			Request: rulebook.Request{Reason: "DUPL", Information: []string{"x"}}, Scheme: rulebook.SchemeSCT,
		}, []string{"information-lines " + lines + " CH17"}},
		{"lines with DUPL in SIC", rulebook.RTransactionCase{
			Request: rulebook.Request{Reason: "DUPL", Information: []string{"x", "y"}}, Scheme: rulebook.SchemeSIC,
		}, nil},
		{"two lines", rulebook.RTransactionCase{
			Request: rulebook.Request{Reason: "CUST", Information: []string{"x", "y"}}, Scheme: rulebook.SchemeSCT,
		}, []string{"information-lines " + lines + " CH17"}},
		{"105 characters", rulebook.RTransactionCase{
			Request: rulebook.Request{Reason: "CUST", Information: []string{long[:210]}}, Scheme: rulebook.SchemeSCT,
		}, nil},
		{"106 characters", rulebook.RTransactionCase{
			Request: rulebook.Request{Reason: "CUST", Information: []string{long}}, Scheme: rulebook.SchemeSCT,
		}, []string{"information-length " + lines + "/0 CH16"}},
		{"a character outside the set", rulebook.RTransactionCase{
			Request: rulebook.Request{Reason: "CUST", Information: []string{"a", "b→"}}, Scheme: rulebook.SchemeSIC,
		}, []string{"information-characters " + lines + "/1 CH16"}},
		{"a blank line", rulebook.RTransactionCase{
			Request: rulebook.Request{Reason: "CUST", Information: []string{" "}}, Scheme: rulebook.SchemeSIC,
		}, []string{"information-blank " + lines + "/0 CH16"}},
	}
	for _, test := range cases {
		test.asked.Settled, test.asked.Today = day("2026-03-02"), day("2026-03-16")
		wantFindings(t, test.name, rulebook.CheckRecall(test.asked), test.want...)
	}
	late := rulebook.RTransactionCase{
		Request: rulebook.Request{Reason: "DUPL"}, Scheme: rulebook.SchemeSCT, Settled: day("2026-03-02"), Today: day("2026-03-17"),
	}
	wantFindings(t, "a day late", rulebook.CheckRecall(late), "recall-deadline /identifiers/internalId TM01")
	late.Reason = "CUST"
	wantFindings(t, "in time for another reason", rulebook.CheckRecall(late))
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
		asked rulebook.RTransactionCase
		want  []string
	}{
		{"answer to a recall", rulebook.RTransactionCase{Request: rulebook.Request{Reason: "FOCR"}, Recalled: true}, nil},
		{"answer to a recall with words", rulebook.RTransactionCase{
			Request: rulebook.Request{Reason: "FOCR", Information: []string{"x"}}, Recalled: true,
		}, []string{"information-lines /ReturnDetails/additionalInformation CH17"}},
		{"answer with a charge", rulebook.RTransactionCase{
			Request: rulebook.Request{Reason: "FOCR", Charge: amount(t, money.EUR, 999)}, Recalled: true,
		}, nil},
		{
			"answer without a recall",
			rulebook.RTransactionCase{Request: rulebook.Request{Reason: "FOCR"}},
			[]string{"reason-after-recall " + reason + " CH16"},
		},
		{
			"another reason after a recall",
			rulebook.RTransactionCase{Request: rulebook.Request{Reason: "AC04"}, Recalled: true},
			[]string{"reason-after-recall " + reason + " CH16"},
		},
		{"plain return by agreement", rulebook.RTransactionCase{Request: rulebook.Request{Reason: "AC04"}, Settings: byAgreement}, nil},
		{"plain return", rulebook.RTransactionCase{
			Request: rulebook.Request{Reason: "AC04"},
		}, []string{"return-without-recall " + reason + " CH17"}},
		{"unknown reason", rulebook.RTransactionCase{
			Request: rulebook.Request{Reason: "TM01"},
		}, []string{"reason-unknown " + reason + " CH16"}},
		{"charge on a plain return", rulebook.RTransactionCase{
			Request: rulebook.Request{Reason: "AC04", Charge: amount(t, money.EUR, 1)}, Settings: byAgreement,
		}, []string{"charge-without-recall " + charge + " CH17"}},
		{"charge with another reason after a recall", rulebook.RTransactionCase{
			Request: rulebook.Request{Reason: "AC04", Charge: amount(t, money.EUR, 1)}, Recalled: true,
		}, []string{
			"reason-after-recall " + reason + " CH16", "charge-without-recall " + charge + " CH17",
		}},
		{"charge of all", rulebook.RTransactionCase{
			Request: rulebook.Request{Reason: "FOCR", Charge: amount(t, money.EUR, 1000)}, Recalled: true,
		}, []string{"charge-too-large " + charge + " AM02"}},
		{"charge in francs", rulebook.RTransactionCase{
			Request: rulebook.Request{Reason: "FOCR", Charge: amount(t, money.CHF, 1)}, Recalled: true,
		}, []string{"charge-currency " + charge + " AM03"}},
		{"information with a plain return", rulebook.RTransactionCase{
			Request: rulebook.Request{Reason: "AC04", Information: []string{"x"}}, Settings: byAgreement,
		}, []string{"information-lines /ReturnDetails/additionalInformation CH17"}},
	}
	for _, test := range cases {
		test.asked.Scheme, test.asked.Amount = rulebook.SchemeSCT, amount(t, money.EUR, 1000)
		test.asked.Settled, test.asked.Today = day("2026-03-02"), day("2026-03-05")
		wantFindings(t, test.name, rulebook.CheckReturn(test.asked), test.want...)
	}
}

func TestAReturnHasItsTimeAndItsWords(t *testing.T) {
	t.Parallel()
	late := rulebook.RTransactionCase{
		Request: rulebook.Request{Reason: "AC04"}, Scheme: rulebook.SchemeSCT, Amount: amount(t, money.EUR, 1000),
		Settled: day("2026-03-02"), Today: day("2026-03-06"), Settings: byAgreement,
	}
	wantFindings(t, "a day late", rulebook.CheckReturn(late), "return-deadline /identifiers/creditId TM01")
	late.Reason, late.Recalled = "FOCR", true
	wantFindings(t, "an answer is never late", rulebook.CheckReturn(late))
	narrative := rulebook.RTransactionCase{
		Request: rulebook.Request{Reason: "NARR"}, Scheme: rulebook.SchemeSIC, Amount: amount(t, money.CHF, 1),
	}
	wantFindings(t, "a narrative without words", rulebook.CheckReturn(narrative),
		"information-missing /ReturnDetails/additionalInformation CH21")
}

func TestCheckResolution(t *testing.T) {
	t.Parallel()
	const lines = "/ResolutionDetails/additionalInformation"
	cases := []struct {
		name  string
		asked rulebook.RTransactionCase
		want  []string
	}{
		{"good", rulebook.RTransactionCase{Request: rulebook.Request{Reason: "NOAS"}, Scheme: rulebook.SchemeSCT, RecallReason: "DUPL"}, nil},
		{"yes is a return", rulebook.RTransactionCase{
			Request: rulebook.Request{Reason: "FOCR"}, Scheme: rulebook.SchemeSCT, RecallReason: "DUPL",
		}, []string{"reason-unknown /ResolutionDetails/reason CH16"}},
		{"legal without words, SIC", rulebook.RTransactionCase{Request: rulebook.Request{Reason: "LEGL"}, Scheme: rulebook.SchemeSIC}, nil},
		{"legal without words, SEPA", rulebook.RTransactionCase{Request: rulebook.Request{Reason: "LEGL"}, Scheme: rulebook.SchemeSCT}, nil},
		{
			"a narrative without words",
			rulebook.RTransactionCase{Request: rulebook.Request{Reason: "NARR"}, Scheme: rulebook.SchemeSIC},
			[]string{"information-missing " + lines + " CH21"},
		},
		{"legal, two lines", rulebook.RTransactionCase{
			Request: rulebook.Request{Reason: "LEGL", Information: []string{"x", strings.Repeat("y", 98)}}, Scheme: rulebook.SchemeSCT,
		}, nil},
		{"legal, a line too long for its prefix", rulebook.RTransactionCase{
			Request: rulebook.Request{Reason: "LEGL", Information: []string{strings.Repeat("y", 99)}}, Scheme: rulebook.SchemeSCT,
		}, []string{"information-length " + lines + "/0 CH16"}},
		{"legal, three lines", rulebook.RTransactionCase{
			Request: rulebook.Request{Reason: "LEGL", Information: []string{"x", "y", "z"}}, Scheme: rulebook.SchemeSCT,
		}, []string{"information-lines " + lines + " CH17"}},
		{"words after a recall for fraud", rulebook.RTransactionCase{
			Request: rulebook.Request{Reason: "CUST", Information: make10()}, Scheme: rulebook.SchemeSCT, RecallReason: "FRAD",
		}, nil},
		{"words after a wrong account", rulebook.RTransactionCase{
			Request: rulebook.Request{Reason: "CUST", Information: make10()}, Scheme: rulebook.SchemeSCT, RecallReason: "AC03",
		}, nil},
		{"words after a duplicate", rulebook.RTransactionCase{
			Request: rulebook.Request{Reason: "CUST", Information: []string{"x"}}, Scheme: rulebook.SchemeSCT, RecallReason: "DUPL",
		}, []string{"information-lines " + lines + " CH17"}},
		{"words in SIC", rulebook.RTransactionCase{
			Request: rulebook.Request{Reason: "CUST", Information: []string{"x"}}, Scheme: rulebook.SchemeSIC, RecallReason: "DUPL",
		}, nil},
	}
	for _, test := range cases {
		wantFindings(t, test.name, rulebook.CheckResolution(test.asked), test.want...)
	}
}

func make10() []string { return strings.Split("a b c d e f g h i j", " ") }

func TestTheTableOfRequestRulesIsComplete(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, rule := range append(rulebook.RTransactionRules(), rulebook.Rules()...) {
		if seen[rule.ID] || len(rule.Code) != 4 || rule.Text == "" || rule.Source == "" || rule.Element == "" {
			t.Errorf("rule %+v stands twice or has an empty column", rule)
		}
		seen[rule.ID] = true
	}
}
