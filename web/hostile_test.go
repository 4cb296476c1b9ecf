package web_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"countersign/internal/testutil"
	"countersign/web"
	"countersign/web/webtest"
)

// hostileDoor is a door that strangers can send bodies to. Uploads have a corpus of their own beside the portal.
type hostileDoor struct {
	name, path, kind string
	sample           string // what the door would take
	headers          map[string]string
}

// hostileBodies is the number of bodies sent: a few hundred with the other tests, 10,000 by make hostile.
func hostileBodies(t *testing.T) int {
	t.Helper()
	given := os.Getenv("COUNTERSIGN_HOSTILE")
	if given == "" {
		return 300
	}
	count, err := strconv.Atoi(given)
	must(t, err)
	return count
}

// TestHostileBodiesNeitherBreakNorBloatTheDoors sends bodies that are deep, long, endless, broken, compressed or of other alphabets to
// the JSON, clearing and token doors of one server. None may be answered by 5xx, and memory stays within bounds.
func TestHostileBodiesNeitherBreakNorBloatTheDoors(t *testing.T) {
	testutil.Long(t)
	const asTheProgram = 200 // cmd/countersign: garbage that may wait to be collected, in per cent
	defer debug.SetGCPercent(debug.SetGCPercent(asTheProgram))
	b := limited(t, web.Limits{PerPrincipal: 1_000_000, PerAddress: 1_000_000}) // every body is to reach its door
	signedIn := map[string]string{"Authorization": "Bearer " + b.Token(t, webtest.Maker1)}
	form := "grant_type=password&client_id=demo-backoffice&client_secret=x&username=nobody&password=x"
	doors := []hostileDoor{
		{"create", webtest.CreateSwiss, "application/json", webtest.Order(webtest.Sample), signedIn},
		{
			"recall", "/api/sct-inst/v1/recall/create", "application/json",
			`{"identifiers":{"internalId":"x"},"RecallDetails":{"reason":"DUPL"}}`,
			signedIn,
		},
		{"approval", webtest.ApprovePath, "application/json", webtest.Verdict("x", "approve"), signedIn},
		{
			"clearing", webtest.ClearingPath, "application/xml", webtest.StatusReport(t, "sic-inst_04_pacs.002.001.10_ACSC.xml", "DM00000000000000"),
			map[string]string{"Authorization": "Bearer " + webtest.ClearingToken},
		},
		{"token", "/api/auth/v1/realms/demo/login", "application/x-www-form-urlencoded", form, nil},
	}
	bomb()
	answers := make([]atomic.Int64, 600)
	var told strings.Builder
	number, most := 0, int64(0)
	for at, kind := range hostileKinds {
		bodies := hostileBodies(t)/len(hostileKinds) + len(doors)
		grown := peakOf(func() {
			var group errgroup.Group
			const parallel = 8
			group.SetLimit(parallel)
			for i := range bodies {
				group.Go(func() error {
					door := doors[i%len(doors)]
					random := rand.New(rand.NewPCG(uint64(i), uint64(at)))
					status, body := b.attack(door, kind, random)
					answers[status].Add(1)
					if status >= http.StatusInternalServerError || status < http.StatusOK {
						t.Errorf("%s at the door %s (body %d): %d %s", kind.name, door.name, i, status, body)
					}
					return nil
				})
			}
			must(t, group.Wait())
		})
		fmt.Fprintf(&told, "\n%6d  %4d MiB  %s", bodies, grown>>20, kind.name)
		number, most = number+bodies, max(most, grown)
	}
	const bound = 512 << 20
	if most > bound {
		t.Errorf("the heap grew by %d MiB", most>>20)
	}
	for status := range answers {
		if n := answers[status].Load(); n > 0 {
			fmt.Fprintf(&told, "\n%6d  answered with %d", n, status)
		}
	}
	t.Logf("%d bodies; the heap grew by %d MiB at most. Bodies, growth and kind:%s", number, most>>20, told.String())
}

// peakOf is how far the heap grows while the work is done.
func peakOf(work func()) int64 {
	var peak atomic.Int64
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	stop := watchMemory(&peak)
	work()
	stop()
	return peak.Load() - int64(before.HeapAlloc)
}

// attack sends one body of a kind to a door.
func (b *bundle) attack(door hostileDoor, kind hostileKind, random *rand.Rand) (status int, body string) {
	r := httptest.NewRequest(http.MethodPost, door.path, bytes.NewReader(kind.make(door, random)))
	r.Header.Set("Content-Type", door.kind+kind.charset)
	r.Header.Set("X-Request-Id", "hostile")
	if kind.encoding != "" {
		r.Header.Set("Content-Encoding", kind.encoding)
	}
	for name, value := range door.headers {
		r.Header.Set(name, value)
	}
	recorder := httptest.NewRecorder()
	b.Server.Handler().ServeHTTP(recorder, r)
	return recorder.Code, recorder.Body.String()
}

// watchMemory notes the largest heap until it is stopped.
func watchMemory(peak *atomic.Int64) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(20 * time.Millisecond)
		defer ticker.Stop()
		for {
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			peak.Store(max(peak.Load(), int64(now.HeapAlloc)))
			select {
			case <-done:
				return
			case <-ticker.C:
			}
		}
	}()
	return func() { close(done); <-ended }
}

// hostileKind is one way to do harm with a body.
type hostileKind struct {
	name     string
	charset  string // parameter of the content type
	encoding string // of the content
	make     func(door hostileDoor, random *rand.Rand) []byte
}

// bomb is 8 MiB in a few kilobytes, made once: what its making takes is not what the doors take.
var bomb = sync.OnceValue(func() []byte {
	var body bytes.Buffer
	writer := gzip.NewWriter(&body)
	_, _ = writer.Write(make([]byte, 8<<20)) // never fails
	_ = writer.Close()
	return body.Bytes()
})

var hostileKinds = []hostileKind{
	{name: "deep nesting", make: func(d hostileDoor, r *rand.Rand) []byte {
		depth := 10 + r.IntN(40_000)
		if d.kind == "application/xml" {
			return []byte(strings.Repeat("<a>", depth))
		}
		return []byte(strings.Repeat(`{"a":[`, depth))
	}},
	{name: "nesting that closes", make: func(d hostileDoor, r *rand.Rand) []byte {
		depth := 10 + r.IntN(20_000)
		if d.kind == "application/xml" {
			return []byte(strings.Repeat("<a>", depth) + strings.Repeat("</a>", depth))
		}
		return []byte(strings.Repeat(`[`, depth) + strings.Repeat("]", depth))
	}},
	{name: "a name of 100 kB", make: func(d hostileDoor, r *rand.Rand) []byte {
		name := strings.Repeat(string(rune('a'+r.IntN(26))), 100_000)
		switch d.kind {
		case "application/xml":
			return []byte("<" + name + " " + name + `="x"/>`)
		case "application/json":
			return []byte(`{"` + name + `":1,"` + name + `":2}`)
		}
		return []byte(name + "=1&" + name + "=2")
	}},
	{name: "many members", make: func(d hostileDoor, r *rand.Rand) []byte {
		var body strings.Builder
		for i := range 5_000 + r.IntN(15_000) {
			switch d.kind {
			case "application/xml":
				fmt.Fprintf(&body, "<e%d/>", i)
			case "application/json":
				fmt.Fprintf(&body, `"k%d":%d,`, i, i)
			default:
				fmt.Fprintf(&body, "k%d=%d&", i, i)
			}
		}
		if d.kind == "application/json" {
			return []byte("{" + body.String() + `"z":0}`)
		}
		return []byte(body.String())
	}},
	{name: "a huge array", make: func(_ hostileDoor, r *rand.Rand) []byte {
		return []byte(`{"Document":{"CstmrCdtTrfInitn":{"PmtInf":[` + strings.Repeat("{},", 1_000+r.IntN(60_000)) + `{}]}}}`)
	}},
	{name: "a huge number", make: func(_ hostileDoor, r *rand.Rand) []byte {
		return []byte(`{"Document":{"a":` + strings.Repeat("9", 1_000+r.IntN(200_000)) + `e999999999}}`)
	}},
	{name: "entities that multiply", make: func(_ hostileDoor, r *rand.Rand) []byte {
		var body strings.Builder
		body.WriteString(`<?xml version="1.0"?><!DOCTYPE a [<!ENTITY e0 "x">`)
		for i := range 5 + r.IntN(20) {
			fmt.Fprintf(&body, `<!ENTITY e%d "%s">`, i+1, strings.Repeat(fmt.Sprintf("&e%d;", i), 10))
		}
		body.WriteString("]><a>&e5;</a>")
		return []byte(body.String())
	}},
	{name: "a bomb of gzip", encoding: "gzip", make: func(hostileDoor, *rand.Rand) []byte { return bomb() }},
	{name: "cut off", make: func(d hostileDoor, r *rand.Rand) []byte { return []byte(d.sample[:r.IntN(len(d.sample))]) }},
	{name: "one byte changed", make: func(d hostileDoor, r *rand.Rand) []byte {
		changed := []byte(d.sample)
		for range 1 + r.IntN(4) {
			changed[r.IntN(len(changed))] = byte(r.IntN(256))
		}
		return changed
	}},
	{name: "UTF-16", charset: "; charset=utf-16", make: func(d hostileDoor, _ *rand.Rand) []byte {
		wide := []byte{0xff, 0xfe}
		for _, character := range []byte(d.sample) {
			wide = append(wide, character, 0)
		}
		return wide
	}},
	{name: "Latin-1 that claims to be UTF-8", charset: "; charset=utf-8", make: func(d hostileDoor, r *rand.Rand) []byte {
		at := r.IntN(len(d.sample))
		return []byte(d.sample[:at] + "\xe4\xf6\xfc\xff" + d.sample[at:])
	}},
	{name: "zeros and controls", make: func(d hostileDoor, r *rand.Rand) []byte {
		at := r.IntN(len(d.sample))
		return []byte(d.sample[:at] + strings.Repeat("\x00\x01\x1b", 1+r.IntN(1_000)) + d.sample[at:])
	}},
	{name: "noise", make: func(_ hostileDoor, r *rand.Rand) []byte {
		noise := make([]byte, r.IntN(300_000))
		for i := range noise {
			noise[i] = byte(r.IntN(256))
		}
		return noise
	}},
	{name: "too large", make: func(d hostileDoor, r *rand.Rand) []byte {
		return []byte(d.sample + strings.Repeat(" ", 256<<10+r.IntN(1<<20)))
	}},
	{name: "the same twice", make: func(d hostileDoor, _ *rand.Rand) []byte { return []byte(d.sample + d.sample) }},
}
