package portal_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"countersign/internal/interbank"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/lookup"
)

// documentOf is the address of the document of a family that a message sent or got.
func (o *otherSide) documentOf(m payment.Message, family string) string {
	o.t.Helper()
	list, err := o.Reader.Documents(context.Background(), m.Realm, lookup.DocumentFilter{MessageID: m.InternalID, PageSize: 20})
	if err != nil {
		o.t.Fatal(err)
	}
	for _, d := range list {
		if strings.HasPrefix(string(d.Name), family) {
			return "/payments/" + m.InternalID.String() + "/messages/" + d.ID.String()
		}
	}
	o.t.Fatalf("the %s has no %s", m.Kind, family)
	return ""
}

func TestADocumentIsReadAsJSON(t *testing.T) {
	t.Parallel()
	o := setup(t).clearing()
	m := o.settled(filled())
	maker := o.as("maker1")
	link := o.documentOf(m, "pacs.008")
	maker.get(link).is(http.StatusOK).says("<MsgId>P8" + string(m.GlobalID))
	maker.get(link + "?form=json").is(http.StatusOK).says(`"EndToEndId": "E2E-1"`).says(`"Ccy": "CHF", "value": "1234.50"`)
	file := maker.get(link + "/download?form=json").is(http.StatusOK)
	if !json.Valid([]byte(file.text)) || file.header.Get("Content-Type") != "application/json" {
		t.Errorf("the JSON file comes as %q: %.80s", file.header.Get("Content-Type"), file.text)
	}
	disposition := file.header.Get("Content-Disposition")
	if !strings.HasPrefix(disposition, "attachment") || !strings.Contains(disposition, ".json") {
		t.Errorf("the file comes as %q", disposition)
	}
	maker.get(o.documentOf(m, "pain.001") + "?form=sources").is(http.StatusNotFound)
}

func TestEachElementSaysWhereItCameFrom(t *testing.T) {
	t.Parallel()
	for scheme, form := range map[rulebook.Scheme]map[string][]string{rulebook.SchemeSIC: filled(), rulebook.SchemeSCT: sepa()} {
		o := setup(t).clearing()
		maker := o.as("maker1")
		ours := o.settled(form)
		recall := o.approve(maker.requests("/payments/"+ours.InternalID.String()+"/recall", "reason", "CUST", "information1", "asked for"))
		granted, _ := o.recalled(scheme, "TX1")
		answer := []string{"charge", "2.00"}
		if scheme == rulebook.SchemeSIC {
			answer = append(answer, "information1", "gladly") // in SEPA the answer with the money takes no words
		}
		back := o.approve(maker.requests("/payments/"+granted.InternalID.String()+"/return", answer...))
		_, refused := o.recalled(scheme, "TX2")
		no := o.approve(maker.requests("/recalls/"+refused.InternalID.String()+"/resolve", "reason", "LEGL", "information1", "Court order"))
		for family, c := range map[string]struct {
			m                    payment.Message
			element, value, from string
		}{
			"pacs.008": {ours, "CdtTrfTxInf/Cdtr/Nm", ours.Summary.CreditorName, "pain.001 PmtInf/CdtTrfTxInf/Cdtr/Nm"},
			"camt.056": {recall, "Undrlyg/TxInf/OrgnlTxRef/Dbtr/Pty/Nm", ours.Summary.DebtorName, "pacs.008 sent CdtTrfTxInf/Dbtr/Nm"},
			"pacs.004": {back, "TxInf/ChrgsInf/Amt", "2.00", "The maker: the charge kept"},
			"camt.029": {no, "CxlDtls/TxInfAndSts/OrgnlTxId", "TX2", "camt.056 received Undrlyg/TxInf/OrgnlTxId"},
		} {
			page := maker.get(o.documentOf(c.m, family) + "?form=sources").is(http.StatusOK)
			found := false
			page.page.Find(".sources-table tbody tr").Each(func(_ int, row *goquery.Selection) {
				cells := row.Find("td")
				element, value, from := cells.Eq(0).Text(), cells.Eq(1).Text(), cells.Eq(2).Text()
				if from == "" || strings.Contains(from, "Not recorded") || value == "" {
					t.Errorf("%s %s: %q comes from %q", family, element, value, from)
				}
				found = found || element == c.element && strings.Contains(value, c.value) && from == c.from
			})
			if !found {
				t.Errorf("%s does not say that %s is %s from %s:\n%s", family, c.element, c.value, c.from, page.main())
			}
		}
	}
}

func TestTheQuarantineIsForTheOperator(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.as("supervisor1").get("/quarantine").is(http.StatusNotFound)
	b.config.OperatorRealm = "demo"
	b.serve()
	o := b.clearing()
	_, document := o.arrived(rulebook.SchemeSIC, "TX1")
	document.CreditTransferTransactionInformation[0].PaymentID.TransactionID = "DMNOBODY12345"
	lost, err := interbank.StatusReport(interbank.StatusReportInput{
		Scheme: rulebook.SchemeSIC, About: document, Reference: "lost/1?&", StatusID: "S1", At: time.Now(),
	})
	o.receive(rulebook.SchemeSIC, "lost/1?&", lost, err)
	for _, name := range []string{"supervisor1", "admin1"} {
		operator := o.as(name)
		page := operator.get("/quarantine").is(http.StatusOK).says("lost/1?&").says("pacs.002")
		link := page.page.Find("tr[data-row] a[data-open]").AttrOr("href", "")
		operator.get(link).is(http.StatusOK).says("<MsgId>").says("DMNOBODY12345")
		operator.get(link + "&form=json").is(http.StatusOK).says(`"OrgnlTxId": "DMNOBODY12345"`)
		file := operator.get(strings.Replace(link, "/document?", "/document/download?", 1)).is(http.StatusOK)
		if !strings.HasPrefix(file.header.Get("Content-Disposition"), "attachment") || !strings.Contains(file.text, "DMNOBODY12345") {
			t.Errorf("the file comes as %q", file.header.Get("Content-Disposition"))
		}
	}
	o.as("supervisor1").get("/quarantine/document?scheme=sic-inst&reference=IN-TX1").is(http.StatusNotFound)
	o.as("maker1").get("/quarantine").is(http.StatusForbidden)
	o.as("maker1").get("/quarantine/document?scheme=sic-inst&reference=lost%2F1%3F%26").is(http.StatusForbidden)
	o.asIn("demo2", "maker1").get("/quarantine").is(http.StatusNotFound)
}
