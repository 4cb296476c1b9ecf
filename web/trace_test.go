package web_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/observability"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/web/webtest"
)

// receiver is a collector of OpenTelemetry: it takes what OTLP over HTTP sends it.
type receiver struct {
	*httptest.Server
	mu   sync.Mutex
	raw  bytes.Buffer
	took []*spans.Span
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		var sent collector.ExportTraceServiceRequest
		if err != nil || request.URL.Path != "/v1/traces" || proto.Unmarshal(body, &sent) != nil {
			http.Error(w, "no traces", http.StatusBadRequest)
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.raw.Write(body)
		for _, of := range sent.GetResourceSpans() {
			for _, scope := range of.GetScopeSpans() {
				r.took = append(r.took, scope.GetSpans()...)
			}
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(r.Close)
	return r
}

// of are the spans of a trace by their names.
func (r *receiver) of(id uuid.UUID) map[string]*spans.Span {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := map[string]*spans.Span{}
	for _, span := range r.took {
		if bytes.Equal(span.GetTraceId(), id[:]) {
			found[span.GetName()] = span
		}
	}
	return found
}

// collected is a gateway whose traces a collector takes.
func collected(t *testing.T) (*bundle, *receiver, *observability.Traces) {
	t.Helper()
	to := newReceiver(t)
	traces, err := observability.Collect(t.Context(), to.URL+"/v1/traces", slog.New(slog.DiscardHandler))
	must(t, err)
	b := setupWith(t, webtest.Options{Database: func(db *storetest.DB, log *slog.Logger) *store.Database {
		database, err := store.Open(
			t.Context(), store.Config{URL: db.URL, Seal: db.Seal, TokenKeys: storetest.Keys(t), Log: log, Traces: traces},
		)
		must(t, err)
		t.Cleanup(database.Close)
		return database
	}})
	return b, to, traces
}

// TestAPaymentIsOneTrace follows a payment from its creation to clearing's answer: by requests of three callers and the job between them.
// All steps stand in one trace, whose id is the payment's, linked to the requests.
func TestAPaymentIsOneTrace(t *testing.T) {
	t.Parallel()
	b, to, traces := collected(t)
	b.Nudges.Start()
	const callers = "0af7651916cd43dd8448eb211c80319c"
	made := b.Send(t, webtest.Call{
		Path: webtest.CreateSwiss, Who: webtest.Maker1, Body: webtest.Order(webtest.Sample),
		Change: func(r *http.Request) { r.Header.Set("Traceparent", "00-"+callers+"-b7ad6b7169203331-01") },
	})
	id := parse(t, made.Text("identifiers", "internalId"))
	if a := b.Send(
		t, webtest.Call{Path: webtest.ApprovePath, Who: webtest.Checker1, Body: webtest.Verdict(id.String(), "approve")},
	); a.Status != http.StatusOK {
		t.Fatal(a.Body)
	}
	b.sentByItsJob(t, id)
	b.answered(t, made.Text("identifiers", "globalId"))
	must(t, traces.Close(t.Context()))
	held(t, to, id, callers)
}

// TestAnIncomingPaymentIsOneTrace follows a payment from clearing's request to the delivery of our answer by its job: one trace, whose id
// is the payment's own, and which log lines name.
func TestAnIncomingPaymentIsOneTrace(t *testing.T) {
	t.Parallel()
	b, to, traces := collected(t)
	b.Nudges.Start()
	body := strings.NewReplacer(
		"CH4821966000009613388", "CH5021977000004331346", "21966", "21977", "2026-03-02T10:00:01.049+01:00",
		"2026-11-20T10:30:00.000+01:00", ">2026-03-02<", ">2026-11-20<",
	).Replace(webtest.Document(t, "sic-inst_03_pacs.008.001.08.xml"))
	if a := b.Send(t, webtest.ClearingCall(body, nil)); a.Status != http.StatusAccepted {
		t.Fatal(a.Body)
	}
	conn := b.DB.Connect(t)
	var id uuid.UUID
	must(t, conn.QueryRow(t.Context(), "SELECT message_id FROM message WHERE kind = 'payment'").Scan(&id))
	b.works(t, "the answer is delivered", func() (done bool) {
		must(t, conn.QueryRow(t.Context(), "SELECT bool_and(delivered_at IS NOT NULL) FROM outbox").Scan(&done))
		return done
	})
	var log bytes.Buffer
	step, end := traces.Message(t.Context(), id, "a step")
	slog.New(traces.Lines(slog.NewTextHandler(&log, nil))).With("a", 1).InfoContext(step, "line")
	end(nil)
	if want := "traceId=" + hex.EncodeToString(id[:]); !strings.Contains(log.String(), want) {
		t.Errorf("the log says %s, want %s", log.String(), want)
	}
	must(t, traces.Close(t.Context()))
	steps, root := to.of(id), hex.EncodeToString(id[8:])
	for _, name := range []string{"receive", "reply", "deliver"} {
		if steps[name] == nil {
			t.Fatalf("the trace of the payment has no %q: %v", name, steps)
		}
	}
	received := steps["receive"]
	if hex.EncodeToString(received.GetSpanId()) != root || len(received.GetLinks()) != 1 ||
		hex.EncodeToString(steps["reply"].GetParentSpanId()) != root ||
		!bytes.Equal(steps["deliver"].GetParentSpanId(), steps["reply"].GetSpanId()) {
		t.Errorf("the steps do not stand below each other: %v", steps)
	}
}

// sentByItsJob has the job queue work until clearing has the payment.
func (b *bundle) sentByItsJob(t *testing.T, id uuid.UUID) {
	t.Helper()
	b.works(t, "the job sends the payment", func() bool {
		m, err := b.Reader.Message(t.Context(), "demo", id)
		must(t, err)
		return !m.DeliveredAt.IsZero()
	})
}

// works runs clearing until something is done.
func (b *bundle) works(t *testing.T, what string, done func() bool) {
	t.Helper()
	working, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- b.Clearing.Run(working) }()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it never happens that %s", what)
		}
	}
	stop()
	must(t, <-ended)
}

// answered has clearing settle a payment.
func (b *bundle) answered(t *testing.T, global string) {
	t.Helper()
	content, err := codec.EncodeXML(&iso20022.FIToFIPaymentStatusReport{
		GroupHeader: iso20022.GroupHeader91{MessageID: "A1", CreationDateTime: "2026-11-20T09:30:01Z"},
		TransactionInformationAndStatus: []iso20022.PaymentTransaction110{
			{OriginalTransactionID: global, TransactionStatus: "ACSC"},
		},
	})
	must(t, err)
	a := b.Send(t, webtest.Call{
		Path: "/clearing/v1/sic-inst/messages", Kind: "application/xml", Body: string(content),
		Change: func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+webtest.ClearingToken) },
	})
	if a.Status != http.StatusAccepted {
		t.Fatal(a.Body)
	}
}

func held(t *testing.T, to *receiver, id uuid.UUID, callers string) {
	t.Helper()
	steps := to.of(id)
	root := hex.EncodeToString(id[8:])
	for name, linked := range map[string]bool{
		"submit": true, "approve": true, "send": false, "deliver": false, "answer pacs.002.001.10": true,
	} {
		span, there := steps[name]
		if !there {
			t.Errorf("the trace of the payment has no %q: %v", name, steps)
			continue
		}
		if linked != (len(span.GetLinks()) == 1) {
			t.Errorf("%q has %d links", name, len(span.GetLinks()))
		}
		parent := hex.EncodeToString(span.GetParentSpanId())
		switch {
		case name == "submit" && (parent != "" || hex.EncodeToString(span.GetSpanId()) != root),
			name == "deliver" && parent != hex.EncodeToString(steps["send"].GetSpanId()),
			name != "submit" && name != "deliver" && parent != root:
			t.Errorf("%q stands below %s", name, parent)
		}
	}
	caller, err := hex.DecodeString(callers)
	must(t, err)
	request, there := to.of(uuid.UUID(caller))["POST "+webtest.CreateSwiss]
	if !there || len(request.GetLinks()) != 1 || !bytes.Equal(request.GetLinks()[0].GetTraceId(), id[:]) {
		t.Errorf("the request is not in its caller's trace, or not linked to the payment's: %v", request)
	}
	for _, secret := range []string{"CH5021977000004331346", "CH4821966000009613388", webtest.Maker1.User, "Bearer"} {
		if secret != "" && strings.Contains(to.raw.String(), secret) {
			t.Errorf("the spans tell of %s", secret)
		}
	}
}
