package store_test

import (
	"context"
	"testing"

	"countersign/internal/payment"
	"countersign/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func TestLegalMovesOfTheDatabaseAreThoseOfTheDomain(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	rows, err := db.Owner(t).Query(context.Background(), "SELECT kind, from_state, action, to_state FROM legal_move")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	found := 0
	for rows.Next() {
		var m payment.Move
		err := rows.Scan(&m.Kind, &m.From, &m.Action, &m.To)
		if err != nil {
			t.Fatal(err)
		}
		if !payment.Legal(m) {
			t.Errorf("the database allows %+v, the domain does not", m)
		}
		found++
	}
	if want := len(payment.Moves()); found != want {
		t.Errorf("the database holds %d moves, the domain %d", found, want)
	}
}
