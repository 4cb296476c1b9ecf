package web_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/govalues/decimal"

	"countersign/internal/demo"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
	"countersign/internal/testutil"
	"countersign/web"
	"countersign/web/clearing"
	"countersign/web/request"
	"countersign/web/webtest"
)

// product is the whole gateway behind one address, with payments, recalls and received recalls of both schemes under way.
type product struct {
	t      *testing.T
	house  *servicetest.Env
	server *httptest.Server
	routes []request.Route
	sent   map[rulebook.Scheme]payment.Message // ours, unanswered, recalled
	came   map[rulebook.Scheme]payment.Message // booked, recalled by the other bank
}

func openProduct(t *testing.T) *product {
	t.Helper()
	p := &product{t: t, house: servicetest.New(t), sent: map[rulebook.Scheme]payment.Message{}, came: map[rulebook.Scheme]payment.Message{}}
	server, err := web.Open(p.house.Service, web.Settings{
		Environment: "TEST", Realm: demo.Realm, OperatorRealm: demo.Realm,
		Connected:   map[rulebook.Scheme]bool{rulebook.SchemeSIC: true, rulebook.SchemeSCT: true},
		Connections: []clearing.Connection{clearing.NewConnection(webtest.ClearingToken, rulebook.Schemes()...)},
		Limits:      web.Limits{PerPrincipal: 1_000_000, PerAddress: 1_000_000},
	})
	must(t, err)
	p.server, p.routes = httptest.NewServer(server.Handler()), server.Routes()
	t.Cleanup(p.server.Close)
	for _, scheme := range rulebook.Schemes() {
		p.begin(scheme)
	}
	return p
}

// begin brings one payment out and one in, and recalls both.
func (p *product) begin(scheme rulebook.Scheme) {
	p.t.Helper()
	h, ctx := p.house, p.t.Context()
	maker := h.Principal(p.t, servicetest.Door{Realm: demo.Realm, Name: "maker1", Client: demo.Straight, Channel: "api"})
	sent := h.Create(p.t, maker, scheme)
	must(p.t, h.Clearing.Send(ctx, sent.Scheme, sent.Realm, sent.InternalID))
	p.sent[scheme] = sent
	document := p.payment(scheme, "GOOD")
	p.must(http.StatusAccepted, scheme, "GOOD", encode(p.t, document))
	realm, id, err := h.Incoming(ctx, scheme, "GOOD")
	must(p.t, err)
	p.came[scheme], err = h.Reader.Message(ctx, realm, id)
	must(p.t, err)
	recall, err := interbank.CancellationRequest(interbank.RTransactionInput{
		Request: rulebook.Request{
			Reason: "CUST",
		},
		Scheme: scheme, Original: document, MessageID: "RECALL", ID: "RECALL", At: h.Clock.Now(),
	})
	must(p.t, err)
	p.must(http.StatusAccepted, scheme, "RECALL", encode(p.t, recall))
}

// payment is another bank's payment that nothing is wrong with.
func (p *product) payment(scheme rulebook.Scheme, id string) *incomingDocument {
	p.t.Helper()
	order := servicetest.Document(scheme, 900, p.house.Clock.Now())
	order.PaymentInformation[0].CreditTransferTransactionInformation[0].CreditorAccount.ID.IBAN = map[rulebook.Scheme]string{
		rulebook.SchemeSIC: "CH5021977000004331346", rulebook.SchemeSCT: "DE62007620110623852957",
	}[scheme]
	document, err := interbank.CreditTransfer(interbank.CreditTransferInput{
		Scheme: scheme, Order: order, TransactionID: id, Reference: id, UETR: "7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10",
		From: interbank.Account{
			IBAN: "CH4821966000009613388", Holder: interbank.Holder{Name: "Anna Beispiel", Town: "Zuerich", Country: "CH"},
			AgentBIC: "BBBBCHZZXXX", AgentIID: "21966",
		},
		CreditorAgent: "AAAADEFFXXX", AcceptedAt: p.house.Clock.Now(), Day: p.house.Clock.Now(),
	})
	must(p.t, err)
	return document
}

func encode(t *testing.T, document iso20022.Document) []byte {
	t.Helper()
	content, err := codec.EncodeXML(document)
	must(t, err)
	return content
}

// deliver hands a document to the door of clearing.
func (p *product) deliver(scheme rulebook.Scheme, reference string, content []byte) (status int, said string) {
	p.t.Helper()
	r, err := http.NewRequestWithContext(
		p.t.Context(), http.MethodPost, p.server.URL+"/clearing/v1/"+string(scheme)+"/messages", bytes.NewReader(content),
	)
	must(p.t, err)
	r.Header.Set("Content-Type", "application/xml")
	r.Header.Set("X-Message-Id", reference)
	r.Header.Set("Authorization", "Bearer "+webtest.ClearingToken)
	return p.do(http.DefaultClient, r)
}

func (p *product) do(client *http.Client, r *http.Request) (status int, body string) {
	p.t.Helper()
	answer, err := client.Do(r)
	must(p.t, err)
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(answer.Body)
	must(p.t, err)
	return answer.StatusCode, string(content)
}

func (p *product) must(want int, scheme rulebook.Scheme, reference string, content []byte) {
	p.t.Helper()
	status, said := p.deliver(scheme, reference, content)
	if status != want {
		p.t.Errorf("%s %s: %d %s, want %d\n%.3000s", scheme, reference, status, said, want, content)
	}
}

// inboundNames are the messages that clearing may send.
var inboundNames = []iso20022.MessageName{
	iso20022.Pacs002V10, iso20022.Pacs004V09, iso20022.Pacs008V08, iso20022.Pacs028V03, iso20022.Camt025V05, iso20022.Camt029V09,
	iso20022.Camt056V08,
}

// known puts ids, amounts and accounts that exist here in the place of random ones, so that a document is looked at more closely.
func (p *product) known(scheme rulebook.Scheme, content []byte, seed uint64) []byte {
	sent, came := p.sent[scheme], p.came[scheme]
	replace := func(element, value string) {
		content = regexp.MustCompile(`<`+element+`>[^<]+</`).ReplaceAll(content, []byte("<"+element+">"+value+"</"))
	}
	if seed%3 == 0 {
		return content
	}
	replace("IBAN", came.Summary.CreditorAccount)
	if seed%3 == 1 {
		replace("OrgnlTxId", string(sent.GlobalID))
		replace("OrgnlMsgId", sent.Reference())
		return content
	}
	replace("OrgnlTxId", "GOOD")
	content = regexp.MustCompile(`<(Orgnl|Rtrd)IntrBkSttlmAmt Ccy="[A-Z]*">[^<]*<`).ReplaceAll(content,
		[]byte(`<${1}IntrBkSttlmAmt Ccy="`+string(came.Summary.Amount.Currency())+`">`+came.Summary.Amount.Decimal().String()+`<`))
	return content
}

// TestStrangeDocumentsOfClearingHarmNothing brings documents that follow their schemas and nothing else through the door of clearing: every
// optional element, foreign alphabets, odd currencies, far days, ids of ours beside ids of nobody. Each is taken, once. Nothing is booked
// or moved by them, and every page and list stays there for everybody.
func TestStrangeDocumentsOfClearingHarmNothing(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	p := openProduct(t)
	taken := 0
	for _, scheme := range rulebook.Schemes() {
		for _, name := range inboundNames {
			for seed := range uint64(24) {
				s := testutil.Sampler{Random: rand.New(rand.NewPCG(seed, 20022)), Chance: []float64{0, 0.1, 0.3, 0.6}[seed%4]}
				content := p.known(scheme, encode(t, s.Document(name)), seed)
				if len(content) > 200<<10 {
					continue
				}
				reference := fmt.Sprintf("%s-%d", name, seed)
				p.must(http.StatusAccepted, scheme, reference, content)
				p.must(http.StatusOK, scheme, reference, content)
				taken++
			}
		}
		p.strangePayments(scheme)
	}
	t.Logf("%d random documents", taken)
	p.sweep()
	p.nothingMoved()
	p.walk()
	p.house.CheckInvariants(t)
}

// sweep lets the gateway's own clock work on what came, past the time that early documents wait.
func (p *product) sweep() {
	for range 3 {
		p.house.Clearing.RunOnce(p.t.Context())
		p.house.Clock.Add(30 * time.Second)
	}
	p.house.Clock.Add(-90 * time.Second)
}

type (
	incomingDocument = iso20022.FIToFICustomerCreditTransfer
	creditTransfer   = iso20022.CreditTransferTransaction39
)

// strangePayment is a payment to an account of ours with one strange thing, and whether it is booked.
type strangePayment struct {
	booked bool
	change func(*incomingDocument, *creditTransfer)
}

// strangeTexts are payments with odd words in them.
func strangeTexts() map[string]strangePayment {
	return map[string]strangePayment{
		"long names": {true, func(_ *incomingDocument, t *creditTransfer) {
			t.Debtor.Name = strings.Repeat("W", 140)
		}},
		"emoji": {true, func(_ *incomingDocument, t *creditTransfer) {
			t.Debtor.Name = strings.Repeat("😀", 140)
		}},
		"right to left": {true, func(_ *incomingDocument, t *creditTransfer) {
			t.Debtor.Name = "\u202egnp.exe בנק اَلْعَرَبِيَّةُ"
		}},
		"markup": {true, func(_ *incomingDocument, t *creditTransfer) {
			t.Debtor.Name = `<script>alert("1")</script>`
		}},
		"zeros of width": {true, func(_ *incomingDocument, t *creditTransfer) {
			t.Debtor.Name = "A\u200b\u0301\u0301\u0301\u00a0B"
		}},
		"lines":        {true, func(_ *incomingDocument, t *creditTransfer) { t.Debtor.Name = "A\r\nB\tC" }},
		"a blank name": {false, func(_ *incomingDocument, t *creditTransfer) { t.Debtor.Name = " " }},
		"an empty debtor": {false, func(_ *incomingDocument, t *creditTransfer) {
			t.Debtor = iso20022.PartyIdentification135{}
		}},
		"empty address": {true, func(_ *incomingDocument, t *creditTransfer) {
			t.Creditor.PostalAddress = &iso20022.PostalAddress24{}
		}},
		"many texts": {true, func(_ *incomingDocument, t *creditTransfer) {
			t.RemittanceInformation = &iso20022.RemittanceInformation16{Unstructured: slicesOf("x€😀 ", 400)}
		}},
	}
}

// strangeFacts are payments with odd amounts, days and ids in them.
func strangeFacts(ours string) map[string]strangePayment {
	return map[string]strangePayment{
		"nothing":            {false, amountOf("CHF", "0")},
		"a fraction":         {false, amountOf("EUR", "0.00001")},
		"no currency":        {false, amountOf("XXX", "1")},
		"gold":               {false, amountOf("XAU", "1.00001")},
		"dinars":             {false, amountOf("BHD", "1.005")},
		"more than there is": {false, amountOf("CHF", "999999999999999999")},
		"a far day": {false, func(_ *incomingDocument, t *creditTransfer) {
			t.InterbankSettlementDate = "9999-12-31"
		}},
		"a day long ago": {false, func(_ *incomingDocument, t *creditTransfer) {
			t.InterbankSettlementDate = "0001-01-01"
		}},
		"accepted long ago": {false, func(_ *incomingDocument, t *creditTransfer) {
			t.AcceptanceDateTime = "0001-01-01T00:00:00"
		}},
		"accepted far ahead": {false, func(_ *incomingDocument, t *creditTransfer) {
			t.AcceptanceDateTime = "9999-12-31T24:00:00Z"
		}},
		"no references": {false, func(_ *incomingDocument, t *creditTransfer) {
			t.PaymentID = iso20022.PaymentIdentification7{EndToEndID: " "}
		}},
		"an id of ours": {true, func(_ *incomingDocument, t *creditTransfer) {
			t.PaymentID.TransactionID = ours
		}},
		"several payments": {false, func(d *incomingDocument, t *creditTransfer) {
			d.CreditTransferTransactionInformation = append(d.CreditTransferTransactionInformation, *t, *t)
		}},
	}
}

// strangePayments brings payments with one strange thing each, and holds which of them are booked.
func (p *product) strangePayments(scheme rulebook.Scheme) {
	cases := strangeFacts(string(p.sent[scheme].GlobalID))
	maps.Copy(cases, strangeTexts())
	for name, c := range cases {
		document := p.payment(scheme, "ODD-"+name)
		c.change(document, &document.CreditTransferTransactionInformation[0])
		content := encode(p.t, document)
		reference := "ODD-" + name
		p.must(http.StatusAccepted, scheme, reference, content)
		p.must(http.StatusOK, scheme, reference, content)
		id := document.CreditTransferTransactionInformation[0].PaymentID.TransactionID
		realm, key, err := p.house.Incoming(p.t.Context(), scheme, id)
		booked := err == nil
		if err == nil {
			m, err := p.house.Reader.Message(p.t.Context(), realm, key)
			must(p.t, err)
			booked = m.State == payment.StateBooked
		}
		if booked != c.booked {
			p.t.Errorf("%s, %s: booked is %t", scheme, name, booked)
		}
	}
}

func slicesOf(text string, count int) []string {
	many := make([]string, count)
	for i := range many {
		many[i] = text + fmt.Sprint(i)
	}
	return many
}

func amountOf(currency, value string) func(*incomingDocument, *creditTransfer) {
	return func(d *incomingDocument, t *creditTransfer) {
		amount := iso20022.Amount{Currency: currency, Value: decimal.MustParse(value)}
		t.InterbankSettlementAmount, d.GroupHeader.TotalInterbankSettlementAmount = amount, &amount
	}
}

// nothingMoved holds that what was under way is where it was: no answer of the corpus fits it.
func (p *product) nothingMoved() {
	p.t.Helper()
	for _, scheme := range rulebook.Schemes() {
		for _, before := range []payment.Message{p.sent[scheme], p.came[scheme]} {
			after, err := p.house.Reader.Message(p.t.Context(), before.Realm, before.InternalID)
			must(p.t, err)
			if after.State != before.State && after.State != payment.StateUnconfirmed && after.State != payment.StateProcessing {
				p.t.Errorf("%s %s went from %s to %s (%s)", scheme, before.GlobalID, before.State, after.State, after.StatusText)
			}
		}
	}
}
