package api_test

import (
	"crypto/sha256"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
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
		SELECT realm, 'ffffffff-0000-7000-8000-000000000000', message_id, scheme, 'out', 'pacs.008.001.08', 'P8' || global_id, 'x', sha256('x'),
			now(), 'test', $1
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

// TestAPlantedKeyOfARequestPassesForNoRepeat: a key that somebody writes or changes in the table of keys leads nobody to believe that a
// payment is on its way which nobody made.
func TestAPlantedKeyOfARequestPassesForNoRepeat(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := call{Path: createSwiss, Who: maker1, Body: order(sample), Change: withKey("first")}
	id := b.ok(t, c).Text("identifiers", "internalId")
	plant := func(keyID, seal any) error {
		_, err := b.DB.ConnectAsApplication(t, "demo").Exec(t.Context(),
			`INSERT INTO creation_key (realm, client_id, scope, key, message_id, fingerprint, created_at, key_id, seal)
			SELECT realm, client_id, scope, 'planted', message_id, fingerprint, created_at, $2, $3 FROM creation_key
			WHERE message_id = $1 AND scope = 'idempotency-key'`, id, keyID, seal)
		return err
	}
	var refused *pgconn.PgError
	if err := plant(nil, nil); !errors.As(err, &refused) || refused.ColumnName != "key_id" {
		t.Errorf("a key without a seal: %v", err)
	}
	guessed := sha256.Sum256([]byte("guessed"))
	must(t, plant("test", guessed[:]))
	_, err := b.DB.Owner(t).Exec(t.Context(), `UPDATE creation_key SET created_at = created_at - interval '1 day' WHERE key = 'first'`)
	must(t, err)
	before := b.Rows(t)
	for _, key := range []string{"planted", "first"} {
		c.Body, c.Change = order(sample), withKey(key)
		again := b.Send(t, c)
		if again.Status != http.StatusBadRequest || again.GroupStatus() != "RJCT" || !strings.Contains(again.Body, "withheld") {
			t.Errorf("under the key %s: %d %s", key, again.Status, again.Body)
		}
	}
	if after := b.Rows(t); after != before {
		t.Errorf("%d rows were stored", after-before)
	}
}

// TestWhatAClientSentIsShownAsWithheldWhenItWasChanged: the other form of a document, which no digest of a version covers, is under its
// seal.
func TestWhatAClientSentIsShownAsWithheldWhenItWasChanged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.Created(t, maker1)
	list := b.Send(t, get("/api/common/v1/transaction/"+id+"/messages", checker1))
	document, _ := list.At("messages", 0, "id").(string)
	path := "/api/common/v1/interface/" + document
	if shown := b.Send(t, get(path, checker1)); shown.Status != http.StatusOK || shown.At("message", "status") == "Withheld" {
		t.Fatalf("%d %s", shown.Status, shown.Body)
	}
	_, err := b.DB.Owner(t).Exec(
		t.Context(), "UPDATE document SET source = '{}', source_type = 'application/json' WHERE document_id = $1", document,
	)
	must(t, err)
	if shown := b.Send(t, get(path, checker1)); shown.Status != http.StatusOK || shown.At("message", "status") != "Withheld" {
		t.Errorf("what was changed: %d %s", shown.Status, shown.Body)
	}
	list = b.Send(t, get("/api/common/v1/transaction/"+id+"/messages", checker1))
	if list.Status != http.StatusOK || list.At("messages", 0, "status") != "Withheld" {
		t.Errorf("in a list: %d %s", list.Status, list.Body)
	}
}
