package webtest

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

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
