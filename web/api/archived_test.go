package api_test

import (
	"bytes"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"countersign/internal/auditlog"
	"countersign/internal/payment"
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
	_, err = owner.Exec(t.Context(), "SET session_replication_role = replica") // no change of the other realm is needed
	must(t, err)
	left := func(realm string) string {
		is := auditlog.ArchivedPayment{Realm: realm, PaymentID: uuid.New(), Key: bytes.Repeat([]byte("k"), 32), ChangeID: change, Messages: 1}
		seal := b.Seal.SealArchivedPayment(is)
		_, err := owner.Exec(t.Context(), "INSERT INTO archived_payment VALUES ($1, $2, $3, $4, 1, NULL, $5, $6)", realm, is.PaymentID, is.Key, change,
			seal.KeyID, seal.MAC[:])
		must(t, err)
		return is.PaymentID.String()
	}
	id := left("demo")
	for _, path := range []string{"", "/history", "/audit", "/related", "/messages"} {
		a := b.Send(t, get("/api/common/v1/transaction/"+id+path, checker1))
		if a.Status != http.StatusNotFound || a.Text("errorCode") != "404_ARCHIVED" || !strings.Contains(a.Text("message"), "01.2025") {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
	}
	b.namesLeft(t, owner, id, left("demo2"))
	type values map[string]any
	request := func(note string, payments ...string) answer {
		return b.Send(t, call{Path: changeCreate, Who: admin1, Body: requested(t, values{
			"kind": "realm.erased", "note": note, "values": values{"erasedPayments": payments},
		})})
	}
	ask := func(payment, note string) answer { return request(note, payment) }
	many := make([]string, 101)
	for i := range many {
		many[i] = left("demo")
	}
	for what, a := range map[string]answer{
		"a payment of another realm": ask(left("demo2"), "x"), "101 payments": request("x", many...), "none": request("x"),
		"an id in braces": ask("{"+id+"}", "x"),
	} {
		if a.Status != http.StatusBadRequest || a.Text("fields", 0, "fieldMap") != "/values/erasedPayments" || len(a.At("fields").([]any)) != 1 {
			t.Errorf("%s: %d %s", what, a.Status, a.Body)
		}
	}
	if a := ask(id, ""); a.Status != http.StatusBadRequest || a.Text("fields", 0, "fieldMap") != "/note" {
		t.Errorf("without a note: %d %s", a.Status, a.Body)
	}
	if a := ask(b.Created(t, maker1), "x"); a.Status != http.StatusBadRequest || a.Text("fields", 0, "fieldMap") != "/values/erasedPayments" {
		t.Errorf("of a payment in the database: %d %s", a.Status, a.Body)
	}
	asked := request("Request 7", strings.ToUpper(id), id)
	if asked.Text("change", "after", "erasedPayments", 0) != id || len(asked.At("change", "after", "erasedPayments").([]any)) != 1 {
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
	must(t, owner.QueryRow(t.Context(), "SELECT key FROM archived_payment WHERE payment_id = $1", id).Scan(&key))
	if a := ask(id, "Request 8"); key != nil || a.Status != http.StatusBadRequest {
		t.Errorf("again, with the key %q: %d %s", key, a.Status, a.Body)
	}

	// Two changes erase a payment at once: one is applied, the other refused.
	first, second := ask(many[0], "Request 9").Text("change", "changeId"), request("Request 10", many[:2]...).Text("change", "changeId")
	var answers [2]answer
	var all sync.WaitGroup
	for i, id := range []string{first, second} {
		all.Go(func() { answers[i] = b.approve(t, admin2, id) })
	}
	all.Wait()
	if low, high := min(answers[0].Status, answers[1].Status), max(answers[0].Status, answers[1].Status); low != http.StatusOK || high/100 != 4 {
		t.Errorf("two at once: %d %s, %d %s", answers[0].Status, answers[0].Body, answers[1].Status, answers[1].Body)
	}

	// A program with the rights of the service deletes no other key by an approved erasure, and gives no key back.
	service := b.DB.Connect(t)
	for _, set := range []string{
		"key = NULL, erased_by = '" + erased + "' WHERE payment_id = '" + many[2] + "'", "key = sha256(''), erased_by = NULL WHERE payment_id = '" + id + "'",
	} {
		_, err = service.Exec(t.Context(), "BEGIN; SET LOCAL ROLE countersign_app; SET LOCAL countersign.realm = 'demo'; UPDATE archived_payment SET "+set+"; COMMIT")
		if err == nil || !strings.Contains(err.Error(), "row-level security") {
			t.Errorf("%s: %v", set, err)
		}
		_, _ = service.Exec(t.Context(), "ROLLBACK")
	}
}

// namesLeft: a recall that left with its payment, and reads and searches by the Global ID or the UETR, are answered as the payment itself.
// Other names are unknown, as are those of another realm, and a search that finds a message answers with it.
func (b *bundle) namesLeft(t *testing.T, owner *pgxpool.Pool, id, elsewhere string) {
	t.Helper()
	global, recall, uetr := payment.New("DM", time.Now(), [4]byte{1}), uuid.NewString(), uuid.NewString()
	_, err := owner.Exec(t.Context(), "UPDATE archived_payment SET names = $1 WHERE payment_id = $2", []string{string(global), recall, uetr}, id)
	must(t, err)
	const list, statement = "/api/common/v1/transaction/list?", "/api/common/v1/account/statement?iban=CH5021977000004331346&day="
	for _, path := range []string{
		"/api/common/v1/transaction/" + recall, "/api/common/v1/transaction/" + string(global) + "/history", list + "internalId=" + id,
		list + "internalId=" + recall, list + "globalId=" + string(global), list + "uetr=" + strings.ToUpper(uetr) + "&state=Settled",
		statement + "2025-01-31", statement + "2024-06-01",
	} {
		a := b.Send(t, get(path, checker1))
		if a.Status != http.StatusNotFound || a.Text("errorCode") != "404_ARCHIVED" || !strings.Contains(a.Text("message"), "01.2025") {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
	}
	other := payment.New("DM", time.Now(), [4]byte{2})
	for path, status := range map[string]int{
		"/api/common/v1/transaction/" + string(other): http.StatusNotFound, list + "globalId=" + string(other): http.StatusOK,
		list + "uetr=" + uuid.NewString(): http.StatusOK, list + "internalId=" + b.Created(t, maker1): http.StatusOK,
		statement + "2025-02-01":                  http.StatusOK,
		"/api/common/v1/transaction/" + elsewhere: http.StatusNotFound, list + "internalId=" + elsewhere: http.StatusOK,
	} {
		if a := b.Send(t, get(path, checker1)); a.Status != status || a.Text("errorCode") == "404_ARCHIVED" {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
	}
}
