package browsertest

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"

	"countersign/internal/testutil"
)

// TestTwelveQueuesOfABrowserHoldOneStream: over HTTP/1.1 a browser has six connections to a server. Twelve open queues leave it five, so that
// every page answers, and the queue that is looked at hears what comes.
func TestTwelveQueuesOfABrowserHoldOneStream(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	p := as(t, "checker2")
	var open atomic.Int32
	count := func(by int32) func(playwright.Request) {
		return func(r playwright.Request) {
			if strings.Contains(r.URL(), "/events?") {
				open.Add(by)
			}
		}
	}
	p.context.OnRequest(count(1))
	p.context.OnRequestFinished(count(-1))
	p.context.OnRequestFailed(count(-1))
	answer := func(page playwright.Page) time.Duration {
		began := time.Now()
		_, err := page.Evaluate("() => fetch('/me', {signal: AbortSignal.timeout(15000)}).then((r) => r.text())")
		if err != nil {
			t.Fatalf("a page does not answer: %v", err)
		}
		return time.Since(began)
	}
	p.open("/queue")
	alone := answer(p.page)
	pages := []playwright.Page{p.page}
	for len(pages) < 12 {
		page, err := p.context.NewPage()
		pages = append(pages, must(t, page, err))
		_, err = page.Goto("/queue")
		if err != nil {
			t.Fatal(err)
		}
	}
	var slowest time.Duration
	for _, page := range pages {
		slowest = max(slowest, answer(page))
	}
	for deadline := time.Now().Add(10 * time.Second); open.Load() != 1 && time.Now().Before(deadline); {
		time.Sleep(50 * time.Millisecond)
	}
	t.Logf("twelve queues hold %d streams; a page answers in %s at the slowest, %s with one queue", open.Load(), slowest, alone)
	if held := open.Load(); held != 1 {
		t.Errorf("twelve queues hold %d streams", held)
	}
	p.page = pages[4]
	if err := p.page.BringToFront(); err != nil {
		t.Fatal(err)
	}
	_, err := p.page.Evaluate("() => dispatchEvent(new Event('focus'))")
	if err != nil {
		t.Fatal(err)
	}
	as(t, "maker1").submit(newOrder("sic-inst"))
	p.says(".live", "Show 1 new entry")
	for _, page := range pages[1:] {
		if page != p.page {
			_ = page.Close()
		}
	}
}
