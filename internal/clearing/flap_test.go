package clearing_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/clearing"
	transport "countersign/internal/clearing/httpclient"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
	"countersign/internal/testutil"
)

// TestAConnectionThatComesAndGoesHoldsNobodyUp: clearing takes one document in eleven, so that its connection is interrupted again and
// again, while many ask how it stands, as pages, probes and scrapes do. Nobody waits for another for ever, and the log tells of it once.
func TestAConnectionThatComesAndGoesHoldsNobodyUp(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	clock := servicetest.ClockAt(time.Date(2026, time.March, 2, 11, 0, 0, 0, time.UTC))
	var down, slow, stop, quiet atomic.Bool
	h := servicetest.With(t, servicetest.Options{Now: func() time.Time {
		if slow.Load() {
			time.Sleep(2 * time.Millisecond) // a lock is held for so long meanwhile
		}
		return clock.Now()
	}})
	defer h.CheckInvariants(t)
	log := listen(h)
	h.Network.Refuse = func(servicetest.Delivery) error {
		if down.Load() {
			return errors.New("down")
		}
		return nil
	}
	const rounds, enough = 3, 10
	var ms [rounds * (enough + 1)]payment.Message
	for i := range ms {
		ms[i] = approved(t, h, rulebook.SchemeSIC)
	}
	var asking sync.WaitGroup
	for range 4 {
		asking.Go(func() {
			for !stop.Load() {
				h.Clearing.Connections()
				if quiet.Load() {
					time.Sleep(time.Millisecond)
				}
			}
		})
	}
	ended := make(chan struct{})
	slow.Store(true)
	go func() {
		defer close(ended)
		for i := range ms {
			last := i%(enough+1) == enough
			down.Store(!last)
			if last {
				quiet.Store(true)
				tried(t, h)
				quiet.Store(false)
				clock.Add(time.Second)
			}
			err := h.Clearing.Send(ctx, ms[i].Scheme, ms[i].Realm, ms[i].InternalID)
			if (err == nil) != last {
				t.Errorf("payment %d: %v", i, err)
			}
		}
		stop.Store(true)
		asking.Wait()
	}()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("those who deliver and those who ask wait for each other")
	}
	slow.Store(false)
	for _, line := range []string{"clearing takes no documents", "clearing takes documents again"} {
		if n := strings.Count(log.String(), line); n != 1 {
			t.Errorf("within %d seconds the log says %d times: %s", rounds, n, line)
		}
	}
	if state := h.Clearing.Connections()[0].State; state != clearing.ConnectionWorking {
		t.Errorf("in the end the connection is %s", state)
	}
}

// TestEveryOtherRequestIsEnough: clearing takes every other document that it is handed. All payments get there, each as one document, and
// the connection is not interrupted.
func TestEveryOtherRequestIsEnough(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	log := listen(h)
	const payments = 40
	approveMany(t, h, rulebook.SchemeSCT, payments)
	number, seen := 0, map[string]string{}
	h.Network.Refuse = func(d servicetest.Delivery) error { // one at a time
		if known, again := seen[d.Reference]; again && known != d.Content {
			t.Errorf("%s is another document when it is tried again", d.Reference)
		}
		seen[d.Reference] = d.Content
		if number++; number%2 == 1 {
			return errors.New("reset")
		}
		return nil
	}
	for looks := 0; len(h.Network.Delivered()) < payments && looks < 20; looks++ {
		h.Clock.Add(4 * time.Second)
		h.Clearing.RunOnce(ctx)
	}
	took := map[string]bool{}
	for _, d := range h.Network.Delivered() {
		if strings.Contains(d.Content, "pacs.008") && took[d.Reference] {
			t.Errorf("%s was taken twice", d.Reference)
		}
		took[d.Reference] = true
	}
	if len(took) < payments || strings.Contains(log.String(), "clearing takes no documents") {
		t.Errorf("%d of %d payments are with clearing; the log says %s", len(took), payments, log.String())
	}
}

// TestWhatClearingSaysToADeliveryIsNoAnswer: clearing answers 200 with garbage, with what looks like the answer to the payment, or with a
// body that never ends. The document counts as taken, nothing is settled, and a side that does not answer is asked after ten seconds.
func TestWhatClearingSaysToADeliveryIsNoAnswer(t *testing.T) {
	t.Parallel()
	bodies := map[string]func(http.ResponseWriter, *http.Request){
		"a page": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("<html>" + strings.Repeat("Welcome! ", 10_000)))
		},
		"cut short": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("{"))
		},
		"an answer": func(w http.ResponseWriter, r *http.Request) {
			id, _ := payment.ParseReference(r.Header.Get("X-Message-Id"))
			w.Header().Set("Content-Type", "application/xml")
			_, _ = w.Write(settlement(string(id)))
		},
		"without end": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
	}
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			var came atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { came.Add(1); body(w, r) }))
			t.Cleanup(server.Close)
			h := servicetest.With(t, servicetest.Options{Clearing: transport.New(map[rulebook.Scheme]string{rulebook.SchemeSIC: server.URL}, nil)})
			defer h.CheckInvariants(t)
			m := approved(t, h, rulebook.SchemeSIC)
			send(t, h, m)
			want{state: payment.StateProcessing}.check(t, h, m)
			h.Clock.Add(10*time.Second + time.Millisecond)
			h.Clearing.RunOnce(ctx)
			h.Clearing.RunOnce(ctx)
			want{state: payment.StateUnconfirmed}.check(t, h, m)
			if came.Load() != 2 {
				t.Errorf("clearing got %d documents, want the payment and the question about it", came.Load())
			}
		})
	}
}

// TestAnAnswerThatComesOverTwoChannelsAtOnceCountsOnce: two processes receive the answer to a payment at the same moment, each twice, and
// its contradiction. One of them counts, the same for both, and an operator sees what contradicts it.
func TestAnAnswerThatComesOverTwoChannelsAtOnceCountsOnce(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	other := h.Again(t, servicetest.Options{})
	for round := range 8 {
		m := approved(t, h, rulebook.Schemes()[round%2])
		send(t, h, m)
		var all sync.WaitGroup
		var stored, duplicates atomic.Int64
		start := make(chan struct{})
		for _, one := range []struct{ reference, status, code string }{
			{"SAME", "ACSC", ""}, {"SAME", "ACSC", ""}, {"OTHER", "ACSC", ""}, {"AGAINST", "RJCT", "AC04"},
		} {
			for _, by := range []*servicetest.Env{h, other} {
				document := answer(t, m, one.reference+string(m.GlobalID), one.status, one.code)
				all.Go(func() {
					<-start
					err := by.Clearing.Receive(ctx, document)
					switch {
					case err == nil:
						stored.Add(1)
					case errors.Is(err, clearing.ErrDuplicate):
						duplicates.Add(1)
					default:
						t.Error(err)
					}
				})
			}
		}
		close(start)
		all.Wait()
		if stored.Load() != 3 || duplicates.Load() != 5 {
			t.Errorf("of eight answers under three ids %d were stored and %d were duplicates", stored.Load(), duplicates.Load())
		}
		var ends, quarantined int
		must(t, h.DB.Owner(t).QueryRow(ctx, `SELECT
			(SELECT count(*) FROM message_history WHERE message_id = $1 AND to_state IN ('Settled', 'Failed')),
			(SELECT count(*) FROM inbox WHERE outcome = 'quarantined' AND reference LIKE '%' || $2)`, m.InternalID, string(m.GlobalID),
		).Scan(&ends, &quarantined))
		now := current(t, h, m)
		wanted := map[payment.State]int{payment.StateSettled: 1, payment.StateFailed: 2}[now.State]
		if ends != 1 || quarantined != wanted {
			t.Errorf("the payment is %s, ended %d times, and %d answers are in quarantine, want %d", now.State, ends, quarantined, wanted)
		}
	}
}
