package simulator_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/simulator"
)

const late = 12 * time.Second

// positive is the status of a settled payment in each scheme.
var positive = map[string]string{"sic-inst": "ACSC", "sct-inst": "ACCP"}

func TestCentsChooseTheAnswer(t *testing.T) {
	t.Parallel()
	rejected := func(reason string) []verdict { return []verdict{{"RJCT", reason}} }
	settled := []verdict{{"positive", ""}}
	cases := []struct {
		amount           string
		want             []verdict // new documents
		repeats, refused int       // of the same message id; documents that were not valid
		inquired         []verdict // the answer to a pacs.028 afterwards
	}{
		{"20.00", settled, 0, 0, settled},
		{"20.01", settled, 0, 0, settled},
		{"20.50", settled, 0, 0, settled},
		{"0.89", settled, 0, 0, settled},
		{"20.90", settled, 0, 0, settled},
		{"20.99", settled, 0, 0, settled},
		{"20", settled, 0, 0, settled},
		{"20.9", settled, 0, 0, settled},
		{"20.91", rejected("AC04"), 0, 0, rejected("AC04")},
		{"20.92", rejected("AM04"), 0, 0, rejected("AM04")},
		{"20.93", nil, 0, 0, nil},
		{"20.94", settled, 0, 0, settled},
		{"20.95", settled, 2, 0, settled},
		{"20.96", settled, 0, 1, settled},
		{"20.98", nil, 0, 0, rejected("AB05")},
	}
	for _, scheme := range schemes {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			for i, c := range cases {
				t.Run(c.amount, func(t *testing.T) {
					t.Parallel()
					b := newBench(t, nil)
					transaction := transactionID(scheme, i)
					b.accepted(payment(t, scheme, transaction, c.amount))
					b.simulator.Settle()
					b.wantVerdicts(scheme, c.want)
					repeats, refused, _ := b.gateway.counts()
					if repeats != c.repeats || refused != c.refused {
						t.Errorf("got %d repeats and %d invalid documents, want %d and %d", repeats, refused, c.repeats, c.refused)
					}
					b.accepted(paymentInquiry(t, scheme, transaction, "Q-1"))
					b.simulator.Settle()
					b.wantVerdicts(scheme, append(slices.Clone(c.want), c.inquired...))
					if got := b.effective("pacs.008.001.08", transaction); got != 1 {
						t.Errorf("payment took effect %d times, want once", got)
					}
					b.checkSent()
				})
			}
		})
	}
}

// wantVerdicts compares the status reports the gateway took; the status "positive" stands for that of the scheme.
func (b *bench) wantVerdicts(scheme string, want []verdict) {
	b.t.Helper()
	var got []verdict
	for _, taken := range b.gateway.taken() {
		if taken.scheme != scheme {
			b.t.Errorf("answer came to %s, want %s", taken.scheme, scheme)
		}
		found := verdictOf(b.t, taken)
		if found.status == positive[scheme] {
			found.status = "positive"
		}
		got = append(got, found)
	}
	if !slices.Equal(got, want) {
		b.t.Errorf("got status reports %v, want %v", got, want)
	}
}

func TestAnswerRepeatsTheReferencesOfThePayment(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.accepted(payment(t, "sic-inst", "TX1", "199.92"))
	b.simulator.Settle()
	taken := b.gateway.taken()
	if len(taken) != 1 {
		t.Fatalf("got %d answers, want 1", len(taken))
	}
	document := taken[0].document.(*iso20022.FIToFIPaymentStatusReport)
	if document.GroupHeader.MessageID != taken[0].messageID {
		t.Errorf("MsgId %s travelled as %s", document.GroupHeader.MessageID, taken[0].messageID)
	}
	group := document.OriginalGroupInformationAndStatus[0]
	if group.OriginalMessageID != "M-TX1" || group.OriginalMessageNameID != "pacs.008.001.08" {
		t.Errorf("original message is %s %s", group.OriginalMessageID, group.OriginalMessageNameID)
	}
	answered := document.TransactionInformationAndStatus[0]
	got := []string{
		answered.OriginalTransactionID, answered.OriginalInstructionID, answered.OriginalEndToEndID, answered.OriginalUETR,
		string(answered.AcceptanceDateTime),
	}
	want := []string{"TX1", "TX1", "S-E2E-0001", "7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10", "2026-03-02T10:00:01.049+01:00"}
	if !slices.Equal(got, want) {
		t.Errorf("got references %v, want %v", got, want)
	}
}

func TestInvalidDocumentComesBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.accepted(payment(t, "sct-inst", "TX1", "10.96"))
	b.simulator.Settle()
	entries := b.log("")
	if len(entries) != 3 {
		t.Fatalf("got %d log entries, want 3", len(entries))
	}
	if entries[1].Outcome != "refused" || entries[2].Outcome != "delivered" {
		t.Errorf("got outcomes %s and %s, want refused and delivered", entries[1].Outcome, entries[2].Outcome)
	}
	_, findings := codec.DecodeXML([]byte(entries[1].XML))
	if len(findings) == 0 {
		t.Error("the broken document is valid")
	}
	if entries[1].MessageID == entries[2].MessageID {
		t.Error("the broken document shares the message id of the answer")
	}
}

func TestLateAnswerComesTwelveSecondsAfterTheDelivery(t *testing.T) {
	t.Parallel()
	for _, scheme := range schemes {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, nil)
			release := b.hold(late)
			b.accepted(payment(t, scheme, "TX1", "10.94"))
			b.accepted(paymentInquiry(t, scheme, "TX1", "Q-1"))
			if got := len(b.gateway.taken()); got != 0 {
				t.Errorf("got %d answers before the time, want none", got)
			}
			release()
			b.simulator.Settle()
			b.wantVerdicts(scheme, []verdict{{"positive", ""}})
			b.accepted(paymentInquiry(t, scheme, "TX1", "Q-2"))
			b.simulator.Settle()
			b.wantVerdicts(scheme, []verdict{{"positive", ""}, {"positive", ""}})
			if got := b.waits; !slices.Equal(got, []time.Duration{late}) {
				t.Errorf("got waits %v, want one of %v", got, late)
			}
		})
	}
}

func TestTwoDeliveriesAreRefusedAndTheThirdTaken(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	sent := payment(t, "sic-inst", "TX1", "10.97")
	var got []int
	for range 4 {
		got = append(got, b.deliver(sent).status)
	}
	want := []int{http.StatusServiceUnavailable, 0, http.StatusAccepted, http.StatusAccepted}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v (0: connection dropped)", got, want)
	}
	b.simulator.Settle()
	b.wantVerdicts("sic-inst", []verdict{{"positive", ""}})
	if got := b.effective("pacs.008.001.08", "TX1"); got != 1 {
		t.Errorf("payment took effect %d times, want once", got)
	}
	outcomes := outcomesOf(b.log(""))
	if !slices.Equal(outcomes, []string{"refused", "dropped", "taken", "delivered", "duplicate"}) &&
		!slices.Equal(outcomes, []string{"refused", "dropped", "taken", "duplicate", "delivered"}) {
		t.Errorf("got outcomes %v", outcomes)
	}
}

func TestPaymentThatNeverCameIsRefusedForGood(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.accepted(paymentInquiry(t, "sct-inst", "TX1", "Q-1"))
	b.simulator.Settle()
	b.accepted(payment(t, "sct-inst", "TX1", "10.00"))
	b.simulator.Settle()
	b.accepted(paymentInquiry(t, "sct-inst", "TX1", "Q-2"))
	b.simulator.Settle()
	b.wantVerdicts("sct-inst", []verdict{{"RJCT", "AG09"}, {"RJCT", "AG09"}, {"RJCT", "AG09"}})
	b.checkSent()
}

func TestPaymentRefusedOnDeliveryNeverCame(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	sent := payment(t, "sic-inst", "TX1", "10.97")
	if got := b.deliver(sent).status; got != http.StatusServiceUnavailable {
		t.Fatalf("got %d, want 503", got)
	}
	b.accepted(paymentInquiry(t, "sic-inst", "TX1", "Q-1"))
	b.simulator.Settle()
	b.accepted(sent)
	b.simulator.Settle()
	b.wantVerdicts("sic-inst", []verdict{{"RJCT", "AG09"}, {"RJCT", "AG09"}})
}

func TestRepeatedInquiryIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	asked := paymentInquiry(t, "sic-inst", "TX1", "Q-1")
	for range 2 {
		b.accepted(asked)
		b.simulator.Settle()
	}
	if _, _, attempts := b.gateway.counts(); attempts != 1 {
		t.Errorf("the gateway got %d documents, want one answer", attempts)
	}
	if got := b.effective("pacs.028.001.03", "TX1"); got != 1 {
		t.Errorf("question took effect %d times, want once", got)
	}
}

func TestReturnIsAnsweredLikeAPayment(t *testing.T) {
	t.Parallel()
	for _, scheme := range schemes {
		b := newBench(t, nil)
		b.accepted(paymentReturn(t, scheme, "TX1", "10.00"))
		b.accepted(paymentReturn(t, scheme, "TX2", "10.91"))
		b.simulator.Settle()
		b.accepted(inquiry(t, scheme, "TX1", "Q-1", "pacs.004.001.09"))
		b.simulator.Settle()
		for _, taken := range b.gateway.taken() {
			document := taken.document.(*iso20022.FIToFIPaymentStatusReport)
			if name := document.OriginalGroupInformationAndStatus[0].OriginalMessageNameID; name != "pacs.004.001.09" {
				t.Errorf("answer is about %s, want pacs.004.001.09", name)
			}
			transaction := document.TransactionInformationAndStatus[0].OriginalTransactionID
			want := map[string]verdict{"TX1": {positive[scheme], ""}, "TX2": {"RJCT", "AC04"}}[transaction]
			if got := verdictOf(t, taken); got != want {
				t.Errorf("%s: got %v, want %v", transaction, got, want)
			}
		}
		if got := len(b.gateway.taken()); got != 3 {
			t.Errorf("got %d answers, want 3", got)
		}
		b.checkSent()
	}
}

func outcomesOf(entries []simulator.Entry) []string {
	var outcomes []string
	for _, entry := range entries {
		outcomes = append(outcomes, entry.Outcome)
	}
	return outcomes
}
