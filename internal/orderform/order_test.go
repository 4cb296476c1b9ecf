package orderform_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/orderform"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

// debtor is an account of the realm.
var debtor = &payment.DebtorAccount{
	IBAN: "CH5021977000004331346", AgentIID: "21977", Scheme: rulebook.SchemeSIC, Open: true, Holder: interbank.Holder{Name: "Muster AG"},
}

// form is a payment form with each field filled in.
func form() url.Values {
	return url.Values{
		"debtorAccount": {debtor.IBAN}, "creditorName": {"Beispiel Holzbau GmbH"}, "creditorIban": {"CH48 2196 6000 0096 1338 8"},
		"addressKind": {"structured"}, "street": {"Seestrasse"}, "buildingNumber": {"41"}, "postcode": {"8002"}, "town": {"Zürich"},
		"country": {"CH"}, "amount": {"1'234.50"}, "remittanceKind": {"text"}, "remittanceText": {"Rechnung 1107"}, "endToEndId": {"E2E-1"},
		"state": {"Approved"}, // no field of the form
	}
}

// order is what the form becomes.
func order(given url.Values) orderform.Order {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	return orderform.Order{
		Draft: uuid.MustParse("0195a000-0000-7000-8000-000000000001"), Scheme: rulebook.SchemeSIC, Values: orderform.ReadForm(given),
		Account: debtor, At: at, Today: at,
	}
}

// What a form becomes fills the same form again: nothing a maker typed is lost on the way.
func TestAFormBecomesAnOrderAndTheOrderTheForm(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]url.Values{
		"a message":            nil,
		"no reference":         {"remittanceKind": {"none"}, "remittanceText": {""}},
		"a creditor reference": {"remittanceKind": {"scor"}, "creditorReference": {"RF18539007547034"}, "remittanceText": {""}},
		"a QR reference": {
			"remittanceKind": {"qr"}, "qrReference": {"210000000003139471430009017"}, "remittanceText": {""},
			"creditorIban": {"CH4431999123000889012"},
		},
		"a QR reference with a message": {
			"remittanceKind": {"qr"}, "qrReference": {"210000000003139471430009017"}, "creditorIban": {"CH4431999123000889012"},
		},
		"a hybrid address": {
			"addressKind": {"hybrid"}, "street": {""}, "buildingNumber": {""}, "addressLine1": {"Seestrasse 41"}, "addressLine2": {"Hof"},
		},
	} {
		given := form()
		for field, value := range change {
			given[field] = value
		}
		asked := order(given)
		built := asked.Build()
		if len(built.Problems) > 0 {
			t.Fatalf("%s: %+v", name, built.Problems)
		}
		if findings := codec.Validate(built.Document); len(findings) > 0 {
			t.Errorf("%s breaks the schema: %+v", name, findings)
		}
		shown := orderform.ValuesOf(built.Document, time.Date(2026, time.December, 31, 0, 0, 0, 0, time.UTC))
		want := asked.Values
		want.CreditorIBAN = shown.CreditorIBAN // the document has it without spaces
		if shown != want {
			t.Errorf("%s: the form shows %+v, want %+v", name, shown, want)
		}
		if !orderform.FitsForm(rulebook.SchemeSIC, built.Document, debtor) {
			t.Errorf("%s: the form cannot hold what it made", name)
		}
	}
}

// The same answers make the same bytes: a form sent twice is one payment.
func TestTheSameAnswersMakeTheSameBytes(t *testing.T) {
	t.Parallel()
	first, err := codec.EncodeXML(order(form()).Build().Document)
	if err != nil {
		t.Fatal(err)
	}
	again, err := codec.EncodeXML(order(form()).Build().Document)
	if err != nil {
		t.Fatal(err)
	}
	if string(first) != string(again) {
		t.Errorf("the same answers made %s and %s", first, again)
	}
}

// What the form has no field for would be lost by an amendment in it.
func TestWhatTheFormCannotHoldIsNotAmendedInIt(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*iso20022.PaymentInstruction30, *iso20022.CreditTransferTransaction34){
		"an ultimate debtor": func(info *iso20022.PaymentInstruction30, _ *iso20022.CreditTransferTransaction34) {
			info.UltimateDebtor = &iso20022.PartyIdentification135{Name: "Another AG"}
		},
		"a purpose": func(_ *iso20022.PaymentInstruction30, tx *iso20022.CreditTransferTransaction34) {
			tx.Purpose = &iso20022.Purpose2Choice{Code: "SALA"}
		},
		"a third address line": func(_ *iso20022.PaymentInstruction30, tx *iso20022.CreditTransferTransaction34) {
			tx.Creditor.PostalAddress.AddressLine = []string{"one", "two", "three"}
		},
	} {
		document := order(form()).Build().Document
		info, tx, _ := document.SinglePayment()
		change(info, tx)
		if orderform.FitsForm(rulebook.SchemeSIC, document, debtor) {
			t.Errorf("the form claims to hold %s", name)
		}
	}
}

// An answer that cannot be read is named beside its field and left out of the document; the others stay.
func TestAnAnswerThatCannotBeReadIsNamed(t *testing.T) {
	t.Parallel()
	for field, typed := range map[string]string{"amount": "twelve", "creditorIban": "CH00 0000"} {
		given := form()
		given.Set(field, typed)
		built := order(given).Build()
		if len(built.Problems) != 1 || built.Problems[0].Field != field || built.Problems[0].Text == "" || built.Problems[0].Code == "" {
			t.Errorf("%q as %s is answered with %+v", typed, field, built.Problems)
		}
		if shown := orderform.ValuesOf(built.Document, time.Date(2026, time.December, 31, 0, 0, 0, 0, time.UTC)); shown.CreditorName != "Beispiel Holzbau GmbH" {
			t.Errorf("%q as %s takes the creditor away: %+v", typed, field, shown)
		}
	}
}

// Every field has a place: a finding about it stands beside it, one about nothing of the form in the summary.
func TestAFindingStandsBesideItsField(t *testing.T) {
	t.Parallel()
	const transaction = "/Document/CstmrCdtTrfInitn/PmtInf/0/CdtTrfTxInf/0"
	qr := orderform.Values{RemittanceKind: orderform.RemittanceQR}
	for _, c := range []struct {
		pointer, field string
		values         orderform.Values
	}{
		{pointer: transaction + "/Cdtr/Nm", field: "creditorName"},
		{pointer: transaction + "/Cdtr/PstlAdr", field: "town"},
		{pointer: transaction + "/Cdtr/PstlAdr/AdrLine/1", field: "addressLine2"},
		{pointer: transaction + "/CdtrAcct/Id/IBAN", field: "creditorIban"},
		{pointer: transaction + "/Amt/InstdAmt/Ccy", field: "amount"},
		{pointer: transaction + "/RmtInf/Strd/0/CdtrRefInf/Ref", field: "qrReference", values: qr},
		{pointer: transaction + "/RmtInf/Strd/0", field: "remittanceKind", values: qr},
		{pointer: transaction + "/CdtrAgtX", field: ""},
		{pointer: "/Document/CstmrCdtTrfInitn/GrpHdr/MsgId", field: ""},
	} {
		if got := orderform.FieldOf(c.pointer, c.values); got != c.field {
			t.Errorf("%s stands beside %q, want %q", c.pointer, got, c.field)
		}
	}
}

// A draft keeps the answers as they were typed, and drafts of earlier versions are read.
func TestADraftKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	values := orderform.ReadForm(form())
	content, err := values.Encode()
	if err != nil {
		t.Fatal(err)
	}
	read, err := orderform.DecodeValues(content)
	if err != nil || read != values {
		t.Errorf("%+v is read back as %+v, %v", values, read, err)
	}
	read, err = orderform.DecodeValues([]byte(`{"Values":{"CreditorName":"A"},"Wish":null}`))
	if err != nil || read.CreditorName != "A" {
		t.Errorf("a draft of an earlier version is read as %+v, %v", read, err)
	}
}
