package portal_test

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"countersign/internal/clearing"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

// line is an entry of a statement of clearing.
func line(way, id, amount string) string {
	return fmt.Sprintf(`<Ntry><Amt Ccy="CHF">%s</Amt><CdtDbtInd>%s</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>%s</Dt></BookgDt><NtryDtls><TxDtls>`+
		`<Refs><TxId>%s</TxId></Refs></TxDtls></NtryDtls></Ntry>`, amount, way, time.Now().In(zurich).Format(time.DateOnly), id)
}

func statement(lines ...string) string {
	return `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><GrpHdr><MsgId>ST1</MsgId></GrpHdr><Stmt>` +
		strings.Join(lines, "") + `</Stmt></BkToCstmrStmt></Document>`
}

// compared sends a statement of the Swiss clearing as a file.
func (w *browser) compared(content string) answer {
	w.b.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField("scheme", string(rulebook.SchemeSIC))
	part, err := form.CreateFormFile("file", "statement.xml")
	if err != nil {
		w.b.t.Fatal(err)
	}
	_, _ = part.Write([]byte(content))
	_ = form.Close()
	return w.send(http.MethodPost, "/reconcile", form.FormDataContentType(), &body)
}

// A statement of clearing is compared on a page. Each difference is explained by one administrator and decided by another.
func TestDifferencesToAStatementAreExplainedUnderFourEyes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.config.OperatorRealm = "demo"
	b.serve()
	o := b.clearing()
	ours := o.settled(filled())
	in, _ := o.arrived(rulebook.SchemeSIC, "TXIN")
	id := string(ours.GlobalID)
	amount := ours.Summary.Amount.Decimal().String()
	admin1, admin2, supervisor := o.as("admin1"), o.as("admin2"), o.as("supervisor1")
	admin1.get("/operation").is(http.StatusOK).says("Compare with clearing").says("01.01.2030").says("03.02.2029")
	supervisor.get("/quarantine").is(http.StatusOK).says("Compare with clearing")
	all := []string{line("DBIT", id, amount), line("CRDT", "TXIN", in.Summary.Amount.Decimal().String())}
	supervisor.compared(statement(all...)).is(http.StatusOK).says("Payments on the statement: 2. Differences: 0.")
	wrong := statement(line("DBIT", id, "1.00"), line("CRDT", "STRANGE", "7.00"))
	supervisor.compared(wrong).is(http.StatusOK).says("Differences: 3.").says("Different amount").says("Not found in this gateway").
		says("Not on the statement").says(string(in.GlobalID)).says("No explanation yet")
	page := admin1.compared(wrong).is(http.StatusOK)
	link := ""
	page.page.Find("main a").Each(func(_ int, a *goquery.Selection) {
		if href, _ := a.Attr("href"); strings.Contains(href, "realm.difference") && strings.Contains(href, "STRANGE") {
			link = href
		}
	})
	if link == "" {
		t.Fatalf("nobody can explain the difference: %s", page.main())
	}
	path := "/admin/ask/realm.difference"
	form := admin1.get(link).is(http.StatusOK).fields(path)
	if !strings.Contains(form.Get("difference"), "STRANGE") {
		t.Fatalf("the form has %q", form)
	}
	admin1.post(path, form).is(http.StatusUnprocessableEntity).
		says("Explain in the note what you found and what you did about the difference.")
	change := admin1.post(path, with(form, "note", "Clearing booked it twice; it says so.")).goesTo("/admin/changes/")
	admin1.post(change+"/approve", url.Values{"reason": {""}}).is(http.StatusForbidden)
	admin1.compared(wrong).is(http.StatusOK).says("Waiting for another administrator")
	shown := admin2.get(change).is(http.StatusOK).says("STRANGE").says("Clearing booked it twice")
	admin2.post(change+"/approve", shown.fields(change+"/approve")).is(http.StatusSeeOther)
	admin2.compared(wrong).is(http.StatusOK).says("Explained")
	if now := o.message("demo", ours.InternalID.String()); now.State != payment.StateSettled {
		t.Errorf("the explanation moved a payment to %s", now.State)
	}
	o.as("checker1").get("/reconcile").is(http.StatusForbidden)
	o.asIn("demo2", "maker1").get("/reconcile").is(http.StatusNotFound)
	for _, content := range []string{"", "<x/>", statement(`<Ntry><Amt Ccy="CHF">1.00</Amt></Ntry>`)} {
		supervisor.compared(content).is(http.StatusUnprocessableEntity).says("Choose a")
	}
}

// A statement that clearing sent is compared by its reference.
func TestAStoredStatementIsCompared(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.config.OperatorRealm = "demo"
	b.serve()
	o := b.clearing()
	ours := o.settled(filled())
	err := o.station.Receive(context.Background(), clearing.Document{
		Scheme: rulebook.SchemeSIC, Reference: "STORED-1", ReceivedAt: time.Now(),
		Content: []byte(statement(line("DBIT", string(ours.GlobalID), ours.Summary.Amount.Decimal().String()))),
	})
	if err != nil {
		t.Fatal(err)
	}
	reader := o.as("supervisor1")
	form := reader.get("/reconcile").is(http.StatusOK).says("STORED-1").fields("/reconcile")
	form.Set("scheme", string(rulebook.SchemeSIC))
	form.Set("reference", "STORED-1")
	reader.post("/reconcile", form).is(http.StatusOK).says("Payments on the statement: 1. Differences: 0.")
	form.Set("reference", "NONE")
	reader.post("/reconcile", form).is(http.StatusNotFound)
}
