package portal_test

import (
	"context"
	"crypto/sha256"
	"net/http"
	"testing"

	"countersign/internal/store"
)

// TestAPlantedDocumentSaysThatItIsWithheld: the page of a document that the gateway did not make says so.
func TestAPlantedDocumentSaysThatItIsWithheld(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	m := maker.submit(filled())
	mac := sha256.Sum256([]byte("guessed"))
	_, err := b.DB.ConnectAsApplication(t, "demo").Exec(
		t.Context(),
		`INSERT INTO document (realm, document_id, message_id, scheme, direction, name, reference, content, content_hash, created_at, key_id, mac)
		SELECT realm, gen_random_uuid(), message_id, scheme, 'out', 'pacs.008.001.08', 'P8' || global_id, 'x', sha256('x'), now(), 'test', $1
		  FROM message`,
		mac[:],
	)
	if err != nil {
		t.Fatal(err)
	}
	home := "/payments/" + m.InternalID.String() + "/messages"
	maker.get(home).is(http.StatusOK).says("Withheld")
	list, err := b.Reader.Documents(
		context.Background(), m.Realm, store.DocumentFilter{MessageID: m.InternalID, Direction: "out", PageSize: 5},
	)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d documents: %v", len(list), err)
	}
	maker.get(home + "/" + list[0].ID.String()).is(http.StatusOK).says("was not stored by this gateway")
}
