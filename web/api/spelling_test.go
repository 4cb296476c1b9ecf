package api_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestAmountsAreReadInEverySpelling: the currency as Ccy or @Ccy, the value under each of its names, as text or as number. All mean the
// same order, so the second has the answer of the first.
func TestAmountsAreReadInEverySpelling(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body := order(sample)
	const amount = `{"Ccy":"CHF","value":"199.95"}`
	first := b.ok(t, call{Path: createSwiss, Who: maker1, Body: body})
	for _, currency := range []string{"Ccy", "@Ccy"} {
		for _, name := range []string{"value", "#text", "$value", "_text", "Text", "Value", "Amt"} {
			for _, value := range []string{`"199.95"`, `199.95`, `199.950`} {
				spelled := `{"` + currency + `":"CHF","` + name + `":` + value + `}`
				b.again(t, call{Path: createSwiss, Who: maker1, Body: strings.Replace(body, amount, spelled, 1)}, first)
			}
		}
	}
	for _, wrong := range []string{
		`{"Ccy":"CHF","value":"199.95","Amt":"199.95"}`, `{"Ccy":"CHF","@Ccy":"CHF","value":"199.95"}`, `{"Ccy":"CHF","VALUE":"199.95"}`,
		`{"Ccy":"CHF","value":1e2}`, `{"Ccy":"CHF","value":true}`, `{"Ccy":"CHF"}`, `{"value":"199.95"}`, `"199.95"`,
	} {
		before := b.Rows(t)
		a := b.Send(t, call{Path: createSwiss, Who: maker1, Body: strings.Replace(order(sample), amount, wrong, 1)})
		if a.Status != http.StatusBadRequest || len(found(a)) == 0 || b.Rows(t) != before {
			t.Errorf("%s: %d %s", wrong, a.Status, a.Body)
		}
	}
}

// TestTheReportTellsTheControlSum: that of the order, or the amount where the order has none.
func TestTheReportTellsTheControlSum(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, body := range map[string]string{
		"given": order(sample), "as number": strings.Replace(order(sample), `"CtrlSum":"199.95"`, `"CtrlSum":199.95`, 1),
		"none": strings.Replace(order(sample), `"CtrlSum":"199.95",`, "", 1),
	} {
		a := b.ok(t, call{Path: createSwiss, Who: maker1, Body: body})
		if sum := a.At("message", "Document", "CstmrPmtStsRpt", "OrgnlGrpInfAndSts", "OrgnlCtrlSum"); sum != 199.95 {
			t.Errorf("%s: %v", name, sum)
		}
	}
}

// twoPayments is an order with its payment twice, under identifiers of their own.
func twoPayments(body string) string {
	start := strings.Index(body, `"CdtTrfTxInf":`) + len(`"CdtTrfTxInf":`)
	const last = `"Invoice 118"}}`
	end := strings.Index(body, last) + len(last)
	one, rest := strings.TrimPrefix(body[start:end], "["), strings.TrimPrefix(body[end:], "]")
	other := strings.NewReplacer("INSTR-1", "INSTR-2", "E2E-1", "E2E-2").Replace(one)
	return strings.NewReplacer(
		`"NbOfTxs":"1"`,
		`"NbOfTxs":"2"`,
		`"CtrlSum":"199.95"`,
		`"CtrlSum":"399.90"`,
		`"CtrlSum":1250.40`,
		`"CtrlSum":2500.80`,
	).Replace(body[:start]) + "[" + one + "," + other + "]" + rest
}

// TestValidateTellsEverythingOfManyTransactions: in the shape of its own, and nothing is stored.
func TestValidateTellsEverythingOfManyTransactions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const path = "/api/sic-inst/v1/instruction/validate"
	two := twoPayments(order(sample))
	before := b.Rows(t)
	if a := b.Send(t, call{Path: path, Who: maker1, Body: two}); a.Status != http.StatusOK || a.Text("success", "status") != "Success" {
		t.Errorf("two good ones: %d %s", a.Status, a.Body)
	}
	wrong := strings.Replace(two, `"INSTR-2"`, `"`+strings.Repeat("x", 36)+`"`, 1)
	a := b.Send(t, call{Path: path, Who: maker1, Body: wrong})
	if a.Status != http.StatusBadRequest || a.Text("error", "message") == "" ||
		!strings.Contains(a.Text("errors", 0, "fieldMap"), "/CdtTrfTxInf/1/") {
		t.Errorf("a bad second one: %d %s", a.Status, a.Body)
	}
	if after := b.Rows(t); after != before {
		t.Errorf("%d rows were stored", after-before)
	}
}
