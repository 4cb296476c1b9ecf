package payment_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

// benchmarkOrder is a good order with as much in it as orders of companies have.
func benchmarkOrder(tb testing.TB, scheme rulebook.Scheme) *iso20022.CustomerCreditTransferInitiation {
	tb.Helper()
	content, err := os.ReadFile("../iso20022/testdata/" + string(scheme) + "_01_pain.001.001.09.xml")
	if err != nil {
		tb.Fatal(err)
	}
	document, findings := codec.DecodeXML(content)
	order, is := document.(*iso20022.CustomerCreditTransferInitiation)
	if !is || len(findings) > 0 {
		tb.Fatalf("the sample is refused: %+v", findings)
	}
	address := &iso20022.PostalAddress24{StreetName: "Musterstrasse", BuildingNumber: "24", PostCode: "3000", TownName: "Bern", Country: "CH"}
	order.GroupHeader.InitiatingParty.ID = &iso20022.Party38Choice{
		OrganisationID: &iso20022.OrganisationIdentification29{LEI: "529900T8BM49AURSDO55"},
	}
	order.PaymentInformation[0].Debtor.PostalAddress = address
	transaction := &order.PaymentInformation[0].CreditTransferTransactionInformation[0]
	transaction.Creditor.Name = "Jürg Müller & Söhne"
	transaction.UltimateDebtor = &iso20022.PartyIdentification135{Name: "Muster Einkauf AG", PostalAddress: address}
	transaction.UltimateCreditor = &iso20022.PartyIdentification135{Name: "Anna Muster", PostalAddress: address}
	transaction.Purpose = &iso20022.Purpose2Choice{Code: "SUPP"}
	return order
}

// benchmarkJSON is the order as an API client sends it, about 3 KB.
func benchmarkJSON(tb testing.TB, scheme rulebook.Scheme) []byte {
	tb.Helper()
	compact, err := codec.EncodeJSON(benchmarkOrder(tb, scheme))
	if err != nil {
		tb.Fatal(err)
	}
	var indented bytes.Buffer
	err = json.Indent(&indented, compact, "", "  ")
	if err != nil {
		tb.Fatal(err)
	}
	return indented.Bytes()
}

// benchmarkAccount is kept by the bank the order names.
func benchmarkAccount(scheme rulebook.Scheme, order *iso20022.CustomerCreditTransferInitiation) *payment.DebtorAccount {
	bank := order.PaymentInformation[0].DebtorAgent
	return &payment.DebtorAccount{Scheme: scheme, Open: true, AgentBIC: bank.FinancialInstitutionID.BICFI, AgentIID: bank.Code()}
}

func benchmarkInput(scheme rulebook.Scheme, order *iso20022.CustomerCreditTransferInitiation) payment.InstructionInput {
	return payment.InstructionInput{
		Order: payment.Order{Scheme: scheme, Document: order}, By: maker, At: noon, Today: noon, Account: benchmarkAccount(scheme, order),
	}
}

// BenchmarkValidateOrder reads an order of about 3 KB of JSON and checks every rule.
func BenchmarkValidateOrder(b *testing.B) {
	for _, scheme := range rulebook.Schemes() {
		content := benchmarkJSON(b, scheme)
		b.Run(string(scheme), func(b *testing.B) {
			b.SetBytes(int64(len(content)))
			b.ReportAllocs()
			reportCPU(b, func() {
				for b.Loop() {
					document, found := codec.DecodeJSON(content, "/Document", iso20022.Pain001V09)
					if len(found) > 0 {
						b.Fatal(found)
					}
					findings := payment.CheckInstruction(benchmarkInput(scheme, document.(*iso20022.CustomerCreditTransferInitiation)))
					if len(findings) > 0 {
						b.Fatal(findings)
					}
				}
			})
		})
	}
}

// BenchmarkCreditTransfer makes the pacs.008 of an order and writes it.
func BenchmarkCreditTransfer(b *testing.B) {
	for _, scheme := range rulebook.Schemes() {
		in := interbank.CreditTransferInput{
			Scheme: scheme, Order: benchmarkOrder(b, scheme), TransactionID: "DM00000000000000", Reference: "P8DM00000000000000",
			UETR: "7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10", AcceptedAt: noon, Day: noon,
			From: interbank.Account{IBAN: "CH7280005000088877766", AgentBIC: "AAAACHBBXXX", AgentIID: "80005", Holder: interbank.Holder{
				Name: "MUSTER AG", Street: "Musterstrasse", Building: "24", Postcode: "3000", Town: "Bern", Country: "CH",
			}},
		}
		b.Run(string(scheme), func(b *testing.B) {
			b.ReportAllocs()
			reportCPU(b, func() {
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
		})
	}
}

// reportCPU adds the processor time of the process for each round, garbage collection included: on a busy machine the time on the
// clock says little.
func reportCPU(b *testing.B, run func()) {
	b.Helper()
	before := processorTime(b)
	run()
	b.ReportMetric(float64(processorTime(b)-before)/float64(b.N), "cpu-ns/op")
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	if err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// What is measured is what is meant: a good order of about 3 KB.
func TestBenchmarkOrdersAreTypical(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		content := benchmarkJSON(t, scheme)
		if len(content) < 2800 || len(content) > 3600 {
			t.Errorf("%s: the order has %d bytes", scheme, len(content))
		}
		order := benchmarkOrder(t, scheme)
		if findings := payment.CheckInstruction(benchmarkInput(scheme, order)); len(findings) > 0 {
			t.Errorf("%s: %+v", scheme, findings)
		}
		order.PaymentInformation[0].CreditTransferTransactionInformation[0].Creditor.Name = ""
		findings := payment.CheckInstruction(benchmarkInput(scheme, order))
		if !slices.ContainsFunc(findings, func(f payment.Finding) bool { return f.Rule == "creditor-name-missing" }) {
			t.Errorf("%s: an order without creditor is fine: %+v", scheme, findings)
		}
	}
}
