package interbank_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"countersign/internal/charset"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/rulebook"
	"countersign/internal/testutil"
)

// failer is what a property and a plain test have in common.
type failer interface {
	Fatalf(format string, values ...any)
}

func noon() time.Time { return paidDay.Add(12 * time.Hour) }

// life makes every document there is about one order, and returns for further reasons.
func (c chain) life(t failer, order *iso20022.CustomerCreditTransferInitiation, recall, resolution string, further ...string) []iso20022.Document {
	paid, err := interbank.CreditTransfer(interbank.CreditTransferInput{
		Scheme: c.scheme, Order: order, From: c.from, TransactionID: "TX1", Reference: "P8TX1",
		UETR: "7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10", CreditorAgent: "AAAAFRPPXXX", AcceptedAt: accepted, Day: paidDay,
	})
	must(t, err)
	question, err := interbank.StatusRequest(
		interbank.StatusRequestInput{Scheme: c.scheme, About: paid, Reference: "Q", RequestID: "Q1", At: accepted},
	)
	must(t, err)
	report, err := interbank.StatusReport(interbank.StatusReportInput{
		Scheme: c.scheme, About: paid, Code: "AC04", Information: []string{"Konto aufgelöst"}, Reference: "S", StatusID: "S1", At: accepted,
	})
	must(t, err)
	recalled, err := interbank.CancellationRequest(interbank.RTransactionInput{
		Request: rulebook.Request{
			Reason: recall,
		},
		Scheme: c.scheme, Original: paid, Bank: c.debtorBank, MessageID: "R", ID: "R1", At: accepted,
	})
	must(t, err)
	chaser, err := interbank.StatusRequest(
		interbank.StatusRequestInput{Scheme: c.scheme, About: recalled, Reference: "Q2", RequestID: "Q2", At: accepted},
	)
	must(t, err)
	receipt, err := interbank.Receipt(
		interbank.ReceiptInput{Scheme: c.scheme, About: recalled, Refused: true, Description: "Zu spät", Reference: "C", At: accepted},
	)
	must(t, err)
	var information []string
	if resolution == "LEGL" || resolution == "NARR" {
		information = []string{"Gerichtsbeschluss vom März"}
	}
	refused, err := interbank.Resolution(interbank.RTransactionInput{
		Request: rulebook.Request{
			Reason: resolution, Information: information,
		},
		Scheme: c.scheme, Recall: recalled, Bank: c.creditorBank, MessageID: "N", ID: "N1", At: accepted,
	})
	must(t, err)
	back := func(reason string) *iso20022.PaymentReturn {
		request := rulebook.Request{Reason: reason}
		if reason == "NARR" {
			request.Information = []string{"Doppelt bezahlt"}
		}
		returned, err := interbank.Return(interbank.RTransactionInput{
			Request: request, Scheme: c.scheme, Original: paid, Bank: c.creditorBank, MessageID: "B", ID: "B1", At: accepted, Day: answerDay,
		})
		must(t, err)
		return returned
	}
	returned := back("FOCR")
	confirmed, err := interbank.StatusReport(
		interbank.StatusReportInput{Scheme: c.scheme, About: returned, Reference: "S2", StatusID: "S2", At: accepted},
	)
	must(t, err)
	documents := []iso20022.Document{paid, question, report, recalled, chaser, receipt, refused, returned, confirmed}
	for _, reason := range further {
		documents = append(documents, back(reason))
	}
	return documents
}

// reasonsAt are a reason of a recall, of a resolution and of a return of a scheme, others for each number.
func reasonsAt(scheme rulebook.Scheme, number int) (recall, resolution, back string) {
	at := func(list []rulebook.Reason) string { return list[number%len(list)].Code }
	return at(rulebook.RecallReasons(scheme)), at(rulebook.ResolutionReasons(scheme)), at(rulebook.ReturnReasons(scheme))
}

func must(t failer, err error) {
	if err != nil {
		t.Fatalf("%v", err)
	}
}

// TestEveryGoodOrderMakesGoodDocuments draws orders, checks that the rules take them, and holds every document made from them against
// its schema, its scheme's character set and the order.
func TestEveryGoodOrderMakesGoodDocuments(t *testing.T) {
	t.Parallel()
	const each = 20 // orders in one draw, 100 draws by default
	for _, c := range chains() {
		t.Run(string(c.scheme), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				for range each {
					c.checkLife(t)
				}
			})
		})
	}
}

func (c chain) checkLife(t *rapid.T) {
	order := drawOrder(t, c.scheme, c.from)
	findings := rulebook.Check(rulebook.Input{Scheme: c.scheme, Document: order, Today: noon()})
	findings = append(findings, interbank.Check(c.scheme, order)...)
	if len(findings) > 0 {
		t.Fatalf("the order is refused: %+v", findings)
	}
	recall := rapid.SampledFrom(rulebook.RecallReasons(c.scheme)).Draw(t, "recall").Code
	resolution := rapid.SampledFrom(rulebook.ResolutionReasons(c.scheme)).Draw(t, "resolution").Code
	documents := c.life(t, order, recall, resolution)
	for _, document := range documents {
		if findings := codec.Validate(document); len(findings) > 0 {
			t.Fatalf("%s: %+v", document.MessageName(), findings)
		}
		encoded, err := codec.EncodeXML(document)
		must(t, err)
		if r, found := foreign(string(encoded)); c.scheme == rulebook.SchemeSCT && found {
			t.Fatalf("%s has %q, which not every SEPA bank takes:\n%s", document.MessageName(), r, encoded)
		}
	}
	c.checkTransfer(t, order, documents[0].(*iso20022.FIToFICustomerCreditTransfer))
}

// checkTransfer reads the payment back and compares it with the order.
func (c chain) checkTransfer(t *rapid.T, order *iso20022.CustomerCreditTransferInitiation, paid *iso20022.FIToFICustomerCreditTransfer) {
	read, err := interbank.ReadTransfer(paid)
	must(t, err)
	asked := order.PaymentInformation[0].CreditTransferTransactionInformation[0]
	name := asked.Creditor.Name
	if c.scheme == rulebook.SchemeSCT {
		name, _ = charset.EPCBasic.TransliterateWithin(name, 70)
	}
	switch {
	case read.Amount.Decimal() != asked.Amount.InstructedAmount.Value, read.EndToEndID != asked.PaymentID.EndToEndID,
		read.Creditor.Name != name, read.Creditor.IBAN != asked.CreditorAccount.ID.IBAN, read.Debtor.IBAN != c.from.IBAN,
		!read.AcceptedAt.Equal(accepted), !read.Day.Equal(paidDay):
		t.Fatalf("the payment %+v is not the order %+v", read, asked)
	}
	wantUETR := asked.PaymentID.UETR
	if wantUETR == "" {
		wantUETR = "7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10"
	}
	if c.scheme == rulebook.SchemeSCT {
		wantUETR = ""
	}
	if read.UETR != wantUETR {
		t.Fatalf("UETR %q, want %q", read.UETR, wantUETR)
	}
}

// foreign finds a character outside ASCII, or an escape: no text of SEPA needs one.
func foreign(encoded string) (rune, bool) {
	for _, r := range encoded {
		if r > 0x7e || r == '&' {
			return r, true
		}
	}
	return 0, false
}

// TestXmllintTakesTheDocuments holds generated documents of each kind against the schemas with another program.
func TestXmllintTakesTheDocuments(t *testing.T) {
	t.Parallel()
	program := testutil.Program(t, "xmllint", "make xmllint")
	folder := t.TempDir()
	files := map[iso20022.MessageName][]string{}
	for _, c := range chains() {
		orders := rapid.Custom(func(t *rapid.T) *iso20022.CustomerCreditTransferInitiation { return drawOrder(t, c.scheme, c.from) })
		for seed := range 40 {
			recall, resolution, back := reasonsAt(c.scheme, seed)
			for i, document := range c.life(t, orders.Example(seed), recall, resolution, back) {
				path := filepath.Join(folder, fmt.Sprintf("%s-%d-%d.xml", c.scheme, seed, i))
				encoded, err := codec.EncodeXML(document)
				must(t, err)
				must(t, os.WriteFile(path, encoded, 0o600))
				files[document.MessageName()] = append(files[document.MessageName()], path)
			}
		}
	}
	for name, paths := range files {
		arguments := append([]string{"--noout", "--nonet", "--schema", "../iso20022/schema/" + string(name) + ".xsd"}, paths...)
		output, err := exec.Command(program, arguments...).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, firstLines(string(output)))
		}
	}
}

func firstLines(text string) string {
	lines := strings.Split(text, "\n")
	var wrong []string
	for _, line := range lines {
		if !strings.HasSuffix(line, "validates") {
			wrong = append(wrong, line)
		}
	}
	return strings.Join(wrong[:min(10, len(wrong))], "\n")
}
