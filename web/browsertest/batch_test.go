package browsertest

import (
	"fmt"
	"strings"
	"testing"

	"countersign/internal/orderform"
	"countersign/internal/testutil"
)

// TestAFileOfManyPaymentsGoesThrough: read, mended where a line has a finding, and submitted in parts that follow each other by themselves.
func TestAFileOfManyPaymentsGoesThrough(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	p := as(t, "maker2")
	const lines = 22 // more than one request submits
	rows, wrong := []string{orderform.TableHead()}, order{}
	for line := range lines {
		o := newOrder("sic-inst")
		amount := o.amount
		if line == 2 {
			wrong, amount = o, "10,2,5"
		}
		rows = append(rows, fmt.Sprintf("%s;%s;%s;Seestrasse;41;8002;Zuerich;CH;CHF;%s;;Rechnung;%s",
			swissDebtor, o.name, swissCreditor, amount, o.endToEndID))
	}
	p.upload("Lohn.csv", []byte(strings.Join(rows, "\n")))
	p.at("/payments/batches/[0-9a-f-]+$")
	p.says("main", fmt.Sprintf("0 of %d payments submitted", lines))
	p.says("main", fmt.Sprintf("%d payments (CHF ", lines-1))
	p.says("main", ") are ready.")
	p.says("#line-4", "Needs correction")
	p.says("#line-4", "amount")
	p.click("link", "Correct line 4")
	p.fill("Amount in CHF", wrong.amount)
	p.press("Enter")
	p.at("/payments/batches/[0-9a-f-]+$")
	p.says("#line-4", "Ready")
	p.says("#line-4", strings.ReplaceAll(wrong.shown(), "CHF ", ""))
	p.click("button", fmt.Sprintf("Submit %d payments for approval", lines))
	p.says("main", fmt.Sprintf("%d of %d payments submitted", lines, lines))
	p.says("#status", "All payments that were ready have been submitted.")
	p.counts(fmt.Sprintf(`progress[value="%d"][max="%d"]`, lines, lines), 1)
	p.counts("main form", 0)
	p.click("link", "Show details line 4")
	p.says("main", wrong.name)
	if n := wrong.payments(t); n != 1 {
		t.Errorf("%d payments of the mended line", n)
	}
}
