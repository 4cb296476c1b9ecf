package main

import (
	"context"
	_ "embed" // the statements of a piece
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

//go:embed fill.sql
var fillPiece string

// Filling says how a realm is filled.
type Filling struct {
	URL      string // of the owner, whose database holds the realm
	Realm    string
	Client   string // of the realm, which made the messages
	Messages int
	Waiting  int       // how many of them wait for a decision, a quarter of them at most; 0 for one in a hundred
	There    int       // how many of them an earlier filling made, which was interrupted between two pieces
	KeyID    string    // of the key that the seals name; none of them fits
	Until    time.Time // when the newest message was made
	// Done is told how many there are, now and then.
	Done func(messages int)
}

// pieceSize is how many messages one transaction makes.
const pieceSize = 20_000

// Fill fills a realm with messages that look like three months of a bank's; see fill.sql. They are no real ones: nothing proves them, and
// every page shows them as withheld.
func fillMessages(ctx context.Context, f Filling) error {
	if f.Waiting == 0 {
		f.Waiting = f.Messages / 100
	}
	return with(ctx, f.URL, func(c *pgx.Conn) error {
		for first := f.There + 1; first <= f.Messages; first += pieceSize {
			last := min(first+pieceSize-1, f.Messages)
			err := f.piece(ctx, c, first, last)
			if err != nil {
				return fmt.Errorf("fill the realm with messages %d to %d: %w", first, last, err)
			}
			f.Done(last)
		}
		_, err := c.Exec(ctx, "VACUUM (ANALYZE)")
		return err
	})
}

func (f Filling) piece(ctx context.Context, c *pgx.Conn, first, last int) error {
	return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
		for name, value := range map[string]string{
			"realm": f.Realm, "client": f.Client, "key": f.KeyID, "messages": strconv.Itoa(f.Messages), "until": f.Until.Format(time.RFC3339),
			"first": strconv.Itoa(first), "last": strconv.Itoa(last), "waiting": strconv.Itoa(f.Waiting),
		} {
			_, err := tx.Exec(ctx, "SELECT set_config($1, $2, true)", "bench."+name, value)
			if err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, fillPiece)
		return err
	})
}
