package storetest

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// copied is a copy of a template that tests use one after the other. A new one costs the server more than most tests do.
type copied struct {
	name   string
	tables []table
	schema string // what of the catalog tells every change of it
}

// table is one table as it was in the template.
type table struct {
	name, columns string
	rows          []byte // as COPY writes them
	state         string // that tells every change of a row
}

// catalog are the tables of the schema with the column of the object that a row belongs to.
var catalog = []string{
	"pg_class oid", "pg_attribute attrelid", "pg_attrdef adrelid", "pg_constraint oid", "pg_index indexrelid", "pg_trigger oid", "pg_proc oid",
	"pg_policy oid", "pg_rewrite oid", "pg_type oid", "pg_namespace oid", "pg_statistic starelid", "pg_statistic_ext oid",
	"pg_event_trigger oid",
}

const (
	// mostRows is the number of rows of a table that are deleted sooner than a database is made.
	mostRows = 2000
	// mostFree is the number of databases of a template that wait for tests.
	mostFree = 8
)

// take returns a copy of a template that nobody uses.
func (s *server) take(template string) (*copied, error) {
	s.mu.Lock()
	free := s.free[template]
	if last := len(free) - 1; last >= 0 {
		s.free[template] = free[:last]
		s.mu.Unlock()
		return free[last], nil
	}
	s.mu.Unlock()
	c := &copied{name: s.name + "_" + strconv.FormatInt(s.counter.Add(1), 10)}
	// Files are copied sooner than pages are written to the log. A copy has the server's defaults again, which a migration takes away.
	err := s.execute(context.Background(),
		"CREATE DATABASE "+c.name+" TEMPLATE "+template+" STRATEGY FILE_COPY", "REVOKE TEMPORARY ON DATABASE "+c.name+" FROM PUBLIC")
	if err != nil {
		return nil, err
	}
	return c, s.as(c, (*copied).read)
}

// give takes a database back: it is as it was, or it is dropped where the test changed more than some rows.
func (s *server) give(template string, c *copied) error {
	s.leave(c.name, true)
	same := false
	err := s.as(c, func(c *copied, ctx context.Context, conn *pgx.Conn) (err error) {
		same, err = c.restore(ctx, conn)
		return err
	})
	s.mu.Lock()
	same = same && len(s.free[template]) < mostFree
	if err == nil && same {
		s.free[template] = append(s.free[template], c)
	}
	s.mu.Unlock()
	if err == nil && same {
		return nil
	}
	s.leave(c.name, false)
	return s.execute(context.Background(), "DROP DATABASE "+c.name+" WITH (FORCE)")
}

func (s *server) leave(database string, keep bool) {
	if s.keeper != nil {
		s.keeper.leave(database, keep)
	}
}

func (s *server) alone(database string) {
	if s.keeper != nil {
		s.keeper.alone(database)
	}
}

// as does something as the owner.
func (s *server) as(c *copied, do func(*copied, context.Context, *pgx.Conn) error) error {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, s.url(c.name))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	return do(c, ctx, conn)
}

// read notes everything.
func (c *copied) read(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, `SELECT quote_ident(relname), (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
		WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '')
		FROM pg_class c WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname`)
	if err != nil {
		return err
	}
	c.tables, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (t table, err error) { return t, row.Scan(&t.name, &t.columns) })
	if err != nil {
		return err
	}
	states, _, err := c.states(ctx, conn)
	for i := range c.tables {
		var content bytes.Buffer
		if err == nil {
			_, err = conn.PgConn().CopyTo(ctx, &content, "COPY "+c.tables[i].name+" ("+c.tables[i].columns+") TO STDOUT (FORMAT binary)")
		}
		c.tables[i].rows, c.tables[i].state = content.Bytes(), states[i]
	}
	c.schema = states[len(c.tables)]
	return err
}

// states tells every change of tables and, at the end, of the catalog.
func (c *copied) states(ctx context.Context, conn *pgx.Conn) (states []string, counts []int, err error) {
	var each, whole []string
	for _, t := range c.tables {
		each = append(each, "(SELECT ARRAY[count(*), sum(xmin::text::bigint)] FROM "+t.name+")")
	}
	for _, part := range catalog {
		name, owner, _ := strings.Cut(part, " ")
		whole = append(whole, "(SELECT ARRAY[count(*), sum(xmin::text::bigint)] FROM "+name+" WHERE "+owner+" >= 16384)")
	}
	whole = append(whole, "(SELECT ARRAY[count(*), sum(xmin::text::bigint)] FROM pg_database WHERE datname = current_database())")
	var all [][]*int64
	err = conn.QueryRow(ctx, "SELECT ARRAY["+strings.Join(append(each, whole...), ", ")+"]").Scan(&all)
	if err != nil {
		return make([]string, len(c.tables)+1), nil, err
	}
	state := ""
	for i, one := range all {
		text := strconv.FormatInt(*one[0], 10)
		if one[1] != nil {
			text += "/" + strconv.FormatInt(*one[1], 10)
		}
		if i < len(c.tables) {
			states, counts = append(states, text), append(counts, int(*one[0]))
		} else {
			state += " " + text
		}
	}
	return append(states, state), counts, nil
}

// restore brings the rows back. It returns false where the schema or many rows changed.
func (c *copied) restore(ctx context.Context, conn *pgx.Conn) (bool, error) {
	states, counts, err := c.states(ctx, conn)
	if err != nil || states[len(c.tables)] != c.schema {
		return false, err
	}
	_, err = conn.Exec(ctx, "BEGIN; SET LOCAL session_replication_role = replica")
	changed := false
	for i, t := range c.tables {
		if err != nil || states[i] == t.state {
			continue
		}
		if counts[i] > mostRows {
			return false, nil
		}
		changed = true
		_, err = conn.PgConn().Exec(ctx, "DELETE FROM "+t.name).ReadAll()
		if err == nil {
			_, err = conn.PgConn().CopyFrom(ctx, bytes.NewReader(t.rows), "COPY "+t.name+" ("+t.columns+") FROM STDIN (FORMAT binary)")
		}
	}
	if err == nil {
		_, err = conn.Exec(ctx, "COMMIT; SELECT pg_stat_reset()")
	}
	if err == nil && changed {
		states, _, err = c.states(ctx, conn)
	}
	for i := range c.tables {
		c.tables[i].state = states[i]
	}
	return err == nil, err
}
