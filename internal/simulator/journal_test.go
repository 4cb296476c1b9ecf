package simulator_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/internal/simulator"
)

// script is a series of deliveries one after another, and the log they give.
func script(t *testing.T, seed uint64) []simulator.Entry {
	t.Helper()
	b := newBench(t, func(c *simulator.Config) { c.Seed = seed })
	for _, scheme := range schemes {
		for number, amount := range []string{"10.00", "10.91", "10.93", "10.94", "10.95", "10.96", "10.98"} {
			transaction := transactionID(scheme, number)
			for _, sent := range []delivery{
				payment(t, scheme, transaction, amount),
				payment(t, scheme, transaction, amount),
				paymentInquiry(t, scheme, transaction, "Q-"+transaction),
				recall(t, scheme, transaction, amount),
			} {
				b.accepted(sent)
				b.simulator.Settle()
			}
		}
	}
	return b.log("")
}

func TestSameSeedAndDeliveriesGiveTheSameLog(t *testing.T) {
	t.Parallel()
	first, second, other := script(t, 7), script(t, 7), script(t, 8)
	if difference := cmp.Diff(first, second); difference != "" {
		t.Errorf("the logs differ (-first +second):\n%s", difference)
	}
	if len(first) != len(other) {
		t.Fatalf("another seed changed the number of entries: %d and %d", len(first), len(other))
	}
	ids := map[string]string{}
	for i, entry := range first {
		if entry.Direction == "out" && entry.MessageID == other[i].MessageID {
			t.Errorf("entry %d has the same message id with another seed", entry.Number)
		}
		if known, found := ids[entry.MessageID]; found && entry.Direction == "out" && known != entry.XML {
			t.Errorf("message id %s stands for two documents", entry.MessageID)
		}
		ids[entry.MessageID] = entry.XML
	}
}

func TestLogForgetsTheOldestFirst(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(c *simulator.Config) { c.Remembered = 3 })
	for number := range 5 {
		b.accepted(payment(t, "sic-inst", transactionID("sic-inst", number), "10.93"))
	}
	var numbers []uint64
	for _, entry := range b.log("") {
		numbers = append(numbers, entry.Number)
	}
	if difference := cmp.Diff([]uint64{3, 4, 5}, numbers); difference != "" {
		t.Errorf("entries kept (-want +got):\n%s", difference)
	}
	b.accepted(payment(t, "sic-inst", transactionID("sic-inst", 4), "10.93"))
	b.accepted(payment(t, "sic-inst", transactionID("sic-inst", 0), "10.93"))
	entries := b.log("?after=5")
	if len(entries) != 2 || entries[0].Outcome != "duplicate" || entries[1].Outcome != "taken" {
		t.Errorf("got %v, want the latest payment known and the oldest forgotten", outcomesOf(entries))
	}
}

func TestLogIsFiltered(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	if entries := b.log(""); len(entries) != 0 {
		t.Errorf("got %d entries before any document", len(entries))
	}
	for number := range 3 {
		b.accepted(payment(t, "sic-inst", transactionID("sic-inst", number), "10.93"))
	}
	transaction := transactionID("sic-inst", 1)
	found := b.log("?transactionId=" + transaction)
	if len(found) != 1 || found[0].TransactionID != transaction || found[0].Number != 2 {
		t.Errorf("got %+v, want the second entry", found)
	}
	if found = b.log(fmt.Sprintf("?after=%d", 2)); len(found) != 1 || found[0].Number != 3 {
		t.Errorf("got %+v, want the third entry", found)
	}
	response, err := http.Get(b.server.URL + "/log?after=yesterday")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusBadRequest {
		t.Errorf("got %d for a number that is none, want 400", response.StatusCode)
	}
}

func TestLogTellsWhatTheDocumentIs(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	sent := payment(t, "sct-inst", "TX1", "10.92")
	b.accepted(sent)
	b.simulator.Settle()
	entries := b.log("")
	want := []simulator.Entry{
		{
			Number: 1, Direction: "in", Scheme: "sct-inst", Name: "pacs.008.001.08", MessageID: "M-TX1", TransactionID: "TX1",
			EndToEndID: "E-E2E-0001", Outcome: "taken", Effective: true, XML: string(sent.xml),
		},
		{
			Number: 2, Direction: "out", Scheme: "sct-inst", Name: "pacs.002.001.10", MessageID: b.gateway.taken()[0].messageID,
			TransactionID: "TX1", EndToEndID: "E-E2E-0001", Status: "RJCT", Reason: "AM04", Outcome: "delivered", Attempts: 1,
			XML: b.gateway.taken()[0].xml,
		},
	}
	for i := range entries {
		want[i].At = entries[i].At
	}
	if difference := cmp.Diff(want, entries); difference != "" {
		t.Errorf("log (-want +got):\n%s", difference)
	}
}

func TestLiveness(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	response, err := http.Get(b.server.URL + "/livez")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("got %d, want 200", response.StatusCode)
	}
}
