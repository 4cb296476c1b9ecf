package browsertest

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"

	"countersign/internal/testutil"
)

// sample is a payment order of the test data, dated today and with identifiers of its own.
func sample(t *testing.T, scheme string, o order) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "internal", "iso20022", "testdata", scheme+"_01_pain.001.001.09.xml"))
	if err != nil {
		t.Fatal(err)
	}
	zone, err := time.LoadLocation("Europe/Zurich")
	if err != nil {
		t.Fatal(err)
	}
	content = bytes.ReplaceAll(content, []byte("<Dt>2026-03-02</Dt>"), []byte("<Dt>"+time.Now().In(zone).Format(time.DateOnly)+"</Dt>"))
	for element, value := range map[string]string{"MsgId": "MSG-" + o.endToEndID, "EndToEndId": o.endToEndID} {
		start := bytes.Index(content, []byte("<"+element+">")) + len(element) + 2
		end := bytes.Index(content, []byte("</"+element+">"))
		content = append(append(append([]byte{}, content[:start]...), value...), content[end:]...)
	}
	return content
}

// upload chooses the file and sends it.
func (p *person) upload(name string, content []byte) {
	p.t.Helper()
	p.open("/payments/upload")
	err := p.page.GetByLabel("Payment file").SetInputFiles([]playwright.InputFile{
		{Name: name, MimeType: "application/xml", Buffer: content},
	})
	if err != nil {
		p.t.Fatal(err)
	}
	p.click("button", "Import the file")
}

func TestAFileBecomesAPayment(t *testing.T) {
	t.Parallel()
	for scheme, amount := range map[string]string{"sic-inst": "CHF 199.95", "sct-inst": "EUR 1'250.40"} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			p, o := as(t, "maker2"), newOrder(scheme)
			p.upload("order.xml", sample(t, scheme, o))
			p.at("/payments/[0-9a-f-]+/check$")
			p.says("main", "This payment comes from the file order.xml")
			p.says("main", o.endToEndID)
			if n := o.payments(t); n != 0 {
				t.Fatalf("%d payments before the file was checked", n)
			}
			p.click("button", "Submit "+amount+" for approval")
			p.at("/payments/[0-9a-f-]+/submitted$")
			o.find(t).is(t, "Approval Pending", 0)
		})
	}
}

func TestAFileThatBreaksARuleIsListedByLine(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	p, o := as(t, "maker2"), newOrder("sic-inst")
	content := sample(t, "sic-inst", o)
	content = bytes.Replace(content, []byte("CH4821966000009613388"), []byte("CH4821966000009613389"), 1)
	content = bytes.Replace(content, []byte(`Ccy="CHF">199.95`), []byte(`Ccy="CHF">20000.05`), 1)
	content = bytes.ReplaceAll(content, []byte("<CtrlSum>199.95</CtrlSum>"), []byte("<CtrlSum>20000.05</CtrlSum>"))
	p.upload("broken.xml", content)
	p.focused(".error-summary")
	p.says(".error-summary", "broken.xml has 2 problems and was not accepted.")
	if title := p.title(); !strings.HasPrefix(title, "Error: ") {
		t.Errorf("the title is %q", title)
	}
	for code, element := range map[string]string{"AC01": "<IBAN>CH4821966000009613389", "AM02": "<InstdAmt"} {
		row := p.find(".findings-table tbody tr").Filter(playwright.LocatorFilterOptions{HasText: code})
		line := 1 + bytes.Count(content[:bytes.Index(content, []byte(element))], []byte("\n"))
		err := p.expect.Locator(row.Locator("td").First()).ToHaveText(strconv.Itoa(line))
		if err != nil {
			t.Error(code, err)
		}
	}
	p.says(".findings-table", "check digits")
	p.says(".findings-table", "20'000")
	p.click("link", "Show the problems")
	p.focused("#findings")
	p.click("link", "Correct the file and choose it again")
	p.focused("#file")
	if n := o.payments(t); n != 0 {
		t.Errorf("%d payments from a refused file", n)
	}
}

func TestAFileOfAnotherKindIsRefusedInWords(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	p := as(t, "maker2")
	p.upload("notes.txt", []byte("hello"))
	p.says(".error-summary", "notes.txt has 1 problem and was not accepted.")
	p.counts(".findings-table tbody tr", 1)
	p.open("/payments/upload")
	p.click("button", "Import the file") // without choosing one
	p.says(".findings-table", "Choose a file")
}
