package service_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store/storetest"
)

// impatience has callers give up as the second write that decides leaves: the first is that of one alone, who waits for its outcome.
type impatience struct {
	giveUp atomic.Pointer[context.CancelFunc]
	writes atomic.Int64
}

// before has them give up.
func (i *impatience) before(_ context.Context, _ *pgx.Conn, sql string, _ []any) {
	giveUp := i.giveUp.Load()
	if giveUp != nil && strings.Contains(sql, "name: MessageMove") && i.writes.Add(1) == 2 {
		(*giveUp)()
	}
}

// TestWhatIsApprovedLeavesThoughItsCallerGaveUp: a caller that goes away while an approval is under way with those of others is told that nobody
// knows, and what came of it goes to clearing at once, not when the clock looks for what was left behind: no clock runs here.
func TestWhatIsApprovedLeavesThoughItsCallerGaveUp(t *testing.T) {
	t.Parallel()
	const clients = 16
	callers := &impatience{}
	h := servicetest.Traced(t, storetest.BeforeStatement(callers.before), 0)
	defer h.CheckInvariants(t)
	h.Run(t)
	maker, checker := h.Person(t, "maker1"), h.Person(t, "checker1")
	connection := h.DB.Connect(t)
	released := func() (count int64) {
		err := connection.QueryRow(ctx, "SELECT count(*) FROM message WHERE accepted_at IS NOT NULL").Scan(&count)
		if err != nil {
			t.Fatal(err)
		}
		return count
	}
	var told atomic.Int64
	for end := time.Now().Add(time.Minute); released() == told.Load(); {
		if time.Now().After(end) {
			t.Fatal("no caller gave up while its approval was under way")
		}
		messages := make([]payment.Message, clients)
		for i := range messages {
			messages[i] = h.Create(t, maker, rulebook.SchemeSIC)
		}
		impatient, giveUp := context.WithCancel(ctx)
		callers.writes.Store(0)
		callers.giveUp.Store(&giveUp)
		var group sync.WaitGroup
		for _, m := range messages {
			group.Go(func() {
				_, err := h.Approval.Approve(impatient, checker, service.Input{InternalID: m.InternalID})
				if err == nil {
					told.Add(1)
				}
			})
		}
		group.Wait()
		callers.giveUp.Store(nil)
		giveUp()
	}
	for end := time.Now().Add(time.Minute); int64(len(h.Network.Delivered())) != released(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d payments are approved, of which %d callers know; %d went to clearing", released(), told.Load(), len(h.Network.Delivered()))
		}
	}
}
