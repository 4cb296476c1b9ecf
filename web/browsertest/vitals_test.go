//go:build long

package browsertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// watchVitals notes in the page what people feel of it: when the largest part was painted, what jumped, and how long the slowest key or
// click took until something was painted.
const watchVitals = `
  window.vitals = { lcp: 0, cls: 0, inp: 0, slowest: "" };
  const watch = (type, options, take) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true, ...options });
  watch("largest-contentful-paint", {}, (e) => (vitals.lcp = e.startTime));
  watch("layout-shift", {}, (e) => (vitals.cls += e.hadRecentInput ? 0 : e.value));
  watch("event", { durationThreshold: 16 }, (e) => {
    if (e.interactionId && e.duration > vitals.inp) Object.assign(vitals, { inp: e.duration, slowest: e.name });
  });`

// painted waits until the browser said when the largest part was painted: it says so no more once somebody presses a key.
const painted = `() => new Promise((done) => {
  const look = () => (vitals.lcp > 0 ? done() : setTimeout(look, 20));
  look();
})`

// vitals are those of one page, in milliseconds; the event timing of browsers counts in steps of 8.
type vitals struct {
	lcp, cls, inp float64
	slowest       string
}

const (
	wantedLCP = 300
	wantedINP = 50
)

// TestKeysAndClicksAreAnsweredAtOnce works at each of the pages where people spend their day, and reads from the browser how long they
// waited. A page that misses is tried three times, because a busy machine is slow too, and its best counts. make lighthouse runs it.
func TestKeysAndClicksAreAnsweredAtOnce(t *testing.T) {
	maker := as(t, "maker1")
	common, waiting := threeOrders(maker)
	checker := as(t, "checker1")
	for _, p := range []*person{maker, checker} {
		if err := p.page.AddInitScript(playwright.Script{Content: playwright.String(watchVitals)}); err != nil {
			t.Fatal(err)
		}
	}
	visits := []struct {
		who  *person
		path string
		work func(*person)
	}{
		{checker, "/", func(p *person) { p.press("?", "Escape") }},
		{checker, "/queue", func(p *person) {
			for range 6 {
				p.press("j", "k", "j")
			}
			p.press("x", "x", "r", "Space", "Tab")
			p.write("Nobody knows this order")
			p.press("Escape", "/")
			p.write("Beispiel")
		}},
		{checker, "/queue?text=" + strings.ReplaceAll(common, " ", "+"), func(p *person) {
			p.approve()
			p.says("#status", waiting[0].about+" approved.")
			p.approve()
			p.says("#status", waiting[1].about+" approved.")
		}},
		{checker, "/payments", func(p *person) { p.press("j", "j", "k", "/"); p.write("CHF") }},
		{checker, "/payments/" + waiting[2].id, func(p *person) { p.press("?", "Escape") }},
		{maker, "/payments/new", func(p *person) { p.typeIn(newOrder("sic-inst")); p.choose("No reference") }},
		{maker, "/mine", func(p *person) { p.press("j", "j", "k") }},
	}
	for _, one := range visits {
		best := vitals{lcp: wantedLCP * 10, inp: wantedINP * 10}
		for try := range 3 {
			one.who.open(one.path)
			one.who.evaluate(painted)
			if try == 0 || !strings.Contains(one.path, "text=") { // what was approved is gone
				one.work(one.who)
			}
			now := one.who.vitals()
			if now.inp < best.inp {
				best.inp, best.slowest = now.inp, now.slowest
			}
			best.lcp, best.cls = min(best.lcp, now.lcp), max(best.cls, now.cls)
			if best.lcp <= wantedLCP && best.inp <= wantedINP {
				break
			}
		}
		t.Logf("%-44s LCP %4.0f ms  CLS %.3f  INP %3.0f ms %s", one.path, best.lcp, best.cls, best.inp, best.slowest)
		if best.lcp > wantedLCP || best.inp > wantedINP || best.cls > 0 {
			t.Errorf("%s: want LCP %d ms, CLS 0, INP %d ms at most", one.path, wantedLCP, wantedINP)
		}
	}
}

// vitals reads what the page noted, after what was done last has been painted.
func (p *person) vitals() vitals {
	p.t.Helper()
	found, _ := p.evaluate(`() => new Promise((done) => setTimeout(() => requestAnimationFrame(() => done(vitals)), 200))`).(map[string]any)
	number := func(name string) float64 {
		var n float64
		_, err := fmt.Sscan(fmt.Sprint(found[name]), &n)
		if err != nil {
			p.t.Fatal(err)
		}
		return n
	}
	return vitals{lcp: number("lcp"), cls: number("cls"), inp: number("inp"), slowest: fmt.Sprint(found["slowest"])}
}
