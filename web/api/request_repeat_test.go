package api_test

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
	late := call{Path: requestPath(european, "recall"), Who: maker1, Body: recallBody(ours, "DUPL"), Change: withKey("recall")}
	answered := call{
		Path: requestPath(european, "resolution"), Who: maker1, Body: resolutionBody(payment, recall, "CUST"), Change: withKey("resolution"),
	}
	for _, c := range []call{late, answered} {
		first := b.ok(t, c)
		id := first.Text("identifiers", "internalId")
		b.ok(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "approve")})
		b.deliver(t, id)
		b.Clock.Add(20 * 24 * time.Hour)
		b.SignOut()
		again := b.Send(t, c)
		if again.Status != http.StatusOK || again.Header.Get("Idempotent-Replayed") != "true" || again.Text("identifiers", "internalId") != id {
			t.Errorf("%s: %d %s", c.Path, again.Status, again.Body)
		}
		c.Change = withKey("another")
		if again = b.Send(t, c); again.Status != http.StatusBadRequest || again.GroupStatus() != "RJCT" {
			t.Errorf("%s under another key: %d %s", c.Path, again.Status, again.Body)
		}
	}
}
