package simulator_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/simulator"
	"countersign/internal/testutil"
)

var schemes = []string{"sic-inst", "sct-inst"}

// bench is a simulator on the wire with a gateway across from it, a clock that moves a second each time it is read, and waits that end
// at once unless the test holds them.
type bench struct {
	t         *testing.T
	gateway   *gateway
	simulator *simulator.Simulator
	server    *httptest.Server

	mutex sync.Mutex
	clock time.Time
	waits []time.Duration
	held  map[time.Duration]chan struct{} // waits of this length last until the channel is closed
}

func newBench(t *testing.T, change func(*simulator.Config)) *bench {
	t.Helper()
	b := &bench{
		t: t, gateway: startGateway(t),
		clock: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), held: map[time.Duration]chan struct{}{},
	}
	config := simulator.Config{GatewayURL: b.gateway.URL + "/", Token: token, Seed: 7, Now: b.now, Sleep: b.sleep}
	if change != nil {
		change(&config)
	}
	b.simulator = simulator.New(config)
	b.server = httptest.NewServer(b.simulator.Handler())
	t.Cleanup(b.server.Close)
	t.Cleanup(b.simulator.Close)
	return b
}

func (b *bench) now() time.Time {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.clock = b.clock.Add(time.Second)
	return b.clock
}

func (b *bench) sleep(ctx context.Context, wait time.Duration) error {
	b.mutex.Lock()
	b.waits = append(b.waits, wait)
	held := b.held[wait]
	b.mutex.Unlock()
	if held == nil {
		return ctx.Err()
	}
	select {
	case <-held:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// hold makes waits of this length last until the returned function is called.
func (b *bench) hold(wait time.Duration) (release func()) {
	held := make(chan struct{})
	b.mutex.Lock()
	b.held[wait] = held
	b.mutex.Unlock()
	return func() { close(held) }
}

// delivery is one POST of the gateway.
type delivery struct {
	scheme, messageID, contentType string
	xml                            []byte
}

// reply is the answer to a POST; status 0 stands for a connection closed without an answer.
type reply struct {
	status int
	body   string
}

// deliver may be called from any goroutine.
func (b *bench) deliver(d delivery) reply {
	request, err := http.NewRequest(http.MethodPost, b.server.URL+"/clearing/"+d.scheme, strings.NewReader(string(d.xml)))
	if err != nil {
		b.t.Error(err)
		return reply{}
	}
	if d.contentType == "" {
		d.contentType = "application/xml"
	}
	request.Header.Set("Content-Type", d.contentType)
	if d.messageID != "" {
		request.Header.Set("X-Message-Id", d.messageID)
	}
	return b.do(request)
}

func (b *bench) do(request *http.Request) reply {
	request.GetBody = nil // the client must not try again by itself
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return reply{}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return reply{}
	}
	return reply{response.StatusCode, string(body)}
}

// accepted delivers and expects 202.
func (b *bench) accepted(d delivery) {
	b.t.Helper()
	answer := b.deliver(d)
	if answer.status != http.StatusAccepted {
		b.t.Fatalf("delivery of %s: got %d %s, want 202", d.messageID, answer.status, answer.body)
	}
}

func (b *bench) scenario(name, body string) reply {
	b.t.Helper()
	request, err := http.NewRequest(http.MethodPost, b.server.URL+"/scenario/"+name, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	return b.do(request)
}

func (b *bench) log(query string) []simulator.Entry {
	b.t.Helper()
	response, err := http.Get(b.server.URL + "/log" + query)
	if err != nil {
		b.t.Fatal(err)
	}
	defer response.Body.Close()
	var entries []simulator.Entry
	err = json.NewDecoder(response.Body).Decode(&entries)
	if err != nil {
		b.t.Fatalf("log: %v", err)
	}
	return entries
}

// effective counts the entries of a transaction and message that took effect.
func (b *bench) effective(name, transactionID string) int {
	b.t.Helper()
	count := 0
	for _, entry := range b.log("?transactionId=" + transactionID) {
		if entry.Effective && entry.Name == name {
			count++
		}
	}
	return count
}

// sample reads a document of the testdata.
func sample[D iso20022.Document](t *testing.T, name string) D {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	document, findings := codec.DecodeXML(data)
	if len(findings) > 0 {
		t.Fatalf("%s: %v", name, findings)
	}
	return document.(D)
}

// encode may be called from any goroutine.
func encode(t *testing.T, document iso20022.Document) []byte {
	t.Helper()
	xml, err := codec.EncodeXML(document)
	if err != nil {
		t.Error(err)
	}
	return xml
}

// checkSchema runs xmllint over a document with the schema of its message.
func checkSchema(t *testing.T, name, xml string) {
	t.Helper()
	linter := testutil.Program(t, "xmllint", "make xmllint")
	command := exec.Command(linter, "--noout", "--schema", "../iso20022/schema/"+name+".xsd", "-")
	command.Stdin = strings.NewReader(xml)
	output, err := command.CombinedOutput()
	if err != nil {
		t.Errorf("%s is not valid: %s\n%s", name, output, xml)
	}
}

// checkSent checks each document the gateway took against its schema.
func (b *bench) checkSent() {
	b.t.Helper()
	for _, taken := range b.gateway.taken() {
		checkSchema(b.t, string(taken.document.MessageName()), taken.xml)
	}
}

func short(scheme string) string {
	return strings.TrimSuffix(scheme, "-inst")
}

func transactionID(scheme string, number int) string {
	return fmt.Sprintf("TX%s%06d", strings.ToUpper(short(scheme)), number)
}
