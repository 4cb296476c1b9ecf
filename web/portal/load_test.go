package portal_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/demo"
	"countersign/internal/testutil"
)

// floodLength is how long the flood lasts: two seconds with the other tests.
func floodLength(t *testing.T) time.Duration {
	t.Helper()
	given := os.Getenv("COUNTERSIGN_SIGN_IN_FLOOD")
	if given == "" {
		return 2 * time.Second
	}
	length, err := time.ParseDuration(given)
	if err != nil {
		t.Fatal(err)
	}
	return length
}

// TestSignInUnderAFlood measures how long people wait at the door while one address floods it. With the other tests it floods for two
// seconds; COUNTERSIGN_SIGN_IN_FLOOD=60s makes it longer. It reports; the refusals themselves are asserted without a clock in
// internal/auth.
func TestSignInUnderAFlood(t *testing.T) {
	testutil.Long(t)
	length := floodLength(t)
	b := setup(t)
	from := func(address string) *http.Client {
		dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
		return &http.Client{
			Transport:     &http.Transport{DialContext: dialer.DialContext, MaxIdleConnsPerHost: 100, MaxConnsPerHost: 100},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	post := func(client *http.Client, name, password string) (int, error) {
		form := url.Values{"realm": {"demo"}, "username": {name}, "password": {password}, "next": {"/"}}
		request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, b.server.URL+"/signin",
			strings.NewReader(form.Encode()))
		if err != nil {
			return 0, err
		}
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Sec-Fetch-Site", "same-origin")
		answer, err := client.Do(request)
		if err != nil {
			return 0, err
		}
		return answer.StatusCode, answer.Body.Close()
	}
	ctx, stop := context.WithTimeout(context.Background(), length)
	defer stop()
	var wait sync.WaitGroup
	var sent, refused, broken atomic.Int64
	flood := from("127.0.0.2")
	wait.Go(func() {
		ticker := time.NewTicker(time.Second / 300)
		defer ticker.Stop()
		for i := 0; ctx.Err() == nil; i++ {
			<-ticker.C
			wait.Go(func() {
				status, err := post(flood, fmt.Sprintf("nobody%d", i), "x")
				sent.Add(1)
				if status == http.StatusTooManyRequests {
					refused.Add(1)
				}
				if err != nil {
					broken.Add(1)
				}
			})
		}
	})
	people := from("127.0.0.1")
	var waits []time.Duration
	failed := 0
	for ctx.Err() == nil {
		began := time.Now()
		status, err := post(people, "maker1", demo.UserPassword)
		if err != nil || status != http.StatusSeeOther {
			failed++
			t.Logf("an honest sign-in: %d %v", status, err)
		}
		waits = append(waits, time.Since(began))
		time.Sleep(600 * time.Millisecond)
	}
	wait.Wait()
	slices.Sort(waits)
	t.Logf("flood: %d tries in %s, %d refused with 429, %d broken off; people: %d sign-ins, %d failed, p50 %s, p95 %s, longest %s",
		sent.Load(), length, refused.Load(), broken.Load(), len(waits), failed, waits[len(waits)/2], waits[len(waits)*95/100],
		waits[len(waits)-1])
	if failed > 0 {
		t.Errorf("%d people could not sign in", failed)
	}
}
