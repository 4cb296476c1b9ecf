//go:build long

package clearing_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// noticed is the shortest time without a single new connection that counts as a database that is away.
const noticed = time.Second

// probe opens connections one after the other and asks each for one row, and says in the end when it took longest until one answered.
func probe(t *testing.T, way string, now func() time.Time) (longest func() span) {
	t.Helper()
	probing, stop := context.WithCancel(ctx)
	var found span
	var one sync.WaitGroup
	one.Go(func() {
		for last := now(); probing.Err() == nil; time.Sleep(50 * time.Millisecond) {
			limited, cancel := context.WithTimeout(probing, noticed)
			conn, err := pgx.Connect(limited, way)
			if err == nil {
				err = conn.Ping(limited)
				_ = conn.Close(limited)
			}
			cancel()
			if err != nil {
				continue
			}
			if took := now().Sub(last); took >= noticed && took > found.to.Sub(found.from) {
				found = span{last, now()}
			}
			last = now()
		}
	})
	return func() span {
		stop()
		one.Wait()
		t.Logf("no new connection to the database answered for %s at most", found.to.Sub(found.from).Round(10*time.Millisecond))
		return found
	}
}
