package profile_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"countersign/internal/iso20022"
	"countersign/internal/profile"
)

var update = flag.Bool("update", false, "write the derived schemas anew")

// derivedFolder holds schemas that are derived from those of ISO and from what is publicly known of SIX's messages. They are no schemas of
// SIX, which are not public.
const derivedFolder = "testdata/derived-six"

// fact is something that is known of SIX's messages, as a change of an ISO type: "-" takes an element away, "+" makes it mandatory, any
// other text is the type it has instead.
type fact struct{ group, element, change string }

// factsOfSIX are from the public samples of pacs.008.001.08.ch.02 and the sample of a pacs.004 with RtrChain.
var factsOfSIX = []fact{
	{"ClearingSystemMemberIdentification2", "ClrSysId", "+"},
	{"ClearingSystemMemberIdentification2", "MmbId", "NumberInSIC"},
	{"ClearingSystemIdentification2Choice", "Cd", "CodeOfSIC"},
	{"ClearingSystemIdentification2Choice", "Prtry", "-"},
	{"FinancialInstitutionIdentification18", "BICFI", "-"},
	{"FinancialInstitutionIdentification18", "ClrSysMmbId", "+"},
	{"GroupHeader93", "IntrBkSttlmDt", "-"},
	{"GroupHeader93", "PmtTpInf", "-"},
	{"GroupHeader93", "InstgAgt", "-"},
	{"GroupHeader93", "InstdAgt", "-"},
	{"PaymentIdentification7", "InstrId", "-"},
	{"PaymentIdentification7", "TxId", "+"},
	{"PaymentIdentification7", "UETR", "+"},
	{"CreditTransferTransaction39", "PmtTpInf", "+"},
	{"CreditTransferTransaction39", "IntrBkSttlmDt", "+"},
	{"CreditTransferTransaction39", "ChrgBr", "SharedCharges"},
	{"CreditTransferTransaction39", "InstgAgt", "+"},
	{"CreditTransferTransaction39", "InstdAgt", "+"},
	{"GroupHeader90", "IntrBkSttlmDt", "-"},
	{"GroupHeader90", "InstgAgt", "-"},
	{"GroupHeader90", "InstdAgt", "-"},
	{"PaymentTransaction112", "OrgnlInstrId", "-"},
	{"PaymentTransaction112", "IntrBkSttlmDt", "+"},
	{"PaymentTransaction112", "InstgAgt", "+"},
	{"PaymentTransaction112", "InstdAgt", "+"},
	{"PaymentTransaction112", "RtrChain", "+"},
}

const typesOfSIX = `    <xs:simpleType name="NumberInSIC">
        <xs:restriction base="xs:string"><xs:pattern value="[0-9]{6}"/></xs:restriction>
    </xs:simpleType>
    <xs:simpleType name="CodeOfSIC">
        <xs:restriction base="xs:string"><xs:enumeration value="CHSIC"/></xs:restriction>
    </xs:simpleType>
    <xs:simpleType name="SharedCharges">
        <xs:restriction base="xs:string"><xs:enumeration value="SHAR"/></xs:restriction>
    </xs:simpleType>
`

// derive changes a schema of ISO as far as a fact speaks of its types.
func derive(t *testing.T, iso, from, namespace string) string {
	t.Helper()
	derived := strings.ReplaceAll(iso, `"`+from+`"`, `"`+namespace+`"`)
	for _, f := range factsOfSIX {
		group := regexp.MustCompile(`(?s)<xs:complexType name="` + f.group + `">.*?</xs:complexType>`).FindStringIndex(derived)
		if group == nil {
			continue
		}
		body := derived[group[0]:group[1]]
		element := regexp.MustCompile(`[^\n]*name="` + f.element + `"[^\n]*\n`)
		line := element.FindString(body)
		if line == "" {
			t.Fatalf("%s has no %s", f.group, f.element)
		}
		changed := ""
		switch f.change {
		case "-":
		case "+":
			changed = strings.Replace(line, `minOccurs="0"`, `minOccurs="1"`, 1)
		default:
			changed = regexp.MustCompile(`type="[^"]*"`).ReplaceAllString(line, `type="`+f.change+`"`)
		}
		derived = derived[:group[0]] + strings.Replace(body, line, changed, 1) + derived[group[1]:]
	}
	note := "<!-- Derived from the ISO schema by what is publicly known of SIX's messages, for tests. This is no schema of SIX. -->\n"
	derived = strings.Replace(derived, "<xs:schema", note+"<xs:schema", 1)
	return strings.Replace(derived, "</xs:schema>", typesOfSIX+"</xs:schema>", 1)
}

// TestTheSchemasOfSIXAreDerivedFromTheFacts holds the files that other tests check documents against.
func TestTheSchemasOfSIXAreDerivedFromTheFacts(t *testing.T) {
	t.Parallel()
	book, err := profile.NewRegistry(nil)
	must(t, err)
	six, _ := book.Named("sic-six")
	for name, message := range six.Messages {
		iso, err := os.ReadFile(filepath.Join("..", "iso20022", "schema", string(name)+".xsd"))
		must(t, err)
		derived := derive(t, string(iso), name.Namespace(), message.Namespace)
		path := filepath.Join(derivedFolder, strings.TrimPrefix(message.Namespace, iso20022.NamespaceOfSIX)+".xsd")
		if *update {
			must(t, os.MkdirAll(derivedFolder, 0o755))
			must(t, os.WriteFile(path, []byte(derived), 0o644))
			continue
		}
		kept, err := os.ReadFile(path)
		must(t, err)
		if string(kept) != derived {
			t.Errorf("%s is not what the facts say: run go test ./internal/profile -update", path)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(fmt.Errorf("unexpected: %w", err))
	}
}
