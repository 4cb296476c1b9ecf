package orderform_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/orderform"
)

// allocated is how many bytes a call takes in all, what is freed meanwhile included: more than it ever holds at once.
func allocated(call func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	call()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Reading a file and finding the lines of what is wrong in it costs no more for elements nested without end than for any file of its size.
// Not parallel: what other tests take would count too.
func TestNestingCostsNothing(t *testing.T) { //nolint:paralleltest // see above
	const most = 1 << 20
	namespace := `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09">`
	for name, content := range map[string]string{
		"open":         strings.Repeat("<a>", 20_000),
		"inside":       namespace + strings.Repeat("<a>", 20_000),
		"closed":       namespace + strings.Repeat("<a>", 20_000) + strings.Repeat("</a>", 20_000) + "</Document>",
		"a known name": strings.Repeat(namespace, 3_000),
	} {
		var file orderform.File
		taken := allocated(func() {
			file = orderform.ReadFile([]byte(content))
			codec.Options{}.PositionsXML([]byte(content)).Of("/Document")
		})
		if taken > most {
			t.Errorf("%s takes %d KiB, at most %d are wanted", name, taken>>10, most>>10)
		}
		if file.Document != nil || len(file.Findings) == 0 {
			t.Errorf("%s is taken for an order", name)
		}
	}
	closed := strings.Repeat("<a>", 64) + strings.Repeat("</a>", 64)
	deep := orderform.ReadFile([]byte(namespace + closed + "</Document>"))
	if len(deep.Findings) == 0 || !strings.HasPrefix(deep.Findings[len(deep.Findings)-1].Text.String(), "Nest at most 64 elements") {
		t.Errorf("65 elements deep is refused with %v", deep.Findings)
	}
}

// A file that breaks off is refused for that, and not for what it had no time to say.
func TestAFileThatBreaksOffHoldsNoOrder(t *testing.T) {
	t.Parallel()
	content := `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><CstmrCdtTrfInitn><GrpHdr><MsgId>1</MsgId>`
	file := orderform.ReadFile([]byte(content))
	if file.Document != nil || len(file.Findings) == 0 {
		t.Fatalf("a file that breaks off is read as %+v", file)
	}
	for _, f := range file.Findings {
		if f.Code == "AM18" {
			t.Errorf("a file that breaks off is told: %s", f.Text)
		}
	}
}

// A file that is no XML at all is told so, and not that a byte of it is wrong.
func TestAFileThatIsNoXMLIsTold(t *testing.T) {
	t.Parallel()
	for content, end := range map[string]string{
		"%PDF-1.7\n%\xe2\xe3\xcf\xd3": "as an XML file, not as a PDF.",
		"PK\x03\x04": "This file is a spreadsheet or an archive. If it is a spreadsheet, save it as CSV in UTF-8. If it is an archive, " +
			"extract the file from it and send that file.",
		"  hello": "The file you sent is not XML.",
	} {
		file := orderform.ReadFile([]byte(content))
		if len(file.Findings) != 1 || !strings.HasSuffix(file.Findings[0].Text.String(), end) {
			t.Errorf("%q is told %+v", content, file.Findings)
		}
	}
	wide := orderform.ReadFile([]byte("\xff\xfe<\x00D\x00"))
	if len(wide.Findings) == 0 || !strings.HasPrefix(wide.Findings[0].Text.String(), "Send the document in UTF-8") {
		t.Errorf("XML in UTF-16 is told %+v", wide.Findings)
	}
}

// What is no payment order is named, whatever else is wrong with it.
func TestAnotherMessageIsNamed(t *testing.T) {
	t.Parallel()
	file := orderform.ReadFile([]byte(`<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pacs.008.001.08"><FIToFICstmrCdtTrf/></Document>`))
	named := slices.ContainsFunc(file.Findings, func(f iso20022.Finding) bool {
		return f.Text.String() == "Send a payment order. The file you sent contains a pacs.008.001.08 message."
	})
	if file.Document != nil || !named {
		t.Fatalf("a pacs.008 is read as %+v", file)
	}
}
