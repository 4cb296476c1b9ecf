package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// UntilAlone waits until the server is done with all other connections to the database, those of Owner among them, which it closes: what
// one of them counted is told at its end, which comes after its client closed it.
func (d *DB) UntilAlone(t testing.TB, owner *pgx.Conn) {
	t.Helper()
	d.owner.close()
	for late := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		var others int
		err := owner.QueryRow(context.Background(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`).Scan(&others)
		if err != nil {
			t.Fatal(err)
		}
		if others == 0 {
			return
		}
		if time.Now().After(late) {
			t.Fatalf("%d other connections did not end", others)
		}
	}
}
