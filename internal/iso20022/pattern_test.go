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

// patterns are those whose matchers stand for an expression of the schemas.
var patterns = []*iso20022.Pattern{
	&iso20022.PatternBIC,
	&iso20022.PatternStrictBIC,
	&iso20022.PatternCurrency,
	&iso20022.PatternCountry,
	&iso20022.PatternFourAlphanumerics,
	&iso20022.PatternUpToFourAlphanumerics,
	&iso20022.PatternIBAN,
	&iso20022.PatternLEI,
	&iso20022.PatternUpToFifteenDigits,
	&iso20022.PatternUpToThreeDigits,
	&iso20022.PatternTwoDigits,
	&iso20022.PatternPhone,
	&iso20022.PatternFINMessageType,
	&iso20022.PatternUETR,
}

func TestMatchersAgreeWithTheExpressionsOfTheSchemas(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(2, 11))
	alphabet := []rune("AOZaz019-+( éB")
	for _, matcher := range patterns {
		expression := matcher.Expression
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
	known := map[string]bool{}
	for _, matcher := range patterns {
		known[matcher.Expression] = true
	}
	facet := regexp.MustCompile(`<xs:pattern value="([^"]*)"`)
	for _, definition := range iso20022.Definitions() {
		file := filepath.Join("schema", string(definition.Name)+".xsd")
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
