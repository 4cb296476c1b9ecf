package store

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// dialWithin is how long the clock's connections may take to open, but for one at a time, which may take as long as any other.
	dialWithin = time.Second
	// giveUpAfter is how long a statement of the clock runs before its end by its caller speaks against the connection: the clock gives up
	// what another connection did meanwhile.
	giveUpAfter = 200 * time.Millisecond
)

// locksWithin is how long a statement waits for a row that somebody else holds, for the server. The clock goes on with the next one soon.
func locksWithin(use Use) string {
	if use == ForClock {
		return "500ms"
	}
	return "5s"
}

// statementsWithin is how long a statement may take, for the server.
const statementsWithin = "15s"

// standsStill is how long a transaction may stand still between two statements, for the server, before it ends the connection: a gateway
// that stands still (SIGSTOP, a machine that is moved) lets go what it has locked, so that another one carries on in time. What pages read
// locks nothing.
func standsStill(use Use) string {
	switch use {
	case ForClock, ForClearing, ForWrites:
		return "1500ms"
	case ForPages:
		return "15s"
	default:
		return "5s"
	}
}

// prompt opens connections for who cannot wait: each attempt is given up soon, so that there is a fresh one when the database answers
// again. One attempt at a time has as long as any other connection, for a database to which it takes longer.
type prompt struct {
	patient time.Duration
	until   atomic.Int64 // when the patient attempt under way is over, in nanoseconds of the program's clock
	began   time.Time
}

func newPrompt(patient time.Duration) *prompt { return &prompt{patient: patient, began: time.Now()} }

// before sets the time of one attempt.
func (p *prompt) before(_ context.Context, config *pgx.ConnConfig) error {
	now, over := int64(time.Since(p.began)), p.until.Load()
	if now < over || !p.until.CompareAndSwap(over, now+int64(p.patient)) {
		config.ConnectTimeout = min(dialWithin, p.patient)
	}
	return nil
}

// Renew closes the connections that are idle: whoever asks next gets a new one. For who has seen that one of them does not answer.
func (d *Database) Renew() { d.pool.Reset() }
