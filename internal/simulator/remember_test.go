package simulator_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"countersign/internal/iso20022"
	"countersign/internal/simulator"
)

// remembering makes benches that keep their memory in one file, one after another, towards one gateway.
func remembering(t *testing.T) (path string, again func(*bench) *bench) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "memory.jsonl")
	return path, func(before *bench) *bench {
		t.Helper()
		b := before
		if b == nil {
			b = answering(t, "ACCP", "")
		} else {
			b.server.Close()
			b.simulator.Close()
		}
		b.simulator = simulator.New(simulator.Config{GatewayURL: b.gateway.URL, Token: token, Seed: 7, Now: b.now, Sleep: b.sleep})
		err := b.simulator.Remember(path)
		if err != nil {
			t.Fatal(err)
		}
		b.server = httptest.NewServer(b.simulator.Handler())
		t.Cleanup(b.server.Close)
		t.Cleanup(b.simulator.Close)
		return b
	}
}

func TestNoIDIsUsedTwiceOnOneFile(t *testing.T) {
	t.Parallel()
	_, again := remembering(t)
	var b *bench
	seen := map[string]bool{}
	for range 3 {
		b = again(b)
		for range 2 {
			payment := b.incoming(`{"scheme":"sic-inst"}`)
			if seen[payment.TransactionID] || payment.Status != "ACCP" {
				t.Errorf("again %+v", payment)
			}
			seen[payment.TransactionID] = true
		}
	}
	numbers := map[uint64]bool{}
	for _, entry := range b.log("") {
		if numbers[entry.Number] {
			t.Errorf("number %d twice", entry.Number)
		}
		numbers[entry.Number] = true
	}
	if got := len(withoutConfirmations(b.log(""))); got != 12 {
		t.Errorf("the log has %d entries, want 6 payments and 6 answers", got)
	}
}

// TestEvenAForgetfulSimulatorUsesNoIDAgain holds the ids to the clock: without a file the count begins anew.
func TestEvenAForgetfulSimulatorUsesNoIDAgain(t *testing.T) {
	t.Parallel()
	b := answering(t, "ACCP", "")
	first := b.incoming(`{"scheme":"sct-inst"}`)
	anew := simulator.New(simulator.Config{GatewayURL: b.gateway.URL, Token: token, Seed: 7, Now: b.now, Sleep: b.sleep})
	t.Cleanup(anew.Close)
	b.server.Close()
	b.simulator, b.server = anew, httptest.NewServer(anew.Handler())
	t.Cleanup(b.server.Close)
	if second := b.incoming(`{"scheme":"sct-inst"}`); second.TransactionID == first.TransactionID {
		t.Errorf("%s again", first.TransactionID)
	}
}

func TestWhatWasTakenIsKnownAfterARestart(t *testing.T) {
	t.Parallel()
	_, again := remembering(t)
	b := again(nil)
	first := payment(t, "sic-inst", "TX1", "100.91")
	b.accepted(first)
	b.simulator.Settle()
	b = again(b)
	b.accepted(first)
	b.accepted(delivery{scheme: "sic-inst", messageID: "ANOTHER", xml: first.xml})
	if answer := b.deliver(
		delivery{scheme: "sic-inst", messageID: first.messageID, xml: payment(t, "sic-inst", "TX2", "5.00").xml},
	); answer.status != http.StatusConflict {
		t.Errorf("another document under the id: %d", answer.status)
	}
	b.simulator.Settle()
	if got := b.effective("pacs.008.001.08", "TX1"); got != 1 {
		t.Errorf("the payment took effect %d times", got)
	}
	reports := 0
	for _, taken := range b.gateway.taken() {
		if _, isReport := taken.document.(*iso20022.FIToFIPaymentStatusReport); isReport {
			reports++
		}
	}
	if repeats, _, _ := b.gateway.counts(); reports != 1 || repeats != 0 {
		t.Errorf("%d answers and %d repeats reached the gateway, want one answer", reports, repeats)
	}
}

func TestAnAnswerOwedIsSentAfterARestart(t *testing.T) {
	t.Parallel()
	_, again := remembering(t)
	b := again(nil)
	release := b.hold(simulator.FirstBackoff)
	b.gateway.fail(1)
	b.accepted(payment(t, "sct-inst", "TX1", "1.00"))
	for _, _, attempts := b.gateway.counts(); attempts == 0; _, _, attempts = b.gateway.counts() {
	}
	b.gateway.fail(0)
	b = again(b) // the retry it waits for is dropped by the close
	release()
	b.simulator.Settle()
	var offered []string
	for _, entry := range b.log("?transactionId=" + "TX1") {
		if entry.Direction == "out" {
			offered = append(offered, entry.Outcome)
		}
	}
	if taken := b.gateway.taken(); len(taken) != 1 || strings.Join(offered, " ") != "abandoned delivered" {
		t.Errorf("the gateway took %d answers, the log says %q", len(taken), offered)
	}
}

func TestAPaymentOfBeforeTheRestartCanBeRecalled(t *testing.T) {
	t.Parallel()
	_, again := remembering(t)
	b := again(nil)
	payment := b.incoming(`{"scheme":"sct-inst","amount":"12.30"}`)
	body := `{"scheme":"sct-inst","transactionId":"` + payment.TransactionID + `"}`
	ids := map[string]bool{}
	for range 2 {
		answer := b.scenario("recall", body)
		var made struct{ RecallID string }
		if err := json.Unmarshal([]byte(answer.body), &made); err != nil || answer.status != http.StatusOK {
			t.Fatalf("%d %s", answer.status, answer.body)
		}
		ids[made.RecallID] = true
		b = again(b)
	}
	if len(ids) != 2 {
		t.Errorf("two recalls under %d ids", len(ids))
	}
}

func TestALineThatACrashCutOffIsForgotten(t *testing.T) {
	t.Parallel()
	path, again := remembering(t)
	b := again(nil)
	b.incoming(`{"scheme":"sic-inst"}`)
	b.simulator.Close()
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteString(`{"number":99,"direction":"in","sch`)
	if err != nil || file.Close() != nil {
		t.Fatal(err)
	}
	for range 2 {
		b = again(b)
		b.incoming(`{"scheme":"sic-inst"}`)
	}
	if got := len(withoutConfirmations(b.log(""))); got != 6 {
		t.Errorf("the log has %d entries, want 3 payments and 3 answers", got)
	}
}

// TestTheFileIsBounded writes more than both parts of the file hold.
func TestTheFileIsBounded(t *testing.T) {
	t.Parallel()
	path, again := remembering(t)
	b := again(nil)
	large := strings.Repeat(" ", 200<<10)
	for i := range 120 {
		paid := payment(t, "sic-inst", transactionID("sic-inst", i), "1.00")
		paid.xml = append(paid.xml, large...)
		b.accepted(paid)
	}
	b.simulator.Settle()
	total := int64(0)
	for _, name := range []string{path, path + ".1"} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
	}
	if total > 17<<20 {
		t.Errorf("the memory takes %d bytes", total)
	}
	b = again(b)
	b.incoming(`{"scheme":"sic-inst"}`)
}

// withoutConfirmations leaves out what the simulator says of the settlement of incoming payments, which is sent after the answer.
func withoutConfirmations(log []simulator.Entry) []simulator.Entry {
	return slices.DeleteFunc(log, func(e simulator.Entry) bool { return e.Direction == "out" && e.Status == "ACSC" })
}
