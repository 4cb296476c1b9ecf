package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"countersign/api/client"
	"countersign/internal/demo"
	"countersign/internal/testutil"
)

// TestEveryOutcomeIsLearned makes and decides payments by eight writers while a webhook's receiver refuses three of ten deliveries and is
// killed twice, and the gateway is killed three times. Each of the documented ways must learn every outcome: three readers of the stream see
// each event once, the webhook delivers each, the events of a message in their order, and a reader of the list finds each final state. A
// number of payments: COUNTERSIGN_EVENT_PAYMENTS.
func TestEveryOutcomeIsLearned(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	h := newHouse(t)
	h.external = true // a simulator that died would owe answers
	h.openSimulator(t)
	p := h.open(t)
	o := newOffice(t, h)
	hook := newHook(t, o)
	var readers [3]reader
	ctx, stop := context.WithCancel(t.Context())
	var reading errgroup.Group
	for i := range readers {
		reading.Go(func() error { return readers[i].follow(ctx, h.gateway) })
	}
	payments := testutil.Count(t, "COUNTERSIGN_EVENT_PAYMENTS", 80)
	const writers, kills = 8, 3
	var writing errgroup.Group
	for range writers {
		writing.Go(func() error { return o.makeAndDecide(payments / writers) })
	}
	began := time.Now()
	for kill := range int64(kills) {
		wanted := 2 * int64(payments) * (kill + 1) / (kills + 1)
		whileItMoves(t, "acknowledged requests", o.acknowledged.Load, func() bool { return o.acknowledged.Load() >= wanted })
		if kill > 0 {
			hook.restart(t)
		}
		p.kill(t)
		p = h.open(t)
	}
	must(t, writing.Wait())
	t.Logf("%d payments are decided after %s", len(o.papers()), time.Since(began).Round(time.Second))
	o.listFinal(t)
	settled := time.Now()
	whileItMoves(t, "events that the webhook delivered", hook.count, func() bool {
		events := readers[0].list()
		return o.allEnded(events) && hook.has(events)
	})
	t.Logf("all outcomes are known after %s, all events delivered %s later", settled.Sub(began).Round(time.Second),
		time.Since(settled).Round(time.Second))
	o.eachIsSeen(t, readers[:], hook)
	stop()
	if err := reading.Wait(); !errors.Is(err, context.Canceled) {
		t.Errorf("a reader ended: %v", err)
	}
	h.check(t)
	if code := p.terminate(t); code != 0 {
		t.Errorf("the demo ends with %d", code)
	}
}

// whileItMoves waits until all is done, and fails when the count stands still.
func whileItMoves(t *testing.T, what string, count func() int64, done func() bool) {
	t.Helper()
	for seen, since := count(), time.Now(); !done(); time.Sleep(200 * time.Millisecond) {
		if now := count(); now != seen {
			seen, since = now, time.Now()
		}
		if time.Since(since) > 2*patience {
			t.Fatalf("%s stand still at %d", what, seen)
		}
	}
}

// makeAndDecide makes and approves payments, and repeats each call until it has an answer.
func (o *office) makeAndDecide(payments int) error {
	for number := range payments {
		p := o.newPaper(number)
		p.leave = false
		for _, ask := range []func(*paper) (reply, error){o.create, o.approve} {
			err := o.untilAnswered(func() (reply, error) { return ask(p) })
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// untilAnswered repeats a call whose outcome is unknown.
func (o *office) untilAnswered(ask func() (reply, error)) error {
	for end := time.Now().Add(2 * patience); ; time.Sleep(50 * time.Millisecond) {
		r, err := ask()
		unknown := err != nil || r.status >= http.StatusInternalServerError || r.status == http.StatusConflict ||
			strings.Contains(r.text, `"error":{"message"`)
		switch {
		case !unknown && (r.status == http.StatusOK || r.done()):
			return nil
		case !unknown:
			return refusal(r)
		case time.Now().After(end):
			return errors.Join(err, refusal(r))
		}
	}
}

// listFinal waits until the list shows each payment in its final state. It asks for the open ones by their externalIds.
func (o *office) listFinal(t *testing.T) {
	t.Helper()
	open := map[string]*paper{}
	for _, p := range o.papers() {
		open["X"+p.key] = p
	}
	for end := time.Now().Add(2 * patience); len(open) > 0; time.Sleep(100 * time.Millisecond) {
		const page = 100
		query := url.Values{"pageSize": {"100"}}
		for id := range open {
			if query.Add("externalId", id); len(query["externalId"]) == page {
				break
			}
		}
		r, err := o.askAs("maker1", http.MethodGet, "/api/common/v1/transaction/list?"+query.Encode(), "")
		must(t, err)
		var list struct {
			Transactions []struct{ ExternalID, State string }
		}
		must(t, json.Unmarshal([]byte(r.text), &list))
		if r.status != http.StatusOK || len(list.Transactions) != len(query["externalId"]) {
			t.Fatalf("%d payments of %d: %d %s", len(list.Transactions), len(query["externalId"]), r.status, lastLines(r.text, 5))
		}
		for _, one := range list.Transactions {
			if p := open[one.ExternalID]; p != nil && one.State == p.ends() {
				delete(open, one.ExternalID)
				end = time.Now().Add(2 * patience)
			}
		}
		if time.Now().After(end) {
			t.Fatalf("%d payments have no final state in the list", len(open))
		}
	}
}

// allEnded reports whether every payment has its last event.
func (o *office) allEnded(events []seenEvent) bool {
	final := map[string]string{}
	for _, e := range events {
		final[e.message] = e.state
	}
	return !slices.ContainsFunc(o.papers(), func(p *paper) bool { return final[p.id] != p.ends() })
}

// eachIsSeen compares the events of the readers and of the webhook with each other and with the payments.
func (o *office) eachIsSeen(t *testing.T, readers []reader, hook *hook) {
	t.Helper()
	all := readers[0].list()
	byMessage := map[string][]string{}
	for _, e := range all {
		byMessage[e.message] = append(byMessage[e.message], e.id)
	}
	for i := range readers {
		for end := time.Now().Add(patience); len(readers[i].list()) < len(all) && time.Now().Before(end); {
			time.Sleep(50 * time.Millisecond)
		}
		if !slices.Equal(readers[i].list(), all) {
			t.Errorf("reader %d saw %d events, reader 0 %d, or in another order", i, len(readers[i].list()), len(all))
		}
	}
	seen := map[seenEvent]int{}
	for _, e := range all {
		seen[e]++
	}
	if len(seen) != len(all) {
		t.Errorf("%d events, %d of them different", len(all), len(seen))
	}
	hook.mu.Lock()
	defer hook.mu.Unlock()
	for message, ids := range byMessage {
		if !slices.Equal(hook.sequence[message], ids) {
			t.Errorf("message %s has the events %v and the webhook got %v", message, ids, hook.sequence[message])
		}
	}
	t.Logf("%d events of %d payments; %d deliveries, %d of them refused, %d after they were taken", len(all), len(o.papers()), hook.tries, hook.refused,
		hook.again)
	if len(hook.wrong) > 0 {
		t.Errorf("wrong deliveries: %v", hook.wrong)
	}
}

// seenEvent is an event of a message.
type seenEvent struct{ id, message, state string }

// reader follows the stream and keeps the events of messages.
type reader struct {
	mu   sync.Mutex
	seen []seenEvent
}

func (r *reader) list() []seenEvent {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.seen)
}

func (r *reader) follow(ctx context.Context, gateway string) error {
	api, err := client.New(client.Config{
		URL: "http://" + gateway, Realm: demo.Realm, ClientID: demo.Backoffice, ClientSecret: demo.ClientSecret,
		Username: "supervisor1", Password: demo.UserPassword, Patience: 5 * patience,
	})
	if err != nil {
		return err
	}
	from := place("")
	return api.Follow(ctx, &from, client.ListEventsParams{}, func(_ context.Context, e client.Event) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.seen = append(r.seen, seenEvent{e.ID.String(), e.Transaction.InternalID.String(), string(e.Transaction.State)})
		return nil
	})
}

// hook receives the webhook of two administrators and refuses three of ten deliveries, each event twice at most: the pauses double.
type hook struct {
	mu       sync.Mutex
	server   *http.Server
	address  string
	secret   string
	sequence map[string][]string // the events of each message in the order of their first delivery
	taken    map[string]bool
	failed   map[string]int // deliveries of an event that were refused
	wrong    []string

	tries, refused, again int
}

func newHook(t *testing.T, o *office) *hook {
	t.Helper()
	k := &hook{address: freeAddress(t), sequence: map[string][]string{}, taken: map[string]bool{}, failed: map[string]int{}}
	k.listen(t)
	t.Cleanup(func() { _ = k.server.Close() })
	k.secret = o.change(t, "webhook.create", `{"url":"http://`+k.address+`/"}`).WebhookSecret
	return k
}

func (k *hook) listen(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("tcp", k.address)
	must(t, err)
	k.server = &http.Server{Handler: k, ReadHeaderTimeout: patience}
	go func() { _ = k.server.Serve(listener) }()
}

// restart kills the receiver with its connections, and starts it again a second later.
func (k *hook) restart(t *testing.T) {
	t.Helper()
	must(t, k.server.Close())
	time.Sleep(time.Second)
	k.listen(t)
}

// ServeHTTP takes a delivery.
func (k *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	delivery, err := client.VerifyWebhook(k.secret, r.Header, body, time.Now())
	id, message := delivery.ID, delivery.Data.Transaction.InternalID.String()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.tries++
	switch {
	case err != nil:
		k.wrong = append(k.wrong, err.Error())
	case k.tries%10 < 3 && k.failed[id] < 2:
		k.refused++
		k.failed[id]++
		w.WriteHeader(http.StatusInternalServerError)
	case k.taken[id]:
		k.again++
	default:
		k.taken[id] = true
		k.sequence[message] = append(k.sequence[message], id)
	}
}

func (k *hook) count() int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return int64(len(k.taken))
}

// has reports whether all events were taken.
func (k *hook) has(events []seenEvent) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return !slices.ContainsFunc(events, func(e seenEvent) bool { return !k.taken[e.id] })
}
