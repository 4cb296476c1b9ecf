package portal_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/internal/i18n"
	"countersign/internal/iso20022/codec"
	"countersign/internal/orderform"
	"countersign/internal/rulebook"
	"countersign/web/portal"
)

// TestRulesAndReasonsAreSaidInEveryLanguage: what a form refuses and why, and what a recall or a return gives as its reason.
func TestRulesAndReasonsAreSaidInEveryLanguage(t *testing.T) {
	t.Parallel()
	sentences := map[i18n.Text]bool{}
	for _, rule := range rulebook.Rules() {
		sentences[rule.Text] = true
	}
	for _, rule := range rulebook.RTransactionRules() {
		sentences[rule.Text] = true
	}
	for _, scheme := range []rulebook.Scheme{rulebook.SchemeSIC, rulebook.SchemeSCT} {
		for _, list := range [][]rulebook.Reason{
			rulebook.RecallReasons(scheme), rulebook.ReturnReasons(scheme), rulebook.ResolutionReasons(scheme),
		} {
			for _, reason := range list {
				sentences[reason.Text] = true
			}
		}
	}
	for _, field := range (&orderform.Values{}).Fields() {
		if field.Label != "" && field.Label != "Message" { // which is the same word in French
			sentences[i18n.Kept(field.Label)] = true
		}
	}
	if len(sentences) < 100 {
		t.Fatalf("only %d sentences are found", len(sentences))
	}
	for sentence := range sentences {
		for _, in := range []i18n.Language{i18n.German, i18n.French, i18n.Italian} {
			if in.Say(sentence) == sentence.String() {
				t.Errorf("%q is said in English in %s: add it to internal/i18n/catalogue/sentence.yaml", sentence, in)
			}
		}
	}
}

// leaf is an element of a document that holds a text.
var leaf = regexp.MustCompile(`>([^<>]+)</`)

// TestWhatIsWrongInADocumentIsSaidInEveryLanguage: what the reader finds in the examples of the schemes when it meets, in the place of each
// text, what cannot stand there.
func TestWhatIsWrongInADocumentIsSaidInEveryLanguage(t *testing.T) {
	t.Parallel()
	examples, err := filepath.Glob("../../internal/iso20022/testdata/s*.xml")
	if err != nil || len(examples) == 0 {
		t.Fatal("no examples", err)
	}
	strange := []string{
		"", " ", "?", "x", "1.123456", "-1", "x<b/>", "&#xFFFF;", "12345678901234567890123", "0.12345678901234567890", "<![CDATA[x]]>",
		strings.Repeat("x", 999), "</a>", "\x01",
	}
	found := map[i18n.Text]string{}
	for _, example := range examples {
		content, err := os.ReadFile(example)
		if err != nil {
			t.Fatal(err)
		}
		for _, place := range leaf.FindAllSubmatchIndex(content, -1) {
			for _, text := range strange {
				_, findings := codec.DecodeXML(slices.Concat(content[:place[2]], []byte(text), content[place[3]:]))
				for _, finding := range findings {
					found[finding.Text] = filepath.Base(example)
				}
			}
		}
	}
	if len(found) < 300 {
		t.Fatalf("only %d sentences are found", len(found))
	}
	for sentence, example := range found {
		for _, in := range []i18n.Language{i18n.German, i18n.French, i18n.Italian} {
			if said := in.Say(sentence); said == sentence.String() || strings.Contains(said, "Enter") {
				t.Errorf("%s: %q is said %q in %s: add it to internal/i18n/catalogue/sentence.yaml", example, sentence, said, in)
			}
		}
		if said := i18n.English.Say(sentence); said != sentence.String() {
			t.Errorf("%s: %q is said %q in English", example, sentence, said)
		}
	}
}

// TestCountriesAreNamedAndSortedInEachLanguage: an operator looks for Österreich between Oman and Osttimor.
func TestCountriesAreNamedAndSortedInEachLanguage(t *testing.T) {
	t.Parallel()
	for in, want := range map[i18n.Language]string{
		i18n.German: "Österreich", i18n.French: "Autriche", i18n.Italian: "Austria", i18n.English: "Austria",
	} {
		options, at := portal.Countries(in), map[string]int{}
		for index, option := range options {
			at[in.Say(option.Label)] = index
		}
		if options[at[want]].Value != "AT" || options[0].Value != "" {
			t.Errorf("%s: %q is not the country AT", in, want)
		}
		if oman, pakistan := at["Oman"], at["Pakistan"]; in == i18n.German && (oman > at[want] || pakistan < at[want]) {
			t.Errorf("%s: Österreich stands at %d, Oman at %d, Pakistan at %d", in, at[want], oman, pakistan)
		}
	}
}
