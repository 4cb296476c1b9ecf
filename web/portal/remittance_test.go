package portal_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

// The page of an incoming payment shows the kind of its reference, and every element that no other row shows.
func TestThePageOfAnIncomingPaymentShowsAllOfIt(t *testing.T) {
	t.Parallel()
	o := setup(t).clearing()
	_, document := o.arrived(rulebook.SchemeSIC, "PLAIN")
	tx := &document.CreditTransferTransactionInformation[0]
	document.GroupHeader.MessageID, tx.PaymentID.TransactionID = "IN-WHOLE", "WHOLE"
	tx.AcceptanceDateTime = iso20022.DateTimeOf(time.Now())
	tx.UltimateDebtor = &iso20022.PartyIdentification135{Name: "Payer AG"}
	tx.UltimateCreditor = &iso20022.PartyIdentification135{Name: "Payee AG"}
	tx.Purpose = &iso20022.Purpose2Choice{Code: "SALA"}
	tx.RemittanceInformation = &iso20022.RemittanceInformation16{Structured: []iso20022.StructuredRemittanceInformation16{{
		CreditorReferenceInformation: &iso20022.CreditorReferenceInformation2{
			Reference: "RF18539007547034", Type: &iso20022.CreditorReferenceType2{CodeOrProprietary: iso20022.CreditorReferenceType1Choice{Code: "SCOR"}},
		},
		AdditionalRemittanceInformation: []string{"//S1/10/2026"},
	}}}
	o.receive(rulebook.SchemeSIC, "IN-WHOLE", document, nil)
	id := o.text("SELECT message_id::text FROM message_version WHERE transaction_id = 'WHOLE'")
	page := o.as("supervisor1").get("/payments/" + id).is(http.StatusOK)
	for _, want := range []string{
		"Other details " +
			"received", "Ultimate debtor · Name", "Payer AG", "Payee AG", "Purpose", "SALA", "Creditor reference", "//S1/10/2026", "Rosenauweg 4",
	} {
		page.says(want)
	}
	if strings.Contains(page.main(), "Other details sent") {
		t.Error("what came in is said to be sent")
	}
}

// TestAMessageBesideAReferenceIsSent takes a message beside a reference through form, QR code and table: Swiss instant payments carry both, the
// pages show both, and SEPA, which carries one, is told so.
func TestAMessageBesideAReferenceIsSent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, checker := b.as("maker1"), b.as("checker1")
	qr := with(filled(), "creditorIban", "CH4431999123000889012", "remittanceKind", "qr", "qrReference", "210000000003139471430009017")
	scor := with(filled(), "remittanceKind", "scor", "creditorReference", "RF18539007547034", "endToEndId", "E2E-2")
	ways := map[string]payment.Message{
		"Rechnung 1107": maker.submit(qr), "Lieferung März": maker.submit(with(scor, "remittanceText", "Lieferung März")),
	}
	edit := maker.sendBill(bill(30, "Mitteilung der Rechnung"), nil).goesTo("/payments/")
	page := maker.get(edit).is(http.StatusOK)
	if strings.Contains(page.main(), "not sent") || page.fields(edit).Get("remittanceText") != "Mitteilung der Rechnung" {
		t.Errorf("the QR-bill fills in %q: %s", page.fields(edit), page.main())
	}
	check := maker.post(edit, with(page.fields(edit), "act", "check")).goesTo("/payments/")
	done := maker.post(strings.TrimSuffix(check, "check")+"submit", maker.shown(check)).goesTo("/payments/")
	ways["Mitteilung der Rechnung"] = b.message("demo", strings.Split(done, "/")[2])
	batch := maker.upload("c16.csv", practice(t, "c16-qr-reference-and-message.csv")).goesTo("/payments/batches/")
	maker.submitFile(batch)
	ways["Bitte Kundennummer 4711"] = b.message("demo", b.text("SELECT message_id::text FROM batch_payment"))
	for text, m := range ways {
		document, err := payment.DocumentOf(m)
		if err != nil {
			t.Fatal(err)
		}
		_, tx, _ := document.SinglePayment()
		entry := tx.RemittanceInformation.Structured[0]
		if len(entry.AdditionalRemittanceInformation) != 1 || entry.CreditorReferenceInformation.Reference == "" {
			t.Errorf("%s is sent as %+v", text, entry)
		}
		text = entry.AdditionalRemittanceInformation[0]
		for _, path := range []string{"/queue/" + m.InternalID.String(), "/payments/" + m.InternalID.String(), "/queue/bulk?id=" + m.InternalID.String()} {
			checker.get(path).is(http.StatusOK).says("Additional remittance information").says(text)
		}
		amend := "/payments/" + m.InternalID.String() + "/amend"
		if kept := maker.get(amend).is(http.StatusOK).fields(amend).Get("remittanceText"); kept != text {
			t.Errorf("the form to amend %q has the message %q", text, kept)
		}
	}
	said := "Remove the message or the reference. A SEPA instant payment can contain only one of the two."
	euro := with(sepa(), "remittanceKind", "scor", "creditorReference", "RF18539007547034")
	maker.post("/payments/new", euro).is(http.StatusUnprocessableEntity).says(said)
	maker.post("/payments/new", with(euro, "remittanceText", "")).goesTo("/payments/")
	table := strings.ReplaceAll(string(practice(t, "c16-qr-reference-and-message.csv")), "210000000003139471430009017", "RF18539007547034")
	table = strings.NewReplacer("CHF", "EUR", "CH4431999123000889012", "FR1420041010050500013M02606", "CH5021977000004331346",
		"DE62007620110623852957").Replace(table)
	maker.get(maker.upload("c16.csv", []byte(table)).goesTo("/payments/batches/")).says(said)
	bill := maker.get(maker.sendBill(bill(4, "CH4821966000009613388", 20, "EUR", 28, "SCOR", 29, "RF18539007547034"), nil).goesTo("/payments/"))
	bill.says("The message on the bill will not be sent because the payment already has a reference. Message: Rechnung 1107")
}
