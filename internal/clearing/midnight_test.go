package clearing_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/payment"
	"countersign/internal/profile"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
)

// What is offered again after midnight is the document of before: it settles on the day of its last approval.
func TestADocumentStaysTheSameAfterMidnight(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Europe/Zurich")
	must(t, err)
	h := servicetest.With(t, servicetest.Options{At: time.Date(2026, time.March, 2, 23, 59, 55, 0, zone)})
	var offered []string
	h.Network.Refuse = func(d servicetest.Delivery) error {
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
	h.Clearing.RunOnce(ctx)
	if len(offered) != 2 || len(slices.Compact(offered)) != 1 {
		t.Errorf("clearing was offered %d documents: %v", len(offered), offered)
	}
	want{state: payment.StateProcessing}.check(t, h, m)
}

// TestTheLimitOfADayHoldsForWhatComesInFromMidnight: days are those of the banking day, also in the hour after midnight in which it is the
// day before in UTC.
func TestTheLimitOfADayHoldsForWhatComesInFromMidnight(t *testing.T) {
	t.Parallel()
	book, err := profile.NewRegistry([]byte("profiles:\n  - {name: narrow, scheme: sic-inst, terms: {limit: \"0.99\"}}\n"))
	if err == nil {
		book, err = book.Choose("sic-inst", "sic-iso,narrow@2026-03-03", profile.Ends{})
	}
	must(t, err)
	h := servicetest.With(t, servicetest.Options{Profiles: book, At: time.Date(2026, time.March, 2, 22, 30, 0, 0, time.UTC)})
	for _, day := range []struct{ transaction, code string }{{"BEFORE", ""}, {"AFTER", "AM02"}} {
		m, _ := booked(t, h, rulebook.SchemeSIC, day.transaction)
		if m.StatusCode != day.code {
			t.Errorf("%s midnight: %s %q", strings.ToLower(day.transaction), m.State, m.StatusCode)
		}
		h.Clock.Add(time.Hour)
	}
}
