package portal_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"countersign/internal/interbank"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
)

// documentOf is the address of the document of a family that a message sent or got.
func (o *otherSide) documentOf(m payment.Message, family string) string {
	o.t.Helper()
	list, err := o.Reader.Documents(context.Background(), m.Realm, store.DocumentFilter{MessageID: m.InternalID, PageSize: 20})
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

// TestALongListOfMessagesBeginsWithWhatWasOrderedAndSent: of a payment that clearing was asked about for days, the first and the newest
// messages are listed, the others are a page away, and no step leads to a message of another one.
func TestALongListOfMessagesBeginsWithWhatWasOrderedAndSent(t *testing.T) {
	t.Parallel()
	const asked = 500
	o := setup(t).clearing()
	m := o.settled(filled())
	path := "/payments/" + m.InternalID.String()
	o.askedOften(m, asked)
	maker := o.as("maker1")
	ids := func(got answer) (list []string) {
		got.is(http.StatusOK).page.Find(".documents-table [data-row]").Each(func(_ int, row *goquery.Selection) {
			list = append(list, row.AttrOr("data-row", ""))
		})
		return list
	}
	whole, err := o.Reader.Documents(t.Context(), "demo", store.DocumentFilter{MessageID: m.InternalID, OldestFirst: true, PageSize: 1000})
	must(t, err)
	first := maker.get(path + "/messages").says("Credit transfer").says("Payment order").
		says("Only the first message and the newest messages are listed.")
	seen := map[string]bool{}
	listed := ids(first)
	if len(listed) == 0 || listed[0] != whole[0].ID.String() || listed[len(listed)-1] != whole[len(whole)-1].ID.String() {
		t.Errorf("the list goes from %v to %v", listed[:1], listed[len(listed)-1:])
	}
	next, pages := first.page.Find(`main p a[href*="?after="]`).AttrOr("href", ""), 0
	for ; next != "" && pages < 10; pages++ {
		page := maker.get(next)
		listed = append(listed, ids(page)...)
		next = page.page.Find(`.pagination a[rel="next"]`).AttrOr("href", "")
	}
	for _, id := range listed {
		seen[id] = true
	}
	if len(seen) != len(whole) {
		t.Errorf("%d of %d messages are on %d pages behind the first", len(seen), len(whole), pages)
	}
	timeline := maker.get(path + "/timeline").is(http.StatusOK).says("Status requested from clearing")
	o.leadTo(timeline, path, whole)
}

// leadTo holds the steps of a timeline against the messages they lead to: each to one of about its time, or to the list.
func (o *otherSide) leadTo(timeline answer, path string, whole []store.OutboundDocument) {
	o.t.Helper()
	at := map[string]time.Time{}
	for _, d := range whole {
		at[path+"/messages/"+d.ID.String()] = d.At
	}
	toList := 0
	timeline.page.Find(".timeline li").Each(func(n int, step *goquery.Selection) {
		address, leads := step.Find(".event-title a").Attr("href")
		when, err := time.Parse(time.RFC3339, step.Find("time").AttrOr("datetime", ""))
		must(o.t, err)
		document, known := at[address]
		switch {
		case !leads:
		case address == path+"/messages":
			toList++
			if n < 40 { // of the first ones
				o.t.Errorf("step %d leads to the list", n)
			}
		case !known || document.Sub(when).Abs() > time.Minute:
			o.t.Errorf("step %d of %s leads to a message of %s", n, when, document)
		}
	})
	if toList < 200 || toList > 400 {
		o.t.Errorf("%d steps lead to the list", toList)
	}
}

// askedOften makes of a settled payment one that clearing was asked about again and again before it answered, past the gateway.
func (o *otherSide) askedOften(m payment.Message, times int) {
	o.t.Helper()
	key := "(lpad(to_hex((extract(epoch FROM %s) * 1000)::bigint), 12, '0') || '70008000' || lpad(to_hex(%s), 12, '0'))::uuid"
	moment := "d.created_at + n * interval '15 minutes'"
	of := " WHERE message_id = '" + m.InternalID.String() + "'"
	o.change("SET session_replication_role = replica;" +
		"INSERT INTO document SELECT (jsonb_populate_record(d, jsonb_build_object('document_id', " + fmt.Sprintf(key, moment, "n") + "," +
		"  'name', 'pacs.028.001.03', 'reference', 'ASKED' || n, 'created_at', " + moment + "))).* " +
		"FROM document d, generate_series(1, " + strconv.Itoa(times) + ") n" + of + " AND d.name LIKE 'pacs.008%';" +
		"UPDATE document SET document_id = " + fmt.Sprintf(key, "created_at + interval '10 days'", "1") + "," +
		"  created_at = created_at + interval '10 days'" + of + " AND direction = 'in' AND name LIKE 'pacs.002%';" +
		"UPDATE message_history SET sequence = sequence + 1000, previous_sequence = previous_sequence + 1000," +
		"  at = at + interval '10 days'" + of + " AND action = 'settle';" +
		"INSERT INTO message_history (realm, message_id, sequence, kind, from_state, action, to_state, previous_sequence, version, actor_name," +
		"  channel, at) SELECT realm, message_id, 100 + n, kind, 'Unconfirmed', 'inquire', 'Unconfirmed', 99 + n, version, 'Gateway', 'clock'," +
		"  at + n * interval '15 minutes' FROM message_history, generate_series(1, " + strconv.Itoa(times) + ") n" + of +
		"  AND action = 'deliver'")
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
			"camt.056": {recall, "Undrlyg/TxInf/OrgnlTxRef/Dbtr/Pty/Nm", ours.Summary.DebtorName, "Sent pacs.008: CdtTrfTxInf/Dbtr/Nm"},
			"pacs.004": {back, "TxInf/ChrgsInf/Amt", "2.00", "The charge deducted, as entered by the maker"},
			"camt.029": {no, "CxlDtls/TxInfAndSts/OrgnlTxId", "TX2", "Received camt.056: Undrlyg/TxInf/OrgnlTxId"},
		} {
			page := maker.get(o.documentOf(c.m, family) + "?form=sources").is(http.StatusOK)
			found := false
			page.page.Find(".sources-table tbody tr").Each(func(_ int, row *goquery.Selection) {
				cells := row.Find("td")
				element, value, from := cells.Eq(0).Text(), cells.Eq(1).Text(), cells.Eq(2).Text()
				if from == "" || strings.Contains(from, "Origin not recorded") || value == "" {
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
