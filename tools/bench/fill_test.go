package main

import (
	"testing"
	"time"

	"countersign/internal/demo"
	"countersign/internal/payment"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
)

// TestAFilledRealmIsListed: the messages are there as often as was asked for, without those that an earlier filling made, are found by
// state and by word, and none passes for a real one. As many wait as was asked for.
func TestAFilledRealmIsListed(t *testing.T) {
	t.Parallel()
	const messages = 1_500
	db := servicetest.Demo(t)
	told := 0
	for _, f := range []struct{ there, messages, stored int }{{1_000, messages, 500}, {0, 1_000, messages}} { // its end, then the rest
		must(t, fillMessages(t.Context(), Filling{
			URL: db.OwnerURL, Realm: demo.Realm, Client: demo.Backoffice, Messages: f.messages, There: f.there, Waiting: 100, KeyID: "test",
			Until: time.Now(), Done: func(done int) { told = done },
		}))
		stored, err := Messages(t.Context(), db.OwnerURL)
		must(t, err)
		if stored != f.stored || told != f.messages {
			t.Errorf("%d messages are stored and %d told of, not %d and %d", stored, told, f.stored, f.messages)
		}
	}
	var waiting int
	must(t, db.Owner(t).QueryRow(t.Context(), "SELECT count(*) FROM message WHERE state = 'Approval Pending'").Scan(&waiting))
	if waiting != 200 {
		t.Errorf("%d messages wait, want 100 of each filling", waiting)
	}
	reader := store.NewReader(db.Database)
	for name, ask := range map[string]store.Filter{
		"pending": {States: []payment.State{payment.StateApprovalPending}}, "recalls": {Kind: string(payment.KindRecall)},
		"a word": {Search: store.Search{Text: "Haller"}},
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
