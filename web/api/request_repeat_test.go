package api_test

import (
	"encoding/json"
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

// TestARequestRepeatsByWhatItMeans: how an amount is written, where a member stands and which id names the payment makes no other request.
func TestARequestRepeatsByWhatItMeans(t *testing.T) {
	t.Parallel()
	b := setupInterbank(t)
	id, global, document := b.booked(t, swiss)
	b.recalled(t, swiss, document, "CUST")
	path, details := requestPath(swiss, "return"), object("reason", "FOCR", "additionalInformation", "Agreed", "chargeAmount", "1.0")
	named := func(by, id string) any { return object(by, id, "externalId", "R-1") }
	first := b.ok(t, call{Path: path, Who: maker1, Body: string(object("identifiers", named("creditId", id), "ReturnDetails", details))})
	for name, body := range map[string]any{
		"wrapped":   object("paymentRequest", object("identifiers", named("creditId", id), "ReturnDetails", details)),
		"other ids": object("identifiers", named("internalId", global), "ReturnDetails", details),
		"amount": object("identifiers", named("creditId", id), "ReturnDetails",
			object("reason", "FOCR", "additionalInformation", []string{"Agreed"}, "chargeAmount", object("Ccy", "CHF", "value", "1.00"))),
		"beside": object("identifiers", named("creditId", id), "reason", "FOCR", "additionalInformation", "Agreed",
			"ReturnDetails", object("chargeAmount", "1.0")),
	} {
		again := b.Send(t, call{Path: path, Who: maker1, Body: string(body.(json.RawMessage))})
		if again.Status != http.StatusOK || again.Header.Get("Idempotent-Replayed") != "true" ||
			again.Text("identifiers", "internalId") != first.Text("identifiers", "internalId") {
			t.Errorf("%s: %d %s", name, again.Status, again.Body)
		}
	}
	other := object("identifiers", named("creditId", id), "ReturnDetails", object("reason", "FOCR", "chargeAmount", "1.01"))
	if a := b.Send(t, call{Path: path, Who: maker1, Body: string(other)}); a.Status != http.StatusBadRequest {
		t.Errorf("another charge: %d %s", a.Status, a.Body)
	}
}
