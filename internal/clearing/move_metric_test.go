package clearing_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/observability"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// TestWhatComesInIsCounted: payments, recalls, and the answer to a recall of ours with what it does to it.
func TestWhatComesInIsCounted(t *testing.T) {
	t.Parallel()
	const scheme = rulebook.SchemeSIC
	m := observability.New()
	h := servicetest.With(t, servicetest.Options{Database: func(db *storetest.DB) *store.Database {
		database, err := store.Open(ctx, store.Config{URL: db.URL, Seal: db.Seal, TokenKeys: storetest.Keys(t), Metrics: m})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(database.Close)
		return database
	}})
	original, document := booked(t, h, scheme, "TX1")
	receivedRecall(t, h, original, document)

	recall := request(t, h, payment.RTransaction{
		Request: rulebook.Request{Reason: "CUST"}, Kind: payment.KindRecall, Scheme: scheme,
		OriginalID: settled(t, h, scheme).InternalID,
	})
	send(t, h, recall)
	no, err := interbank.Resolution(interbank.RTransactionInput{
		Request: rulebook.Request{Reason: "CUST"}, Scheme: scheme, Bank: "BBBBFRPPXXX", MessageID: "NO1", ID: "NO1", At: h.Clock.Now(),
		Recall: lastSent(t, h, "camt.056").(*iso20022.FIToFIPaymentCancellationRequest),
	})
	receive(t, h, inbound(t, scheme, "NO1", no, err))
	recorder := httptest.NewRecorder()
	m.Handler().ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, line := range []string{
		`{action="book",kind="payment",scheme="sic-inst"} 1`, `{action="receive",kind="received recall",scheme="sic-inst"} 1`,
		`{action="receive",kind="resolution",scheme="sic-inst"} 1`, `{action="decline",kind="recall",scheme="sic-inst"} 1`,
	} {
		if !strings.Contains(recorder.Body.String(), "countersign_message_moves_total"+line) {
			t.Errorf("the metrics have no %s", line)
		}
	}
	if strings.Contains(recorder.Body.String(), `action="submit",kind="payment"`) {
		t.Error("what another bank sent counts as submitted")
	}
}
