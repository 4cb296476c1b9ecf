package codec

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/internal/iso20022"
)

// sample is one document of testdata.
type sample struct {
	file    string
	content []byte
}

// samples reads testdata; of an envelope only the Document inside counts.
func samples(t testing.TB) []sample {
	t.Helper()
	files, err := filepath.Glob("../testdata/*.xml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	var all []sample
	for _, file := range files {
		all = append(all, sample{filepath.Base(file), readSample(t, file)})
	}
	return all
}

// innerDocument finds the document in an envelope.
var innerDocument = regexp.MustCompile(`(?s)<(\w+:)?Document[ >].*</(\w+:)?Document>`)

func readSample(t testing.TB, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(file, "envelope") || bytes.Contains(content, []byte("AppHdr")) {
		return innerDocument.Find(content)
	}
	return content
}

// equal compares documents; decimals by value and scale.
func equal(a, b any) string {
	return cmp.Diff(a, b, cmp.Comparer(func(x, y iso20022.Amount) bool { return x.Currency == y.Currency && x.Value == y.Value }))
}

func TestSamplesAreReadAndWrittenWithoutLoss(t *testing.T) {
	t.Parallel()
	written := map[iso20022.MessageName][][]byte{}
	for _, sample := range samples(t) {
		document, findings := DecodeXML(sample.content)
		if len(findings) > 0 {
			t.Errorf("%s: %v", sample.file, findings)
			continue
		}
		if found := Validate(document); len(found) > 0 {
			t.Errorf("%s: Validate: %v", sample.file, found)
		}
		written[document.MessageName()] = append(written[document.MessageName()], roundTrip(t, document)...)
	}
	for name, documents := range written {
		requireSchema(t, name, documents)
	}
}

// roundTrip writes a document in every form, reads it back and compares; it returns the XML forms.
func roundTrip(t testing.TB, document iso20022.Document) [][]byte {
	t.Helper()
	plain, err := EncodeXML(document)
	if err != nil {
		t.Fatalf("EncodeXML: %v", err)
	}
	indented, err := EncodeXMLIndented(document)
	if err != nil {
		t.Fatalf("EncodeXMLIndented: %v", err)
	}
	for _, form := range [][]byte{plain, indented} {
		again, findings := DecodeXML(form)
		if len(findings) > 0 {
			t.Fatalf("what was written is refused: %v\n%s", findings, form)
		}
		if difference := equal(document, again); difference != "" {
			t.Fatalf("changed by XML: %s", difference)
		}
	}
	roundTripJSON(t, document)
	return [][]byte{plain, indented}
}

func roundTripJSON(t testing.TB, document iso20022.Document) {
	t.Helper()
	content, err := EncodeJSON(document)
	if err != nil {
		t.Fatalf("EncodeJSON: %v", err)
	}
	again, findings := DecodeJSON(content, "/Document", document.MessageName())
	if len(findings) > 0 {
		t.Fatalf("what was written is refused: %v\n%s", findings, content)
	}
	if difference := equal(document, again); difference != "" {
		t.Fatalf("changed by JSON: %s", difference)
	}
	repeated, err := EncodeJSON(again)
	if err != nil || !bytes.Equal(content, repeated) {
		t.Fatalf("not canonical: %v\n%s\n%s", err, content, repeated)
	}
}

// TestAnEmptyAgentIsTheOnlyFault of an order in which an agent says nothing: the schema lets it through, the Swiss guidelines forbid it.
func TestAnEmptyAgentIsTheOnlyFault(t *testing.T) {
	t.Parallel()
	whole := string(readSample(t, filepath.Join("..", "testdata", "sct-inst_01_pain.001.001.09.xml")))
	agent := regexp.MustCompile(`(?s)(<DbtrAgt>\s*)<FinInstnId>.*?</FinInstnId>`)
	document, findings := DecodeXML([]byte(agent.ReplaceAllString(whole, "$1<FinInstnId/>")))
	if document == nil {
		t.Fatal(findings)
	}
	if len(findings) != 1 || !strings.HasSuffix(findings[0].Pointer, "/DbtrAgt/FinInstnId") || findings[0].Code != codeMissing {
		t.Errorf("findings %+v", findings)
	}
}
