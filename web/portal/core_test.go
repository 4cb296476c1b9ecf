package portal_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/simulator"
)

// The page of a payment shows the answers of core banking and the news it got.
func TestThePageShowsCoreBanking(t *testing.T) {
	t.Parallel()
	core := simulator.NewCore(nil)
	server := httptest.NewServer(core.Handler())
	t.Cleanup(server.Close)
	o := setup(t).clearing()
	o.station = o.Again(t, servicetest.Options{
		Now: time.Now, Clearing: o.network,
		Core: service.NewCoreBank(service.CoreBankConfig{Address: server.URL, Within: time.Second, Log: slog.New(slog.DiscardHandler)}),
	}).Clearing
	settled := o.settled(filled())
	in, _ := o.arrived(rulebook.SchemeSIC, "TXCORE")
	o.station.RunOnce(context.Background())
	reader := o.as("supervisor1")
	reader.get("/payments/" + settled.InternalID.String()).is(http.StatusOK).says("Core banking").says("Accepted by core banking").
		says("that the payment was settled")
	reader.get("/payments/" + in.InternalID.String()).is(http.StatusOK).says("Core banking").says("Accepted by core banking")
	core.SetFaults(simulator.CoreFaults{Refuse: "AM04"})
	refused := o.approve(o.as("maker1").submit(with(filled(), "endToEndId", "E2E-NO-FUNDS", "amount", "12.00")))
	reader.get("/payments/" + refused.InternalID.String()).is(http.StatusOK).says("Refused").says("AM04")
	_, err := o.DB.Owner(t).Exec(context.Background(), "UPDATE core_booking SET code = 'AC04' WHERE code = 'AM04'")
	if err != nil {
		t.Fatal(err)
	}
	reader.get("/payments/" + refused.InternalID.String()).is(http.StatusOK).
		says("The stored content differs from the content that was entered.")
}
