package webtest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	contract "countersign/api"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
)

// Call is one request. Without a method it is a POST.
type Call struct {
	Method, Path, Body, Kind string
	Who                      Person
	Change                   func(*http.Request)
}

// Answer is an HTTP answer.
type Answer struct {
	Status int
	Header http.Header
	Body   string
	JSON   map[string]any
}

// Send makes a request and holds its answer against the OpenAPI document.
func (g *Gateway) Send(t testing.TB, c Call) Answer {
	t.Helper()
	if c.Method == "" {
		c.Method = http.MethodPost
	}
	request := httptest.NewRequest(c.Method, c.Path, strings.NewReader(c.Body))
	if c.Kind == "" {
		c.Kind = "application/json"
	}
	request.Header.Set("Content-Type", c.Kind)
	request.Header.Set("X-Request-Id", "request-1")
	if c.Who != Nobody {
		request.Header.Set("Authorization", "Bearer "+g.Token(t, c.Who))
	}
	if c.Change != nil {
		c.Change(request)
	}
	if wait := time.Duration(g.Impatient.Load()); wait > 0 {
		ctx, cancel := context.WithTimeout(request.Context(), wait)
		defer cancel()
		request = request.WithContext(ctx)
	}
	recorder := httptest.NewRecorder()
	g.Server.Handler().ServeHTTP(recorder, request)
	a := Answer{Status: recorder.Code, Header: recorder.Header(), Body: recorder.Body.String()}
	if strings.HasPrefix(a.Header.Get("Content-Type"), "application/json") {
		err := json.Unmarshal([]byte(a.Body), &a.JSON)
		if err != nil {
			t.Errorf("%s %s: %v in %s", c.Method, c.Path, err, a.Body)
		}
	}
	checkContract(t, request, a)
	checkReport(t, a)
	return a
}

// openAPI is the document with its router, loaded once.
var openAPI = sync.OnceValues(func() (routers.Router, error) {
	document, err := openapi3.NewLoader().LoadFromData(contract.Document)
	if err != nil {
		return nil, err
	}
	return gorillamux.NewRouter(document)
})

// checkContract checks an answer against the OpenAPI document. An address outside the document must answer 404 or 405.
func checkContract(t testing.TB, request *http.Request, a Answer) {
	t.Helper()
	router, err := openAPI()
	must(t, err)
	route, parameters, err := router.FindRoute(request)
	if err != nil {
		if a.Status != http.StatusNotFound && a.Status != http.StatusMethodNotAllowed && strings.HasPrefix(request.URL.Path, "/api/") &&
			!strings.HasPrefix(request.URL.Path, "/api/docs") {
			t.Errorf("%s %s is not in the OpenAPI document, but answers %d", request.Method, request.URL.Path, a.Status)
		}
		return
	}
	scheme, has := parameters["scheme"]
	if has && scheme != "sic-inst" && scheme != "sct-inst" && a.Status == http.StatusNotFound {
		return // the router of the document does not look at the values of parameters
	}
	options := &openapi3filter.Options{IncludeResponseStatus: true, AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}
	options.ExcludeResponseBody = a.JSON == nil // the type and the status of other bodies are all there is to check
	checkType(t, route.Operation, request, a)
	err = openapi3filter.ValidateResponse(t.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: request, PathParams: parameters, Route: route, Options: options},
		Status:                 a.Status, Header: a.Header, Body: io.NopCloser(strings.NewReader(a.Body)), Options: options,
	})
	if err != nil {
		t.Errorf("%s %s answers %d, which is not as the OpenAPI document says: %v\n%s", request.Method, request.URL.Path, a.Status, err, a.Body)
	}
}

// checkType compares the content type of an answer with those of the OpenAPI document. A status outside the document is ignored.
func checkType(t testing.TB, operation *openapi3.Operation, request *http.Request, a Answer) {
	t.Helper()
	described := operation.Responses.Status(a.Status)
	if described == nil || described.Value.Content == nil || a.Body == "" {
		return
	}
	kind := a.Header.Get("Content-Type")
	if described.Value.Content.Get(kind) == nil {
		t.Errorf("%s %s answers %d as %s, which the OpenAPI document does not name", request.Method, request.URL.Path, a.Status, kind)
	}
}

// checkReport holds the status report in an answer against the schema of pain.002.
func checkReport(t testing.TB, a Answer) {
	t.Helper()
	report := a.At("message", "Document")
	if report == nil || a.At("message", "type") != nil {
		return
	}
	content, err := json.Marshal(report)
	must(t, err)
	_, findings := codec.DecodeJSON(content, "/message/Document", iso20022.Pain002V10)
	if len(findings) > 0 {
		t.Errorf("the status report is not valid: %v", findings)
	}
}

// At digs a value out of an answer.
func (a Answer) At(path ...any) any {
	var value any = a.JSON
	for _, step := range path {
		switch key := step.(type) {
		case string:
			members, _ := value.(map[string]any)
			value = members[key]
		case int:
			list, _ := value.([]any)
			if key >= len(list) {
				return nil
			}
			value = list[key]
		}
	}
	return value
}

// Text is At of a text; "" if there is none.
func (a Answer) Text(path ...any) string {
	text, _ := a.At(path...).(string)
	return text
}

// GroupStatus is the status of the report in an answer.
func (a Answer) GroupStatus() string {
	return a.Text("message", "Document", "CstmrPmtStsRpt", "OrgnlGrpInfAndSts", "GrpSts")
}

// ClearingPath is the address to which clearing delivers Swiss documents.
const ClearingPath = "/clearing/v1/sic-inst/messages"

// ClearingCall is a document of clearing, at the door for Swiss payments.
func ClearingCall(body string, change func(*http.Request)) Call {
	return Call{Path: ClearingPath, Kind: "application/xml", Body: body, Change: func(r *http.Request) {
		r.Header.Del("X-Request-Id")
		r.Header.Set("Authorization", "Bearer "+ClearingToken)
		if change != nil {
			change(r)
		}
	}}
}

// Document is one of the sample documents of internal/iso20022.
func Document(t testing.TB, name string) string {
	t.Helper()
	top, err := os.Getwd()
	must(t, err)
	for _, err = os.Stat(filepath.Join(top, "go.mod")); err != nil; _, err = os.Stat(filepath.Join(top, "go.mod")) {
		if filepath.Dir(top) == top {
			t.Fatal("no go.mod above the test")
		}
		top = filepath.Dir(top)
	}
	content, err := os.ReadFile(filepath.Join(top, "internal/iso20022/testdata", name))
	must(t, err)
	return string(content)
}

// StatusReport is a pacs.002 about a payment of ours: the sample, with the ids of that payment where it has any.
func StatusReport(t testing.TB, sample, transaction string) string {
	t.Helper()
	before, rest, found := strings.Cut(Document(t, sample), "<OrgnlTxId>")
	_, after, closed := strings.Cut(rest, "</OrgnlTxId>")
	if !found || !closed {
		t.Fatalf("%s has no OrgnlTxId", sample)
	}
	report := before + "<OrgnlTxId>" + transaction + "</OrgnlTxId>" + after
	report = regexp.MustCompile(`<Orgnl(InstrId|EndToEndId|UETR)>[^<]*</Orgnl(InstrId|EndToEndId|UETR)>`).ReplaceAllString(report, "")
	return regexp.MustCompile(`<OrgnlMsgId>[^<]*<`).ReplaceAllString(report, "<OrgnlMsgId>P8"+transaction+"<")
}
