package clearing_test

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/storetest"
	"countersign/web"
	clearingdoor "countersign/web/clearing"
	"countersign/web/webtest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestADocumentOfClearingIsStoredOnce(t *testing.T) {
	t.Parallel()
	b := webtest.New(t)
	created := b.Send(t, webtest.Call{Path: webtest.CreateSwiss, Who: webtest.Straight, Body: webtest.Order(webtest.Sample)})
	global := created.Text("identifiers", "globalId")
	report := webtest.StatusReport(t, "sic-inst_04_pacs.002.001.10_RJCT.xml", global)
	named := func(r *http.Request) { r.Header.Set("X-Message-Id", "clearing-1") }
	a := b.Send(t, webtest.ClearingCall(report, named))
	if a.Status != http.StatusAccepted || a.Text("status") != "Stored" {
		t.Fatalf("first: %d %s", a.Status, a.Body)
	}
	a = b.Send(t, webtest.ClearingCall(report, named))
	if a.Status != http.StatusOK || a.Text("status") != "Duplicate" {
		t.Errorf("again: %d %s", a.Status, a.Body)
	}
	a = b.Send(t, webtest.Get("/api/common/v1/transaction/"+global, webtest.Supervisor1))
	if a.Text("transaction", "state") != "Failed" || a.Text("transaction", "statusReason", "code") == "" {
		t.Errorf("afterwards: %s", a.Body)
	}
	a = b.Send(t, webtest.Get("/api/common/v1/error/list", webtest.Supervisor1))
	if a.Text("errors", 0, "globalId") != global || a.Text("errors", 0, "reasonCode") == "" {
		t.Errorf("errors: %s", a.Body)
	}
	if a = b.Send(t, webtest.Get("/api/common/v1/error/list", webtest.OtherChecker)); len(a.At("errors").([]any)) != 0 {
		t.Errorf("errors of another realm: %s", a.Body)
	}
}

func TestTheDoorOfClearingIsStrict(t *testing.T) {
	t.Parallel()
	b := webtest.New(t)
	report := webtest.StatusReport(t, "sic-inst_04_pacs.002.001.10_ACSC.xml", "DM00000000000000")
	before := b.Rows(t)
	for name, test := range map[string]struct {
		body   string
		change func(*http.Request)
		want   int
	}{
		"no token":       {report, func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		"wrong token":    {report, func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") }, 401},
		"a user's token": {report, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+b.Token(t, webtest.Maker1)) }, 401},
		"a cookie": {report, func(r *http.Request) {
			r.Header.Del("Authorization")
			r.Header.Set("Cookie", "sid="+webtest.ClearingToken)
		}, 401},
		"JSON":            {report, func(r *http.Request) { r.Header.Set("Content-Type", "application/json") }, 415},
		"compressed":      {report, func(r *http.Request) { r.Header.Set("Content-Encoding", "gzip") }, 415},
		"too large":       {report + strings.Repeat(" ", 300<<10), nil, 413},
		"not XML":         {"{}", nil, 400},
		"empty":           {"", nil, 400},
		"was interrupted": {report[:200], nil, 400},
		"other namespace": {strings.Replace(report, "pacs.002.001.10", "pacs.002.001.99", 1), nil, 400},
		"not valid":       {strings.Replace(report, "<TxSts>", "<TxStz>", 1), nil, 400},
		"DOCTYPE":         {`<!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]>` + report, nil, 400},
		"long message id": {report, func(r *http.Request) { r.Header.Set("X-Message-Id", strings.Repeat("a", 141)) }, 400},
		"odd message id":  {report, func(r *http.Request) { r.Header.Set("X-Message-Id", "a\x00b") }, 400},
	} {
		a := b.Send(t, webtest.ClearingCall(test.body, test.change))
		if a.Status != test.want {
			t.Errorf("%s: %d %s, want %d", name, a.Status, a.Body, test.want)
		}
	}
	other := webtest.ClearingCall(report, nil)
	other.Path = "/clearing/v1/sct-inst/messages"
	if a := b.Send(t, other); a.Status != http.StatusUnauthorized {
		t.Errorf("a scheme the connection does not speak for: %d %s", a.Status, a.Body)
	}
	if after := b.Rows(t); after != before {
		t.Errorf("%d rows were stored", after-before)
	}
	if a := b.Send(t, webtest.ClearingCall(report, nil)); a.Status != http.StatusAccepted {
		t.Errorf("a document about no payment: %d %s", a.Status, a.Body)
	}
}

func TestAnOutgoingDocumentIsDeliveredWhenClearingHasIt(t *testing.T) {
	t.Parallel()
	b := webtest.New(t)
	id := b.Created(t, webtest.Maker1)
	b.Send(t, webtest.Call{Path: webtest.ApprovePath, Who: webtest.Checker1, Body: webtest.Verdict(id, "approve")})
	m, err := b.Messages.Message(t.Context(), "demo", uuid.MustParse(id))
	must(t, err)
	if m.State != payment.StateApproved {
		t.Fatalf("state %s", m.State)
	}
	must(t, b.Clearing.Send(t.Context(), m.Scheme, "demo", m.InternalID))
	a := b.Send(t, webtest.Get("/api/common/v1/interface/list?direction=out", webtest.Supervisor1))
	if a.Text("messages", 0, "type") != "pacs.008.001.08" || a.Text("messages", 0, "status") != "Delivered" {
		t.Errorf("documents: %s", a.Body)
	}
}

func TestTheReportOfAnEndedInstructionIsKept(t *testing.T) {
	t.Parallel()
	b := webtest.New(t)
	id := b.Created(t, webtest.Maker1)
	list := webtest.Get("/api/common/v1/interface/list?direction=out&internalId="+id, webtest.Supervisor1)
	if a := b.Send(t, list); a.Text("messages", 0, "type") != "" {
		t.Errorf("a pending instruction has a report: %s", a.Body)
	}
	b.Send(
		t, webtest.Call{Path: webtest.ApprovePath, Who: webtest.Checker1, Body: webtest.Verdict(id, "reject", "rejectReason", "Wrong account")},
	)
	a := b.Send(t, list)
	if a.Text("messages", 0, "type") != "pain.002.001.10" || a.Text("messages", 0, "status") != "Prepared" {
		t.Fatalf("documents: %s", a.Body)
	}
	kept := b.Send(t, webtest.Get("/api/common/v1/interface/"+a.Text("messages", 0, "id"), webtest.Supervisor1))
	if !strings.Contains(kept.Body, `"RJCT"`) || !strings.Contains(kept.Body, a.Text("messages", 0, "reference")) {
		t.Errorf("the report: %s", kept.Body)
	}
}

// With a name in the connection a document counts under a certificate of that name only, while it lasts.
func TestTheNameOfTheCertificateIsHeldAgainstTheConnection(t *testing.T) {
	t.Parallel()
	certificate := func(ends time.Duration, common string, dns ...string) *x509.Certificate {
		return &x509.Certificate{
			Subject: pkix.Name{CommonName: common, Organization: []string{"A clearing"}}, DNSNames: dns,
			NotAfter: time.Date(2026, time.November, 20, 9, 30, 0, 0, time.UTC).Add(ends),
		}
	}
	for _, c := range []struct {
		name  string
		shown *x509.Certificate
		want  int
	}{
		{"clearing.example", certificate(time.Hour, "x", "other.example", "Clearing.example"), 202},
		{"clearing.example", certificate(time.Hour, "clearing.example"), 202},
		{"CN=clearing,O=A clearing", certificate(time.Hour, "clearing", "other.example"), 202},
		{"clearing.example", certificate(time.Hour, "clearing.example", "other.example"), 401},
		{"clearing.example", certificate(time.Hour, "x", "*.example"), 401},
		{"clearing.example", certificate(time.Hour, "clearing.example.org"), 401},
		{"clearing.example", certificate(time.Hour, ""), 401},
		{"CN=clearing,O=A clearing", certificate(time.Hour, "clearing,O=A clearing"), 401},
		{"clearing.example", certificate(-time.Second, "x", "clearing.example"), 401},
		{"clearing.example", nil, 401},
	} {
		connection := clearingdoor.NewConnection(webtest.ClearingToken, rulebook.SchemeSIC)
		connection.Name = c.name
		b := webtest.With(t, webtest.Options{Settings: web.Settings{Connections: []clearingdoor.Connection{connection}}})
		report := webtest.StatusReport(t, "sic-inst_04_pacs.002.001.10_ACSC.xml", "DM00000000000000")
		under := func(verified bool) webtest.Call {
			return webtest.ClearingCall(report, func(r *http.Request) {
				r.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{c.shown}}
				if verified {
					r.TLS.VerifiedChains = [][]*x509.Certificate{r.TLS.PeerCertificates}
				}
				if c.shown == nil {
					r.TLS = nil
				}
			})
		}
		if a := b.Send(t, under(false)); a.Status != http.StatusUnauthorized {
			t.Errorf("%s, by nobody's authority: %d", c.name, a.Status)
		}
		if a := b.Send(t, under(true)); a.Status != c.want {
			t.Errorf("%s under %+v: %d, want %d", c.name, c.shown, a.Status, c.want)
		}
	}
}

func parse(t *testing.T, id string) uuid.UUID {
	t.Helper()
	parsed, err := uuid.Parse(id)
	must(t, err)
	return parsed
}
