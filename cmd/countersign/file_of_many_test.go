package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/jackc/pgx/v5"

	"countersign/internal/demo"
	"countersign/internal/testutil"
)

// clerk is a person at the portal of a demo.
type clerk struct {
	base, person string
	client       *http.Client
}

func newClerk(t *testing.T, h *house, name string) *clerk {
	t.Helper()
	jar, err := cookiejar.New(nil)
	must(t, err)
	c := &clerk{base: "http://" + h.gateway, person: demo.Realm + "/" + name, client: &http.Client{
		Jar: jar, Timeout: patience, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	to, _, err := c.post("/signin", url.Values{"realm": {demo.Realm}, "username": {name}, "password": {demo.UserPassword}, "next": {"/"}})
	if err != nil || to != "/" {
		t.Fatalf("%s cannot sign in: %q, %v", name, to, err)
	}
	return c
}

// send returns where an answer leads and its page. An error means that no whole answer came.
func (c *clerk) send(method, path, kind string, body io.Reader) (to string, page *goquery.Document, err error) {
	request, err := http.NewRequest(method, c.base+path, body)
	if err != nil {
		return "", nil, err
	}
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	if kind != "" {
		request.Header.Set("Content-Type", kind)
	}
	if strings.HasPrefix(path, "/queue/bulk") {
		request.Header.Set("HX-Request", "true") // a page with a script goes on by itself
	}
	answer, err := c.client.Do(request)
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		return "", nil, err
	}
	if answer.StatusCode >= http.StatusBadRequest {
		return "", nil, fmt.Errorf("%s %s: %s %.2000s", method, path, answer.Status, content)
	}
	page, err = goquery.NewDocumentFromReader(bytes.NewReader(content))
	return cmp.Or(answer.Header.Get("Location"), answer.Header.Get("Hx-Redirect")), page, err
}

func (c *clerk) get(t *testing.T, path string) *goquery.Document {
	t.Helper()
	_, page, err := c.send(http.MethodGet, path, "", nil)
	must(t, err)
	return page
}

func (c *clerk) post(path string, form url.Values) (to string, page *goquery.Document, err error) {
	return c.send(http.MethodPost, path, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
}

func (c *clerk) upload(t *testing.T, name, content string) (to string) {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", name)
	must(t, err)
	_, err = part.Write([]byte(content))
	must(t, err)
	must(t, form.Close())
	to, page, err := c.send(http.MethodPost, "/payments/upload?person="+url.QueryEscape(c.person), form.FormDataContentType(), &body)
	must(t, err)
	if to == "" {
		t.Fatalf("the file is not taken: %.2000s", page.Find("main").Text())
	}
	return to
}

// hidden are the hidden fields of the form that sends to an address.
func hidden(page *goquery.Document, action string) url.Values {
	form := url.Values{}
	page.Find("form[action^='" + action + "'] input[type=hidden]").Each(func(_ int, input *goquery.Selection) {
		form.Set(input.AttrOr("name", ""), input.AttrOr("value", ""))
	})
	return form
}

// peak is the largest resident memory of a process so far, where the system tells it.
func peak(p *program) string {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.process.Pid))
	found := regexp.MustCompile(`VmHWM:\s+(\d+)`).FindSubmatch(status)
	if err != nil || found == nil {
		return "unknown"
	}
	return string(found[1]) + " kB"
}

// manyPayments is an order of so many payments of amounts of their own.
func manyPayments(count int, day string) string {
	var payments strings.Builder
	for i := range count {
		fmt.Fprintf(&payments, `<CdtTrfTxInf><PmtId><InstrId>I-%d</InstrId><EndToEndId>E-%d</EndToEndId></PmtId>`+
			`<Amt><InstdAmt Ccy="CHF">%d.00</InstdAmt></Amt><Cdtr><Nm>Anna Frei</Nm><PstlAdr><TwnNm>Bern</TwnNm><Ctry>CH</Ctry></PstlAdr></Cdtr>`+
			"<CdtrAcct><Id><IBAN>CH4821966000009613388</IBAN></Id></CdtrAcct></CdtTrfTxInf>\n", i, i, 100+i)
	}
	return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><CstmrCdtTrfInitn>`+
		`<GrpHdr><MsgId>LOHN-11</MsgId><CreDtTm>%sT08:00:00</CreDtTm><NbOfTxs>%d</NbOfTxs><InitgPty><Nm>Muster AG</Nm></InitgPty></GrpHdr>`+
		`<PmtInf><PmtInfId>LOHN-11-1</PmtInfId><PmtMtd>TRF</PmtMtd><PmtTpInf><LclInstrm><Cd>INST</Cd></LclInstrm>`+
		`<CtgyPurp><Cd>SALA</Cd></CtgyPurp></PmtTpInf><ReqdExctnDt><Dt>%s</Dt></ReqdExctnDt><Dbtr><Nm>Muster AG</Nm></Dbtr><DbtrAcct><Id><IBAN>CH5021977000004331346</IBAN></Id></DbtrAcct>`+
		`<DbtrAgt><FinInstnId><ClrSysMmbId><ClrSysId><Cd>CHBCC</Cd></ClrSysId><MmbId>21977</MmbId></ClrSysMmbId></FinInstnId></DbtrAgt>%s</PmtInf>`+
		`</CstmrCdtTrfInitn></Document>`, day, count, day, payments.String())
}

// goOn sends the form of a page that works in parts until nothing is left. In the part with the number strike, the program is killed while it
// works; the page is then opened anew.
func (c *clerk) goOn(t *testing.T, page, action string, strike int, restart func()) (parts int) {
	t.Helper()
	at := c.get(t, page)
	for parts = 1; parts < 500; parts++ {
		form := hidden(at, action)
		if len(form) == 0 {
			return parts - 1
		}
		if at.Find("#looked").Length() > 0 { // marked payments are approved by a checker who looked at them
			form.Set("looked", at.Find("#looked").AttrOr("value", ""))
		}
		if parts == strike {
			killed := make(chan struct{})
			time.AfterFunc(100*time.Millisecond, func() { restart(); close(killed) })
			_, _, _ = c.post(action, form) // the answer may be lost
			<-killed
			at = c.get(t, page)
			continue
		}
		to, next, err := c.post(action, form)
		must(t, err)
		if to != "" {
			next = c.get(t, to)
		}
		at = next
	}
	t.Fatal("no end")
	return 0
}

// TestAFileOfAThousandPaymentsOutlivesKills uploads, submits, approves and settles a file, and kills the program during the submission, during
// the approval and after it: each payment is there once, is approved once and takes effect once.
func TestAFileOfAThousandPaymentsOutlivesKills(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	const count = 1000
	h := newHouse(t)
	h.external = true
	h.openSimulator(t)
	p := h.open(t)
	restart := func() {
		t.Logf("killed at a peak of %s", peak(p))
		p.kill(t)
		p = h.open(t)
	}
	maker, checker := newClerk(t, h, "maker1"), newClerk(t, h, "checker1")
	zone, err := time.LoadLocation("Europe/Zurich")
	must(t, err)
	since := time.Now()
	took := func(what string) {
		t.Logf("%s: %s, peak %s", what, time.Since(since).Round(10*time.Millisecond), peak(p))
		since = time.Now()
	}
	file := maker.upload(t, "Lohn.xml", manyPayments(count, since.In(zone).Format(time.DateOnly)))
	took("uploaded and checked")
	maker.get(t, file)
	took("shown to its maker")
	parts := maker.goOn(t, file, file+"/submit", 20, restart)
	took(fmt.Sprintf("submitted in %d parts with a kill", parts))
	if text := maker.get(t, file).Find("main").Text(); !strings.Contains(text, "1'000 of 1'000 submitted") {
		t.Errorf("the page of the file does not say that all is submitted: %.300s", text)
	}
	approval := checker.get(t, "/queue").Find("a[href^='/queue/files/']").AttrOr("href", "")
	took("found in the queue")
	if n := checker.get(t, approval).Find(".bulk-list > li").Length(); n != count {
		t.Errorf("the page of the approval lists %d payments, want %d", n, count)
	}
	took("shown to its checker")
	parts = checker.goOn(t, approval, "/queue/bulk", 15, restart)
	took(fmt.Sprintf("approved in %d parts with a kill", parts))
	restart()
	owner, err := pgx.Connect(t.Context(), h.databaseURL(t))
	must(t, err)
	counted := func(query string) (n int) {
		must(t, owner.QueryRow(t.Context(), query).Scan(&n))
		return n
	}
	if !poll(func() bool { return counted("SELECT count(*) FROM message WHERE state = 'Settled'") == count }) {
		t.Errorf("%d payments are settled", counted("SELECT count(*) FROM message WHERE state = 'Settled'"))
	}
	took("settled after a kill")
	for _, query := range []string{
		"SELECT count(*) FROM message", "SELECT count(*) FROM decision", "SELECT count(*) FROM release",
		"SELECT count(DISTINCT end_to_end_id) FROM message_version", "SELECT count(DISTINCT amount) FROM message_version",
		"SELECT count(*) FROM batch_payment",
	} {
		if n := counted(query); n != count {
			t.Errorf("%s: %d, want %d", query, n, count)
		}
	}
	must(t, owner.Close(t.Context()))
	if n := len(effective(t, h.log(t))); n != count {
		t.Errorf("%d payments took effect, want %d", n, count)
	}
	h.check(t)
	if code := p.terminate(t); code != 0 {
		t.Errorf("the demo ends with %d", code)
	}
}
