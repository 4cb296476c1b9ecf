package api_test

import (
	"crypto/sha256"
	"net/http"
	"testing"
)

// TestAPlantedDocumentIsShownAsWithheld: what somebody writes into the table of documents, with the application's own rights, never passes
// for what the gateway made or sent.
func TestAPlantedDocumentIsShownAsWithheld(t *testing.T) {
	t.Parallel()
	b := setup(t)
	created := b.Send(t, call{Path: createSwiss, Who: maker1, Body: order(sample)})
	id := created.Text("identifiers", "internalId")
	mac := sha256.Sum256([]byte("guessed"))
	_, err := b.DB.ConnectAsApplication(t, "demo").Exec(
		t.Context(),
		`INSERT INTO document (realm, document_id, message_id, scheme, direction, name, reference, content, content_hash, created_at, key_id, mac)
		SELECT realm, gen_random_uuid(), message_id, scheme, 'out', 'pacs.008.001.08', 'P8' || global_id, 'x', sha256('x'), now(), 'test', $1
		  FROM message`,
		mac[:],
	)
	must(t, err)
	list := b.Send(t, get("/api/common/v1/transaction/"+id+"/messages", checker1))
	if list.Status != http.StatusOK || list.At("messages", 0, "status") != "Withheld" || list.At("messages", 1, "status") == "Withheld" {
		t.Errorf("the list: %d %s", list.Status, list.Body)
	}
	document, _ := list.At("messages", 0, "id").(string)
	single := b.Send(t, get("/api/common/v1/interface/"+document, checker1))
	if single.Status != http.StatusOK || single.At("message", "status") != "Withheld" {
		t.Errorf("the document: %d %s", single.Status, single.Body)
	}
}
