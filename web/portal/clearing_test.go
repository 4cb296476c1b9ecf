package portal_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/internal/clearing"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
)

// otherSide is clearing as the portal's tests play it: it takes everything the gateway sends and sends what a test asks for.
type otherSide struct {
	*bench

	station *clearing.Service
	network *servicetest.Network
}

func (b *bench) clearing() *otherSide {
	o := &otherSide{bench: b, network: &servicetest.Network{}}
	o.station = b.Again(b.t, servicetest.Options{Now: time.Now, Clearing: o.network}).Clearing
	return o
}

func (o *otherSide) receive(scheme rulebook.Scheme, reference string, document iso20022.Document, err error) {
	o.t.Helper()
	if err != nil {
		o.t.Fatal(err)
	}
	content, err := codec.EncodeXML(document)
	if err != nil {
		o.t.Fatal(err)
	}
	err = o.station.Receive(context.Background(), clearing.Document{
		Scheme: scheme, Reference: reference, Content: content, ReceivedAt: time.Now(),
	})
	if err != nil {
		o.t.Fatal(err)
	}
}

// approve has checker1 approve a message in the browser, and sends it.
func (o *otherSide) approve(m payment.Message) payment.Message {
	o.t.Helper()
	checker, path := o.as("checker1"), "/queue/"+m.InternalID.String()
	checker.post(path+"/approve", checker.get(path).is(http.StatusOK).fields(path+"/approve")).goesTo("/queue")
	err := o.station.Send(context.Background(), m.Scheme, m.Realm, m.InternalID)
	if err != nil {
		o.t.Fatal(err)
	}
	return o.message("demo", m.InternalID.String())
}

// lastSent is the newest document that clearing got of a family.
func (o *otherSide) lastSent(family string) iso20022.Document {
	o.t.Helper()
	sent := o.network.Delivered()
	for i := len(sent) - 1; i >= 0; i-- {
		if strings.Contains(sent[i].Content, "xsd:"+family) {
			document, findings := codec.DecodeXML([]byte(sent[i].Content))
			if len(findings) > 0 {
				o.t.Fatal(findings)
			}
			return document
		}
	}
	o.t.Fatalf("clearing got no %s", family)
	return nil
}

// settled is a payment of ours that has settled.
func (o *otherSide) settled(form map[string][]string) payment.Message {
	o.t.Helper()
	m := o.approve(o.as("maker1").submit(form))
	report, err := interbank.StatusReport(interbank.StatusReportInput{
		Scheme: m.Scheme, About: o.lastSent("pacs.008"), Reference: "ST" + string(m.GlobalID), StatusID: "S1", At: time.Now(),
	})
	o.receive(m.Scheme, "ST"+string(m.GlobalID), report, err)
	m = o.message("demo", m.InternalID.String())
	if m.State != payment.StateSettled {
		o.t.Fatalf("the payment is %s", m.State)
	}
	return m
}

// arrived is a payment of another bank to the demo's account of a scheme, with its document.
func (o *otherSide) arrived(scheme rulebook.Scheme, transactionID string) (payment.Message, *iso20022.FIToFICustomerCreditTransfer) {
	o.t.Helper()
	order := servicetest.Document(scheme, 900, time.Now())
	accounts := map[rulebook.Scheme]string{rulebook.SchemeSIC: "CH5021977000004331346", rulebook.SchemeSCT: "DE62007620110623852957"}
	order.PaymentInformation[0].CreditTransferTransactionInformation[0].CreditorAccount.ID.IBAN = accounts[scheme]
	document, err := interbank.CreditTransfer(interbank.CreditTransferInput{
		Scheme: scheme, Order: order, TransactionID: transactionID, Reference: "IN-" + transactionID,
		UETR: "7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10",
		From: interbank.Account{
			IBAN: "CH4821966000009613388", Holder: interbank.Holder{Name: "Anna Beispiel", Town: "Zuerich", Country: "CH"},
			AgentBIC: "BBBBCHZZXXX", AgentIID: "21966",
		},
		CreditorAgent: "AAAADEFFXXX", AcceptedAt: time.Now(), Day: time.Now(),
	})
	o.receive(scheme, "IN-"+transactionID, document, err)
	realm, id, err := o.Incoming(context.Background(), scheme, transactionID)
	if err != nil {
		o.t.Fatal(err)
	}
	return o.message(realm, id.String()), document
}

// recalled is such a payment with the other bank's recall of it.
func (o *otherSide) recalled(scheme rulebook.Scheme, transactionID string) (original, recall payment.Message) {
	o.t.Helper()
	original, document := o.arrived(scheme, transactionID)
	request, err := interbank.CancellationRequest(interbank.RTransactionInput{
		Request: rulebook.Request{
			Reason: "CUST",
		},
		Scheme: scheme, Original: document, MessageID: "RE" + transactionID, ID: "RE" + transactionID, At: time.Now(),
	})
	o.receive(scheme, "RE"+transactionID, request, err)
	id, err := o.Messages.ReceivedRecallOf(context.Background(), original.Realm, original.InternalID)
	if err != nil {
		o.t.Fatal(err)
	}
	return original, o.message("demo", id.String())
}

// requests sends a form for a recall, return or resolution all the way and returns the message it became.
func (w *browser) requests(path string, pairs ...string) payment.Message {
	t := w.b.t
	t.Helper()
	form := with(w.get(path).is(http.StatusOK).fields(path), pairs...)
	check := w.post(path, form).goesTo("/payments/")
	page := w.get(check).is(http.StatusOK)
	action := strings.TrimSuffix(check, "check") + "submit"
	done := w.post(action, page.fields(action)).goesTo("/payments/")
	w.get(done).is(http.StatusOK).says("has been submitted")
	return w.b.message("demo", strings.Split(done, "/")[2])
}

// offers reports whether the page has a link to the path in its actions.
func (a answer) offers(path string) bool {
	return a.page.Find(`.actions a[href="`+path+`"]`).Length() == 1
}

func sepa() map[string][]string {
	return with(filled(), "scheme", "sct-inst", "debtorAccount", "DE62007620110623852957", "creditorIban", "FR1420041010050500013M02606",
		"country", "FR", "town", "Paris", "postcode", "75001", "street", "Rue Exemple", "creditorName", "Exemple SARL")
}

func TestWhatClearingSendsIsFound(t *testing.T) {
	t.Parallel()
	o := setup(t).clearing()
	m, _ := o.arrived(rulebook.SchemeSIC, "TX1")
	reader := o.as("supervisor1")
	reader.get("/incoming").is(http.StatusOK).says("CHF 100.00").says("Anna Beispiel").says(string(m.GlobalID))
	page := reader.get("/payments/" + m.InternalID.String()).is(http.StatusOK).says("from Anna Beispiel").says("Creditor")
	evidence := "/payments/" + m.InternalID.String() + "/evidence"
	if page.page.Find(".actions a.button").Length() != 1 || !page.offers(evidence) {
		t.Errorf("a supervisor is offered %q, want the evidence alone", page.page.Find(".actions").Text())
	}
	o.Notary.Sweep(t.Context())
	reader.get(evidence).is(http.StatusOK)
	payer := o.as("maker1").get("/payments/" + m.InternalID.String()).is(http.StatusOK)
	if payer.offers(evidence) {
		t.Error("a maker is offered the evidence")
	}
	for query, want := range map[string]int{
		"?scheme=sct-inst": 0, "?state=Booked": 1, "?state=Failed": 0, "?text=anna": 1, "?amountFrom=100.01": 0,
	} {
		if got := reader.get("/incoming" + query).is(http.StatusOK).page.Find("tr[data-row]").Length(); got != want {
			t.Errorf("%s lists %d payments, want %d", query, got, want)
		}
	}
	o.as("admin1").get("/incoming").is(http.StatusForbidden)
	o.asIn("demo2", "maker1").get("/payments/" + m.InternalID.String() + "/return").is(http.StatusNotFound)
	if n := o.asIn("demo2", "maker1").get("/incoming").is(http.StatusOK).page.Find("tr[data-row]").Length(); n != 0 {
		t.Errorf("another realm sees %d incoming payments", n)
	}
}
