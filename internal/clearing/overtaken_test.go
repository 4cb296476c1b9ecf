package clearing_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/store/storetest"
)

// meeting is a tracer under which two looks find the same payment: the list of the first is not answered until the second has begun, and
// that of the second not until the first goes on. The next statement of the first, which is slow, then waits until the second has moved
// the payment.
type meeting struct {
	storetest.Unmoved

	mu                    sync.Mutex
	lists, reads          int
	second, goesOn, moved chan struct{}
	ended                 chan error // why the slow statement was given up; nil for not
}

// begin has the next two looks meet.
func (m *meeting) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lists, m.reads = 0, 0
	m.second, m.goesOn, m.moved, m.ended = make(chan struct{}), make(chan struct{}), make(chan struct{}), make(chan error, 1)
}

// step says what a statement tells by its beginning, what it waits for, and whom that tells how it ended.
func (m *meeting) step(statement *pgx.QueuedQuery) (tells, awaits chan struct{}, ended chan error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.second == nil {
		return nil, nil, nil
	}
	switch nameOf(statement) {
	case "MessageListOverdue":
		m.lists++
		switch m.lists {
		case 1:
			return nil, m.second, nil
		case 2:
			return m.second, m.goesOn, nil
		}
	case "MessageRead":
		if m.lists > 1 && m.reads == 0 {
			m.reads++
			return m.goesOn, m.moved, m.ended
		}
	}
	return nil, nil, nil
}

// TraceBatchStart has it wait.
func (m *meeting) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	for _, statement := range data.Batch.QueuedQueries {
		tells, awaits, ended := m.step(statement)
		if tells != nil {
			close(tells)
		}
		if awaits == nil {
			continue
		}
		select {
		case <-ctx.Done():
		case <-awaits:
		}
		if ended != nil {
			ended <- ctx.Err()
		}
	}
	return ctx
}

// TestALookThatIsSlowIsNotEndedByAnother: a look was overtaken, because it stood still, and goes on, slowly. The other one ends well, and
// ends looks that stand still: not this one.
func TestALookThatIsSlowIsNotEndedByAnother(t *testing.T) {
	t.Parallel()
	m := &meeting{}
	const longEnough = 150 * time.Millisecond // for a look that moved everything to end, and too short to stand still
	overdueOnce(t, m, m.begin, func() bool {
		time.Sleep(longEnough)
		close(m.moved)
		return <-m.ended == nil
	})
}
