package portal_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

const samples = "../../internal/iso20022/testdata"

// upload sends a file as a browser does.
func (w *browser) upload(name string, content []byte) answer {
	t := w.b.t
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", name)
	if err != nil {
		t.Fatal(err)
	}
	_, err = part.Write(content)
	if err != nil {
		t.Fatal(err)
	}
	err = form.Close()
	if err != nil {
		t.Fatal(err)
	}
	return w.send(http.MethodPost, "/payments/upload", form.FormDataContentType(), &body)
}

// sample is a sample order, dated today so that it is not over.
func sample(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(samples, name))
	if err != nil {
		t.Fatal(err)
	}
	zone, err := time.LoadLocation("Europe/Zurich")
	if err != nil {
		t.Fatal(err)
	}
	return bytes.ReplaceAll(content, []byte("<Dt>2026-03-02</Dt>"), []byte("<Dt>"+time.Now().In(zone).Format(time.DateOnly)+"</Dt>"))
}

// TestAFormTakesNotThePlaceOfAFile: what was uploaded is corrected in the file, as its page says, and a form sent to it changes nothing.
func TestAFormTakesNotThePlaceOfAFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	check := maker.upload("order.xml", sample(t, "sic-inst_01_pain.001.001.09.xml")).goesTo("/payments/")
	maker.post(strings.TrimSuffix(check, "check")+"edit", filled()).is(http.StatusNotFound)
	maker.get(check).is(http.StatusOK).says("This payment comes from the file order.xml")
}

// A form of two files would leave one unseen, and one with a header that no browser sends is nobody's form.
func TestAFormOfMoreThanOneFileIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	content := sample(t, "sic-inst_01_pain.001.001.09.xml")
	for name, parts := range map[string][]textproto.MIMEHeader{
		"two files":            {filePart("file", "a.xml", ""), filePart("file", "b.xml", "")},
		"a file of other name": {filePart("file", "a.xml", ""), filePart("other", "b.xml", "")},
		"a header of 100 kB":   {filePart("file", "a.xml", strings.Repeat("x", 100<<10))},
	} {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		for _, header := range parts {
			part, err := form.CreatePart(header)
			if err == nil {
				_, err = part.Write(content)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := form.Close(); err != nil {
			t.Fatal(err)
		}
		got := maker.send(http.MethodPost, "/payments/upload", form.FormDataContentType(), &body)
		if got.status != http.StatusUnprocessableEntity || !strings.Contains(got.text, "Choose only one file at a time") {
			t.Errorf("%s: %d", name, got.status)
		}
	}
}

func filePart(field, name, note string) textproto.MIMEHeader {
	header := textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="` + field + `"; filename="` + name + `"`}, "Content-Type": {"application/xml"},
	}
	if note != "" {
		header.Set("X-Note", note)
	}
	return header
}

func TestAnUploadedOrderGoesTheSameWay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	for name, amount := range map[string]string{
		"sic-inst_01_pain.001.001.09.xml": "CHF 199.95", "sct-inst_01_pain.001.001.09.xml": "EUR 1'250.40",
	} {
		content := sample(t, name)
		check := maker.upload(name, content).goesTo("/payments/")
		maker.get(check).is(http.StatusOK).says(name).says("Submit " + amount + " for approval")
		shown := maker.shown(check)
		done := maker.post(strings.TrimSuffix(check, "check")+"submit", shown).goesTo("/payments/")
		m := b.message("demo", strings.Split(done, "/")[2])
		if m.Summary.Amount.Format() != amount {
			t.Errorf("%s became %s", name, m.Summary.Amount.Format())
		}
		maker.post(strings.TrimSuffix(check, "check")+"submit", shown).goesTo(done)
	}
	again := maker.upload("again.xml", sample(t, "sic-inst_01_pain.001.001.09.xml")).goesTo("/payments/")
	got := maker.post(strings.TrimSuffix(again, "check")+"submit",
		maker.shown(again, "duplicateAcknowledged", "yes", "duplicateReason", "x")).is(http.StatusUnprocessableEntity)
	got.says("MsgId").says("DU01")
}

func TestEveryFindingOfAFileHasItsLine(t *testing.T) {
	t.Parallel()
	b := setup(t)
	content := sample(t, "sic-inst_01_pain.001.001.09.xml")
	broken := bytes.Replace(content, []byte("CH4821966000009613388"), []byte("CH4821966000009613389"), 1)
	broken = bytes.Replace(broken, []byte(`Ccy="CHF">199.95`), []byte(`Ccy="CHF">20000.05`), 1)
	broken = bytes.ReplaceAll(broken, []byte("<CtrlSum>199.95</CtrlSum>"), []byte("<CtrlSum>20000.05</CtrlSum>"))
	got := b.as("maker1").upload("broken.xml", broken).is(http.StatusUnprocessableEntity)
	if title := got.page.Find("title").Text(); !strings.HasPrefix(title, "Error: ") {
		t.Errorf("the title is %q", title)
	}
	lines := map[string]string{}
	for _, row := range got.page.Find(".findings-table tbody tr").EachIter() {
		lines[row.Find("td").Eq(3).Text()] = strings.TrimSpace(row.Find("td").Eq(0).Text()) + " " + row.Find("td").Eq(1).Text()
	}
	for code, element := range map[string]string{"AC01": "<IBAN>CH4821966000009613389", "AM02": "<InstdAmt"} {
		line := 1 + bytes.Count(broken[:bytes.Index(broken, []byte(element))], []byte("\n"))
		if !strings.HasPrefix(lines[code], strconv.Itoa(line)+" /Document/CstmrCdtTrfInitn/PmtInf/0/") {
			t.Errorf("%s is found at %q, want line %d; all: %v", code, lines[code], line, lines)
		}
	}
}

func TestAFileThatMiscountsItsPaymentsIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	content := string(sample(t, "sic-inst_01_pain.001.001.09.xml"))
	start, end := strings.Index(content, "<CdtTrfTxInf>"), strings.Index(content, "</CdtTrfTxInf>")+len("</CdtTrfTxInf>")
	three := content[:end] + content[start:end] + content[start:end] + content[end:]
	b.as("maker1").upload("three.xml", []byte(three)).is(http.StatusUnprocessableEntity).
		says("Correct the number of payments: the file says 1 but contains 3 payments.").says("AM18")
	if n := b.count("SELECT count(*) FROM draft"); n != 0 {
		t.Errorf("%d drafts are stored", n)
	}
}

func TestWhatIsNoOrderIsRefusedInWords(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	for name, content := range map[string]string{
		"empty.xml":   "",
		"text.xml":    "hello",
		"entity.xml":  `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><Document>&x;</Document>`,
		"cut.xml":     string(sample(t, "sic-inst_01_pain.001.001.09.xml")[:900]),
		"big.xml":     strings.Repeat("x", 256<<10+1),
		"foreign.xml": `<Document xmlns="urn:example"/>`,
	} {
		got := maker.upload(name, []byte(content)).is(http.StatusUnprocessableEntity)
		if got.page.Find(".findings-table tbody tr").Length() == 0 {
			t.Errorf("%s is refused without a finding", name)
		}
	}
	maker.upload("huge.xml", bytes.Repeat([]byte("x"), 3<<20)).is(http.StatusRequestEntityTooLarge)
	maker.post("/payments/upload", nil).is(http.StatusBadRequest)
}

// Every sample there is becomes a draft, or is refused with findings that say what to do.
func TestUploadOfAllSamples(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	files, err := filepath.Glob(filepath.Join(samples, "*.xml"))
	if err != nil || len(files) < 40 {
		t.Fatalf("%d samples: %v", len(files), err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		got := maker.upload(name, sample(t, name))
		if strings.Contains(name, "-inst_01_pain.001") {
			got.goesTo("/payments/")
			continue
		}
		got.is(http.StatusUnprocessableEntity)
		if strings.Contains(name, "-inst_") {
			got.says("Send a payment order. The file you sent contains a ")
		}
		if got.page.Find(".findings-table tbody tr").Length() == 0 {
			t.Errorf("%s is refused without a finding", name)
		}
	}
}

// otherPayments are orders for other kinds of payment than these gateways take, each made of a sample by one change. They are what
// customers' software sends besides instant payments.
var otherPayments = map[string][2]string{
	"no instant payment":       {"(?s)<LclInstrm>.*?</LclInstrm>", ""},
	"a salary":                 {"<PmtMtd>TRF</PmtMtd>", "<PmtMtd>CHK</PmtMtd>"},
	"a debtor agent in blanks": {"(?s)(<DbtrAgt>\\s*)<FinInstnId>.*?</FinInstnId>", "$1<FinInstnId/>"},
	"two payments":             {"(?s)(<CdtTrfTxInf>.*</CdtTrfTxInf>)", "$1$1"},
	"another currency":         {`Ccy="[A-Z]{3}"`, `Ccy="USD"`},
	"no creditor":              {"(?s)<Cdtr>.*?</Cdtr>", ""},
}

// TestOrdersOfOtherKindsAreRefusedInWords: none is taken, and each finding says what to do.
func TestOrdersOfOtherKindsAreRefusedInWords(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	for _, scheme := range []string{"sic-inst", "sct-inst"} {
		whole, err := os.ReadFile(filepath.Join(samples, scheme+"_01_pain.001.001.09.xml"))
		if err != nil {
			t.Fatal(err)
		}
		for name, change := range otherPayments {
			content := regexp.MustCompile(change[0]).ReplaceAll(whole, []byte(change[1]))
			if bytes.Equal(content, whole) {
				t.Fatalf("%s: %s changes nothing", scheme, name)
			}
			got := maker.upload("order.xml", content).is(http.StatusUnprocessableEntity)
			rows := got.page.Find(".findings-table tbody tr")
			if rows.Length() == 0 {
				t.Errorf("%s: %s is refused without a finding", scheme, name)
			}
			for _, row := range rows.EachIter() {
				if row.Find("td").Eq(2).Text() == "" || row.Find("td").Eq(3).Text() == "" {
					t.Errorf("%s: %s: a finding without sentence or code: %s", scheme, name, row.Text())
				}
			}
		}
	}
}

// TestFilesOfThePreviousGenerationEnd: pain.001.001.03 is refused from the day on which it has ended, with a sentence; before, the page to
// check says until when it is taken.
func TestFilesOfThePreviousGenerationEnd(t *testing.T) {
	t.Parallel()
	b := setup(t)
	old := previous(string(sample(t, "sic-inst_01_pain.001.001.09.xml")))
	b.config.Rules.PreviousEnd = time.Now().AddDate(0, 0, -1)
	b.serve()
	b.as("maker1").upload("old.xml",
		old).is(http.StatusUnprocessableEntity).says("Send the order as pain.001.001.09. The format pain.001.001.03 has not been accepted since")
	b.config.Rules.PreviousEnd = time.Now().AddDate(0, 0, 2)
	b.serve()
	maker := b.as("maker1")
	maker.get(maker.upload("old.xml", old).goesTo("/payments/")).is(http.StatusOK).says("pain.001.001.03 is accepted until")
}

// previous is an order of today as the generation before writes it.
func previous(order string) []byte {
	for _, change := range [][2]string{
		{"pain.001.001.09", "pain.001.001.03"}, {"<ReqdExctnDt>", ""}, {"<Dt>", "<ReqdExctnDt>"}, {"</Dt>", "</ReqdExctnDt>"},
	} {
		order = strings.Replace(order, change[0], change[1], 1)
	}
	order = regexp.MustCompile(`</ReqdExctnDt>\s*</ReqdExctnDt>`).ReplaceAllString(order, "</ReqdExctnDt>")
	return []byte(regexp.MustCompile(`\s*<UETR>[^<]*</UETR>`).ReplaceAllString(order, ""))
}
