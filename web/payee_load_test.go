package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/payee"
	"countersign/internal/testutil"
	"countersign/web"
	"countersign/web/webtest"
)

// orders sends payment orders to a gateway and keeps how long each took.
type orders struct {
	t     *testing.T
	url   string
	token string

	mu   sync.Mutex
	took map[string][]time.Duration // by what the order is like
}

// send makes a payment, again after the time that an answer 503 asks for, and returns the result of the verification of its payee.
func (o *orders) send(kind, path, body string) payee.Result {
	began := time.Now()
	answer := o.try(path, body)
	for answer.StatusCode == http.StatusServiceUnavailable && time.Since(began) < payee.Limit {
		_ = answer.Body.Close()
		wait, err := strconv.Atoi(answer.Header.Get("Retry-After"))
		if err != nil {
			o.t.Error(err)
		}
		time.Sleep(time.Duration(wait) * time.Second)
		answer = o.try(path, body)
	}
	content, _ := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		o.t.Errorf("%s: %d %s", kind, answer.StatusCode, content)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.took[kind] = append(o.took[kind], time.Since(began))
	var told struct{ Payee struct{ Result payee.Result } }
	_ = json.Unmarshal(content, &told)
	return told.Payee.Result
}

func (o *orders) try(path, body string) *http.Response {
	r, _ := http.NewRequestWithContext(o.t.Context(), http.MethodPost, o.url+path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+o.token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Request-Id", "load")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		o.t.Error(err)
		return &http.Response{Body: http.NoBody}
	}
	return answer
}

// TestLateBanksHoldNobodyElseUp has a thousand payees verified, every tenth by a bank that is late, while payments in francs are submitted
// beside them.
func TestLateBanksHoldNobodyElseUp(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	unlimited := web.Limits{PerPrincipal: 1_000_000, PerAddress: 1_000_000} // the clock of the buckets stands still
	g := webtest.With(t, webtest.Options{Payee: webtest.AskBanks(t), Settings: web.Settings{Limits: unlimited}})
	server := httptest.NewServer(g.Server.Handler())
	t.Cleanup(server.Close)
	o := &orders{t: t, url: server.URL, token: g.Token(t, webtest.Maker1), took: map[string][]time.Duration{}}
	beside, stop := context.WithCancel(t.Context())
	var aside sync.WaitGroup
	aside.Go(func() {
		for i := 0; beside.Err() == nil; i++ {
			key := fmt.Sprintf(`"CHF-%d"`, i)
			o.send("francs", webtest.CreateSwiss, strings.NewReplacer(`"EXT"`, key, `"MSG"`, key).Replace(webtest.Sample))
		}
	})
	var work sync.WaitGroup
	next := make(chan int)
	for range 40 {
		work.Go(func() {
			for i := range next {
				kind, name, want := "prompt", fmt.Sprintf("Muster Werk %d", i), payee.Match
				if i%10 == 0 {
					kind, name, want = "late", fmt.Sprintf("Late Answer %d", i), payee.Late
				}
				key := fmt.Sprintf(`"EUR-%d"`, i)
				body := strings.NewReplacer(`"EXT"`, key, `"MSG"`, key, "Atelier Exemple SARL", name).Replace(webtest.EuropeanSample)
				if got := o.send(kind, webtest.CreateEuropean, body); got != want {
					t.Errorf("%s: %s", name, got)
				}
			}
		})
	}
	for i := range 1000 {
		next <- i
	}
	close(next)
	work.Wait()
	stop()
	aside.Wait()
	for kind, took := range o.took {
		slices.Sort(took)
		t.Logf("%s: %d, p50 %s, p99 %s, slowest %s", kind, len(took), took[len(took)/2], took[len(took)*99/100], took[len(took)-1])
		if kind != "late" && took[len(took)-1] >= payee.Limit {
			t.Errorf("%s waited with those that are late: %s", kind, took[len(took)-1])
		}
	}
}
