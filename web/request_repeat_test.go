package web_test

import (
	"net/http"
	"testing"
	"time"
)

func TestARepeatHasItsAnswerAlsoWhenThePaymentHasMovedOn(t *testing.T) {
	t.Parallel()
	b := setupInterbank(t)
	ours, _ := b.settled(t, european)
	payment, _, document := b.booked(t, european)
	recall, _ := b.recalled(t, european, document, "CUST")
	late := call{path: requestPath(european, "recall"), who: maker1, body: recallBody(ours, "DUPL"), change: withKey("recall")}
	answered := call{path: requestPath(european, "resolution"), who: maker1, body: resolutionBody(payment, recall, "CUST"), change: withKey("resolution")}
	for _, c := range []call{late, answered} {
		first := b.ok(t, c)
		id := first.text("identifiers", "internalId")
		b.ok(t, call{path: approvePath, who: checker1, body: verdict(id, "approve")})
		b.deliver(t, id)
		b.clock.Add(int64(20 * 24 * time.Hour))
		b.tokens.Clear()
		again := b.send(t, c)
		if again.status != http.StatusOK || again.header.Get("Idempotent-Replayed") != "true" || again.text("identifiers", "internalId") != id {
			t.Errorf("%s: %d %s", c.path, again.status, again.body)
		}
		c.change = withKey("another")
		if again = b.send(t, c); again.status != http.StatusBadRequest || again.groupStatus() != "RJCT" {
			t.Errorf("%s under another key: %d %s", c.path, again.status, again.body)
		}
	}
}
