package codec

import (
	"os"
	"testing"

	"countersign/internal/iso20022"
)

func benchmarkSample(b *testing.B, file string) ([]byte, iso20022.Document) {
	b.Helper()
	content, err := os.ReadFile("../testdata/" + file)
	if err != nil {
		b.Fatal(err)
	}
	document, findings := DecodeXML(content)
	if len(findings) > 0 {
		b.Fatal(findings)
	}
	b.ReportAllocs()
	return content, document
}

// largeInstruction is a pain.001 of about 3 KB of JSON: three transactions.
func largeInstruction(b *testing.B) []byte {
	b.Helper()
	_, document := benchmarkSample(b, "sic-inst_01_pain.001.001.09.xml")
	payment := &document.(*iso20022.CustomerCreditTransferInitiation).PaymentInformation[0]
	transfer := payment.CreditTransferTransactionInformation[0]
	for range 4 {
		payment.CreditTransferTransactionInformation = append(payment.CreditTransferTransactionInformation, transfer)
	}
	content, err := EncodeJSON(document)
	if err != nil {
		b.Fatal(err)
	}
	return content
}

func BenchmarkDecodeJSONInstruction(b *testing.B) {
	content := largeInstruction(b)
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		_, findings := DecodeJSON(content, "/Document", iso20022.Pain001V09)
		if len(findings) > 0 {
			b.Fatal(findings)
		}
	}
}

func BenchmarkDecodeXMLInstruction(b *testing.B) {
	content, _ := benchmarkSample(b, "sic-inst_01_pain.001.001.09.xml")
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		DecodeXML(content)
	}
}

func BenchmarkEncodeXMLTransfer(b *testing.B) {
	_, document := benchmarkSample(b, "sic-inst_03_pacs.008.001.08.xml")
	for b.Loop() {
		_, err := EncodeXML(document)
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodeJSONInstruction(b *testing.B) {
	_, document := benchmarkSample(b, "sic-inst_01_pain.001.001.09.xml")
	for b.Loop() {
		_, err := EncodeJSON(document)
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkValidateTransfer(b *testing.B) {
	_, document := benchmarkSample(b, "sic-inst_03_pacs.008.001.08.xml")
	for b.Loop() {
		Validate(document)
	}
}
