package clearing_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/stationtest"
)

// What is offered again after midnight is the document of before: it settles on the day of its last approval.
func TestADocumentStaysTheSameAfterMidnight(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Europe/Zurich")
	must(t, err)
	h := stationtest.With(t, stationtest.Options{At: time.Date(2026, time.March, 2, 23, 59, 55, 0, zone)})
	var offered []string
	h.Network.Refuse = func(d stationtest.Delivery) error {
		offered = append(offered, d.Content)
		if len(offered) == 1 {
			return errors.New("the connection broke")
		}
		return nil
	}
	m := approved(t, h, rulebook.SchemeSIC)
	err = h.Clearing.Send(ctx, m.Scheme, m.Realm, m.InternalID)
	if err == nil {
		t.Fatal("the first delivery did not fail")
	}
	h.Clock.Add(8 * time.Second)
	h.Clearing.Sweep(ctx)
	if len(offered) != 2 || len(slices.Compact(offered)) != 1 {
		t.Errorf("clearing was offered %d documents: %v", len(offered), offered)
	}
	want{state: payment.StateProcessing}.check(t, h, m)
}
