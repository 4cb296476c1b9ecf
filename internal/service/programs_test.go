package service_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/administration"
	"countersign/internal/demo"
	"countersign/internal/identity"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/internal/testutil"
)

// grantedColumns are the columns of the tables that the application's role may write, and how, by what the database grants.
const grantedColumns = `SELECT c.relname::text, a.attname::text, format_type(a.atttypid, NULL),
	has_column_privilege('countersign_app', c.oid, a.attnum, 'INSERT'), has_column_privilege('countersign_app', c.oid, a.attnum, 'UPDATE'),
	has_table_privilege('countersign_app', c.oid, 'DELETE')
	FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
	WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> 'goose_db_version' ORDER BY 1, a.attnum`

// programColumn is a column with what a role may do to it.
type programColumn struct {
	table, name, kind      string
	insert, update, delete bool
}

// programs makes programs of up to six statements for a role.
type programs struct {
	random    *rand.Rand
	superuser bool
	tables    []string
	columns   map[string][]programColumn
	keys      map[string][]string            // SQL for each row of a table
	last      map[string]string              // the last column of its key
	values    map[string]map[string][]string // SQL for the value of each column in each row: literals, because subqueries cost plans
	named     map[string][]string            // the tables with a column of a name and type
}

// valuesOfType are SQL for other values of a column, by its type; :c is the value that is there.
var valuesOfType = map[string][]string{
	"text": {"'Approved'", "'Approval Pending'", "'approve'", "'portal'", "'checker'", ":c || 'x'"}, "uuid": {"gen_random_uuid()"},
	"integer": {":c + 1", ":c - 1", "0", "1", "2"}, "bigint": {":c + 1", "0", "1"}, "boolean": {"NOT :c"}, "bytea": {"sha256('x')"},
	"timestamp with time zone": {"now()", ":c - interval '1 day'", "'2020-01-01'"}, "uuid[]": {"'{}'", "ARRAY[gen_random_uuid()]"},
}

// namesOfSame are columns that hold the same as a column of another name.
var namesOfSame = map[string]string{
	"checker_user": "user_id", "maker_user": "user_id", "actor_user": "user_id", "editor_user": "user_id", "decider_user": "user_id",
	"requester_user": "user_id", "checker_person": "person_id", "maker_person": "person_id", "actor_person": "person_id",
	"decider_person": "person_id", "requester_person": "person_id", "message_created_at": "created_at", "previous_ordinal": "ordinal",
	"last_ordinal": "ordinal", "last_action": "action", "mac": "seal",
}

// newPrograms reads what a role may write.
func newPrograms(t *testing.T, owner *pgx.Conn, seed uint64, superuser bool) *programs {
	t.Helper()
	p := &programs{
		random: rand.New(rand.NewPCG(seed, 45)), superuser: superuser, columns: map[string][]programColumn{}, keys: map[string][]string{},
		last:   map[string]string{},
		values: map[string]map[string][]string{}, named: map[string][]string{},
	}
	rows, err := owner.Query(ctx, grantedColumns)
	must(t, err)
	columns, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c programColumn, err error) {
		return c, row.Scan(&c.table, &c.name, &c.kind, &c.insert, &c.update, &c.delete)
	})
	must(t, err)
	for _, c := range columns {
		if superuser {
			c.insert, c.update, c.delete = true, true, true
		}
		p.columns[c.table] = append(p.columns[c.table], c)
	}
	for table, of := range p.columns {
		p.read(t, owner, table)
		if len(p.keys[table]) == 0 {
			continue
		}
		for _, c := range of {
			p.named[c.name+" "+c.kind] = append(p.named[c.name+" "+c.kind], table)
		}
		if slices.ContainsFunc(of, func(c programColumn) bool { return c.insert || c.update || c.delete }) {
			p.tables = append(p.tables, table)
		}
	}
	for _, tables := range p.named {
		slices.Sort(tables)
	}
	slices.Sort(p.tables)
	return p
}

// read keeps the keys and values of a table as literals.
func (p *programs) read(t *testing.T, owner *pgx.Conn, table string) {
	t.Helper()
	var key string
	must(t, owner.QueryRow(ctx, `SELECT string_agg(format('%1$I = %%L::%2$s', a.attname, format_type(a.atttypid, NULL)), ' AND ')
		FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
		WHERE i.indrelid = $1::text::regclass AND i.indisprimary`, table).Scan(&key))
	literals := []string{}
	for _, c := range p.columns[table] {
		literals = append(literals, fmt.Sprintf("coalesce(quote_literal(%s::text) || '::%s', 'NULL')", c.name, c.kind))
	}
	names := regexp.MustCompile(`(\w+) = `).FindAllStringSubmatch(key, -1)
	list := make([]string, len(names))
	for i, name := range names {
		list[i], p.last[table] = name[1], name[1]
	}
	rows, err := owner.Query(ctx, fmt.Sprintf("SELECT format('%s', %s), ARRAY[%s] FROM %s ORDER BY 1", strings.ReplaceAll(key, "'", "''"),
		strings.Join(list, ", "), strings.Join(literals, ", "), table))
	must(t, err)
	p.values[table] = map[string][]string{}
	var row string
	var values []string
	_, err = pgx.ForEachRow(rows, []any{&row, &values}, func() error {
		p.keys[table] = append(p.keys[table], row)
		for i, c := range p.columns[table] {
			p.values[table][c.name] = append(p.values[table][c.name], values[i])
		}
		return nil
	})
	must(t, err)
}

// one takes an element by chance.
func one[T any](p *programs, of []T) T { return of[p.random.IntN(len(of))] }

// value is SQL for a value of a column.
func (p *programs) value(c programColumn, there string) string {
	number := p.random.IntN(10)
	if others := valuesOfType[c.kind]; number < 3 && len(others) > 0 {
		return strings.ReplaceAll(one(p, others), ":c", there)
	}
	if number == 3 {
		return "NULL"
	}
	name := c.name
	if same, known := namesOfSame[name]; known && p.random.IntN(2) == 0 {
		name = same
	}
	from := p.named[name+" "+c.kind]
	if len(from) == 0 {
		return there
	}
	return one(p, p.values[one(p, from)][name])
}

// mostLikely are the tables that money depends on; half of the statements strike them.
var mostLikely = []string{"message", "message_version", "message_history", "decision", "release", "policy", "user_role", "user_account", "document", "outbox"}

// statement is one statement.
func (p *programs) statement() string {
	table := one(p, p.tables)
	if likely := one(p, mostLikely); p.random.IntN(2) == 0 && slices.Contains(p.tables, likely) {
		table = likely
	}
	return p.strike(table)
}

// strike is one statement that writes into a table.
func (p *programs) strike(table string) string {
	columns := p.columns[table]
	var updates, inserts []programColumn
	for _, c := range columns {
		if c.update {
			updates = append(updates, c)
		}
		if c.insert {
			inserts = append(inserts, c)
		}
	}
	where := one(p, p.keys[table])
	switch number := p.random.IntN(10); {
	case columns[0].delete && number == 0:
		return fmt.Sprintf("DELETE FROM %s WHERE %s", table, where)
	case len(updates) > 0 && (number < 5 || len(inserts) == 0):
		var set []string
		p.random.Shuffle(len(updates), func(i, j int) { updates[i], updates[j] = updates[j], updates[i] })
		for _, c := range updates[:1+p.random.IntN(min(3, len(updates)))] {
			set = append(set, c.name+" = "+p.value(c, c.name))
		}
		return fmt.Sprintf("UPDATE %s SET %s WHERE %s", table, strings.Join(set, ", "), where)
	case len(inserts) > 0:
		return p.insert(table, inserts)
	}
	return fmt.Sprintf("UPDATE %[1]s SET %[2]s = %[2]s WHERE %[3]s", table, columns[0].name, where)
}

// insert copies a row with some values changed. Half of the copies are of one message throughout: what its rows have too is theirs.
func (p *programs) insert(table string, columns []programColumn) string {
	message := one(p, p.values["message"]["message_id"])
	whole, changes := p.random.IntN(2) == 0, 1+p.random.IntN(4)
	names, values := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		names[i], values[i] = c.name, "r."+c.name
		for _, from := range []string{"message_version", "message"} {
			if whole && table != from && slices.Contains(p.named[c.name+" "+c.kind], from) {
				values[i] = p.values[from][c.name][slices.Index(p.values[from]["message_id"], message)]
				break
			}
		}
	}
	if whole || p.random.IntN(2) == 0 { // under a key of its own
		for i, c := range columns {
			if c.kind == "uuid" && c.name == p.last[table] && c.name != "message_id" {
				values[i] = "gen_random_uuid()"
			}
		}
	}
	for range changes {
		at := p.random.IntN(len(columns))
		values[at] = p.value(columns[at], "r."+columns[at].name)
	}
	return fmt.Sprintf("INSERT INTO %[1]s (%[2]s) SELECT %[3]s FROM %[1]s r WHERE %[4]s", table, strings.Join(names, ", "),
		strings.Join(values, ", "), one(p, p.keys[table]))
}

// program is up to six statements.
func (p *programs) program() string {
	statements := make([]string, 1+p.random.IntN(6))
	for i := range statements {
		statements[i] = p.statement()
	}
	return strings.Join(statements, ";\n") + ";\n"
}

// together is the number of programs of one block; each is taken back before the next.
const together = 50

// block runs programs in one statement. It notes those that were let through, and those of them after which there is another release, or
// another document for clearing.
func block(programs []string) string {
	var b strings.Builder
	b.WriteString("DO $programs$ DECLARE through text := ''; moved text := ''; BEGIN\n")
	for i, program := range programs {
		fmt.Fprintf(&b, `BEGIN %s SET CONSTRAINTS ALL IMMEDIATE; through := through || ' %[2]d';
			IF EXISTS (SELECT FROM release r WHERE r.message_id <> ALL (current_setting('test.released')::uuid[]))
			  OR EXISTS (SELECT FROM document d WHERE d.direction = 'out' AND d.name NOT LIKE 'pain.%%' AND d.message_id <> ALL (current_setting('test.released')::uuid[]))
			THEN moved := moved || ' %[2]d'; END IF;
			RAISE EXCEPTION USING ERRCODE = 'ZZ001';
			EXCEPTION WHEN OTHERS THEN NULL; END;
`, program, i)
	}
	b.WriteString("PERFORM set_config('test.through', through, false), set_config('test.moved', moved, false); END $programs$")
	return b.String()
}

// TestRandomProgramsReleaseNothing runs random programs of the application's role, and of a superuser, against the schema: what a program that
// is let through leaves is used by the gateway and by honest people. No payment leaves with fewer people than the policy that two
// administrators set last. make search runs 1,000,000 programs.
func TestRandomProgramsReleaseNothing(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	h := servicetest.New(t)
	world := newProgramWorld(t, h, func() {})
	wanted := testutil.Count(t, "COUNTERSIGN_PROGRAMS", 2000)
	seed := uint64(1)
	if text := os.Getenv("COUNTERSIGN_PROGRAM_SEED"); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		must(t, err)
	}
	for _, superuser := range []bool{false, true} {
		p := newPrograms(t, world.owner, seed, superuser)
		conn, count := h.DB.ConnectAsApplication(t, demo.Realm), wanted
		if superuser {
			conn, count = h.DB.Connect(t), min(wanted/20, 2000)
			_, err := conn.Exec(ctx, "SET session_replication_role = replica")
			must(t, err)
		}
		_, err := conn.Exec(ctx, "SELECT set_config('test.released', $1, false), set_config('test.through', '', false), set_config('test.moved', '', false)",
			world.released)
		must(t, err)
		took, through, moved, used := time.Duration(0), 0, 0, 0
		for done := 0; done < count; done += together {
			list := make([]string, together)
			for i := range list {
				list[i] = p.program()
			}
			began := time.Now()
			_, err := conn.Exec(ctx, block(list), pgx.QueryExecModeSimpleProtocol)
			must(t, err)
			if done%20000 == 0 {
				_, err = world.owner.Exec(ctx, "VACUUM ANALYZE") // rows of programs that were taken back slow the next ones down
				must(t, err)
			}
			took += time.Since(began)
			var passed, released string
			must(t, conn.QueryRow(ctx, "SELECT current_setting('test.through'), current_setting('test.moved')").Scan(&passed, &released))
			through, moved = through+len(strings.Fields(passed)), moved+len(strings.Fields(released))
			// Each program after which there is another release is used, and one of the others of each block, up to a limit.
			use := strings.Fields(released)
			if others := strings.Fields(passed); len(others) > 0 && used < 20+count/10000 {
				use = append(use, others[p.random.IntN(len(others))])
			}
			for _, text := range use[:min(len(use), 2)] {
				number, err := strconv.Atoi(text)
				must(t, err)
				used++
				if sent := world.use(t, conn, list[number]); sent > 0 {
					t.Errorf("%d payments left after the program\n%s", sent, list[number])
				}
			}
		}
		rate := float64(count) / took.Seconds()
		t.Logf("superuser %t: %d programs, seed %d, %.0f a second; %d let through, %d with a release or document of their own, %d used by the gateway",
			superuser, count, seed, rate, through, moved, used)
	}
	// The payment that one more approval releases is sent: so others would have been.
	_, err := h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: world.waiting[0]})
	must(t, err)
	if sent := world.use(t, h.DB.ConnectAsApplication(t, demo.Realm), "SELECT 1;"); sent != 1 {
		t.Errorf("%d payments leave after two approvals", sent)
	}
}

// programWorld is the realm that programs strike: payments that wait with none and one of two approvals, with none of one, amended, rejected,
// withdrawn, settled; a policy without approvals that was retired, and an account that was suppressed.
type programWorld struct {
	h       *servicetest.Env
	owner   *pgx.Conn
	checker identity.Principal
	maker   identity.Principal // through the client whose policy was retired
	waiting []uuid.UUID
	tables  []string
	// released are the messages with a release, as an array.
	released string
}

func newProgramWorld(t *testing.T, h *servicetest.Env, last func()) *programWorld {
	t.Helper()
	w := &programWorld{h: h, owner: h.DB.Connect(t)}
	two := func() uuid.UUID {
		order := h.Order(rulebook.SchemeSIC)
		servicetest.SetAmount(order.Document, "19500.00")
		made, err := h.Submission.Create(ctx, h.Person(t, "maker1"), order)
		must(t, err)
		return made.Message.InternalID
	}
	w.waiting = []uuid.UUID{two(), two()}
	for name, away := range movesAway {
		if name != "expired" {
			away(t, h, h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC))
		}
	}
	agreed(t, h, service.RequestInput{Kind: administration.KindLimitSet, Values: administration.Values{
		"limitOf": "client", "holder": demo.Backoffice, "currency": "CHF", "perDay": "1000000.00",
	}})
	h.Clock.Add(2 * time.Minute)
	_, err := h.Submission.Create(ctx, h.Principal(t, straight), h.Order(rulebook.SchemeSIC))
	must(t, err)
	released := two()
	amended, err := h.Submission.Amend(ctx, h.Person(t, "maker2"), h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC).InternalID,
		h.Order(rulebook.SchemeSIC))
	must(t, err)
	for _, by := range []string{"checker1", "checker2"} {
		_, err = h.Approval.Approve(ctx, h.Person(t, by), service.Input{InternalID: released})
		must(t, err)
	}
	_, err = h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: amended.InternalID, ContentHash: &amended.ContentHash})
	must(t, err)
	m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	_, err = h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID, ContentHash: &m.ContentHash})
	must(t, err)
	w.send(h)
	agreed(t, h, service.RequestInput{Kind: administration.KindPolicyRetire, Subject: keyOfRow(t, w.owner, "policy", policyOf)})
	last()
	h.Notary.Sweep(ctx)
	w.checker, w.maker = h.Person(t, "checker2"), h.Principal(t, straight)
	must(t, w.owner.QueryRow(ctx, "SELECT array_agg(message_id)::text FROM release").Scan(&w.released))
	rows, err := w.owner.Query(ctx, `SELECT c.relname::text FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
		AND c.relname NOT IN ('goose_db_version', 'schema_contract')`)
	must(t, err)
	w.tables, err = pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	_, err = w.owner.Exec(ctx, "SET session_replication_role = replica; CREATE SCHEMA saved")
	must(t, err)
	for _, table := range w.tables {
		_, err = w.owner.Exec(ctx, fmt.Sprintf("CREATE TABLE saved.%[1]s AS SELECT * FROM public.%[1]s", table))
		must(t, err)
	}
	return w
}

// send sends the payments that wait, also those that another gateway released, and returns their number.
func (w *programWorld) send(h *servicetest.Env) (payments int) {
	h.Clock.Add(10 * time.Second) // a release is left to the gateway that made it for some seconds
	for range 2 {                 // a list that came too late on a busy machine comes then
		h.Clearing.RunOnce(ctx)
	}
	for _, d := range h.Network.Delivered() {
		if strings.Contains(d.Content, "<FIToFICstmrCdtTrf>") {
			payments++
		}
	}
	return payments
}

// use runs a program for good, has people and a gateway that is started afterwards use what it left, and takes everything back. It returns
// the number of payments that left.
func (w *programWorld) use(t *testing.T, conn *pgx.Conn, program string) (sent int) {
	t.Helper()
	_, err := conn.Exec(ctx, "BEGIN; "+program+" COMMIT", pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		_, _ = conn.Exec(ctx, "ROLLBACK")
		return 0
	}
	var opened *store.Database
	other := servicetest.On(t, w.h.DB, servicetest.Options{At: w.h.Clock.Now(), Database: func(db *storetest.DB) *store.Database {
		opened = db.Open(t, db.Seal)
		return opened
	}})
	for _, id := range w.waiting {
		_, _ = other.Approval.Approve(ctx, w.checker, service.Input{InternalID: id})
	}
	_, _ = other.Submission.Create(ctx, w.maker, other.Order(rulebook.SchemeSIC))
	sent = w.send(other)
	opened.Close()
	for _, table := range w.tables {
		var columns string
		must(t, w.owner.QueryRow(ctx, `SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
			WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`, "public."+table).Scan(&columns))
		_, err = w.owner.Exec(ctx, fmt.Sprintf("DELETE FROM public.%[1]s; INSERT INTO public.%[1]s (%[2]s) SELECT %[2]s FROM saved.%[1]s", table,
			cmp.Or(columns, "realm")))
		must(t, err)
	}
	return sent
}
