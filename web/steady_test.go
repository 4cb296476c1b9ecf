package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
	"countersign/web"
	"countersign/web/webtest"
)

// heldBody is a body whose first part is asked for, and comes only when the test lets it.
type heldBody struct {
	io.Reader
	once           sync.Once
	asked, release chan struct{}
}

// Read waits before the first part.
func (h *heldBody) Read(into []byte) (int, error) {
	h.once.Do(func() {
		close(h.asked)
		<-h.release
	})
	return h.Reader.Read(into)
}

// TestMoreThanTheDoorTakesAreAskedToComeAgain: a call beyond the limit is refused at once with Retry-After, and the next one is taken when
// the one before is done.
func TestMoreThanTheDoorTakesAreAskedToComeAgain(t *testing.T) {
	t.Parallel()
	b := limited(t, web.Limits{InFlight: 1})
	body := &heldBody{Reader: strings.NewReader(webtest.Order(webtest.Sample)), asked: make(chan struct{}), release: make(chan struct{})}
	first := httptest.NewRequest(http.MethodPost, webtest.CreateSwiss, body)
	first.Header.Set("Content-Type", "application/json")
	first.Header.Set("X-Request-Id", "first")
	first.Header.Set("Authorization", "Bearer "+b.Token(t, webtest.Maker1))
	answered := make(chan int)
	go func() {
		recorder := httptest.NewRecorder()
		b.Server.Handler().ServeHTTP(recorder, first)
		answered <- recorder.Code
	}()
	<-body.asked
	list := webtest.Get(webtest.ListPath, webtest.Maker1)
	refused := b.Send(t, list)
	if refused.Status != http.StatusServiceUnavailable || refused.Text("errorCode") != "503_UNAVAILABLE" ||
		refused.Header.Get("Retry-After") != "1" {
		t.Errorf("beyond the limit: %d, Retry-After %q, %s", refused.Status, refused.Header.Get("Retry-After"), refused.Body)
	}
	if a := b.Send(t, webtest.Get("/readyz", webtest.Nobody)); a.Status != http.StatusOK {
		t.Errorf("readiness under load: %d %s", a.Status, a.Body)
	}
	close(body.release)
	if status := <-answered; status != http.StatusOK && status != http.StatusBadRequest { // the time of a call may be over on a busy machine
		t.Errorf("the call that was under way: %d", status)
	}
	if a := b.Send(t, list); a.Status != http.StatusOK {
		t.Errorf("when it was done: %d %s", a.Status, a.Body)
	}
}

// TestATokenCallBeyondTheLimitIsRefusedInTheWordsOfOAuth: so is one that the program stumbles over, of which the log tells why.
func TestATokenCallBeyondTheLimitIsRefusedInTheWordsOfOAuth(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const atATime, address, form = 64, "/api/auth/v1/realms/demo/login", "application/x-www-form-urlencoded"
	post := func(body io.Reader) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodPost, address, body)
		r.Header.Set("Content-Type", form)
		recorder := httptest.NewRecorder()
		b.Server.Handler().ServeHTTP(recorder, r)
		return recorder
	}
	var underWay sync.WaitGroup
	release := make(chan struct{})
	for range atATime {
		body := &heldBody{Reader: strings.NewReader("grant_type=password"), asked: make(chan struct{}), release: release}
		underWay.Go(func() { post(body) })
		<-body.asked
	}
	refused := b.Send(t, webtest.Call{Path: address, Body: "grant_type=password", Kind: form}) // held against the contract
	close(release)
	underWay.Wait()
	if refused.Status != http.StatusServiceUnavailable || refused.Text("error") != "temporarily_unavailable" ||
		refused.Text("errorCode") != "503_UNAVAILABLE" || refused.Text("error_description") == "" || refused.Header.Get("Retry-After") != "1" {
		t.Errorf("one beyond the limit: %d, Retry-After %q, %s", refused.Status, refused.Header.Get("Retry-After"), refused.Body)
	}
	failed := post(stumblingBody{})
	if body := failed.Body.String(); failed.Code != http.StatusInternalServerError || !strings.Contains(body, `"error":"server_error"`) ||
		strings.Contains(body, "secret-leaked") || !strings.Contains(b.Log.String(), "secret-leaked") {
		t.Errorf("a panic: %d %s", failed.Code, body)
	}
}

// stumblingBody is a body whose reading fails.
type stumblingBody struct{}

// Read does not return.
func (stumblingBody) Read([]byte) (int, error) { panic("secret-leaked") }

// asked is what an address answers by a real connection.
func asked(t *testing.T, address string) (status int, body map[string]any) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	must(t, err)
	response, err := http.DefaultClient.Do(request)
	must(t, err)
	must(t, errors.Join(json.NewDecoder(response.Body).Decode(&body), response.Body.Close()))
	return response.StatusCode, body
}

// eventually waits for a status of the readiness page.
func eventually(t *testing.T, address, want string) (status int) {
	t.Helper()
	var body map[string]any
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		status, body = asked(t, address)
		if body["status"] == want {
			return status
		}
	}
	t.Fatalf("readiness stays %d %v, want %q", status, body, want)
	return 0
}

// TestReadinessDoesNotWaitForTheDatabase: while nothing comes back from it, readiness answers all the same, and says so. The bound is far
// from what it takes, and from the two seconds the database has to answer.
func TestReadinessDoesNotWaitForTheDatabase(t *testing.T) {
	t.Parallel()
	b, l := setupBehind(t)
	address := "http://" + b.listening(t) + "/readyz"
	eventually(t, address, "ready")
	l.Freeze()
	if status := eventually(t, address, "not ready"); status != http.StatusServiceUnavailable {
		t.Errorf("not ready is told with %d", status)
	}
	quickest := time.Hour
	for range 20 {
		began := time.Now()
		asked(t, address)
		quickest = min(quickest, time.Since(began))
	}
	if quickest > 100*time.Millisecond {
		t.Errorf("the quickest of 20 answers took %s while the database does not answer", quickest)
	}
	l.Thaw()
	eventually(t, address, "ready")
}

// TestReadinessNamesAnInterruptedConnection: payments are taken meanwhile, so the gateway is ready; what does not work is told.
func TestReadinessNamesAnInterruptedConnection(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.Send(t, webtest.Call{Path: webtest.CreateSwiss, Who: webtest.Maker1, Body: webtest.Order(webtest.Sample)}).Text(
		"identifiers", "internalId",
	)
	b.Send(t, webtest.Call{Path: webtest.ApprovePath, Who: webtest.Checker1, Body: webtest.Verdict(id, "approve")})
	message, err := uuid.Parse(id)
	must(t, err)
	b.Network.Refuse = func(servicetest.Delivery) error { return errors.New("down") }
	for range 10 {
		if b.Clearing.Send(t.Context(), rulebook.SchemeSIC, "demo", message) == nil {
			t.Fatal("a refused delivery passes for done")
		}
	}
	a := b.Send(t, webtest.Get("/readyz", webtest.Nobody))
	if a.Status != http.StatusOK || a.Text("connections", "sct-inst") != "working" ||
		strings.HasPrefix(a.Text("connections", "sic-inst"), "working") ||
		!strings.Contains(a.Text("connections", "sic-inst"), " since 2026-11-20T09:30:00Z") {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

// TestAStoppingServerSaysSoBeforeItRefuses: from the signal on it is not ready, and still takes what comes.
func TestAStoppingServerSaysSoBeforeItRefuses(t *testing.T) {
	t.Parallel()
	b := limited(t, web.Limits{Drain: 3 * time.Second})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- b.Server.Serve(ctx, listener) }()
	address := "http://" + listener.Addr().String()
	eventually(t, address+"/readyz", "ready")
	stop()
	if status := eventually(t, address+"/readyz", "stopping"); status != http.StatusServiceUnavailable {
		t.Errorf("stopping is told with %d", status)
	}
	if status, _ := asked(t, address+"/livez"); status != http.StatusOK {
		t.Errorf("a request while it stops: %d", status)
	}
	select {
	case err = <-ended:
		must(t, err)
	case <-time.After(time.Minute):
		t.Fatal("the server does not stop")
	}
}
