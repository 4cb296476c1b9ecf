package store_test

import (
	"context"
	"strings"
	"testing"

	"countersign/internal/payment"
	"countersign/internal/store/storetest"
	"countersign/migrations"
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

// TestTheTablesOfJobRowsGo: a database that an earlier program put jobs into loses their tables with what waits there, and one that never
// had them is as it was.
func TestTheTablesOfJobRowsGo(t *testing.T) {
	t.Parallel()
	content, err := migrations.FS.ReadFile("00140_no_job_rows.sql")
	if err != nil {
		t.Fatal(err)
	}
	up, _, _ := strings.Cut(string(content), "-- +goose Down")
	owner := storetest.New(t).Connect(t)
	for _, before := range []string{
		"SELECT 1", "CREATE SCHEMA river; CREATE TABLE river.river_job (id bigint); INSERT INTO river.river_job VALUES (1)",
	} {
		var tables int
		_, err := owner.Exec(t.Context(), before)
		if err == nil {
			_, err = owner.Exec(t.Context(), up)
		}
		if err == nil {
			err = owner.QueryRow(t.Context(), "SELECT count(*) FROM pg_namespace WHERE nspname = 'river'").Scan(&tables)
		}
		if err != nil || tables != 0 {
			t.Errorf("%d schemas of jobs are left after %q: %v", tables, before, err)
		}
	}
}
