package simulator_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	contract "countersign/api"
	"countersign/internal/simulator"
)

// described holds an answer of the simulator against the description of the interface.
func described(t *testing.T, method, path string, status int, body string) {
	t.Helper()
	document, err := openapi3.NewLoader().LoadFromData(contract.Document)
	if err != nil {
		t.Fatal(err)
	}
	operation := document.Paths.Value(path).GetOperation(method)
	response := operation.Responses.Status(status)
	if response == nil {
		t.Fatalf("%s %s answers %d, which is not described: %s", method, path, status, body)
	}
	var value any
	err = json.Unmarshal([]byte(body), &value)
	if err == nil {
		err = response.Value.Content.Get("application/json").Schema.Value.VisitJSON(value)
	}
	if err != nil {
		t.Errorf("%s %s answers %d, not as described: %v\n%s", method, path, status, err, body)
	}
}

// TestTheSandboxIsAsItIsDescribed: each answer of the scenarios and of the log, and the examples of their bodies are taken.
func TestTheSandboxIsAsItIsDescribed(t *testing.T) {
	t.Parallel()
	document, err := openapi3.NewLoader().LoadFromData(contract.Document)
	if err != nil {
		t.Fatal(err)
	}
	b := answering(t, "ACCP", "")
	const incoming, recall = "/scenario/incoming-payment", "/scenario/recall"
	example := func(path string) string {
		written, err := json.Marshal(document.Paths.Value(path).Post.RequestBody.Value.Content.Get("application/json").Example)
		if err != nil {
			t.Fatal(err)
		}
		return string(written)
	}
	paid := b.scenario("incoming-payment", example(incoming))
	described(t, http.MethodPost, incoming, paid.status, paid.body)
	var payment made
	err = json.Unmarshal([]byte(paid.body), &payment)
	if err != nil || paid.status != http.StatusOK {
		t.Fatalf("the example is not taken: %d %s", paid.status, paid.body)
	}
	unknown := b.scenario("recall", example(recall))
	described(t, http.MethodPost, recall, unknown.status, unknown.body)
	recalled := b.scenario("recall", strings.Replace(example(recall), "S1INCOMING000001", payment.TransactionID, 1))
	described(t, http.MethodPost, recall, recalled.status, recalled.body)
	malformed := b.scenario("incoming-payment", `{"scheme":"x"}`)
	described(t, http.MethodPost, incoming, malformed.status, malformed.body)
	if got := fmt.Sprint(unknown.status, recalled.status, malformed.status); got != "404 200 400" {
		t.Errorf("got %s", got)
	}
	written, err := json.Marshal(b.log(""))
	if err != nil {
		t.Fatal(err)
	}
	described(t, http.MethodGet, "/log", http.StatusOK, string(written))
}

// TestTheRootListsTheScenarios: the root of the simulator explains the cents of amounts.
func TestTheRootListsTheScenarios(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	simulator.New(simulator.Config{GatewayURL: "http://127.0.0.1:1", Token: "t"}).Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	for cents := 91; cents <= 98; cents++ {
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), fmt.Sprintf("| .%d |", cents)) {
			t.Errorf("%d, without .%d: %s", w.Code, cents, w.Body)
		}
	}
}
