package storetest

import (
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Copies are copies of one message by plain SQL, past every rule: they are counted and looked for, and nothing else.
type Copies struct {
	Of           uuid.UUID
	First, Count int
	// State is an SQL expression for the state of the n-th copy; "" leaves it.
	State string
}

// Insert makes the copies, under keys of their numbers from First on. The connection needs the rights to write past the guards.
func (c Copies) Insert(t testing.TB, connection *pgx.Conn) {
	t.Helper()
	state := c.State
	if state == "" {
		state = "state"
	}
	for _, table := range []string{"message", "message_version"} {
		var columns, values string
		must(t, connection.QueryRow(t.Context(), `
			SELECT string_agg(quote_ident(attname), ', '), string_agg(CASE attname
			  WHEN 'message_id' THEN $$('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid$$
			  WHEN 'global_id' THEN $$'DM' || lpad(n::text, 14, '0')$$
			  WHEN 'state' THEN $2
			  ELSE quote_ident(attname) END, ', ')
			FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`, table, state,
		).Scan(&columns, &values))
		_, err := connection.Exec(t.Context(), "INSERT INTO "+table+" ("+columns+") SELECT "+values+" FROM "+table+
			" CROSS JOIN generate_series($1::integer, $2::integer) n WHERE message_id = $3", c.First, c.First+c.Count-1, c.Of)
		must(t, err)
	}
}
