package api_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/service"
)

// receiver takes webhooks, and fails as it is told.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	secret []byte
	// fails decides of each delivery.
	fails      func(count int) bool
	count      int
	taken      []string            // ids of events, in order, each once
	sequence   map[string][]string // states of each message, in the order of their first delivery
	wrong      []string
	signatures int // of the last delivery
}

func newReceiver(t *testing.T, fails func(int) bool) *receiver {
	t.Helper()
	r := &receiver{fails: fails, sequence: map[string][]string{}}
	r.Server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(func() { r.Close() })
	return r
}

// restart closes the receiver's door, and opens it again at the same address.
func (r *receiver) restart(t *testing.T) {
	t.Helper()
	address := r.Listener.Addr().String()
	r.CloseClientConnections()
	r.Close()
	time.Sleep(50 * time.Millisecond)
	listener, err := net.Listen("tcp", address)
	must(t, err)
	r.Server = httptest.NewUnstartedServer(http.HandlerFunc(r.serve))
	must(t, r.Listener.Close())
	r.Listener = listener
	r.Start()
}

func (r *receiver) serve(w http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	id, moment := request.Header.Get("webhook-id"), request.Header.Get("webhook-timestamp")
	mac := hmac.New(sha256.New, r.secret)
	_, _ = mac.Write([]byte(id + "." + moment + "." + string(body)))
	signatures := strings.Fields(request.Header.Get("webhook-signature"))
	r.signatures = len(signatures)
	if !slices.Contains(signatures, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil))) {
		r.wrong = append(r.wrong, id)
	}
	r.count++
	if r.fails(r.count) {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	var event struct {
		Type string
		Data struct {
			ID          string
			Transaction struct{ InternalID, State string }
		}
	}
	err := json.Unmarshal(body, &event)
	if err != nil || event.Type != "webhook.test" && event.Data.ID != id {
		r.wrong = append(r.wrong, string(body))
	}
	if !slices.Contains(r.taken, id) {
		r.taken = append(r.taken, id)
		about := event.Data.Transaction.InternalID
		r.sequence[about] = append(r.sequence[about], id)
	}
}

func (r *receiver) ids() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.taken)
}

// webhook makes a webhook of two administrators for a receiver, and returns its id.
func (b *bundle) webhook(t *testing.T, r *receiver, events string) string {
	t.Helper()
	a := b.changed(t, "webhook.create", "", `{"url":"`+r.URL+`","events":[`+events+`]}`)
	r.takeSecret(t, a)
	return a.Text("change", "subject")
}

func (r *receiver) takeSecret(t *testing.T, a answer) {
	t.Helper()
	secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(a.Text("webhookSecret"), "whsec_"))
	if err != nil || len(secret) != 32 {
		t.Fatalf("no secret: %s", a.Body)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secret = secret
}

// events lists the ids of all events behind a cursor as an administrator or a supervisor reads them.
func (b *bundle) events(t *testing.T, after string, who person) (ids []string, about map[string][]string) {
	t.Helper()
	about = map[string][]string{}
	for {
		a := b.ok(t, get("/api/common/v1/event/list?limit=1000&after="+after, who))
		list, _ := a.At("events").([]any)
		for i := range list {
			id, message := a.Text("events", i, "id"), a.Text("events", i, "transaction", "internalId")
			ids, about[message] = append(ids, id), append(about[message], id)
		}
		after = a.Text("next")
		if a.At("more") != true {
			return ids, about
		}
	}
}

// deliver lets a webhook deliver until something is so. Transactions of other tests delay events.
func (b *bundle) deliver(t *testing.T, id string, done func() bool) {
	t.Helper()
	for range 200 {
		must(t, b.Webhooks.Deliver(t.Context(), "demo", parse(t, id)))
		if done() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// TestAWebhookDeliversEachEventInTheOrderOfItsMessage while the receiver fails three of ten times and is killed twice, and the gateway's
// deliveries are killed again and again in two processes.
func TestAWebhookDeliversEachEventInTheOrderOfItsMessage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := newReceiver(t, func(count int) bool { return count%10 < 3 })
	b.Created(t, maker1)
	start := ""
	for start == "" { // transactions of other tests delay events
		start = b.ok(t, get("/api/common/v1/event/list?after=latest", supervisor1)).Text("next")
	}
	id := parse(t, b.webhook(t, r, ""))
	const writers, each = 8, 25
	var work sync.WaitGroup
	b.Token(t, maker1)
	b.Token(t, checker1)
	for range writers {
		work.Go(func() {
			for range each {
				payment := b.Created(t, maker1)
				b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(payment, "approve")})
			}
		})
	}
	done := make(chan struct{})
	go func() { work.Wait(); close(done) }()
	kills, left := 0, true
	for round := 0; left; round++ {
		running, kill := context.WithTimeout(t.Context(), time.Duration(20+round%5*60)*time.Millisecond)
		var processes sync.WaitGroup
		for range 2 {
			processes.Go(func() { _ = b.Webhooks.Deliver(running, "demo", id) })
		}
		processes.Wait()
		kill()
		kills++
		if round == 4 || round == 9 {
			r.restart(t)
		}
		select {
		case <-done:
			left = false
		default:
		}
		b.Clock.Add(2 * time.Second)
		if round%60 == 0 {
			b.SignOut() // the clock passes the life of tokens while the writers work
		}
	}
	b.SignOut()
	want, byMessage := b.events(t, start, supervisor1)
	for round := 0; len(want)-len(byMessage[""]) < 2*writers*each && round < 200; round++ { // transactions of other tests delay events
		time.Sleep(50 * time.Millisecond)
		want, byMessage = b.events(t, start, supervisor1)
	}
	for round := 0; len(r.ids()) <= len(want) && round < 400; round++ { // and the change that made it
		must(t, b.Webhooks.Deliver(t.Context(), "demo", id))
		b.Clock.Add(time.Minute)
	}
	t.Logf("%d events of %d messages, %d deliveries, %d kills", len(want), len(byMessage), r.count, kills)
	got := r.ids()
	slices.Sort(got)
	slices.Sort(want)
	got = slices.DeleteFunc(got, func(id string) bool { _, is := slices.BinarySearch(want, id); return !is }) // the change that made it
	if !slices.Equal(got, want) || len(r.wrong) > 0 {
		t.Errorf("%d of %d events were delivered; wrong: %v", len(got), len(want), r.wrong)
	}
	for message, ids := range byMessage {
		if message != "" && !slices.Equal(r.sequence[message], ids) {
			t.Errorf("the events of %s: %v instead of %v", message, r.sequence[message], ids)
		}
	}
}

// TestAWebhookIsAdministered: its secret is shown once and stored encrypted, two sign for a day, types narrow it, and a retired one gets nothing.
func TestAWebhookIsAdministered(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := newReceiver(t, func(int) bool { return false })
	id := b.webhook(t, r, `"message.approved"`)
	payment := b.Created(t, maker1)
	b.ok(t, call{Path: approvePath, Who: checker1, Body: verdict(payment, "approve")})
	b.deliver(t, id, func() bool { return len(r.ids()) > 0 })
	if len(r.ids()) != 1 || len(r.sequence[payment]) != 1 {
		t.Errorf("one event was wanted: %v", r.ids())
	}
	other := b.webhook(t, newReceiver(t, func(int) bool { return false }), "")
	b.changed(t, "webhook.retire", other, "")
	must(t, b.Webhooks.Deliver(t.Context(), "demo", parse(t, other)))
	var attempts int
	must(t, b.DB.Owner(t).QueryRow(t.Context(), "SELECT count(*) FROM webhook_attempt WHERE webhook_id::text = $1", other).Scan(&attempts))
	if a := b.Send(t, call{Path: changeCreate, Who: admin1, Body: `{"kind":"webhook.secret","subject":"` + other + `"}`}); attempts != 0 ||
		a.Status != http.StatusBadRequest {
		t.Errorf("a retired webhook: %d attempts, %d", attempts, a.Status)
	}
	old := r.secret
	changed := b.changed(t, "webhook.secret", id, "")
	try := func() {
		t.Helper()
		admin, err := b.Auth.Authenticate(t.Context(), b.Token(t, admin1))
		must(t, err)
		attempt, err := b.Webhooks.Try(t.Context(), admin, parse(t, id), [16]byte{})
		if err != nil || attempt.Failure != "" {
			t.Errorf("%v %v", attempt, err)
		}
	}
	try() // the old secret still fits
	if len(r.wrong) > 0 || r.signatures != 2 {
		t.Errorf("%d signatures, wrong %v", r.signatures, r.wrong)
	}
	r.takeSecret(t, changed)
	try()
	b.Clock.Add(25 * time.Hour)
	b.SignOut()
	try()
	if len(r.wrong) > 0 || r.signatures != 1 {
		t.Errorf("after a day: %d signatures, wrong %v", r.signatures, r.wrong)
	}
	var plain int
	must(t, b.DB.Owner(t).QueryRow(t.Context(), "SELECT count(*) FROM webhook WHERE position($1::bytea IN secret) > 0 OR position($2::bytea IN "+
		"old_secret) > 0", r.secret, old).Scan(&plain))
	list := b.ok(t, get("/api/admin/v1/webhook/list", admin1))
	if plain != 0 || strings.Contains(list.Body, "whsec_") || fmt.Sprint(list.At("webhooks", 0, "events")) != "[message.approved]" {
		t.Errorf("%d plain secrets, %s", plain, list.Body)
	}
	for values, field := range map[string]string{
		`{"url":"ftp://erp.example/x"}`: "/values/url", `{"url":"http://erp.example/x"}`: "/values/url", `{}`: "/values/url",
		`{"url":"https://u:p@erp.example/"}`: "/values/url", `{"url":"https://erp.example/","events":["message.gone"]}`: "/values/events",
	} {
		a := b.Send(t, call{Path: changeCreate, Who: admin1, Body: `{"kind":"webhook.create","values":` + values + `}`})
		if a.Status != http.StatusBadRequest || a.Text("fields", 0, "fieldMap") != field {
			t.Errorf("%s: %d %s", values, a.Status, a.Body)
		}
	}
	if a := b.Send(t, get("/api/admin/v1/webhook/list", maker1)); a.Status != http.StatusForbidden {
		t.Errorf("a maker: %d", a.Status)
	}
}

// TestOneMessageThatIsNotTakenDelaysNoOther: the receiver refuses the events of one message for more than three days. The others pass, the
// refused event is left out then, and the later event of the message is delivered.
func TestOneMessageThatIsNotTakenDelaysNoOther(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := newReceiver(t, func(int) bool { return false })
	id := b.webhook(t, r, `"message.created","message.approval_pending","message.approved"`)
	bad := b.Created(t, maker1)
	var poison string
	r.mu.Lock()
	r.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		r.mu.Lock()
		mine := poison == "" || request.Header.Get("webhook-id") == poison
		if mine {
			poison = request.Header.Get("webhook-id")
		}
		r.mu.Unlock()
		if mine {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		r.serve(w, request)
	})
	r.mu.Unlock()
	of := func(message string) int {
		r.mu.Lock()
		defer r.mu.Unlock()
		return len(r.sequence[message])
	}
	b.deliver(t, id, func() bool { r.mu.Lock(); defer r.mu.Unlock(); return poison != "" })
	b.ok(t, call{Path: approvePath, Who: checker1, Body: verdict(bad, "approve")})
	good, shown := "", map[string][]string{}
	for range 10 {
		good = b.Created(t, maker1)
	}
	for len(shown[good]) == 0 { // transactions of other tests delay events
		_, shown = b.events(t, poison, supervisor1)
	}
	b.Clock.Add(time.Minute) // the refused one is due, and takes no turn from the others
	must(t, b.Webhooks.Deliver(t.Context(), "demo", parse(t, id)))
	if of(good) != 1 {
		t.Errorf("one turn delivered %d of ten events", len(r.ids()))
	}
	for range 10 {
		must(t, b.Webhooks.Deliver(t.Context(), "demo", parse(t, id)))
		b.Clock.Add(time.Hour)
	}
	if poison == "" || len(r.sequence[good]) != 1 || len(r.sequence[bad]) != 0 {
		t.Fatalf("of the good one %v, of the bad one %v", r.sequence[good], r.sequence[bad])
	}
	b.Clock.Add(73 * time.Hour)
	b.deliver(t, id, func() bool { return of(bad) > 0 })
	if len(r.sequence[bad]) != 1 || r.sequence[bad][0] == poison {
		t.Errorf("after three days: %v", r.sequence[bad])
	}
}

// TestWebhooksReachPublicAddressesOnly, unless the operator allows others, by whatever name or form of the address; and follow no redirect.
func TestWebhooksReachPublicAddressesOnly(t *testing.T) {
	t.Parallel()
	reached := 0
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached++ }))
	t.Cleanup(inside.Close)
	_, port, err := net.SplitHostPort(inside.Listener.Addr().String())
	must(t, err)
	client := service.WebhookClient(nil)
	for _, host := range []string{
		"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]", "127.1", "2130706433", "10.0.0.1", "192.168.1.1", "172.16.0.1",
		"169.254.169.254", "100.64.0.1", "[fd00::1]", "[fe80::1]", "[64:ff9b::7f00:1]", "224.0.0.1",
	} {
		answer, err := client.Post("http://"+host+":"+port+"/", "application/json", nil)
		if err == nil {
			_ = answer.Body.Close()
			t.Errorf("%s was reached", host)
		}
	}
	b := setup(t)
	away := httptest.NewServer(http.RedirectHandler(inside.URL, http.StatusTemporaryRedirect))
	t.Cleanup(away.Close)
	a := b.changed(t, "webhook.create", "", `{"url":"`+away.URL+`"}`)
	admin, err := b.Auth.Authenticate(t.Context(), b.Token(t, admin1))
	must(t, err)
	attempt, err := b.Webhooks.Try(t.Context(), admin, parse(t, a.Text("change", "subject")), [16]byte{})
	if err != nil || attempt.Status != http.StatusTemporaryRedirect || attempt.Failure == "" || reached != 0 {
		t.Errorf("%+v %v, reached %d times", attempt, err, reached)
	}
}
