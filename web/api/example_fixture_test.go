package api_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"countersign/internal/demo"
	"countersign/internal/rulebook"
)

// What the examples of requests are about.
const (
	examplePayment  = "019b0a50-0000-7000-8000-000000000001"
	exampleIncoming = "019b0a50-0000-7000-8000-000000000002"
	exampleRecall   = "019b0a50-0000-7000-8000-000000000003"
	exampleRequest  = "019b0a50-0000-7000-8000-000000000004"
	exampleToken    = "demo.9xV…"
)

// exampleCall makes the call of an example, and before it what the example is about.
func (b *interbankBundle) exampleCall(t *testing.T, path, name, body string) call {
	t.Helper()
	if strings.HasPrefix(path, "/api/auth/") {
		return b.exampleTokenCall(t, path, body)
	}
	scheme := rulebook.SchemeSIC
	if name == "european" || name == "afterRecall" {
		scheme = rulebook.SchemeSCT
	}
	_, rest, _ := strings.Cut(path, "/v1/")
	noun, step, _ := strings.Cut(rest, "/")
	who, real := maker1, strings.NewReplacer()
	switch {
	case step == "create" && noun != "instruction":
		real = b.exampleOriginal(t, scheme, noun)
	case step == "answer":
		id := b.Created(t, maker1)
		b.ok(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "ask", "question", "Why?")})
		real = strings.NewReplacer(examplePayment, id)
	case step == "approval/bulk":
		real = b.examplePair(t, body)
	case noun != "instruction":
		real = strings.NewReplacer(exampleRequest, b.examplePending(t, noun))
	case step != "create" && step != "validate":
		real = strings.NewReplacer(examplePayment, b.Created(t, maker1))
	}
	if strings.HasPrefix(step, "appro") {
		who = checker1
	}
	return call{Path: strings.Replace(path, "{scheme}", string(scheme), 1), Who: who, Body: real.Replace(body)}
}

// exampleTokenCall sends an example as the form it is, with a token of a sign-in of its own.
func (b *interbankBundle) exampleTokenCall(t *testing.T, path, body string) call {
	t.Helper()
	const form = "application/x-www-form-urlencoded"
	signIn := url.Values{
		"grant_type": {"password"}, "client_id": {demo.Backoffice}, "client_secret": {demo.ClientSecret},
		"username": {"maker1"}, "password": {demo.UserPassword},
	}
	fresh := b.ok(t, call{Path: "/api/auth/v1/realms/demo/login", Kind: form, Body: signIn.Encode()}).Text("refresh_token")
	var members map[string]string
	must(t, json.Unmarshal([]byte(body), &members))
	values := url.Values{}
	for name, value := range members {
		values.Set(name, strings.Replace(value, exampleToken, fresh, 1))
	}
	return call{Path: strings.Replace(path, "{realm}", demo.Realm, 1), Kind: form, Body: values.Encode()}
}

// exampleOriginal brings about the payment, and the recall of it, that an R-transaction is to be about.
func (b *interbankBundle) exampleOriginal(t *testing.T, scheme rulebook.Scheme, noun string) *strings.Replacer {
	t.Helper()
	if noun == "recall" {
		id, _ := b.settled(t, scheme)
		return strings.NewReplacer(examplePayment, id)
	}
	id, _, document := b.booked(t, scheme)
	recall, _ := b.recalled(t, scheme, document, "DUPL")
	return strings.NewReplacer(exampleIncoming, id, exampleRecall, recall)
}

// examplePending makes a pending R-transaction with the example of its creation.
func (b *interbankBundle) examplePending(t *testing.T, noun string) string {
	t.Helper()
	scheme := rulebook.SchemeSIC
	real := b.exampleOriginal(t, scheme, noun)
	body := map[string]string{
		"recall": recallBody(examplePayment, "DUPL"), "return": returnBody(exampleIncoming, "FOCR"),
		"resolution": resolutionBody(exampleIncoming, exampleRecall, "CUST"),
	}[noun]
	return b.ok(t, call{Path: requestPath(scheme, noun), Who: maker1, Body: real.Replace(body)}).Text("identifiers", "internalId")
}

// examplePair makes the two messages that the example of many decisions is about, and names their digests in it.
func (b *interbankBundle) examplePair(t *testing.T, body string) *strings.Replacer {
	t.Helper()
	var batch struct {
		Approvals []struct {
			Identifiers     struct{ InternalID string }
			ApprovalDetails struct{ ContentHash string }
		}
	}
	must(t, json.Unmarshal([]byte(body), &batch))
	var pairs []string
	for i, id := range []string{b.Created(t, maker1), b.examplePending(t, "recall")} {
		one := batch.Approvals[i]
		digest := b.ok(t, get("/api/common/v1/transaction/"+id, checker1)).Text("transaction", "contentHash")
		pairs = append(pairs, one.Identifiers.InternalID, id, one.ApprovalDetails.ContentHash, digest)
	}
	return strings.NewReplacer(pairs...)
}
