package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"countersign/internal/demo"
)

// loadOptions say what the clients do.
type loadOptions struct {
	clients int
	length  time.Duration
	settle  bool    // the part ends when the last payment is settled
	rate    float64 // payments a second that begin, whatever the answers take; 0: each client begins when it is done
	// incoming is how many payments a second other banks send meanwhile, by the simulator; 0 for none.
	incoming float64
}

// loaded is what was done, and what it took.
type loaded struct {
	pairs                     int
	began                     time.Time
	took                      time.Duration
	calls                     []Timed
	refused                   int // calls that were told to come back, and did
	postgres, program, client time.Duration
}

func (l loaded) perSecond() float64 { return float64(l.pairs) / l.took.Seconds() }

func (l loaded) each() CPU {
	each := func(used time.Duration) float64 { return used.Seconds() * 1000 / float64(max(l.pairs, 1)) }
	return CPU{Postgres: each(l.postgres), Program: each(l.program), Client: each(l.client)}
}

// percentiles are how long half of them took at most, and 99 of 100, in milliseconds.
func percentiles(all []Timed) (p50, p99 float64) {
	if len(all) == 0 {
		return 0, 0
	}
	times := make([]float64, len(all))
	for i, one := range all {
		times[i] = one.Took.Seconds() * 1000
	}
	slices.Sort(times)
	return times[len(times)/2], times[len(times)*99/100]
}

// load lets clients make and approve payments, and reads what each side used meanwhile.
func (b *bed) load(ctx context.Context, g *gateway, o loadOptions) (loaded, error) {
	c, err := newClients(ctx, g)
	if err != nil {
		return loaded{}, err
	}
	before, err := b.usage(g)
	if err != nil {
		return loaded{}, err
	}
	began := time.Now()
	calls, err := c.work(ctx, o)
	if err == nil && o.settle {
		err = b.untilSettled(ctx)
	}
	if err != nil {
		return loaded{}, err
	}
	took := time.Since(began)
	after, err := b.usage(g)
	result := loaded{pairs: len(calls) / 2, began: began, took: took, calls: calls, refused: int(c.refused.Load())}
	result.postgres, result.program, result.client = after[0]-before[0], after[1]-before[1], after[2]-before[2]
	return result, err
}

// usage is the processor time of PostgreSQL, of the program and of the clients, which are this process.
func (b *bed) usage(g *gateway) (used [3]time.Duration, err error) {
	server, err := b.server.ProcessorTime()
	program, err2 := g.used()
	own, err3 := UsedBy(os.Getpid())
	return [3]time.Duration{server, program.Processor, own.Processor}, errors.Join(err, err2, err3)
}

// settledWithin is how long the last payment may take to its end.
const settledWithin = 2 * time.Minute

// untilSettled waits until no payment is on its way.
func (b *bed) untilSettled(ctx context.Context) error {
	late, cancel := context.WithTimeout(ctx, settledWithin)
	defer cancel()
	for {
		open, err := Open(late, b.settled)
		if err != nil || open == 0 {
			return err
		}
		select {
		case <-late.Done():
			return fmt.Errorf("%d payments are not settled after %s", open, settledWithin)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// clients are a maker and a checker who work at several places at once.
type clients struct {
	base, simulator string
	http            *http.Client
	maker, checker  string // access tokens
	zone            *time.Location
	refused         *atomic.Int64
}

// numbers give every order of this process a number of its own; they begin where no other process's do.
var numbers = func() *atomic.Int64 {
	n := new(atomic.Int64)
	n.Store(time.Now().UnixMilli() * 1000)
	return n
}()

func newClients(ctx context.Context, g *gateway) (clients, error) {
	zone, err := time.LoadLocation("Europe/Zurich")
	if err != nil {
		return clients{}, fmt.Errorf("load the banks' time zone: %w", err)
	}
	c := clients{base: g.base, simulator: g.clearing, zone: zone, refused: new(atomic.Int64), http: &http.Client{
		Timeout: callWithin, Transport: new(http.Transport),
	}}
	c.maker, err = c.signIn(ctx, "maker1")
	if err == nil {
		c.checker, err = c.signIn(ctx, "checker1")
	}
	return c, err
}

func (c clients) signIn(ctx context.Context, user string) (string, error) {
	form := url.Values{
		"grant_type": {"password"}, "client_id": {demo.Backoffice}, "client_secret": {demo.ClientSecret}, "username": {user},
		"password": {demo.UserPassword},
	}
	request, err := http.NewRequestWithContext(
		ctx, http.MethodPost, c.base+"/api/auth/v1/realms/"+demo.Realm+"/login", strings.NewReader(form.Encode()),
	)
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := c.http.Do(request)
	if err != nil {
		return "", err
	}
	var tokens struct {
		Access string `json:"access_token"`
	}
	err = errors.Join(json.NewDecoder(answer.Body).Decode(&tokens), answer.Body.Close())
	if err == nil && tokens.Access == "" {
		err = fmt.Errorf("sign in %s: %s", user, answer.Status)
	}
	return tokens.Access, err
}

// work makes pairs until the time is over. Every call is timed: of a payment that begins by the clock, the first from when it should have
// begun.
func (c clients) work(ctx context.Context, o loadOptions) ([]Timed, error) {
	var mu sync.Mutex
	var all []Timed
	group, ctx := errgroup.WithContext(ctx)
	began := time.Now()
	var begun atomic.Int64
	if o.incoming > 0 {
		group.Go(func() error { return c.receive(ctx, began, o) })
	}
	for range o.clients {
		group.Go(func() error {
			at, err := openPlace(ctx, c.base)
			if err != nil {
				return err
			}
			defer at.close()
			var own []Timed
			for time.Since(began) < o.length && ctx.Err() == nil {
				start := time.Now()
				if o.rate > 0 {
					start = began.Add(time.Duration(float64(begun.Add(1)) / o.rate * float64(time.Second)))
					time.Sleep(time.Until(start))
				}
				created, approved, err := c.pair(ctx, at, start)
				if err != nil {
					return err
				}
				between := start.Add(created)
				own = append(own, Timed{Ended: between, Took: created}, Timed{Ended: between.Add(approved), Took: approved})
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, own...)
			return nil
		})
	}
	err := group.Wait()
	c.http.CloseIdleConnections()
	return all, err
}

// pair makes a payment and approves it.
func (c clients) pair(ctx context.Context, at *place, start time.Time) (created, approved time.Duration, err error) {
	externalID, document := demo.SampleOrder(numbers.Add(1), time.Now().In(c.zone))
	content, err := c.post(ctx, at, c.maker, "/api/sic-inst/v1/instruction/create",
		`{"identifiers":{"externalId":"`+externalID+`"},"Document":`+document+`}`)
	if err != nil {
		return 0, 0, err
	}
	between := time.Now()
	_, id, _ := strings.Cut(content, `"internalId":"`)
	_, err = c.post(ctx, at, c.checker, "/api/common/v1/instruction/approval",
		`{"identifiers":{"internalId":"`+id[:min(36, len(id))]+`"},"ApprovalDetails":{"action":"approve"}}`)
	return between.Sub(start), time.Since(between), err
}

// receive has the simulator send payments to the demo's customer, by the clock, one at a time: each is booked and answered.
func (c clients) receive(ctx context.Context, began time.Time, o loadOptions) error {
	for number := 1; ; number++ {
		due := began.Add(time.Duration(float64(number) / o.incoming * float64(time.Second)))
		if due.Sub(began) > o.length {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Until(due)):
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.simulator+"/scenario/incoming-payment",
			strings.NewReader(`{"scheme":"sic-inst","amount":"10.00"}`))
		if err != nil {
			return err
		}
		request.Header.Set("Content-Type", "application/json")
		answer, err := c.http.Do(request)
		if err != nil {
			return err
		}
		content, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK {
			return errors.Join(err, fmt.Errorf("the simulator answers an incoming payment with %s: %s", answer.Status, content))
		}
	}
}

// patience is the number of times a call is sent again after a 429 or 503.
const patience = 200

func (c clients) post(ctx context.Context, at *place, token, path, body string) (string, error) {
	for tries := 1; ; tries++ {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+path, strings.NewReader(body))
		if err != nil {
			return "", err
		}
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("X-Request-Id", "bench")
		request.Header.Set("Content-Type", "application/json")
		status, content, err := at.call(request)
		switch {
		case err != nil || status == http.StatusOK:
			return string(content), err
		case tries < patience && (status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests):
			c.refused.Add(1)
			time.Sleep(time.Second) // as Retry-After says
		default:
			return "", fmt.Errorf("%s answers %d: %s", path, status, content)
		}
	}
}
