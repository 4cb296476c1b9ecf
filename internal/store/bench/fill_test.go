package bench_test

import (
	"testing"
	"time"

	"countersign/internal/demo"
	"countersign/internal/payment"
	"countersign/internal/stationtest"
	"countersign/internal/store/bench"
	"countersign/internal/store/lookup"
)

// TestAFilledRealmIsListed: the messages are there as often as was asked for, are found by state and by word, and none passes for a
// real one.
func TestAFilledRealmIsListed(t *testing.T) {
	t.Parallel()
	const messages = 1_500
	db := stationtest.Demo(t)
	told := 0
	must(t, bench.Fill(t.Context(), bench.Filling{
		URL: db.OwnerURL, Realm: demo.Realm, Client: demo.Backoffice, Messages: messages, KeyID: "test", Until: time.Now(),
		Done: func(done int) { told = done },
	}))
	var stored int
	must(t, db.Connect(t).QueryRow(t.Context(), "SELECT count(*) FROM message WHERE realm = $1", demo.Realm).Scan(&stored))
	if stored != messages || told != messages {
		t.Errorf("%d messages are stored and %d told of, not %d", stored, told, messages)
	}
	reader := lookup.NewReader(db.Database)
	for name, ask := range map[string]lookup.Filter{
		"pending": {States: []payment.State{payment.StateApprovalPending}}, "recalls": {Kind: string(payment.KindRecall)},
		"a word": {Search: lookup.Search{Text: "Haller"}},
	} {
		ask.PageSize = 5
		list, _, err := reader.Page(t.Context(), demo.Realm, ask)
		must(t, err)
		if len(list) == 0 {
			t.Errorf("%s: nothing is listed", name)
		}
		for _, m := range list {
			if m.Withheld == "" {
				t.Errorf("%s: %s passes for a real message", name, m.GlobalID)
			}
		}
	}
}
