package interbank_test

import (
	"testing"

	"countersign/internal/interbank"
	"countersign/internal/iso20022/codec"
	"countersign/internal/profile"
)

func BenchmarkWriteCreditTransfer(b *testing.B) {
	for _, c := range chains() {
		b.Run(string(c.scheme), func(b *testing.B) {
			in := c.input(b)
			in.Order.PaymentInformation[0].CreditTransferTransactionInformation[0].Creditor.Name = "Jürg Müller & Söhne"
			b.ReportAllocs()
			for b.Loop() {
				document, err := interbank.CreditTransfer(in)
				if err != nil {
					b.Fatal(err)
				}
				_, err = codec.EncodeXML(document)
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCheck(b *testing.B) {
	for _, c := range chains() {
		b.Run(string(c.scheme), func(b *testing.B) {
			order := c.order(b)
			b.ReportAllocs()
			for b.Loop() {
				interbank.Check(c.scheme, order)
			}
		})
	}
}

// BenchmarkWriteInProfile makes a payment and writes it in each profile, with the check against its schema that every document has.
func BenchmarkWriteInProfile(b *testing.B) {
	for _, c := range chains() {
		for _, used := range append([]*profile.Profile{nil}, profiles(b, c.scheme)...) {
			name := "as made"
			if used != nil {
				name = used.Name
			}
			b.Run(string(c.scheme)+"/"+name, func(b *testing.B) {
				in := c.input(b)
				b.ReportAllocs()
				for b.Loop() {
					document, err := interbank.CreditTransfer(in)
					if err != nil {
						b.Fatal(err)
					}
					_, err = used.Write(document)
					if err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
