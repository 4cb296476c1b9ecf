package browsertest

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"countersign/internal/testutil"
)

func TestAnApprovedPaymentSettlesInSight(t *testing.T) {
	t.Parallel()
	for _, scheme := range []string{"sic-inst", "sct-inst"} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			p, o := as(t, "maker1"), newOrder(scheme)
			m := p.submit(o)
			as(t, "checker1").decide(m, "approve", "")
			m.becomes(t, "Settled")

			p.open("/payments/" + m.id)
			p.says(".payment-states .badge", "Settled")
			p.says("main", o.shown())
			p.says("main", o.endToEndID)

			p.click("link", "Timeline")
			p.at("/payments/" + m.id + "/timeline")
			p.inOrder(".timeline li .event-title", "Submitted", "Approved", "Settled")
			p.says(".timeline", "Checker 1")

			p.click("link", "Messages")
			p.at("/payments/" + m.id + "/messages")
			p.inOrder(".documents-table .cell-reference", "pain.001.001.09", "pacs.008.001.08", "pacs.002.001.10")
			p.readsAndDownloads("pacs.008.001.08", o.name)

			p.open("/payments/" + m.id + "/audit")
			p.says(".audit-table", "Checker 1")
			m.is(t, "Settled", 1)
		})
	}
}

// inOrder waits until the texts begin, one after the other, parts of the page; parts between them do not matter.
func (p *person) inOrder(selector string, want ...string) {
	p.t.Helper()
	err := p.expect.Locator(p.find(selector).First()).ToBeVisible()
	if err != nil {
		p.t.Fatal(err)
	}
	texts := p.texts(selector)
	next := 0
	for _, text := range texts {
		if next < len(want) && strings.HasPrefix(text, want[next]) {
			next++
		}
	}
	if next < len(want) {
		p.t.Fatalf("the page lists %q, want %q in this order", texts, want)
	}
}

// readsAndDownloads opens a document of the list and takes its file: both are the same text.
func (p *person) readsAndDownloads(name, inside string) {
	p.t.Helper()
	p.click("link", name)
	p.at("/payments/[0-9a-f-]+/messages/[0-9a-f-]+$")
	p.says(".document", inside)
	file, err := p.page.ExpectDownload(func() error {
		return p.page.GetByRole("link", playwright.PageGetByRoleOptions{Name: "Download"}).Click()
	})
	if err != nil {
		p.t.Fatal(err)
	}
	if !regexp.MustCompile(`^[0-9A-Z]{16}_` + regexp.QuoteMeta(name) + `\.xml$`).MatchString(file.SuggestedFilename()) {
		p.t.Errorf("the file is called %s", file.SuggestedFilename())
	}
	path, err := file.Path()
	if err != nil {
		p.t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		p.t.Fatal(err)
	}
	if text := string(content); !strings.Contains(text, "urn:iso:std:iso:20022:tech:xsd:"+name) || !strings.Contains(text, inside) {
		p.t.Errorf("the file of %s holds %.200s", name, text)
	}
}

func TestARefusedPaymentSaysWhy(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	p, o := as(t, "maker1"), newOrder("sic-inst")
	o.amount = strings.TrimSuffix(o.amount, "40") + "91" // the simulator refuses: account closed
	m := p.submit(o)
	as(t, "checker1").decide(m, "approve", "")
	m.becomes(t, "Failed")
	p.open("/payments/" + m.id)
	p.says(".payment-states .badge", "Failed")
	p.says("main .notice", "AC04")
	p.open("/mine?tab=failed")
	p.says(`tr[data-row="`+m.id+`"]`, "The creditor's account is closed.") // in plain words; the code stands on its page
}
