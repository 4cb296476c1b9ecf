package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// found is a field of an answer in short: pointer and code.
func found(a answer) []string { return foundIn(a, "fields") }

// foundIn is found for a list of another name.
func foundIn(a answer, member string) []string {
	var list []string
	fields, _ := a.At(member).([]any)
	for i := range fields {
		list = append(list, a.Text(member, i, "fieldMap")+" "+a.Text(member, i, "reasonCode"))
	}
	return list
}

// malformed is a body with what is found wrong with it; nil wants anything.
type malformed struct {
	name, body string
	want       []string
}

// malformedBodies are the ways to get a good order wrong.
func malformedBodies(t *testing.T, good string) []malformed {
	t.Helper()
	replace := func(old, with string) string {
		changed := strings.Replace(good, old, with, 1)
		if changed == good {
			t.Fatalf("%q is not in the sample", old)
		}
		return changed
	}
	const pmtInf = "/Document/CstmrCdtTrfInitn/PmtInf/0"
	return []malformed{
		{"empty", "", []string{" FF01"}},
		{"blank", "  \n", []string{" FF01"}},
		{"no object", `[]`, []string{" FF01"}},
		{"null", `null`, []string{" FF01"}},
		{"empty object", `{}`, []string{"/identifiers CH21", "/Document CH21"}},
		{"was interrupted", good[:300], []string{"/Document FF01"}},
		{"trailing object", good + `{}`, []string{" FF01"}},
		{"trailing text", good + `x`, []string{" FF01"}},
		{"byte order mark", "\xef\xbb\xbf" + good, []string{" FF01"}},
		{"invalid UTF-8 in a text", replace("Peter", "P\xffter"), []string{"/Document FF01"}},
		{"invalid UTF-8 in a name", replace(`"identifiers"`, "\"identifiers\xff\""), []string{" FF01"}},
		{"lone surrogate", replace(`"externalId":"`, `"externalId":"\ud800`), []string{"/identifiers/externalId FF01"}},
		{"NUL in the key", replace(`"externalId":"`, `"externalId":"\u0000`), []string{"/identifiers/externalId FF01"}},
		{"NUL in the document", replace("Peter", `P\u0000ter`), []string{pmtInf + "/CdtTrfTxInf/0/Cdtr/Nm CH16"}},
		{"100,000 levels", strings.Repeat(`[`, 100_000), []string{" FF01"}},
		{"100,000 levels below", `{"Document":` + strings.Repeat(`{"a":`, 25_000) + strings.Repeat(`[`, 50_000), []string{"/Document FF01"}},
		{"unknown member", replace(`{"identifiers"`, `{"state":"Approved","identifiers"`), []string{"/state CH17"}},
		{"duplicate", replace(`{"identifiers"`, `{"identifiers":{"externalId":"a"},"identifiers"`), []string{"/identifiers FF01"}},
		{"duplicate key", replace(`{"externalId"`, `{"externalId":"a","externalId"`), []string{"/identifiers/externalId FF01"}},
		{"case variant", replace(`"externalId"`, `"externalID"`), []string{"/identifiers/externalId CH21", "/identifiers/externalID FF01"}},
		{"escaped duplicate", replace(`{"externalId"`, `{"external\u0049d":"a","externalId"`), []string{"/identifiers/externalId FF01"}},
		{"wrong type", replace(`"externalId":"`, `"externalId":17,"x":"`), []string{"/identifiers/externalId FF01", "/identifiers/x CH17"}},
		{"null member", replace(`{"externalId"`, `{"externalId":null,"x"`), []string{"/identifiers/externalId FF01", "/identifiers/x CH17"}},
		{"identifiers is a list", `{"identifiers":[],"Document":{}}`, []string{"/identifiers FF01", "/Document/CstmrCdtTrfInitn CH21"}},
		{"document is a text", replace(`"Document":{`, `"Document":"x","other":{`), []string{"/Document FF01", "/other CH17"}},
		{"document is null", `{"identifiers":{"externalId":"a"},"Document":null}`, []string{"/Document FF01"}},
		{"too long", replace(`"externalId":"`, `"externalId":"`+strings.Repeat("a", 37)), []string{"/identifiers/externalId FF01"}},
		{"empty key", `{"identifiers":{"externalId":""},"Document":{"CstmrCdtTrfInitn":{}}}`, nil},
		{"document member twice", replace(`"PmtMtd":"TRF"`, `"PmtMtd":"TRF","PmtMtd":"TRF"`), []string{pmtInf + "/PmtMtd FF01"}},
		{"document member unknown", replace(`"PmtMtd":"TRF"`, `"PmtMtd":"TRF","state":"x"`), []string{pmtInf + "/state CH17"}},
		{"document member in another case", replace(`"PmtMtd":"TRF"`, `"PmtMtd":"TRF","PMTMTD":"TRF"`), []string{pmtInf + "/PMTMTD FF01"}},
		{"amount as a list", replace(`{"Ccy":"CHF","value":"199.95"}`, `[1]`), []string{pmtInf + "/CdtTrfTxInf/0/Amt/InstdAmt FF01"}},
		{"amount in exponents", replace(`"value":"199.95"`, `"value":1.9995e2`), []string{pmtInf + "/CdtTrfTxInf/0/Amt/InstdAmt AM12"}},
		{"wrapped and flat", `{"paymentRequest":` + good + `,"identifiers":{"externalId":"b"}}`, []string{"/identifiers CH17"}},
		{"wrapper in another case", `{"PaymentRequest":` + good + `}`, []string{" ", "/PaymentRequest FF01"}},
		{"wrapped twice", `{"paymentRequest":{"paymentRequest":` + good + `}}`, nil},
		{"wrapper is a text", `{"paymentRequest":"x"}`, nil},
	}
}

func TestMalformedBodiesAreRefusedWithEverythingThatIsWrong(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Token(t, maker1)
	cases := malformedBodies(t, order(sample))
	before := b.Rows(t)
	for _, test := range cases {
		a := b.Send(t, call{Path: createSwiss, Who: maker1, Body: test.body})
		got := found(a)
		if a.Status != http.StatusBadRequest || len(got) == 0 {
			t.Errorf("%s: %d %s", test.name, a.Status, a.Body)
			continue
		}
		if test.want != nil && test.want[0] != " " && fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("%s: found %q, want %q", test.name, got, test.want)
		}
	}
	if after := b.Rows(t); after != before {
		t.Errorf("%d rows were stored", after-before)
	}
}

// TestOneAnswerTellsAtMost200Problems: however many a body has room for; the last one says that there are more.
func TestOneAnswerTellsAtMost200Problems(t *testing.T) {
	t.Parallel()
	b := setup(t)
	good, strange := order(sample), ""
	for i := range 250 {
		strange += fmt.Sprintf(`"m%d":1,`, i)
	}
	exactly, _, _ := strings.Cut(strange, `"m200"`)
	for name, test := range map[string]struct {
		body string
		more bool
	}{
		"200":          {strings.Replace(good, "{", "{"+exactly, 1), false},
		"250":          {strings.Replace(good, "{", "{"+strange, 1), true},
		"250 inside":   {strings.Replace(good, `{"externalId"`, "{"+strange+`"externalId"`, 1), true},
		"with schema":  {`{` + strings.TrimSuffix(exactly, ",") + `}`, true},
		"with content": {strings.Replace(strings.Replace(good, `"PmtMtd":"TRF"`, `"PmtMtd":1`, 1), "{", "{"+exactly, 1), true},
	} {
		a := b.Send(t, call{Path: createSwiss, Who: maker1, Body: test.body})
		got := found(a)
		last := a.Text("fields", len(got)-1, "fieldMap")
		if a.Status != http.StatusBadRequest || len(got) != 200 || (last == "") != test.more {
			t.Errorf("%s: %d with %d fields, the last %q", name, a.Status, len(got), last)
		}
	}
}

func TestProblemsComeInTheOrderOfTheBody(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body := `{"zebra":1,"Document":{"CstmrCdtTrfInitn":{"GrpHdr":{"MsgId":7}}},"identifiers":{"apple":{},"externalId":["x"],` +
		`"externalid":"y"},"alpha":[]}`
	a := b.Send(t, call{Path: createSwiss, Who: maker1, Body: body})
	got := found(a)
	if len(got) < 5 || got[0] != "/zebra CH17" || got[len(got)-1] != "/alpha CH17" || !strings.HasPrefix(got[1], "/Document/") {
		t.Errorf("found %q", got)
	}
	tail := got[len(got)-4 : len(got)-1]
	if fmt.Sprint(tail) != "[/identifiers/apple CH17 /identifiers/externalId FF01 /identifiers/externalid FF01]" {
		t.Errorf("in identifiers: %q", tail)
	}
}

func TestPointersFollowTheBodyAsItWasSent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	wrapped := `{"paymentRequest":` + order(sample) + `}`
	a := b.Send(t, call{Path: createSwiss, Who: maker1, Body: wrapped})
	if a.Status != http.StatusOK {
		t.Fatalf("wrapped: %d %s", a.Status, a.Body)
	}
	malformed := strings.Replace(wrapped, `"PmtMtd"`, `"PmtMth"`, 1)
	a = b.Send(t, call{Path: createSwiss, Who: maker1, Body: malformed})
	for _, one := range found(a) {
		if !strings.HasPrefix(one, "/paymentRequest/Document/") {
			t.Errorf("malformed: %q", one)
		}
	}
	refused := strings.Replace(wrapped, "CH4821966000009613388", "CH4821966000009613389", 1)
	a = b.Send(t, call{Path: createSwiss, Who: maker1, Body: refused})
	if got := fmt.Sprint(found(a)); got != "[/paymentRequest/Document/CstmrCdtTrfInitn/PmtInf/0/CdtTrfTxInf/0/CdtrAcct/Id/IBAN AC01]" {
		t.Errorf("refused: %s", got)
	}
}

func TestLargeBodiesAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Token(t, maker1)
	before := b.Rows(t)
	large := strings.Replace(order(sample), "{", "{"+strings.Repeat(" ", 300<<10), 1)
	for _, path := range []string{createSwiss, approvePath, "/api/sic-inst/v1/instruction/update"} {
		a := b.Send(t, call{Path: path, Who: maker1, Body: large})
		if a.Status != http.StatusRequestEntityTooLarge || a.Text("errorCode") != "413_TOO_LARGE" {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
	}
	if after := b.Rows(t); after != before {
		t.Errorf("%d rows were stored", after-before)
	}
}

func TestOnlyPlainJSONIsTaken(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, kind := range []string{
		"text/plain", "application/xml", "application/x-www-form-urlencoded", "application/json; charset=latin1",
		"multipart/form-data; boundary=x", "?",
	} {
		a := b.Send(t, call{Path: createSwiss, Who: maker1, Body: order(sample), Kind: kind})
		if a.Status != http.StatusUnsupportedMediaType || a.Text("errorCode") != "415_UNSUPPORTED_MEDIA_TYPE" {
			t.Errorf("%s: %d %s", kind, a.Status, a.Body)
		}
	}
	a := b.Send(
		t, call{Path: createSwiss, Who: maker1, Body: "\x1f\x8b", Change: func(r *http.Request) { r.Header.Set("Content-Encoding", "gzip") }},
	)
	if a.Status != http.StatusUnsupportedMediaType {
		t.Errorf("compressed: %d %s", a.Status, a.Body)
	}
	a = b.Send(t, call{Path: createSwiss, Who: maker1, Body: order(sample), Kind: "application/json; charset=UTF-8"})
	if a.Status != http.StatusOK {
		t.Errorf("with charset: %d %s", a.Status, a.Body)
	}
}

func TestNobodySetsWhatTheServerDecides(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.Created(t, maker1)
	before := b.Rows(t)
	names := []string{
		"state", "maker", "makers", "realm", "approved", "approvals", "approvalsRequired", "policyId", "clientId", "channel", "version",
		"globalId", "internalId", "createdAt", "contentHash", "release", "checker", "roles", "userId", "personId",
	}
	for _, name := range names {
		member := `"` + name + `":"x",`
		bodies := map[string]string{
			createSwiss + " at the top":     strings.Replace(order(sample), "{", "{"+member, 1),
			createSwiss + " in identifiers": strings.Replace(order(sample), `{"externalId"`, "{"+member+`"externalId"`, 1),
			createSwiss + " in the order":   strings.Replace(order(sample), `"PmtMtd"`, member+`"PmtMtd"`, 1),
			approvePath + " at the top":     strings.Replace(verdict(id, "approve"), "{", "{"+member, 1),
		}
		for place, body := range bodies {
			path, _, _ := strings.Cut(place, " ")
			who := maker1
			if path == approvePath {
				who = checker1
			}
			a := b.Send(t, call{Path: path, Who: who, Body: body})
			if a.Status != http.StatusBadRequest || len(found(a)) == 0 {
				t.Errorf("%s %s: %d %s", name, place, a.Status, a.Body)
			}
		}
	}
	if after := b.Rows(t); after != before {
		t.Errorf("%d rows were stored", after-before)
	}
}
