package api_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/simulator"
	"countersign/web"
	"countersign/web/clearing"
	"countersign/web/webtest"
)

// A transaction shows what core banking said and was told, and a policy whether it is asked.
func TestATransactionShowsCoreBanking(t *testing.T) {
	t.Parallel()
	core := simulator.NewCore(nil)
	server := httptest.NewServer(core.Handler())
	t.Cleanup(server.Close)
	b := &interbankBundle{bundle: &bundle{webtest.With(t, webtest.Options{
		Settings: web.Settings{Connections: []clearing.Connection{clearing.NewConnection(bothSchemesToken, rulebook.Schemes()...)}},
		Core:     service.NewCoreBank(service.CoreBankConfig{Address: server.URL, Within: time.Second, Log: slog.New(slog.DiscardHandler)}),
	})}}
	shows := func(id, what string, want map[string]string) {
		t.Helper()
		a := b.ok(t, get("/api/common/v1/transaction/"+id, supervisor1))
		for member, value := range want {
			if got := a.Text("transaction", "core", member); got != value {
				t.Errorf("%s: %s is %q, want %q: %s", what, member, got, value, a.Body)
			}
		}
	}
	settled, _ := b.settled(t, rulebook.SchemeSIC)
	b.Clearing.RunOnce(t.Context())
	shows(settled, "a settled payment", map[string]string{"outcome": "accepted", "code": "", "told": "settled"})
	if a := b.ok(t, get("/api/common/v1/transaction/"+settled, supervisor1)); a.Text("transaction", "core", "toldAt") == "" {
		t.Errorf("when core banking was told is not shown: %s", a.Body)
	}
	in, _, _ := b.booked(t, rulebook.SchemeSCT)
	shows(in, "an incoming payment", map[string]string{"outcome": "accepted"})
	core.SetFaults(simulator.CoreFaults{Refuse: "AM04"})
	refused := b.ok(t, call{Path: createEuropean, Who: maker1, Body: order(europeanSample)}).Text("identifiers", "internalId")
	b.ok(t, call{Path: approvePath, Who: checker1, Body: verdict(refused, "approve")})
	b.deliver(t, refused)
	shows(refused, "a refused payment", map[string]string{"outcome": "refused", "code": "AM04"})
	if a := b.ok(t, get("/api/common/v1/transaction/"+refused, supervisor1)); a.Text("transaction", "state") != "Failed" {
		t.Errorf("a payment without funds: %s", a.Body)
	}
	b.changed(t, "policy.create", "", `{"approvals": 1, "rank": 1000, "funds": "none"}`)
	if a := b.Send(t, get("/api/admin/v1/policy/list", admin1)); a.Status != http.StatusOK || !strings.Contains(a.Body, `"funds":"none"`) {
		t.Errorf("the policies: %d %s", a.Status, a.Body)
	}
	unasked := b.ok(t, call{Path: createEuropean, Who: maker1, Body: order(europeanSample)}).Text("identifiers", "internalId")
	b.ok(t, call{Path: approvePath, Who: checker1, Body: verdict(unasked, "approve")})
	b.deliver(t, unasked)
	shows(unasked, "a payment that its policy does not ask for", map[string]string{"outcome": "not asked"})
}
