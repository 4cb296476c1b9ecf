package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"countersign/internal/interbank"
	"countersign/internal/payment"
)

// The report of a reconciliation has a line for each difference, with both sides.
func TestTheReportOfAReconciliationNamesBothSides(t *testing.T) {
	t.Parallel()
	var page bytes.Buffer
	day := time.Date(2026, time.November, 27, 0, 0, 0, 0, time.UTC)
	err := writeDifferences(&page, interbank.ClearingStatement{From: day, To: day.AddDate(0, 0, 1), Lines: make([]interbank.StatementLine, 3)},
		[]payment.StatementDifference{
			{Kind: payment.NotHere, Reference: "TX1", Statement: "CHF 5.00 in"},
			{Kind: payment.NotOnStatement, Reference: "TX2", Realm: "demo", Here: "payment G1 CHF 7.00, Booked, came in"},
		})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"2026-11-27 to 2026-11-27: 3 payments on the statement, 2 differences", "not here", "statement: CHF 5.00 in", "here: nothing",
		"not on the statement", "statement: nothing", "here: payment G1",
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("%q is missing in\n%s", want, page.String())
		}
	}
}
