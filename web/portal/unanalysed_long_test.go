//go:build long

package portal_test

import (
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"countersign/internal/rulebook"
)

// TestTheQueueOfARealmNeverAnalysed: 5,000 payments to one account wait in tables without statistics. It reports how long the queue takes beside
// the list of payments, and fails where half of its pages take more than twice as long.
func TestTheQueueOfARealmNeverAnalysed(t *testing.T) {
	const waiting, hands, looks = 5000, 20, 41
	b := setup(t)
	b.change(`DO $$ DECLARE each regclass; BEGIN
		FOR each IN SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace LOOP
			EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = off)', each);
		END LOOP; END $$`)
	b.Clock.Set(time.Now().In(b.config.Zone)) // dates the orders
	maker := b.Person(t, "maker1")
	var group sync.WaitGroup
	for range hands {
		group.Go(func() {
			for range waiting / hands {
				b.Create(t, maker, rulebook.SchemeSIC)
			}
		})
	}
	group.Wait()
	if analysed := b.count("SELECT count(*) FROM pg_stats WHERE schemaname = 'public' AND tablename IN ('message', 'message_version')"); analysed > 0 {
		t.Fatalf("%d columns were analysed", analysed)
	}
	checker := b.as("checker1")
	took := map[string][]time.Duration{}
	for range looks {
		for _, path := range []string{"/queue", "/payments"} {
			began := time.Now()
			answer, err := checker.client.Get(b.server.URL + path)
			if err == nil {
				_, err = io.Copy(io.Discard, answer.Body)
			}
			took[path] = append(took[path], time.Since(began))
			if err != nil || answer.StatusCode != http.StatusOK {
				t.Fatalf("%s: %v %v", path, answer, err)
			}
			_ = answer.Body.Close()
		}
	}
	p50 := func(path string) time.Duration {
		slices.Sort(took[path])
		return took[path][looks/2]
	}
	ratio := p50("/queue").Seconds() / p50("/payments").Seconds()
	t.Logf("queue %s, payments %s, ratio %.2f; the fastest %s and %s", p50("/queue"), p50("/payments"), ratio, took["/queue"][0], took["/payments"][0])
	if ratio > 2 {
		t.Errorf("the queue takes %.2f times as long as the list", ratio)
	}
}
