package portal_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"countersign/internal/payment"
)

// salaries is an order of so many payments, the last of which is far above the others.
func salaries(count int) string {
	payments := make([]string, count)
	for i := range payments {
		amount := fmt.Sprintf("%d.%02d", 100+i/100, i%100)
		if i == count-1 {
			amount = "9000.00"
		}
		payments[i] = `<CdtTrfTxInf><PmtId><InstrId>I#ID</InstrId><EndToEndId>E#ID</EndToEndId></PmtId><Amt><InstdAmt Ccy="CHF">` + amount +
			`</InstdAmt></Amt><Cdtr><Nm>Anna Frei</Nm><PstlAdr><TwnNm>Bern</TwnNm><Ctry>CH</Ctry></PstlAdr></Cdtr><CdtrAcct><Id><IBAN>` +
			`CH4821966000009613388</IBAN></Id></CdtrAcct></CdtTrfTxInf>` + "\n"
	}
	head := erpHead("sic", "<PmtTpInf><LclInstrm><Cd>INST</Cd></LclInstrm><CtgyPurp><Cd>SALA</Cd></CtgyPurp></PmtTpInf>", "")
	return erpFile(77, head, payments, false)
}

// submitFile sends the ready payments of a file as its page does with a script, until nothing is left.
func (w *browser) submitFile(path string) {
	w.b.t.Helper()
	form := w.get(path).is(http.StatusOK).fields(path + "/submit")
	for range 200 {
		at := w.post(path+"/submit", form).goesTo(path)
		page := w.get(at).is(http.StatusOK)
		if page.page.Find("form[data-go-on]").Length() == 0 {
			return
		}
		form = page.fields(path + "/submit")
	}
	w.b.t.Fatal("the file is not submitted in 200 parts")
}

// TestAFileIsApprovedOnOnePage submits and approves the payments of a file, each half in another process, and reads what became of the file.
func TestAFileIsApprovedOnOnePage(t *testing.T) {
	t.Parallel()
	const count = 45
	b := setup(t)
	other := b.beside()
	maker := b.as("maker1")
	begun := time.Now()
	path := maker.upload("Lohn.xml", []byte(salaries(count))).goesTo("/payments/batches/")
	list := maker.get(path).is(http.StatusOK).says("45 payments (CHF 13'409.46) are ready.")
	maker.post(path+"/submit", list.fields(path+"/submit")).goesTo(path) // the first part; then the process ends
	if n := b.count("SELECT count(*) FROM message"); n != 20 {
		t.Fatalf("%d messages after the first part, want 20", n)
	}
	other.as("maker1").submitFile(path)
	t.Logf("%d payments uploaded, checked and submitted in %s", count, time.Since(begun))
	maker.get(path).says("45 of 45 payments submitted")
	if n := b.count("SELECT count(DISTINCT message_id) FROM batch_payment"); n != count {
		t.Errorf("%d payments belong to the file, want %d", n, count)
	}
	m := b.message("demo", b.text("SELECT message_id::text FROM batch_payment WHERE position = 3"))
	document, err := payment.DocumentOf(m)
	if err != nil {
		t.Fatal(err)
	}
	info, tx, _ := document.SinglePayment()
	report := payment.StatusReport(m, document, time.Now())
	if document.GroupHeader.MessageID != "ERP77" || info.PaymentInformationID != "ERP-INF" || tx.PaymentID.InstructionID != "I77-2" ||
		info.PaymentTypeInformation.CategoryPurpose.Code != "SALA" || report.OriginalGroupInformationAndStatus.OriginalMessageID != "ERP77" {
		t.Errorf("the third payment is %+v, %+v; reported as %+v", info, tx, report.OriginalGroupInformationAndStatus)
	}

	at := "/payments/" + m.InternalID.String()
	maker.get(at + "/amend").is(http.StatusForbidden).says("This payment contains more than the form can show.")
	for _, told := range []string{at, at + "/print", strings.Replace(at, "/payments/", "/queue/", 1)} {
		b.as("checker1").get(told).is(http.StatusOK).says("Line 3 of ")
	}
	for _, offers := range []string{at, "/mine"} {
		if n := maker.get(offers).is(http.StatusOK).page.Find("a[href='" + at + "/amend']").Length(); n != 0 {
			t.Errorf("%s offers the form that cannot show all of the payment", offers)
		}
	}

	b.as("maker1").upload("Lohn.xml", []byte(salaries(count))).goesTo("/payments/batches/")
	checker := b.as("checker1")
	file := checker.get("/queue").is(http.StatusOK).page.Find("a:contains('Lohn.xml: approve 45 payments on one page')").AttrOr("href", "")
	page := checker.get(file).is(http.StatusOK).says("Lohn.xml: 45 of 45 payments are waiting for approval").says("CHF 13'409.46").
		says("Amount far above the other amounts in this file: 1")
	if n := page.page.Find(".bulk-list > li").Length(); n != count {
		t.Errorf("the page lists %d payments, want %d", n, count)
	}
	amounts := page.page.Find("[aria-labelledby=odd] " +
		".amount").Map(func(_ int, s *goquery.Selection) string { return strings.TrimSpace(s.Text()) })
	if len(amounts) < 2 || !strings.Contains(amounts[0], "100.00") || !strings.Contains(amounts[len(amounts)-1], "9'000.00") {
		t.Errorf("the marked payments are not in the order of the file: %v", amounts)
	}
	if n := page.page.Find(".action-bar:has(#approve) #looked").Length(); n != 1 {
		t.Errorf("%d ticks stand beside the button", n)
	}
	b.as("maker1").get(file).says("Not included: 45")
	b.changed("limit.set", "", url.Values{"limitOf": {"person"}, "holder": {"checker2"}, "currency": {"CHF"}, "perPayment": {"5000"}})
	b.as("checker2").get(file).is(http.StatusOK).says("Not included: 1").says("CHF 4'409.46")
	form := page.fields("/queue/bulk")
	for _, who := range []*browser{checker, checker.withHTMX()} { // a client may leave out any field of the form
		unlooked := url.Values{"file": form["file"], "checked": form["checked"]}
		who.post("/queue/bulk", unlooked).is(http.StatusUnprocessableEntity).says("Check the marked payments, and confirm that you have " +
			"checked them.")
	}
	if n := b.count("SELECT count(*) FROM decision"); n != 0 {
		t.Fatalf("%d decisions about marked payments that nobody confirmed having looked at", n)
	}
	checker.post("/queue/bulk", with(form, "checked", "else")).goesTo(file)
	first := checker.withHTMX().post("/queue/bulk", form).is(http.StatusOK).says("25 of 45 processed")
	rest := other.as("checker1").withHTMX().post("/queue/bulk", first.fields("/queue/bulk")).is(http.StatusOK)
	if !strings.Contains(rest.text, "45 of 45 approved.") {
		t.Errorf("the second step says %s", rest.text)
	}
	if n := b.count("SELECT count(*) FROM release"); n != count {
		t.Errorf("%d payments are released, want %d", n, count)
	}
	checker.get(checker.post("/queue/bulk", form).goesTo("/queue")).says("was already approved by Checker 1 at")
	checker.get(file).says("0 of 45 payments are waiting for approval")
	b.CheckInvariants(t)
}

// TestEachMarkOfAFileIsConfirmed: an amount far above the others of the file is the only reason for its tick.
func TestEachMarkOfAFileIsConfirmed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, checker := b.as("maker1"), b.as("checker1")
	maker.paid("creditorName", "Anna Frei", "creditorIban", "CH4821966000009613388", "amount", "5000.00", "endToEndId", "before")
	maker.submitFile(maker.upload("Lohn.xml", []byte(salaries(6))).goesTo("/payments/batches/"))
	file := "/queue/files/" + b.text("SELECT batch_id::text FROM batch_payment LIMIT 1")
	form := checker.get(file).is(http.StatusOK).says("To check individually: 1").says("Payments with nothing unusual: 5").fields("/queue/bulk")
	unlooked := url.Values{"file": form["file"], "checked": form["checked"]}
	checker.post("/queue/bulk", unlooked).is(http.StatusUnprocessableEntity).says("Check the marked payments")
	if n := b.count("SELECT count(*) FROM decision"); n != 1 {
		t.Errorf("%d decisions, want the one of before", n)
	}
	checker.post("/queue/bulk", form).is(http.StatusOK).says("6 of 6 approved.")
}

// TestTheLinkToAFileCountsTheWaitingPayments: each decision on the queue brings the link up to date.
func TestTheLinkToAFileCountsTheWaitingPayments(t *testing.T) {
	t.Parallel()
	b := setup(t)
	content := strings.Join(table(3), "\n")
	for i := range 3 {
		content = strings.ReplaceAll(content, fmt.Sprintf("CH48 0900 0000 8700 1234 %d", i), filled().Get("creditorIban"))
	}
	maker, checker := b.as("maker1"), b.as("checker1")
	maker.submitFile(maker.upload("Lohn.csv", []byte(content)).goesTo("/payments/batches/"))
	for _, want := range []string{"File Lohn.csv: approve 3 payments on one page", "File Lohn.csv: approve 2 payments on one page", ""} {
		page := checker.get("/queue").is(http.StatusOK)
		if link := strings.TrimSpace(page.page.Find("#waiting-files").Text()); link != want {
			t.Errorf("the link is %q, want %q", link, want)
		}
		path := page.page.Find("#queue-list a[data-open]").First().AttrOr("href", "")
		act, _, _ := strings.Cut(path, "?")
		next := checker.withHTMX().post(act+"/approve", checker.get(path).fields(act+"/approve")).is(http.StatusOK)
		if link := next.page.Find("#waiting-files[hx-swap-oob]"); link.Length() != 1 || strings.Contains(link.Text(), want) && want != "" {
			t.Errorf("after a decision the link is %q", link.Text())
		}
	}
}

// TestAnAmendedPaymentStopsTheApprovalOfItsFile: what the page did not show is not approved.
func TestAnAmendedPaymentStopsTheApprovalOfItsFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	content := strings.Join(table(3), "\n")
	for i := range 3 {
		content = strings.ReplaceAll(content, fmt.Sprintf("CH48 0900 0000 8700 1234 %d", i), filled().Get("creditorIban"))
	}
	batch := maker.upload("Lohn.csv", []byte(content)).goesTo("/payments/batches/")
	maker.submitFile(batch)
	file := "/queue/files/" + b.text("SELECT batch_id::text FROM batch_payment LIMIT 1")
	checker := b.as("checker1")
	form := checker.get(file).is(http.StatusOK).says("3 of 3 payments are waiting for approval").fields("/queue/bulk")
	one := b.text("SELECT message_id::text FROM batch_payment WHERE position = 3")
	amend := "/payments/" + one + "/amend"
	changed := with(maker.get(amend).is(http.StatusOK).fields(amend), "amount", "17.00", "amendReason", "Typing mistake", "act", "check")
	check := maker.post(amend, changed).goesTo("/payments/")
	maker.post(strings.TrimSuffix(check, "check")+"submit", maker.shown(check)).goesTo("/payments/")
	checker.get(checker.post("/queue/bulk", form).goesTo(file)).says("amended or added after this page was loaded")
	if n := b.count("SELECT count(*) FROM decision"); n != 0 {
		t.Errorf("%d decisions about a file that the page did not show", n)
	}
	checker.get(file).says("Not included: 1").says("amended after submission")
	for _, who := range []*browser{b.asIn("demo2", "checker1"), b.as("admin1")} {
		if got := who.get(file).status; got != http.StatusNotFound && got != http.StatusForbidden {
			t.Errorf("another realm or role gets %d", got)
		}
		who.post("/queue/bulk", url.Values{"file": form["file"], "checked": form["checked"]})
	}
	if n := b.count("SELECT count(*) FROM decision"); n != 0 {
		t.Errorf("%d decisions by others", n)
	}
}

// text asks the database for a text.
func (b *bench) text(query string) string {
	b.t.Helper()
	var text string
	err := b.DB.Owner(b.t).QueryRow(context.Background(), query).Scan(&text)
	if err != nil {
		b.t.Fatal(err)
	}
	return text
}
