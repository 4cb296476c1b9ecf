package simulator_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/govalues/decimal"

	"countersign/internal/iso20022"
)

// names are the messages the gateway took, with the reason of each answer to a recall.
func (b *bench) names() []string {
	b.t.Helper()
	var names []string
	for _, taken := range b.gateway.taken() {
		switch document := taken.document.(type) {
		case *iso20022.PaymentReturn:
			names = append(names, "pacs.004 "+document.TransactionInformation[0].ReturnReasonInformation[0].Reason.Code)
		case *iso20022.ResolutionOfInvestigation:
			answered := document.CancellationDetails[0].TransactionInformationAndStatus[0]
			reason := answered.CancellationStatusReasonInformation[0].Reason.Code
			names = append(names, "camt.029 "+document.Status.Confirmation+" "+answered.TransactionCancellationStatus+" "+reason)
		case *iso20022.Receipt:
			details := document.ReceiptDetails[0]
			names = append(names, "camt.025 "+details.RequestHandling[0].StatusCode+" "+details.OriginalMessageID.MessageID)
		default:
			names = append(names, string(taken.document.MessageName()))
		}
	}
	return names
}

func TestCentsChooseTheAnswerToARecall(t *testing.T) {
	t.Parallel()
	returned, refused := []string{"pacs.004 FOCR"}, []string{"camt.029 RJCR RJCR CUST"}
	cases := []struct {
		amount string
		want   []string
	}{
		{"20.00", returned},
		{"20.49", returned},
		{"20.50", refused},
		{"20.79", refused},
		{"20.80", nil},
		{"20.89", nil},
		{"20.95", nil},
		{"20.91", []string{"camt.029 RJCR RJCR NOOR"}},
	}
	for _, scheme := range schemes {
		for i, c := range cases {
			t.Run(scheme+" "+c.amount, func(t *testing.T) {
				t.Parallel()
				b := newBench(t, nil)
				transaction := transactionID(scheme, i)
				b.accepted(payment(t, scheme, transaction, c.amount))
				b.simulator.Settle()
				before := len(b.names())
				sent := recall(t, scheme, transaction, c.amount)
				renamed := sent
				renamed.messageID = "ANOTHER-ID"
				for _, repeat := range []delivery{sent, sent, renamed} {
					b.accepted(repeat)
					b.simulator.Settle()
				}
				want := c.want
				if scheme == "sic-inst" {
					want = append([]string{"camt.025 ACCP R-" + transaction}, want...)
				}
				if got := b.names()[before:]; !slices.Equal(got, want) {
					t.Errorf("got %v, want %v", got, want)
				}
				if got := b.effective("camt.056.001.08", transaction); got != 1 {
					t.Errorf("recall took effect %d times, want once", got)
				}
				b.checkSent()
			})
		}
	}
}

func TestRecallOfAnUnknownPaymentGoesByItsOwnAmount(t *testing.T) {
	t.Parallel()
	for amount, want := range map[string]string{
		"": "camt.029 RJCR RJCR NOOR", "20.10": "pacs.004 FOCR", "20.60": "camt.029 RJCR RJCR CUST",
	} {
		b := newBench(t, nil)
		b.accepted(recall(t, "sct-inst", "TX1", amount))
		b.simulator.Settle()
		if got := b.names(); !slices.Equal(got, []string{want}) {
			t.Errorf("amount %q: got %v, want %s", amount, got, want)
		}
		b.checkSent()
	}
}

func TestReturnAfterRecallCarriesTheWholeAmountAndTheReferences(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.accepted(payment(t, "sic-inst", "TX1", "33.30"))
	b.simulator.Settle()
	sent := recall(t, "sic-inst", "TX1", "33.30")
	b.accepted(sent)
	b.simulator.Settle()
	taken := b.gateway.taken()
	document := taken[len(taken)-1].document.(*iso20022.PaymentReturn)
	returned := document.TransactionInformation[0]
	if got := returned.ReturnedInterbankSettlementAmount.String(); got != "CHF 33.30" {
		t.Errorf("got %s back, want CHF 33.30", got)
	}
	got := []string{
		returned.OriginalTransactionID, returned.OriginalEndToEndID, returned.OriginalUETR, returned.OriginalGroupInformation.OriginalMessageID,
		returned.OriginalTransactionReference.CreditorAccount.ID.IBAN,
	}
	want := []string{"TX1", "S-E2E-0001", "7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10", "SPACS8-20260302-0001", "CH4821966000009613388"}
	if !slices.Equal(got, want) {
		t.Errorf("got references %v, want %v", got, want)
	}
}

func TestRefusedRecallInSEPACarriesTheAttributeLine(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.accepted(recall(t, "sct-inst", "TX1", "20.60"))
	b.simulator.Settle()
	document := b.gateway.taken()[0].document.(*iso20022.ResolutionOfInvestigation)
	answered := document.CancellationDetails[0].TransactionInformationAndStatus[0]
	lines := answered.CancellationStatusReasonInformation[0].AdditionalInformation
	if !slices.Equal(lines, []string{"ATR072/C-TX1"}) {
		t.Errorf("got lines %v", lines)
	}
	assignment := document.Assignment
	if assignment.Assigner.Agent.FinancialInstitutionID.BICFI != "BBBBFRPPXXX" ||
		assignment.Assignee.Agent.FinancialInstitutionID.BICFI != "AAAADEFFXXX" {
		t.Error("the answer does not go back from the assignee to the assigner")
	}
}

func TestQuestionAboutARecallRepeatsItsAnswer(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.accepted(recall(t, "sct-inst", "TX1", "20.60"))
	b.accepted(recall(t, "sct-inst", "TX2", "20.80"))
	b.simulator.Settle()
	for _, transaction := range []string{"TX1", "TX2", "TX3"} {
		b.accepted(inquiry(t, "sct-inst", transaction, "Q-"+transaction, "camt.056.001.08"))
		b.simulator.Settle()
	}
	repeats, _, attempts := b.gateway.counts()
	if repeats != 1 || attempts != 2 {
		t.Errorf("got %d repeats in %d documents, want the one answer twice", repeats, attempts)
	}
}

func TestAnswerToARecallGivenUpComesAgain(t *testing.T) {
	t.Parallel()
	renamed := recall(t, "sic-inst", "TX1", "20.60")
	renamed.messageID = "ANOTHER-ID"
	for name, again := range map[string]delivery{
		"with a question for it":                     inquiry(t, "sic-inst", "TX1", "Q-1", "camt.056.001.08"),
		"with the recall under another message id":   renamed,
		"with the recall under the same message id ": recall(t, "sic-inst", "TX1", "20.60"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, nil)
			b.gateway.fail(60)
			b.accepted(recall(t, "sic-inst", "TX1", "20.60"))
			b.simulator.Settle()
			b.accepted(again)
			b.simulator.Settle()
			if got := b.names(); !slices.Equal(got, []string{"camt.025 ACCP R-TX1", "camt.029 RJCR RJCR CUST"}) {
				t.Errorf("got %v, want the receipt and the answer", got)
			}
			if _, _, attempts := b.gateway.counts(); attempts != 62 {
				t.Errorf("got %d attempts, want 62", attempts)
			}
			b.accepted(again)
			b.accepted(inquiry(t, "sic-inst", "TX1", "Q-2", "camt.056.001.08"))
			b.simulator.Settle()
			if repeats, _, _ := b.gateway.counts(); repeats != 1 {
				t.Errorf("got %d repeats of the answer, want the one asked for", repeats)
			}
		})
	}
}

func TestAnswerToARecallIsAcknowledgedInSIC(t *testing.T) {
	t.Parallel()
	for _, scheme := range schemes {
		b := newBench(t, nil)
		sent := resolution(t, scheme, "TX1")
		renamed := sent
		renamed.messageID = "ANOTHER-ID"
		for _, repeat := range []delivery{sent, sent, renamed} {
			b.accepted(repeat)
			b.simulator.Settle()
		}
		var want []string
		if scheme == "sic-inst" {
			want = []string{"camt.025 ACCP A-TX1"}
		}
		if got := b.names(); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", scheme, got, want)
		}
		if got := b.effective("camt.029.001.09", "TX1"); got != 1 {
			t.Errorf("%s: answer took effect %d times, want once", scheme, got)
		}
		if entry := b.log("")[0]; entry.Status != "RJCR" || entry.Reason != "CUST" {
			t.Errorf("log says %s %s, want RJCR CUST", entry.Status, entry.Reason)
		}
		b.checkSent()
	}
}

func TestReceiptIsTakenOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	sent := receipt(t, "sic-inst", "P-1")
	renamed := sent
	renamed.messageID = "ANOTHER-ID"
	b.accepted(sent)
	b.accepted(renamed)
	b.simulator.Settle()
	entries := b.log("")
	if len(entries) != 2 || !entries[0].Effective || entries[1].Effective || entries[1].Outcome != "duplicate" {
		t.Errorf("got log %+v, want one effect and one duplicate", entries)
	}
	if entries[0].Status != "ACCP" {
		t.Errorf("log says %q, want ACCP", entries[0].Status)
	}
}

func TestRecallWithoutCreditorGetsAValidAnswer(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	document := sample[*iso20022.FIToFIPaymentCancellationRequest](t, "sct-inst_06_camt.056.001.08_CUST.xml")
	recalled := &document.Underlying[0].TransactionInformation[0]
	recalled.OriginalTransactionReference = nil
	recalled.CancellationReasonInformation[0].Reason.Code = "DUPL"
	for i, amount := range []string{"20.10", "20.60"} {
		recalled.OriginalTransactionID = transactionID("sct-inst", i)
		recalled.OriginalInterbankSettlementAmount.Value = decimal.MustParse(amount)
		b.accepted(delivery{scheme: "sct-inst", messageID: amount, xml: encode(t, document)})
		b.simulator.Settle()
	}
	if got := b.names(); !slices.Equal(got, []string{"pacs.004 FOCR", "camt.029 RJCR RJCR CUST"}) {
		t.Errorf("got %v", got)
	}
	if xml := b.gateway.taken()[1].xml; !strings.Contains(xml, "<AddtlInf>ATR053/ECXL-0001</AddtlInf>") {
		t.Errorf("the refusal lacks its attribute line: %s", xml)
	}
	b.checkSent()
}
