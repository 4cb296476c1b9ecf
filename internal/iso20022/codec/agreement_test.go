package codec

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"countersign/internal/iso20022"
)

// mutator breaks documents in small ways.
type mutator struct{ random *rand.Rand }

var (
	leafPattern  = regexp.MustCompile(`<([A-Za-z0-9:]+)((?: [A-Za-z]+="[^"]*")?)>([^<]*)</[A-Za-z0-9:]+>`)
	startPattern = regexp.MustCompile(`<[A-Za-z0-9:]+`)
	groupPattern = regexp.MustCompile(`<[A-Za-z0-9]+>`)
)

// texts are put in the place of the text of a leaf.
var texts = []string{
	"", " ", "x", "abc", "CHF", "-1", "0", "01", "+1", ".5", "1.", "1e3", "1.234567", "1234567890123456789", "0.00", " 1 ", "007.50",
	"2026-02-30", "2026-02-28", "2026-02-28Z", "2026-13-01T10:00:00", "2026-03-02T10:00:00", "2026-03-02T24:00:00Z", "2026-03-02T24:00:01Z",
	"2026-03-02T10:00:00.", "2026-03-02T10:00:00+14:30", "10:00:00", "true", "1", "TRUE", "RJCT", "CH5021977000004331346", "ch50", "RAIFCH22",
	"RAIFCH22XX", "7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10", "7A1D3E52-1f55-4c0a-9a3e-0d5a5b3c9e10", "DEBT", "SLEV", "NOTPROVIDED",
	strings.Repeat("ä", 35), strings.Repeat("ä", 36), strings.Repeat("z", 71), strings.Repeat("z", 141), "&amp;&#65;&#x20AC;", "&nbsp;",
	"&#1;", "a]]>b", "<!-- c -->x", "<![CDATA[x]]>", "<X/>", "\u0001", "a\tb", "&lt;", "<?p i?>T", "1.10000000", "123456789012345.10",
	"1.50000000000000000000",
}

func (m mutator) mutate(document []byte) []byte {
	switch m.random.IntN(11) {
	case 0, 1, 2:
		return m.replaceText(document)
	case 3:
		return m.cut(document)
	case 4:
		return m.repeat(document)
	case 5:
		return m.swap(document)
	case 6:
		return m.rename(document)
	case 7:
		return m.attribute(document)
	case 8, 9:
		return m.hollow(document)
	default:
		return m.anyByte(document)
	}
}

func (m mutator) leaf(document []byte) []int {
	leaves := leafPattern.FindAllSubmatchIndex(document, -1)
	return leaves[m.random.IntN(len(leaves))]
}

func splice(document []byte, start, end int, text string) []byte {
	return append(append(append([]byte(nil), document[:start]...), text...), document[end:]...)
}

func (m mutator) replaceText(document []byte) []byte {
	at := m.leaf(document)
	return splice(document, at[6], at[7], texts[m.random.IntN(len(texts))])
}

// subtree is a random element below the message, from start to end.
func (m mutator) subtree(document []byte) (start, end int) {
	starts := startPattern.FindAllIndex(document, -1)
	at := starts[1+m.random.IntN(len(starts)-1)]
	name := document[at[0]+1 : at[1]]
	closing := bytes.Index(document[at[0]:], []byte("</"+string(name)+">"))
	if closing < 0 {
		return at[0], at[0]
	}
	return at[0], at[0] + closing + len(name) + 3
}

func (m mutator) cut(document []byte) []byte {
	start, end := m.subtree(document)
	return splice(document, start, end, "")
}

// hollow takes the content out of an element that has children.
func (m mutator) hollow(document []byte) []byte {
	groups := groupPattern.FindAllIndex(document, -1)
	if len(groups) == 0 {
		return document
	}
	at := groups[m.random.IntN(len(groups))]
	name := document[at[0]+1 : at[1]-1]
	closing := bytes.Index(document[at[0]:], []byte("</"+string(name)+">"))
	if closing < 0 {
		return document
	}
	return splice(document, at[1], at[0]+closing, "")
}

func (m mutator) repeat(document []byte) []byte {
	start, end := m.subtree(document)
	return splice(document, end, end, string(document[start:end]))
}

// swap moves an element behind what follows it.
func (m mutator) swap(document []byte) []byte {
	start, end := m.subtree(document)
	moved := string(document[start:end])
	rest := splice(document, start, end, "")
	if next := leafPattern.FindIndex(rest[start:]); next != nil {
		return splice(rest, start+next[1], start+next[1], moved)
	}
	return rest
}

func (m mutator) rename(document []byte) []byte {
	at := m.leaf(document)
	names := []string{"Id", "Nm", "Cd", "Prtry", "IBAN", "Foo", "nm", "BICFI", "Dt", "DtTm", "Ustrd", "x:Nm", "Ccy"}
	name := names[m.random.IntN(len(names))]
	return splice(document, at[0], at[1], "<"+name+string(document[at[4]:at[5]])+">"+string(document[at[6]:at[7]])+"</"+name+">")
}

func (m mutator) attribute(document []byte) []byte {
	at := m.leaf(document)
	forms := []string{
		"",
		` Ccy="CHF"`,
		` Ccy="chf"`,
		` Ccy=""`,
		` Foo="1"`,
		` Ccy="CHF" Ccy="EUR"`,
		` xml:lang="de"`,
		` xmlns:y="urn:y"`,
		` y:Ccy="CHF"`,
		` Ccy=CHF`,
		` Ccy="C&#72;F"`,
		` xmlns=""`,
		` Ccy=" CHF"`,
	}
	return splice(document, at[4], at[5], forms[m.random.IntN(len(forms))])
}

func (m mutator) anyByte(document []byte) []byte {
	at := m.random.IntN(len(document))
	bytes := []string{"", "<", ">", "&", "\"", "x", " ", "\x00", "/", "é", "]]>", "-", "\n"}
	return splice(document, at, min(at+1, len(document)), bytes[m.random.IntN(len(bytes))])
}

// beyondSchema are the rules that go beyond the schema on purpose, by a part of their sentence, with the reason: every disagreement of
// decoder and xmllint is one of these. Those of orders do not hold for what banks exchange.
var beyondSchema = []struct {
	part, reason string
	orders       bool
}{
	{"must not be empty", "no empty elements (SPS 3.4)", true},
	{"CDATA", "no CDATA sections (SPS 3.5)", true},
	{"no leading zeros", "decimals in plain form (SPS 3.7)", true},
	{"including zeros at the end", "at most 19 digits are held", true},
	{"XML declaration", "UTF-8 only (SPS 3.1)", false},
	{"namespace", "prefixes are declared once and messages known", false},
}

// stricter is the reason why a finding is one of a rule beyond the schema, "" when it is none.
func stricter(name iso20022.MessageName, finding iso20022.Finding) string {
	for _, rule := range beyondSchema {
		if strings.Contains(finding.Text.String(), rule.part) && (!rule.orders || strings.HasPrefix(string(name), "pain.")) {
			return rule.reason
		}
	}
	return ""
}

func TestStructureAgreesWithTheSchemaOnBrokenDocuments(t *testing.T) {
	t.Parallel()
	m := mutator{rand.New(rand.NewPCG(20022, 1))}
	mutants := map[iso20022.MessageName][][]byte{}
	for _, sample := range samples(t) {
		document, _ := DecodeXML(sample.content)
		for range 60 {
			mutant := m.mutate(sample.content)
			if m.random.IntN(4) == 0 && len(leafPattern.FindAll(mutant, 2)) == 2 {
				mutant = m.mutate(mutant)
			}
			mutants[document.MessageName()] = append(mutants[document.MessageName()], mutant)
		}
	}
	total, same, beyond := 0, 0, map[string]int{}
	for name, documents := range mutants {
		for i, valid := range followsSchema(t, name, documents) {
			total++
			switch _, findings := DecodeXML(documents[i]); {
			case valid == (len(findings) == 0):
				same++
			case valid && allStricter(name, findings):
				beyond[stricter(name, findings[0])]++
			default:
				t.Errorf("%s: schema says %v, the decoder %v\n%s", name, valid, findings, documents[i])
			}
		}
	}
	t.Logf("%d documents: %d judged alike, the others refused by rules beyond the schema: %v", total, same, beyond)
}

func allStricter(name iso20022.MessageName, findings []iso20022.Finding) bool {
	for _, finding := range findings {
		if stricter(name, finding) == "" {
			return false
		}
	}
	return true
}
