package iso20022_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"countersign/internal/iso20022"
)

// schemaPatterns are the expressions the hand-written matchers stand for.
var schemaPatterns = map[*iso20022.Pattern]string{
	&iso20022.PatternBIC:                   `[A-Z0-9]{4,4}[A-Z]{2,2}[A-Z0-9]{2,2}([A-Z0-9]{3,3}){0,1}`,
	&iso20022.PatternStrictBIC:             `[A-Z]{6,6}[A-Z2-9][A-NP-Z0-9]([A-Z0-9]{3,3}){0,1}`,
	&iso20022.PatternCurrency:              `[A-Z]{3,3}`,
	&iso20022.PatternCountry:               `[A-Z]{2,2}`,
	&iso20022.PatternFourAlphanumerics:     `[a-zA-Z0-9]{4}`,
	&iso20022.PatternUpToFourAlphanumerics: `[a-zA-Z0-9]{1,4}`,
	&iso20022.PatternIBAN:                  `[A-Z]{2,2}[0-9]{2,2}[a-zA-Z0-9]{1,30}`,
	&iso20022.PatternLEI:                   `[A-Z0-9]{18,18}[0-9]{2,2}`,
	&iso20022.PatternUpToFifteenDigits:     `[0-9]{1,15}`,
	&iso20022.PatternUpToThreeDigits:       `[0-9]{1,3}`,
	&iso20022.PatternTwoDigits:             `[0-9]{2}`,
	&iso20022.PatternPhone:                 `\+[0-9]{1,3}-[0-9()+\-]{1,30}`,
	&iso20022.PatternFINMessageType:        `[BEOVW]{1,1}[0-9]{2,2}|DUM`,
	&iso20022.PatternUETR:                  `[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[89ab][a-f0-9]{3}-[a-f0-9]{12}`,
}

func TestMatchersAgreeWithTheExpressionsOfTheSchemas(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(2, 11))
	alphabet := []rune("AOZaz019-+( éB")
	for matcher, expression := range schemaPatterns {
		whole := regexp.MustCompile(`^(?:` + expression + `)$`)
		valid := []rune(matcher.Example)
		candidates := []string{"", string(valid), "DUM", "B12", "D12", "+1-2", "+1234-5", "+-1", "+123", "+1-" + strings.Repeat("1", 31), "é"}
		for range 5000 {
			text := append([]rune(nil), valid...)
			for range 1 + random.IntN(2) {
				text[random.IntN(len(text))] = alphabet[random.IntN(len(alphabet))]
			}
			length := random.IntN(len(text) + 1)
			candidates = append(candidates, string(text), string(text[:length]), string(text)+string(text[:length%4]))
		}
		matched := 0
		for _, candidate := range candidates {
			if want := whole.MatchString(candidate); matcher.Match(candidate) != want {
				t.Errorf("%q against %s: want %v", candidate, expression, want)
			}
			if matcher.Match(candidate) {
				matched++
			}
		}
		if matched == 0 || matched == len(candidates) {
			t.Errorf("%s: %d of %d candidates match, the test proves nothing", expression, matched, len(candidates))
		}
	}
}

func TestEveryPatternOfTheSchemasIsCompared(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob("schema/*.xsd")
	if len(files) != len(iso20022.Definitions()) {
		t.Fatalf("%d schemas for %d messages", len(files), len(iso20022.Definitions()))
	}
	known := map[string]bool{}
	for _, expression := range schemaPatterns {
		known[expression] = true
	}
	facet := regexp.MustCompile(`<xs:pattern value="([^"]*)"`)
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range facet.FindAllSubmatch(content, -1) {
			if !known[string(match[1])] {
				t.Errorf("%s: pattern %s is not compared", file, match[1])
			}
		}
	}
}
