package clearing_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"countersign/internal/clearing"
	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/profile"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
)

// TestAnotherProfileAfterAStartChangesNothingThatWasMade: what was stored before leaves as it was stored, what is approved after leaves in
// the new form, and an answer in either form settles its payment.
func TestAnotherProfileAfterAStartChangesNothingThatWasMade(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	before := approved(t, h, rulebook.SchemeSIC)
	var offered servicetest.Delivery
	h.Network.Refuse = func(d servicetest.Delivery) error {
		offered = d
		return errors.New("down")
	}
	if err := h.Clearing.Send(ctx, before.Scheme, before.Realm, before.InternalID); err == nil {
		t.Fatal("a refused delivery passes for done")
	}
	h.Network.Refuse = nil
	book, err := profile.NewRegistry(nil)
	if err == nil {
		book, err = book.Choose("sic-inst", "sic-six", profile.Ends{})
	}
	if err != nil {
		t.Fatal(err)
	}
	started := h.Again(t, servicetest.Options{Profiles: book})
	defer started.CheckInvariants(t)
	after := approved(t, started, rulebook.SchemeSIC)
	for _, m := range []payment.Message{before, after} {
		if err = started.Clearing.Send(ctx, m.Scheme, m.Realm, m.InternalID); err != nil {
			t.Fatal(err)
		}
	}
	sent := h.Network.Delivered()
	if len(sent) != 2 || sent[0] != offered {
		t.Fatalf("%d documents left, the first is %+v, want what was stored: %+v", len(sent), sent[0], offered)
	}
	const six = `<Document xmlns="http://www.six-interbank-clearing.com/de/pacs.008.001.08.ch.02">`
	if strings.Contains(sent[0].Content, six) || !strings.Contains(sent[1].Content, six) {
		t.Errorf("the documents left as\n%s\n%s", sent[0].Content, sent[1].Content)
	}
	said := answer(t, before, "STATUS-1", "ACSC", "")
	said.Content = []byte(strings.Replace(string(said.Content), "urn:iso:std:iso:20022:tech:xsd:pacs.002.001.10",
		"http://www.six-interbank-clearing.com/de/pacs.002.001.10.ch.02", 1))
	if err = started.Clearing.Receive(ctx, said); err != nil {
		t.Fatal(err)
	}
	if err = started.Clearing.Receive(ctx, answer(t, after, "STATUS-2", "ACSC", "")); err != nil {
		t.Fatal(err)
	}
	want{state: payment.StateSettled}.check(t, started, before)
	want{state: payment.StateSettled}.check(t, started, after)
}

// TestAHeaderOfSomebodyElseIsQuarantined: a status behind a header that is not from clearing to this side, or of another document, books
// nothing; with the header of the connection it settles the payment.
func TestAHeaderOfSomebodyElseIsQuarantined(t *testing.T) {
	t.Parallel()
	book, err := profile.NewRegistry(nil)
	if err == nil {
		book, err = book.Choose("sct-inst", "sct-header", profile.Ends{Sender: "AAAADEFF", Receiver: "CLRGDEFFXXX"})
	}
	if err != nil {
		t.Fatal(err)
	}
	h := servicetest.With(t, servicetest.Options{Profiles: book})
	defer h.CheckInvariants(t)
	m := approved(t, h, rulebook.SchemeSCT)
	send(t, h, m)
	from := func(reference string, change ...string) clearing.Document {
		said := answer(t, m, reference, "ACSC", "")
		document, findings := profile.Read(said.Content)
		if len(findings) > 0 {
			t.Fatal(findings)
		}
		said.Content, err = book.InForce("sct-inst", h.Clock.Now()).Other().Write(document)
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.NewReplacer(change...).Replace(string(said.Content))
		if len(change) > 0 && changed == string(said.Content) {
			t.Fatalf("%q changes nothing in %s", change, changed)
		}
		said.Content = []byte(changed)
		return said
	}
	receive(t, h, from("STATUS-1", "CLRGDEFFXXX", "ZZZZDEFFXXX"))
	receive(t, h, from("STATUS-2", "<BICFI>AAAADEFF</BICFI></FinInstnId></FIId></To>", "<BICFI>BBBBDEFF</BICFI></FinInstnId></FIId></To>"))
	receive(t, h, from("STATUS-3", "<BizMsgIdr>STATUS-3", "<BizMsgIdr>STATUS-4"))
	want{state: payment.StateProcessing}.check(t, h, m)
	refused := auditedRefusals(t, h)
	for i, says := range []string{"from ZZZZDEFFXXX to AAAADEFFXXX", "from CLRGDEFFXXX to BBBBDEFFXXX", "of the document STATUS-4"} {
		if len(refused) != 3 || !strings.Contains(refused[i].detail, says) {
			t.Errorf("refusal %d of %+v does not say %s", i, refused, says)
		}
	}
	receive(t, h, from("STATUS-5", "<BICFI>AAAADEFF</BICFI>", "<BICFI>AAAADEFFXXX</BICFI>"))
	want{state: payment.StateSettled}.check(t, h, m)
}

// TestTheTermsOfAClearingAreData: its limit, purposes and reasons decide from the day its profile begins, at every door of the service, and
// a reason that only ISO has goes out.
func TestTheTermsOfAClearingAreData(t *testing.T) {
	t.Parallel()
	book, err := profile.NewRegistry([]byte(`profiles:
  - name: narrow
    scheme: sic-inst
    terms: {limit: "99.99", purposes: [SALA], recallReasons: [PAID, DUPL]}
  - name: reasons
    scheme: sic-inst
    terms: {recallReasons: [PAID, DUPL]}
`))
	if err == nil {
		book, err = book.Choose("sic-inst", "sic-iso,reasons@2026-03-02,narrow@2026-03-03", profile.Ends{})
	}
	if err != nil {
		t.Fatal(err)
	}
	zurich, err := time.LoadLocation("Europe/Zurich")
	if err != nil {
		t.Fatal(err)
	}
	h := servicetest.With(t, servicetest.Options{Profiles: book, At: time.Date(2026, time.March, 2, 23, 30, 0, 0, zurich)})
	defer h.CheckInvariants(t)
	maker := h.Person(t, "maker1")
	paid, waiting := settled(t, h, rulebook.SchemeSIC), h.Create(t, maker, rulebook.SchemeSIC)
	recall := func(reason string) payment.RTransaction {
		return payment.RTransaction{
			Request: rulebook.Request{Reason: reason}, Kind: payment.KindRecall, Scheme: rulebook.SchemeSIC, OriginalID: paid.InternalID,
		}
	}
	preview, err := h.Submission.PreviewRTransaction(ctx, maker, recall(""))
	if err != nil || len(preview.Reasons) != 2 || preview.Reasons[0].Code != "PAID" || preview.Reasons[1].Text != "Payment sent twice by "+
		"mistake" {
		t.Errorf("the reasons on offer are %+v, %v", preview.Reasons, err)
	}
	var refused *payment.RefusalError
	_, err = h.Submission.CreateRTransaction(ctx, maker, recall("FRAD"))
	if !errors.As(err, &refused) || refused.Findings[0].Rule != "reason-unknown" || !strings.Contains(refused.Findings[0].Text.String(), "PAID, DUPL") {
		t.Errorf("a reason that the clearing does not take is answered with %v", err)
	}
	asked := request(t, h, recall("PAID"))
	send(t, h, asked)
	if sent := h.Network.Delivered(); !strings.Contains(sent[len(sent)-1].Content, "<Rsn><Cd>PAID</Cd></Rsn>") {
		t.Errorf("the recall left as %s", sent[len(sent)-1].Content)
	}
	h.Clock.Add(time.Hour)
	order := h.Order(rulebook.SchemeSIC)
	order.Document.PaymentInformation[0].CreditTransferTransactionInformation[0].Purpose = &iso20022.Purpose2Choice{Code: "RENT"}
	_, err = h.Submission.Create(ctx, maker, order)
	var rules []string
	if errors.As(err, &refused) {
		for _, finding := range refused.Findings {
			rules = append(rules, finding.Rule)
		}
	}
	if strings.Join(rules, " ") != "amount-maximum purpose-code" {
		t.Errorf("beyond the terms: %q, %v", rules, err)
	}
	_, err = h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: waiting.InternalID})
	if !errors.As(err, &refused) {
		t.Errorf("what was entered before is approved above the limit: %v", err)
	}
}
