package portal_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
	"countersign/internal/simulator"
	"countersign/internal/store"
	"countersign/web"

	transport "countersign/internal/clearing/httpclient"
	"countersign/web/clearing"
)

// withSimulator serves the portal as the demo does: with a clearing simulator that talks to the gateway's door.
func (b *bench) withSimulator() {
	b.t.Helper()
	addresses := map[rulebook.Scheme]string{}
	clearingSide := httptest.NewUnstartedServer(nil)
	address := "http://" + clearingSide.Listener.Addr().String()
	for _, scheme := range rulebook.Schemes() {
		addresses[scheme] = address + "/clearing/" + string(scheme)
	}
	house := b.Again(b.t, servicetest.Options{Now: time.Now, Clearing: transport.New(addresses, nil)})
	door, err := web.OpenWith(
		house.Service, web.Settings{Connections: []clearing.Connection{clearing.NewConnection("secret", rulebook.Schemes()...)}}, nil,
	)
	if err != nil {
		b.t.Fatal(err)
	}
	gateway := httptest.NewServer(door.Handler())
	b.t.Cleanup(gateway.Close)
	other := simulator.New(simulator.Config{GatewayURL: gateway.URL, Token: "secret", Seed: 1})
	b.t.Cleanup(other.Close)
	clearingSide.Config.Handler = other.Handler()
	clearingSide.Start()
	b.t.Cleanup(clearingSide.Close)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- house.Clearing.Run(ctx) }()
	b.t.Cleanup(func() {
		stop()
		err := <-ended
		if err != nil {
			b.t.Errorf("clearing ended with %v", err)
		}
	})
	b.config.SimulatorURL = address
	b.serve()
}

func TestTheSimulatorsButtonsSendAPaymentAndItsRecall(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.as("maker1").get("/simulator").is(http.StatusNotFound)
	b.withSimulator()
	maker := b.as("maker1")
	maker.get("/simulator").is(http.StatusOK).says("Send a payment to the gateway first. You can then recall it here.").says("No messages yet")
	wrong := maker.post("/simulator/payment", url.Values{"scheme": {"sct-inst"}, "amount": {"1,234"}}).is(http.StatusUnprocessableEntity)
	if wrong.page.Find("#amount-error").Length() != 1 {
		t.Errorf("an ambiguous amount is answered with %q", wrong.problems())
	}
	form := url.Values{"scheme": {"sct-inst"}, "amount": {"1'250.50"}, "debtorName": {"Muster Logistik"}, "remittance": {"Rechnung 7"}}
	done := maker.post("/simulator/payment", form).goesTo("/simulator")
	page := maker.get(done).is(http.StatusOK).says("Answer from the gateway: ACCP.").says("EUR 1'250.50 from Muster Logistik").says(
		"pacs.008.001.08",
	)
	list, err := b.Reader.Messages(context.Background(), "demo", store.Filter{Kind: string(payment.KindPayment), PageSize: 5})
	if err != nil || len(list) != 1 || list[0].Summary.Amount.Format() != "EUR 1'250.50" || list[0].State != payment.StateBooked {
		t.Fatalf("%d payments came in: %v", len(list), err)
	}
	recall := page.fields("/simulator/recall")
	maker.post("/simulator/recall", recall).goesTo("/simulator")
	maker.get("/recalls").is(http.StatusOK).says("EUR 1'250.50").says("Payment sent twice by mistake")
	unknown := maker.post("/simulator/recall", url.Values{"transaction": {"sic-inst/NONE"}, "recallReason": {"DUPL"}}).is(
		http.StatusUnprocessableEntity,
	)
	if got := unknown.problems(); len(got) != 1 {
		t.Errorf("the recall of nothing is answered with %q", got)
	}
	b.as("admin1").get("/simulator").is(http.StatusForbidden)
}

func TestWithoutItsSimulatorThePageSaysSo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	gone := httptest.NewServer(http.NotFoundHandler())
	b.config.SimulatorURL = gone.URL
	gone.Close()
	b.serve()
	maker := b.as("maker1")
	maker.get("/simulator").is(http.StatusOK).says("The simulator's log cannot be read")
	maker.post("/simulator/payment", url.Values{"scheme": {"sic-inst"}}).is(http.StatusUnprocessableEntity).says("cannot be reached")
}
