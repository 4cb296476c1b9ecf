package api_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/rulebook"
)

// TestMessagesAreFoundByWhatTheyAreAbout: by the payment a recall is about, by an incoming payment, by the state of the recall, by UETR, and
// by several externalIds at once.
func TestMessagesAreFoundByWhatTheyAreAbout(t *testing.T) {
	t.Parallel()
	b := setupInterbank(t)
	id, _ := b.settled(t, rulebook.SchemeSIC)
	other, _ := b.settled(t, rulebook.SchemeSIC)
	recall := b.ok(t, call{Path: "/api/sic-inst/v1/recall/create", Who: maker1, Body: recallBody(id, "DUPL")}).Text("identifiers", "internalId")
	credit, _, document := b.booked(t, rulebook.SchemeSIC)
	received, _ := b.recalled(t, rulebook.SchemeSIC, document, "DUPL")
	external := func(id string) string {
		return b.ok(t, get("/api/common/v1/transaction/"+id, supervisor1)).Text("transaction", "externalId")
	}
	for query, want := range map[string][]string{
		"originalInternalId=" + id:                                           {recall},
		"originalInternalId=" + credit:                                       {received},
		"originalInternalId=" + other:                                        nil,
		"creditId=" + credit:                                                 {received, credit},
		"creditId=" + id:                                                     nil, // not an incoming one
		"recallStatus=Recall+in+Progress":                                    {id},
		"recallStatus=Recalled":                                              nil,
		"uetr=7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10":                          {received, credit},
		"uetr=7A1D3E52-1F55-4C0A-9A3E-0D5A5B3C9E10":                          {received, credit},
		"externalId=" + external(id) + "&externalId=" + external(other):      {other, id},
		"externalId=" + external(id) + "&externalId=unknown":                 {id},
		"externalId=" + external(id) + "&recallStatus=Recall+in+Progress":    {id},
		"externalId=" + external(other) + "&recallStatus=Recall+in+Progress": nil,
		"creditId=x": nil,
	} {
		a := b.ok(t, get(listPath+"?"+query, supervisor1))
		var got []string
		list, _ := a.At("transactions").([]any)
		for i := range list {
			got = append(got, a.Text("transactions", i, "internalId"))
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s finds %v instead of %v", query, got, want)
		}
	}
	if a := b.Send(t, get(listPath+"?externalId=x"+strings.Repeat("&externalId=x", 100), supervisor1)); a.Status != http.StatusBadRequest {
		t.Errorf("101 externalIds: %d", a.Status)
	}
}
