package api_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/auditlog"
)

// TestAPaymentThatLeftIsAnsweredWithItsMonthAndErasedByTwo: reads answer 404_ARCHIVED with the month. The erasure needs a note and another
// administrator, answers with the list of payments, and is refused for a payment that is in the database and for one that is erased.
func TestAPaymentThatLeftIsAnsweredWithItsMonthAndErasedByTwo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	digest := strings.Repeat("a", 64)
	archived, _ := b.asked(t, admin1, "realm.archived", "", `{"archivedMonth":"2025-01","archiveDigest":"`+digest+`"}`)
	change := uuid.MustParse(archived)
	owner, at := b.DB.Owner(t), time.Now().UTC().Truncate(time.Microsecond)
	month := auditlog.Detached{Realm: "demo", ChangeID: change, Month: "2025-01", Digest: digest, Messages: 1, At: at}
	seal := b.Seal.SealDetached(month)
	_, err := owner.Exec(t.Context(), "INSERT INTO archived_month VALUES ('demo', $1, $2, $3, 1, 0, $4, $5, $6)", change, month.Month, digest, at,
		seal.KeyID, seal.MAC[:])
	must(t, err)
	left := auditlog.ArchivedPayment{Realm: "demo", PaymentID: uuid.New(), Key: bytes.Repeat([]byte("k"), 32), ChangeID: change, Messages: 1}
	seal = b.Seal.SealArchivedPayment(left)
	_, err = owner.Exec(t.Context(), "INSERT INTO archived_payment VALUES ('demo', $1, $2, $3, 1, NULL, $4, $5)", left.PaymentID, left.Key, change,
		seal.KeyID, seal.MAC[:])
	must(t, err)
	id := left.PaymentID.String()
	for _, path := range []string{"", "/history", "/audit", "/related", "/messages"} {
		a := b.Send(t, get("/api/common/v1/transaction/"+id+path, checker1))
		if a.Status != http.StatusNotFound || a.Text("errorCode") != "404_ARCHIVED" || !strings.Contains(a.Text("message"), "2025-01") {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
	}
	type values map[string]any
	ask := func(payment, note string) answer {
		return b.Send(t, call{Path: changeCreate, Who: admin1, Body: requested(t, values{
			"kind": "realm.erased", "note": note, "values": values{"erasedPayments": []string{payment}},
		})})
	}
	if a := ask(id, ""); a.Status != http.StatusBadRequest || a.Text("fields", 0, "fieldMap") != "/note" {
		t.Errorf("without a note: %d %s", a.Status, a.Body)
	}
	if a := ask(b.Created(t, maker1), "x"); a.Status != http.StatusBadRequest || a.Text("fields", 0, "fieldMap") != "/values/erasedPayments" {
		t.Errorf("of a payment in the database: %d %s", a.Status, a.Body)
	}
	asked := ask(id, "Request 7")
	if asked.Text("change", "after", "erasedPayments", 0) != id {
		t.Errorf("the request: %d %s", asked.Status, asked.Body)
	}
	erased := asked.Text("change", "changeId")
	if a := b.approve(t, admin1, erased); a.Text("errorCode") != "403_FOUR_EYES" {
		t.Errorf("one administrator alone: %d %s", a.Status, a.Body)
	}
	if a := b.approve(t, admin2, erased); a.Status != http.StatusOK {
		t.Errorf("another administrator: %d %s", a.Status, a.Body)
	}
	var key []byte
	must(t, owner.QueryRow(t.Context(), "SELECT key FROM archived_payment").Scan(&key))
	if a := ask(id, "Request 8"); key != nil || a.Status != http.StatusBadRequest {
		t.Errorf("again, with the key %q: %d %s", key, a.Status, a.Body)
	}
}
