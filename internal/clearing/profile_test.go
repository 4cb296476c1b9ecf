package clearing_test

import (
	"errors"
	"strings"
	"testing"

	"countersign/internal/clearing"
	"countersign/internal/payment"
	"countersign/internal/profile"
	"countersign/internal/rulebook"
	"countersign/internal/stationtest"
)

// TestAnotherProfileAfterAStartChangesNothingThatWasMade: what was stored before leaves as it was stored, what is approved after leaves in
// the new form, and an answer in either form settles its payment.
func TestAnotherProfileAfterAStartChangesNothingThatWasMade(t *testing.T) {
	t.Parallel()
	h := stationtest.New(t)
	before := approved(t, h, rulebook.SchemeSIC)
	var offered stationtest.Delivery
	h.Network.Refuse = func(d stationtest.Delivery) error {
		offered = d
		return errors.New("down")
	}
	if err := h.Clearing.Send(ctx, before.Scheme, before.Realm, before.InternalID); err == nil {
		t.Fatal("a refused delivery passes for done")
	}
	h.Network.Refuse = nil
	book, err := profile.NewBook(nil)
	if err == nil {
		book, err = book.Choose("sic-inst", "sic-six", profile.Ends{})
	}
	if err != nil {
		t.Fatal(err)
	}
	started := h.Again(t, stationtest.Options{Profiles: book})
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
	book, err := profile.NewBook(nil)
	if err == nil {
		book, err = book.Choose("sct-inst", "sct-header", profile.Ends{Sender: "AAAADEFF", Receiver: "CLRGDEFFXXX"})
	}
	if err != nil {
		t.Fatal(err)
	}
	h := stationtest.With(t, stationtest.Options{Profiles: book})
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
