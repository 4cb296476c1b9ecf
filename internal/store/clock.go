package store

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/store/internal/dbsqlc"
)

const (
	// clockLimit is the largest difference between the clocks of gateway and database with which the gateway works. Another bank's clock may
	// be ahead by as much.
	clockLimit = 5 * time.Second
	// clockEvery is the age from which a reading of the database's clock is renewed.
	clockEvery = time.Second
)

// ErrClock reports that the clock of the gateway differs from that of the database. It comes with ErrUnavailable.
var ErrClock = errors.New("the clocks of gateway and database differ")

// clock compares the clock of the gateway with that of the database whenever a connection is used. A gateway with a wrong clock has no
// database: it stores no time and decides nothing.
type clock struct {
	now  func() time.Time // of the gateway; nil compares nothing
	last atomic.Pointer[clockReading]
}

// clockReading is a time of the database. The gateway adds the time since then, which no step of its own clock changes.
type clockReading struct {
	there time.Time
	at    time.Time
}

// ahead returns how far the database's clock is ahead.
func (r *clockReading) ahead(now time.Time) time.Duration {
	return r.there.Add(time.Since(r.at)).Sub(now)
}

// prepare allows the use of a connection while the clocks agree. Error: ErrClock.
func (c *clock) prepare(ctx context.Context, conn *pgx.Conn) (usable bool, err error) {
	if c.now == nil {
		return true, nil
	}
	last := c.last.Load()
	if last != nil && time.Since(last.at) < clockEvery && last.ahead(c.now()).Abs() <= clockLimit {
		return true, nil
	}
	began := time.Now()
	there, err := dbsqlc.New(conn).ServerTime(ctx)
	if err != nil {
		return false, fmt.Errorf("read the clock of the database: %w", err)
	}
	half := time.Since(began) / 2
	last = &clockReading{there: there, at: began.Add(half)}
	c.last.Store(last)
	if ahead := last.ahead(c.now()); ahead.Abs() > clockLimit+half {
		return true, fmt.Errorf("%w: that of the database is ahead by %s; synchronise both", ErrClock, ahead.Round(time.Millisecond))
	}
	return true, nil
}

// ClockOffset returns how far the database's clock is ahead of the gateway's; 0 while they are not compared.
func (d *Database) ClockOffset() time.Duration {
	last := d.clock.last.Load()
	if last == nil {
		return 0
	}
	return last.ahead(d.clock.now())
}

// ServerTime returns the time of the database, which counts for commands of the operator.
func ServerTime(ctx context.Context, ownerURL string) (time.Time, error) {
	now, err := ofOwner(ctx, ownerURL, (*dbsqlc.Queries).ServerTime)
	return now, wrapped(err, "read the clock of the database")
}
