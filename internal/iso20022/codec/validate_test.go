package codec

import (
	"errors"
	"strings"
	"testing"

	"github.com/govalues/decimal"

	"countersign/internal/iso20022"
)

func validInstruction(t *testing.T) *iso20022.CustomerCreditTransferInitiation {
	t.Helper()
	document, findings := DecodeXML([]byte(instructionXML))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	return document.(*iso20022.CustomerCreditTransferInitiation)
}

func TestValidateFindsWhatTheDecoderWould(t *testing.T) {
	t.Parallel()
	type instruction = iso20022.CustomerCreditTransferInitiation
	for name, test := range map[string]struct {
		change func(*instruction)
		want   string
	}{
		"nothing":      {func(*instruction) {}, ""},
		"missing text": {func(i *instruction) { i.GroupHeader.MessageID = "" }, header + "/MsgId CH21"},
		"blank text":   {func(i *instruction) { i.GroupHeader.MessageID = " " }, header + "/MsgId CH21"},
		"too long":     {func(i *instruction) { i.GroupHeader.MessageID = strings.Repeat("x", 36) }, header + "/MsgId CH16"},
		"empty group": {
			func(i *instruction) { i.GroupHeader.InitiatingParty = iso20022.PartyIdentification135{} },
			header + "/InitgPty CH21",
		},
		"no transactions": {func(i *instruction) { i.PaymentInformation = nil }, information + " CH21"},
		"two of a choice": {func(i *instruction) {
			i.PaymentInformation[0].RequestedExecutionDate.DateTime = "2026-03-02T10:00:00Z"
		}, information + "/ReqdExctnDt/DtTm CH17"},
		"negative sum": {func(i *instruction) {
			value := decimal.MustParse("0.1234567890123456789")
			i.GroupHeader.ControlSum = &value
		}, header + "/CtrlSum AM10"},
		"currency": {func(i *instruction) {
			i.PaymentInformation[0].CreditTransferTransactionInformation[0].Amount.InstructedAmount.Currency = ""
		}, transaction + "/Amt/InstdAmt/Ccy CH21"},
		"character": {func(i *instruction) { i.PaymentInformation[0].Debtor.Name = "a\x00" }, information + "/Dbtr/Nm CH16"},
		"too many": {func(i *instruction) {
			i.PaymentInformation[0].CreditTransferTransactionInformation[0].Creditor.PostalAddress.AddressLine = strings.Split("1234567 8", "")[:8]
		}, transaction + "/Cdtr/PstlAdr/AdrLine/7 FF01"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			document := validInstruction(t)
			test.change(document)
			findings := Validate(document)
			if brief(findings) != test.want {
				t.Errorf("got  %s\nwant %s", brief(findings), test.want)
			}
			written, err := EncodeXML(document)
			if err != nil {
				return
			}
			if _, found := DecodeXML(written); (len(found) == 0) != (len(findings) == 0) {
				t.Errorf("Validate %v, the decoder %v", findings, found)
			}
		})
	}
}

func TestWhatIsNoDocumentIsRefused(t *testing.T) {
	t.Parallel()
	var none *iso20022.Receipt
	for _, document := range []iso20022.Document{nil, none} {
		if _, err := EncodeXML(document); !errors.Is(err, ErrDocument) {
			t.Errorf("EncodeXML: %v", err)
		}
		if _, err := EncodeJSON(document); !errors.Is(err, ErrDocument) {
			t.Errorf("EncodeJSON: %v", err)
		}
		if len(Validate(document)) != 1 {
			t.Error("Validate accepts no document")
		}
	}
	document := validInstruction(t)
	document.GroupHeader.MessageID = "\x01"
	if _, err := EncodeXML(document); !errors.Is(err, ErrCharacter) {
		t.Errorf("EncodeXML: %v", err)
	}
	if _, err := EncodeJSON(document); !errors.Is(err, ErrCharacter) {
		t.Errorf("EncodeJSON: %v", err)
	}
}

func TestScaleAndLineEndsAreKept(t *testing.T) {
	t.Parallel()
	document := validInstruction(t)
	transfer := &document.PaymentInformation[0].CreditTransferTransactionInformation[0]
	transfer.Amount.InstructedAmount.Value = decimal.MustParse("199.90")
	transfer.RemittanceInformation.Unstructured = []string{"a\r\nb\tc <&>\""}
	written, err := EncodeXML(document)
	if err != nil || !strings.Contains(string(written), ">199.90<") {
		t.Fatalf("%v\n%s", err, written)
	}
	roundTrip(t, document)
}

func TestLineEndsAndReferencesAreReadAsXMLSays(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a\r\nb\rc\nd":            "a\nb\nc\nd",
		"a&#13;b":                 "a\rb",
		"&lt;&#65;&#x20AC;&apos;": "<A€'",
		"a<!-- x -->b<?p q?>c":    "abc",
	} {
		document, findings := DecodeXML([]byte(strings.Replace(instructionXML, "Invoice 1", text, 1)))
		if len(findings) > 0 {
			t.Fatalf("%q: %v", text, findings)
		}
		transfer := document.(*iso20022.CustomerCreditTransferInitiation).PaymentInformation[0].CreditTransferTransactionInformation[0]
		if got := transfer.RemittanceInformation.Unstructured[0]; got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}
