package simulator_test

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/simulator"
)

func TestRepeatedDeliveryTakesEffectOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	sent := payment(t, "sic-inst", "TX1", "10.00")
	renamed := sent
	renamed.messageID = "ANOTHER-ID"
	for _, repeat := range []delivery{sent, sent, renamed, renamed} {
		b.accepted(repeat)
		b.simulator.Settle()
	}
	_, _, attempts := b.gateway.counts()
	if attempts != 1 {
		t.Errorf("the gateway got %d documents, want the one answer", attempts)
	}
	outcomes := outcomesOf(b.log(""))
	if !slices.Equal(outcomes, []string{"taken", "delivered", "duplicate", "duplicate", "duplicate"}) {
		t.Errorf("got outcomes %v", outcomes)
	}
	if got := b.effective("pacs.008.001.08", "TX1"); got != 1 {
		t.Errorf("payment took effect %d times, want once", got)
	}
}

func TestSameTransactionIDInTheOtherSchemeIsAnotherPayment(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	for _, scheme := range schemes {
		b.accepted(payment(t, scheme, "TX1", "10.00"))
	}
	b.simulator.Settle()
	if got := b.effective("pacs.008.001.08", "TX1"); got != 2 {
		t.Errorf("got %d effects, want one in each scheme", got)
	}
}

func TestMessageIDWithAnotherDocumentIsRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	first, second := payment(t, "sic-inst", "TX1", "10.00"), payment(t, "sic-inst", "TX2", "10.00")
	second.messageID = first.messageID
	b.accepted(first)
	answer := b.deliver(second)
	if answer.status != http.StatusConflict || !strings.Contains(answer.body, "Use a new message id") {
		t.Errorf("got %d %s, want 409", answer.status, answer.body)
	}
	if got := b.effective("pacs.008.001.08", "TX2"); got != 0 {
		t.Errorf("refused payment took effect %d times", got)
	}
}

func TestConcurrentDeliveriesTakeEffectOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	const payments, repeats = 40, 4
	var group sync.WaitGroup
	for number := range payments {
		sent := payment(t, "sct-inst", transactionID("sct-inst", number), "10.95")
		for range repeats {
			group.Go(func() {
				if answer := b.deliver(sent); answer.status != http.StatusAccepted {
					t.Errorf("got %d %s, want 202", answer.status, answer.body)
				}
			})
		}
	}
	group.Wait()
	b.simulator.Settle()
	for number := range payments {
		transaction := transactionID("sct-inst", number)
		if got := b.effective("pacs.008.001.08", transaction); got != 1 {
			t.Errorf("%s took effect %d times, want once", transaction, got)
		}
	}
	repeated, _, attempts := b.gateway.counts()
	if taken := len(b.gateway.taken()); taken != payments || repeated != 2*payments || attempts != 3*payments {
		t.Errorf("got %d answers and %d repeats of them, want %d and %d", taken, repeated, payments, 2*payments)
	}
}

func TestAnswerIsTriedAgainUnderTheSameMessageID(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.gateway.fail(3)
	b.accepted(payment(t, "sic-inst", "TX1", "10.00"))
	b.simulator.Settle()
	b.wantVerdicts("sic-inst", []verdict{{"positive", ""}})
	entry := b.log("")[1]
	if entry.Attempts != 4 || entry.Outcome != "delivered" || entry.Detail != "" {
		t.Errorf("got %d attempts, %s, %q; want 4, delivered", entry.Attempts, entry.Outcome, entry.Detail)
	}
	if entry.MessageID != b.gateway.taken()[0].messageID {
		t.Errorf("log says %s, gateway got %s", entry.MessageID, b.gateway.taken()[0].messageID)
	}
	want := []time.Duration{50 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond}
	if !slices.Equal(b.waits, want) {
		t.Errorf("got waits %v, want %v", b.waits, want)
	}
}

func TestAnswerGivenUpComesAgainWithTheNextRepeat(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	sent := payment(t, "sic-inst", "TX1", "10.96")
	b.gateway.fail(60)
	b.accepted(sent)
	b.simulator.Settle()
	given := b.log("")[1]
	if given.Outcome != "abandoned" || given.Attempts != 60 || !strings.Contains(given.Detail, "503") {
		t.Fatalf("got %s after %d attempts (%s), want abandoned after 60", given.Outcome, given.Attempts, given.Detail)
	}
	b.accepted(sent)
	b.simulator.Settle()
	b.wantVerdicts("sic-inst", []verdict{{"positive", ""}})
	entries := b.log("")
	if again := entries[3]; again.MessageID != given.MessageID || again.XML != given.XML {
		t.Error("the document changed between the attempts")
	}
	if got := b.effective("pacs.008.001.08", "TX1"); got != 1 {
		t.Errorf("payment took effect %d times, want once", got)
	}
}

// refusedDelivery is one that must not be taken, with the answer to it.
type refusedDelivery struct {
	name   string
	sent   delivery
	status int
	text   string // part of the reason
}

func refusedPayments(t *testing.T) []refusedDelivery {
	t.Helper()
	valid := payment(t, "sic-inst", "TX1", "10.00")
	changed := func(change func(*delivery)) delivery {
		d := valid
		change(&d)
		return d
	}
	document := func(change func(*iso20022.FIToFICustomerCreditTransfer)) delivery {
		made := paymentDocument(t, "sic-inst", "TX1", "10.00")
		change(made)
		return delivery{scheme: "sic-inst", messageID: "M-1", xml: encode(t, made)}
	}
	return []refusedDelivery{
		{"no message id", changed(func(d *delivery) { d.messageID = "" }), 400, "X-Message-Id"},
		{"message id too long", changed(func(d *delivery) { d.messageID = strings.Repeat("x", 141) }), 400, "X-Message-Id"},
		{"message id with a letter beyond ASCII", changed(func(d *delivery) { d.messageID = "Größe" }), 400, "X-Message-Id"},
		{"JSON", changed(func(d *delivery) { d.contentType = "application/json" }), 415, "application/xml"},
		{"too large", changed(func(d *delivery) { d.xml = bytes.Repeat([]byte(" "), 256<<10+1) }), 413, "256 KiB"},
		{"nothing", changed(func(d *delivery) { d.xml = nil }), 400, "Correct the document"},
		{"not XML", changed(func(d *delivery) { d.xml = []byte("hello") }), 400, "Correct the document"},
		{"other namespace", changed(func(d *delivery) {
			d.xml = bytes.Replace(d.xml, []byte("pacs.008.001.08"), []byte("pacs.008.001.99"), 1)
		}), 400, ""},
		{"element missing", changed(func(d *delivery) {
			d.xml = bytes.Replace(d.xml, []byte("<ChrgBr>SLEV</ChrgBr>"), nil, 1)
		}), 400, "/CdtTrfTxInf/0/ChrgBr"},
		{"no transaction ID", document(func(d *iso20022.FIToFICustomerCreditTransfer) {
			d.CreditTransferTransactionInformation[0].PaymentID.TransactionID = ""
		}), 400, "TxId"},
		{"two transactions", document(func(d *iso20022.FIToFICustomerCreditTransfer) {
			d.CreditTransferTransactionInformation = append(d.CreditTransferTransactionInformation, d.CreditTransferTransactionInformation[0])
		}), 400, "exactly one"},
		{
			"wrong count", document(func(d *iso20022.FIToFICustomerCreditTransfer) { d.GroupHeader.NumberOfTransactions = "2" }), 400, "exactly one",
		},
		{"other total", document(func(d *iso20022.FIToFICustomerCreditTransfer) {
			d.GroupHeader.TotalInterbankSettlementAmount.Currency = "EUR"
		}), 400, "TtlIntrBkSttlmAmt"},
		{"currency of the other scheme", changed(func(d *delivery) { d.scheme = "sct-inst" }), 400, "EUR"},
		{"three decimals", payment(t, "sic-inst", "TX1", "10.001"), 400, "settlement amount"},
	}
}

func refusedOthers(t *testing.T) []refusedDelivery {
	t.Helper()
	order := sample[*iso20022.CustomerCreditTransferInitiation](t, "sct-inst_01_pain.001.001.09.xml")
	return []refusedDelivery{
		{"order of a customer", delivery{scheme: "sct-inst", messageID: "M-1", xml: encode(t, order)}, 400, "between banks"},
		{"return without a transaction", paymentReturn(t, "sic-inst", "", "10.00"), 400, "OrgnlTxId"},
		{"return in another currency", elsewhere(paymentReturn(t, "sct-inst", "TX1", "10.00")), 400, "CHF"},
		{"recall without a transaction", recall(t, "sic-inst", "", "10.00"), 400, "OrgnlTxId"},
		{"recall in another currency", elsewhere(recall(t, "sct-inst", "TX1", "10.00")), 400, "CHF"},
		{"resolution without a transaction", resolution(t, "sic-inst", ""), 400, "OrgnlTxId"},
		{"report without a transaction", delivery{scheme: "sic-inst", messageID: "M-1", xml: report(t, "", "ACCP", "")}, 400, "OrgnlTxId"},
		{"report without a status", delivery{scheme: "sic-inst", messageID: "M-1", xml: report(t, "TX1", "", "")}, 400, "TxSts"},
		{"receipt of two messages", receipt(t, "sic-inst", "P-1", "P-2"), 400, "exactly one"},
		{"inquiry without a transaction", paymentInquiry(t, "sic-inst", "", "Q-1"), 400, "OrgnlTxId"},
	}
}

func TestDeliveryThatIsNotValidIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range append(refusedPayments(t), refusedOthers(t)...) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, nil)
			answer := b.deliver(c.sent)
			if answer.status != c.status || !strings.Contains(answer.body, c.text) {
				t.Errorf("got %d %s, want %d with %q", answer.status, answer.body, c.status, c.text)
			}
			b.simulator.Settle()
			entries := b.log("")
			if len(entries) != 1 || entries[0].Outcome != "refused" || entries[0].Effective || entries[0].Detail == "" {
				t.Errorf("got log %+v, want one refused entry with its reason", entries)
			}
			if _, _, attempts := b.gateway.counts(); attempts != 0 {
				t.Errorf("the gateway got %d documents about it", attempts)
			}
		})
	}
}

// elsewhere is a document of the EUR scheme brought to the CHF one.
func elsewhere(d delivery) delivery {
	d.scheme = "sic-inst"
	return d
}

func TestUnknownSchemeIsNotFound(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	sent := payment(t, "sic-inst", "TX1", "10.00")
	sent.scheme = "target2"
	if answer := b.deliver(sent); answer.status != http.StatusNotFound {
		t.Errorf("got %d %s, want 404", answer.status, answer.body)
	}
}

func TestRefusedDocumentMayComeAgainCorrected(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	sent := payment(t, "sic-inst", "TX1", "10.00")
	broken := sent
	broken.xml = bytes.Replace(sent.xml, []byte("<NbOfTxs>1</NbOfTxs>"), nil, 1)
	if answer := b.deliver(broken); answer.status != http.StatusBadRequest {
		t.Fatalf("got %d, want 400", answer.status)
	}
	b.accepted(sent)
	b.simulator.Settle()
	b.wantVerdicts("sic-inst", []verdict{{"positive", ""}})
}

func TestClosedSimulatorDropsWaitingAnswersAndTakesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.hold(late)
	b.accepted(payment(t, "sic-inst", "TX1", "10.94"))
	b.simulator.Close()
	b.simulator.Close()
	answer := b.deliver(payment(t, "sic-inst", "TX2", "10.00"))
	if answer.status != http.StatusServiceUnavailable {
		t.Errorf("got %d %s, want 503", answer.status, answer.body)
	}
	if got := len(b.gateway.taken()); got != 0 {
		t.Errorf("the gateway got %d answers, want none", got)
	}
}

func TestCloseWaitsForPostsUnderWay(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	arrived, release := make(chan struct{}), make(chan struct{})
	b.gateway.onArrival = func(arrival) {
		close(arrived)
		<-release
	}
	b.accepted(payment(t, "sic-inst", "TX1", "10.00"))
	<-arrived
	closed := make(chan struct{})
	go func() {
		b.simulator.Close()
		close(closed)
	}()
	select {
	case <-closed:
		t.Error("Close returned while a post was under way")
	default:
	}
	close(release)
	<-closed
	if got := b.log("")[1].Outcome; got != "delivered" {
		t.Errorf("the answer is %s, want delivered", got)
	}
}

func TestDefaultsReallyWaitAndPost(t *testing.T) {
	t.Parallel()
	gateway := startGateway(t)
	gateway.fail(1)
	b := newBench(t, func(c *simulator.Config) {
		*c = simulator.Config{GatewayURL: gateway.URL, Token: token}
	})
	b.gateway = gateway
	b.accepted(payment(t, "sct-inst", "TX1", "10.00"))
	b.simulator.Settle()
	b.wantVerdicts("sct-inst", []verdict{{"positive", ""}})
}

// TestAnswersKeepTheirConnections: a clearing does not open a connection for each answer. As many answers are on their way at a time, three
// times over, and the gateway sees no more connections than that.
func TestAnswersKeepTheirConnections(t *testing.T) {
	t.Parallel()
	const atOnce, waves = 16, 3
	b := newBench(t, nil)
	var arrived atomic.Int64
	all := make([]chan struct{}, waves)
	for wave := range all {
		all[wave] = make(chan struct{})
	}
	b.gateway.onArrival = func(arrival) {
		number := arrived.Add(1)
		wave := all[(number-1)/atOnce]
		if number%atOnce == 0 {
			close(wave)
		}
		<-wave
	}
	for wave := range waves {
		for number := range atOnce {
			b.accepted(payment(t, "sct-inst", transactionID("sct-inst", wave*atOnce+number), "10.00"))
		}
		b.simulator.Settle()
	}
	if opened := b.gateway.opened.Load(); arrived.Load() != waves*atOnce || opened > atOnce {
		t.Errorf("%d answers came over %d connections, %d at a time", arrived.Load(), opened, atOnce)
	}
}

func TestGatewayOutOfReachIsToldInTheLog(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.gateway.Close()
	b.accepted(payment(t, "sic-inst", "TX1", "10.00"))
	b.simulator.Settle()
	entry := b.log("")[1]
	if entry.Outcome != "abandoned" || !strings.Contains(entry.Detail, "could not be reached") {
		t.Errorf("got %s (%s), want abandoned and out of reach", entry.Outcome, entry.Detail)
	}
	last := b.waits[len(b.waits)-1]
	if len(b.waits) != 59 || last != 5*time.Second {
		t.Errorf("got %d waits, the last of %v; want 59 and 5s", len(b.waits), last)
	}
}

func TestWrongTokenIsToldInTheLog(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(c *simulator.Config) { c.Token = "wrong" })
	b.accepted(payment(t, "sic-inst", "TX1", "10.00"))
	b.simulator.Settle()
	entry := b.log("")[1]
	if entry.Outcome != "abandoned" || !strings.Contains(entry.Detail, "401") {
		t.Errorf("got %s (%s), want abandoned with 401", entry.Outcome, entry.Detail)
	}
}
