package page_test

import (
	"testing"

	"countersign/internal/language"
	"countersign/internal/rulebook"
	"countersign/internal/rulebook/rtransactionrule"
	"countersign/web/portal/page"
)

// TestRulesAndReasonsAreSaidInEveryLanguage: what a form refuses and why, and what a recall or a return gives as its reason.
func TestRulesAndReasonsAreSaidInEveryLanguage(t *testing.T) {
	t.Parallel()
	sentences := map[string]bool{}
	for _, rule := range rulebook.Rules() {
		sentences[rule.Text] = true
	}
	for _, rule := range rtransactionrule.Rules() {
		sentences[rule.Text] = true
	}
	for _, scheme := range []rulebook.Scheme{rulebook.SchemeSIC, rulebook.SchemeSCT} {
		for _, list := range [][]rtransactionrule.Reason{
			rtransactionrule.RecallReasons(scheme), rtransactionrule.ReturnReasons(scheme), rtransactionrule.ResolutionReasons(scheme),
		} {
			for _, reason := range list {
				if reason.Usual { // the words of the others are ISO's own
					sentences[reason.Text] = true
				}
			}
		}
	}
	if len(sentences) < 100 {
		t.Fatalf("only %d sentences are found", len(sentences))
	}
	for sentence := range sentences {
		for _, in := range []language.Language{language.German, language.French, language.Italian} {
			if in.Say(language.Sentence(sentence)) == sentence {
				t.Errorf("%q is said in English in %s: add it to internal/language/catalogue/sentence.yaml", sentence, in)
			}
		}
	}
}

// TestCountriesAreNamedAndSortedInEachLanguage: an operator looks for Österreich between Oman and Osttimor.
func TestCountriesAreNamedAndSortedInEachLanguage(t *testing.T) {
	t.Parallel()
	for in, want := range map[language.Language]string{
		language.German: "Österreich", language.French: "Autriche", language.Italian: "Austria", language.English: "Austria",
	} {
		options, at := page.Countries(in), map[string]int{}
		for index, option := range options {
			at[in.Say(option.Label)] = index
		}
		if options[at[want]].Value != "AT" || options[0].Value != "" {
			t.Errorf("%s: %q is not the country AT", in, want)
		}
		if oman, pakistan := at["Oman"], at["Pakistan"]; in == language.German && (oman > at[want] || pakistan < at[want]) {
			t.Errorf("%s: Österreich stands at %d, Oman at %d, Pakistan at %d", in, at[want], oman, pakistan)
		}
	}
}
