package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"countersign/web/webtest"
)

// TestAPaymentForALaterDayByJSON: approved, scheduled, withdrawn by a checker; too far ahead is refused.
func TestAPaymentForALaterDayByJSON(t *testing.T) {
	t.Parallel()
	b := setup(t)
	on := func(day string) string {
		return webtest.Order(strings.Replace(webtest.Sample, `"ReqdExctnDt":{"Dt":"2026-11-20"}`, `"ReqdExctnDt":{"Dt":"`+day+`"}`, 1))
	}
	refused := b.Send(t, call{Path: webtest.CreateSwiss, Who: maker1, Body: on("2027-11-21")})
	if refused.GroupStatus() != "RJCT" || !strings.Contains(refused.Body, "CH03") {
		t.Errorf("more than a year ahead: %d %s", refused.Status, refused.Body)
	}
	created := b.ok(t, call{Path: webtest.CreateSwiss, Who: maker1, Body: on("2026-11-22")})
	id := created.Text("identifiers", "internalId")
	approved := b.ok(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "approve")})
	if created.GroupStatus() != "PNDG" || approved.GroupStatus() != "PNDG" {
		t.Errorf("created %s, approved %s", created.Body, approved.Body)
	}
	shown := b.Send(t, get("/api/common/v1/transaction/"+id, maker1))
	list := b.Send(t, get("/api/common/v1/transaction/list?state=Scheduled", checker2))
	if shown.Text("transaction", "state") != "Scheduled" || list.Text("transactions", 0, "internalId") != id {
		t.Errorf("shown %s, listed %s", shown.Body, list.Body)
	}
	cancels := call{Path: cancelPath, Who: maker2, Body: `{"identifiers":{"internalId":"` + id + `"}}`}
	if a := b.Send(t, cancels); a.Status != http.StatusForbidden {
		t.Errorf("another maker withdraws it: %d %s", a.Status, a.Body)
	}
	cancels.Who = checker2
	if a := b.Send(t, cancels); a.Status != http.StatusBadRequest || !strings.Contains(a.Body, "CH21") {
		t.Errorf("a checker withdraws it without a reason: %d %s", a.Status, a.Body)
	}
	cancels.Body = `{"identifiers":{"internalId":"` + id + `"},"reason":"Not needed."}`
	if a := b.ok(t, cancels); a.GroupStatus() != "RJCT" && a.Text("state") != "Withdrawn" {
		t.Errorf("a checker withdraws it: %s", a.Body)
	}
	if got := fmt.Sprint(types(b.await(t, 3))); got != "[created scheduled withdrawn]" {
		t.Errorf("the events: %s", got)
	}
}
