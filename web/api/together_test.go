package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// brokenOrder breaks the structure of the sample and rules of its scheme: the amount cannot be read, so its sums cannot be judged.
func brokenOrder(t *testing.T) string {
	body := order(sample)
	for _, change := range [][2]string{
		{`"value":"199.95"`, `"value":"1.9995e2"`},
		{`"PmtMtd":"TRF"`, `"PmtMtd":"CHK"`},
		{`"IBAN":"CH4821966000009613388"`, `"IBAN":"CH4821966000009613389"`},
		{`"EndToEndId":"`, `"EndToEndId":"/`},
	} {
		changed := strings.Replace(body, change[0], change[1], 1)
		if changed == body {
			t.Fatalf("%s is not in the sample", change[0])
		}
		body = changed
	}
	return body
}

// TestStructureAndRulesAreToldTogether: the caller with a malformed order reads at once what else its rules refuse, and nothing that only
// follows from what could not be read.
func TestStructureAndRulesAreToldTogether(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Token(t, maker1)
	before := b.Rows(t)
	const pmtInf = "/Document/CstmrCdtTrfInitn/PmtInf/0"
	want := []string{
		pmtInf + "/PmtMtd CH16", pmtInf + "/CdtTrfTxInf/0/PmtId/EndToEndId CH16", pmtInf + "/CdtTrfTxInf/0/Amt/InstdAmt AM12",
		pmtInf + "/CdtTrfTxInf/0/CdtrAcct/Id/IBAN AC01",
	}
	for _, prefix := range []string{"", "/paymentRequest"} {
		body, expected := brokenOrder(t), slices.Clone(want)
		if prefix != "" {
			body = `{"paymentRequest":` + body + `}`
			for i := range expected {
				expected[i] = prefix + expected[i]
			}
		}
		created := b.Send(t, call{Path: createSwiss, Who: maker1, Body: body})
		if got := found(created); created.Status != http.StatusBadRequest || !slices.Equal(got, expected) {
			t.Errorf("create: %d\n got %q\nwant %q", created.Status, got, expected)
		}
		validated := b.Send(t, call{Path: "/api/sic-inst/v1/instruction/validate", Who: maker1, Body: body})
		if got := foundIn(validated, "errors"); validated.Status != http.StatusBadRequest || !slices.Equal(got, expected) {
			t.Errorf("validate: %d\n got %q\nwant %q", validated.Status, got, expected)
		}
	}
	if after := b.Rows(t); after != before {
		t.Errorf("%d rows were stored", after-before)
	}
	updated := b.Send(t, call{Path: updatePath, Who: maker1, Body: updateOf(b.Created(t, maker1), brokenOrder(t))})
	if got := found(updated); updated.Status != http.StatusBadRequest || !slices.Equal(got, want) {
		t.Errorf("update: %d\n got %q\nwant %q", updated.Status, got, want)
	}
}

// Rules are not told to whom may not create payments.
func TestWhoMayNotCreateHearsOfTheStructureOnly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.Send(t, call{Path: createSwiss, Who: checker1, Body: brokenOrder(t)})
	if got := found(a); len(got) != 1 || !strings.HasSuffix(got[0], "AM12") {
		t.Errorf("%d %q", a.Status, got)
	}
}
