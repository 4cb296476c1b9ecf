package clearing_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/clearing"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
	"countersign/internal/testutil"
)

// TestIncomingPaymentsAreAnsweredWhileApprovalsGoOn brings 250 payments in (make race: 1,000), 8 at a time, while payments of ours are
// created and approved. Each must be answered, none unmatched; the time from arrival to the answer's delivery is reported, not judged.
func TestIncomingPaymentsAreAnsweredWhileApprovalsGoOn(t *testing.T) {
	testutil.Long(t)
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	const senders = 8
	payments := testutil.Count(t, "COUNTERSIGN_ARRIVALS", 250)
	running, stop := context.WithCancel(ctx)
	var background sync.WaitGroup
	h.Run(t)
	background.Go(func() {
		for running.Err() == nil {
			approved(t, h, rulebook.SchemeSCT)
		}
	})
	documents := make([]clearing.Document, payments)
	for i := range documents {
		scheme := rulebook.Schemes()[i%2]
		id := fmt.Sprintf("LOAD%04d", i)
		documents[i] = inbound(t, scheme, "IN-"+id, transfer(t, h, scheme, id, receiving[scheme]), nil)
	}
	arrived, answered := timeAnswers(h)
	var group sync.WaitGroup
	for worker := range senders {
		group.Go(func() {
			for i := worker; i < payments; i += senders {
				arrived(fmt.Sprintf("LOAD%04d", i))
				err := h.Clearing.Receive(ctx, documents[i])
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	took := answered(payments, time.Minute)
	stop()
	background.Wait()
	if len(took) != payments {
		t.Fatalf("%d of %d payments were answered", len(took), payments)
	}
	slices.Sort(took)
	t.Logf("from arrival to the delivered answer: p50 %s, p99 %s, longest %s", took[payments/2], took[payments*99/100], took[payments-1])
	var unmatched int
	err := h.DB.Owner(t).QueryRow(ctx, "SELECT count(*) FROM inbox WHERE outcome <> 'matched'").Scan(&unmatched)
	if err != nil || unmatched != 0 {
		t.Errorf("%d unmatched documents: %v", unmatched, err)
	}
}

// timeAnswers watches the network for pacs.002 and takes the time since the arrival of what they answer.
func timeAnswers(h *servicetest.Env) (arrived func(string), answered func(int, time.Duration) []time.Duration) {
	var mu sync.Mutex
	begun, ended := map[string]time.Time{}, map[string]time.Duration{}
	h.Network.Refuse = func(d servicetest.Delivery) error {
		if !strings.Contains(d.Content, "pacs.002") {
			return nil
		}
		_, rest, _ := strings.Cut(d.Content, "<OrgnlTxId>")
		id, _, _ := strings.Cut(rest, "<")
		mu.Lock()
		defer mu.Unlock()
		if _, twice := ended[id]; !twice {
			ended[id] = time.Since(begun[id])
		}
		return nil
	}
	arrived = func(id string) {
		mu.Lock()
		defer mu.Unlock()
		begun[id] = time.Now()
	}
	answered = func(want int, within time.Duration) []time.Duration {
		for deadline := time.Now().Add(within); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
			mu.Lock()
			done := len(ended) >= want
			mu.Unlock()
			if done {
				break
			}
		}
		mu.Lock()
		defer mu.Unlock()
		var took []time.Duration
		for _, d := range ended {
			took = append(took, d)
		}
		return took
	}
	return arrived, answered
}
