package service_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/administration"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/testutil"
)

// guard is one thing of the schema that holds the application's role, with the statement that takes it out.
type guard struct {
	kind, table, name, out string
	columns                []string
}

func (g guard) String() string { return g.kind + " " + g.table + "." + g.name }

// guardList reads all guards from the catalogue. A grant is taken out by giving the whole of it.
const guardList = `
WITH tables AS (SELECT oid, relname::text AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
  AND relname NOT IN ('goose_db_version', 'schema_contract'))
SELECT CASE c.contype WHEN 'c' THEN 'check' WHEN 'u' THEN 'unique' WHEN 'f' THEN 'reference' ELSE 'key' END, t.name, c.conname::text,
  format('ALTER TABLE %I DROP CONSTRAINT %I', t.name, c.conname),
  ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = t.oid AND attnum = ANY (c.conkey))
FROM pg_constraint c JOIN tables t ON t.oid = c.conrelid WHERE c.contype IN ('c', 'u', 'f', 'p')
UNION ALL
SELECT 'not null', t.name, a.attname::text, format('ALTER TABLE %I ALTER COLUMN %I DROP NOT NULL', t.name, a.attname), ARRAY[a.attname::text]
FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND a.attnotnull AND NOT a.attisdropped
WHERE NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = t.oid AND i.indisprimary AND a.attnum = ANY (i.indkey))
UNION ALL
SELECT 'unique', t.name, x.relname::text, format('DROP INDEX %I', x.relname),
  ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = t.oid AND attnum = ANY (i.indkey))
FROM pg_index i JOIN tables t ON t.oid = i.indrelid JOIN pg_class x ON x.oid = i.indexrelid
WHERE i.indisunique AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)
UNION ALL
SELECT 'policy', t.name, p.polname::text, format('ALTER POLICY %I ON %I%s%s', p.polname, t.name,
    CASE WHEN p.polcmd <> 'a' THEN ' USING (true)' END, CASE WHEN p.polcmd IN ('*', 'a', 'w') THEN ' WITH CHECK (true)' END),
  ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = t.oid AND attnum > 0 AND NOT attisdropped)
FROM pg_policy p JOIN tables t ON t.oid = p.polrelid
UNION ALL
SELECT 'grant', t.name, g, format('GRANT %s ON %I TO countersign_app', g, t.name),
  ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = t.oid AND attnum > 0 AND NOT attisdropped)
FROM tables t, unnest(ARRAY['INSERT', 'UPDATE', 'DELETE']) g WHERE NOT has_table_privilege('countersign_app', t.oid, g)
ORDER BY 1, 2, 3`

// neverChanged are tables whose rows stay as they are.
var neverChanged = []string{
	"document", "message_version", "message_history", "decision", "release", "limit_use", "audit_event", "creation_key", "realm_change",
	"realm_change_decision", "break_glass", "factor_use", "legal_move", "role_duty",
}

// underTwo are tables that two people change together.
var underTwo = []string{
	"realm", "person", "user_account", "user_role", "client", "policy", "debtor_account", "spending_limit", "identity_provider", "webhook",
	"incoming_account", "beneficiary", "routing_directory", "reference_edition",
}

// brokenPromises is a function that names the promises that the rows break.
func brokenPromises() string {
	var b strings.Builder
	function := func(name string) {
		fmt.Fprintf(&b, "CREATE FUNCTION saved.%s() RETURNS text LANGUAGE plpgsql SET search_path = public AS $$ BEGIN RETURN (SELECT string_agg(what, ', ') FROM (\n", name)
	}
	const end = ") x); END $$;\n"
	function("broken")
	b.WriteString(`
SELECT 'a release with too few people' AS what FROM release r JOIN message m USING (realm, message_id) LEFT JOIN policy p USING (realm, policy_id)
WHERE r.message_id NOT IN (SELECT message_id FROM saved.release) AND coalesce(p.approvals_required, 9) > (
  SELECT count(DISTINCT u.person_id) FROM decision d JOIN user_account u ON (u.realm, u.user_id) = (d.realm, d.checker_user)
  JOIN user_role g ON (g.grant_id, g.user_id) = (d.grant_id, d.checker_user) AND g.role = 'checker' AND g.ended_at IS NULL AND g.granted_at <= m.created_at
  WHERE (d.message_id, d.version, d.content_hash, d.action) = (r.message_id, r.version, r.content_hash, 'approve')
  AND NOT EXISTS (SELECT FROM message_version v JOIN user_account a ON a.user_id = v.maker_user WHERE v.message_id = r.message_id AND a.person_id = u.person_id))
UNION ALL SELECT 'a release without the second factor' FROM release r JOIN message m USING (realm, message_id) JOIN policy p USING (realm, policy_id)
JOIN decision d ON (d.realm, d.message_id, d.version, d.action) = (r.realm, r.message_id, r.version, 'approve') WHERE p.step_up AND d.factor_use_id IS NULL
UNION ALL SELECT 'a release of a rejected version' FROM release JOIN decision d USING (realm, message_id, version) WHERE d.action = 'reject'
UNION ALL SELECT 'a release of other content' FROM release r JOIN message m USING (realm, message_id)
LEFT JOIN message_version v ON (v.realm, v.message_id, v.version) = (r.realm, r.message_id, r.version)
LEFT JOIN document d ON (d.realm, d.document_id, d.message_id) = (v.realm, v.document_id, v.message_id)
WHERE r.content_hash IS DISTINCT FROM v.content_hash OR sha256(d.content) IS DISTINCT FROM r.content_hash
UNION ALL SELECT 'a maker without the role' FROM message_version v WHERE v.maker_user IS NOT NULL AND (v.message_id, v.version) NOT IN (SELECT message_id, version
  FROM saved.message_version) AND NOT EXISTS (SELECT FROM user_role g JOIN user_account u USING (realm, user_id) WHERE (g.grant_id, g.user_id, u.person_id, g.role) =
  (v.maker_grant_id, v.maker_user, v.maker_person, 'maker') AND g.ended_at IS NULL AND g.granted_at <= v.created_at)
UNION ALL SELECT 'a state without its moves' FROM message m WHERE NOT EXISTS (SELECT FROM message_history h WHERE (h.realm, h.message_id, h.sequence, h.to_state) =
  (m.realm, m.message_id, m.state_sequence, m.state))
  OR (SELECT count(*) FROM message_history h WHERE h.message_id = m.message_id AND h.sequence <= m.state_sequence) <> m.state_sequence
UNION ALL SELECT 'a move that is none' FROM message_history h LEFT JOIN message_history p ON (p.realm, p.message_id, p.sequence) = (h.realm, h.message_id, h.sequence - 1)
  WHERE NOT EXISTS (SELECT FROM saved.legal_move l WHERE (l.kind, l.from_state, l.action, l.to_state) = (h.kind, h.from_state, h.action, h.to_state))
  OR h.from_state <> coalesce(p.to_state, 'None')
UNION ALL SELECT 'a limit passed' FROM limit_use u JOIN spending_limit l USING (realm, limit_id) GROUP BY l.limit_id, u.day, l.per_day HAVING sum(u.amount) > l.per_day
UNION ALL SELECT 'a payment sent twice' FROM document WHERE direction = 'out' GROUP BY realm, reference HAVING count(*) > 1
UNION ALL SELECT 'a payment requested twice' FROM creation_key GROUP BY realm, client_id, scope, key HAVING count(*) > 1
UNION ALL SELECT 'an original used twice' FROM message WHERE original_id IS NOT NULL AND state NOT IN ('Rejected', 'Withdrawn', 'Expired', 'Failed')
  GROUP BY realm, original_id, kind HAVING count(*) > 1
UNION ALL SELECT 'a message changed' FROM (SELECT kind, scheme, direction, channel, client_id, maker_user, maker_person, policy_id, approvals_required, original_id,
  created_at, expires_at, message_id FROM saved.message EXCEPT SELECT kind, scheme, direction, channel, client_id, maker_user, maker_person, policy_id,
  approvals_required, original_id, created_at, expires_at, message_id FROM message) m
UNION ALL SELECT 'a checker and client in one' FROM decision d JOIN message_version v USING (realm, message_id, version) JOIN client c ON
  (c.realm, c.client_id) = (d.realm, d.client_id) WHERE d.channel = 'api' AND d.client_id = ANY (v.clients) AND NOT c.may_decide_own
`)
	b.WriteString(end)
	for _, table := range neverChanged {
		function(table)
		fmt.Fprintf(&b, "SELECT 'a row of %[1]s changed' AS what FROM (SELECT to_jsonb(s) FROM saved.%[1]s s EXCEPT SELECT to_jsonb(r) FROM %[1]s r) x\n"+end, table)
	}
	for _, table := range underTwo {
		function(table)
		fmt.Fprintf(&b, `SELECT '%[1]s changed by one person' AS what FROM (
(SELECT to_jsonb(s) FROM saved.%[1]s s EXCEPT SELECT to_jsonb(r) FROM %[1]s r) UNION ALL (SELECT to_jsonb(r) FROM %[1]s r EXCEPT SELECT to_jsonb(s) FROM saved.%[1]s s)) x
WHERE NOT EXISTS (SELECT FROM realm_change_decision d JOIN realm_change c USING (realm, change_id) JOIN user_account a ON a.user_id = c.requester_user
  JOIN user_account b ON b.user_id = d.decider_user WHERE d.change_id NOT IN (SELECT change_id FROM saved.realm_change_decision) AND d.action = 'approve'
  AND a.person_id <> b.person_id AND b.person_id <> c.beneficiary_person AND d.content_hash = sha256(convert_to(c.content, 'UTF8'))
  AND EXISTS (SELECT FROM user_role g WHERE g.user_id = d.decider_user AND g.ended_at IS NULL AND g.role IN ('administrator', 'checker')))
`+end, table)
	}
	return b.String()
}

// row is a row that a program writes.
type row struct {
	table  string
	values map[string]string
}

// forger makes programs that write a released payment once more under other names, with something changed.
type forger struct {
	*programs
	people []row // accounts with their grants
	both   []row // those who make and decide
}

func newForger(t *testing.T, owner *pgx.Conn, seed uint64) forger {
	f := forger{programs: newPrograms(t, owner, seed, true)}
	for i, user := range f.values["user_role"]["user_id"] {
		at := slices.Index(f.values["user_account"]["user_id"], user)
		f.people = append(f.people, row{values: map[string]string{
			"user": user, "person": f.values["user_account"]["person_id"][at], "role": f.values["user_role"]["role"][i],
			"grant": f.values["user_role"]["grant_id"][i], "granted": f.values["user_role"]["granted_at"][i],
		}})
	}
	for _, p := range f.people {
		if slices.ContainsFunc(f.people, func(q row) bool { return p.values["user"] == q.values["user"] && p.values["role"] < q.values["role"] }) {
			f.both = append(f.both, p)
		}
	}
	return f
}

func (f forger) uuid() string {
	return fmt.Sprintf("'%08x-0000-7000-8000-%012x'::uuid", f.random.Uint32(), f.random.Uint64N(1<<48))
}

// clonedTables are those of a payment, in the order of their references.
var clonedTables = []string{"document", "message", "message_version", "message_history", "decision", "release", "limit_use"}

// clone is all rows of a released payment, under other keys.
func (f forger) clone() []row {
	id := one(f.programs, f.values["release"]["message_id"])
	fresh := map[string]string{id: f.uuid()}
	for i, of := range f.values["document"]["message_id"] {
		if of == id {
			fresh[f.values["document"]["document_id"][i]] = f.uuid()
		}
	}
	var rows []row
	for _, table := range clonedTables {
		for i, of := range f.values[table]["message_id"] {
			if of != id {
				continue
			}
			values := map[string]string{}
			for name, column := range f.values[table] {
				values[name] = cmp.Or(fresh[column[i]], column[i])
			}
			switch table {
			case "document":
				values["reference"] = "'" + strconv.FormatUint(f.random.Uint64(), 36) + "'"
			case "message":
				if policy := f.random.IntN(len(f.keys["policy"])); f.values["policy"]["approvals_required"][policy] == values["approvals_required"] {
					values["policy_id"] = f.values["policy"]["policy_id"][policy]
				}
				values["global_id"], values["external_id"] = fmt.Sprintf("'%016d'", f.random.Uint64N(1e16)), "NULL"
			case "limit_use":
				last := "(SELECT max(l.used_after) FROM limit_use l WHERE l.limit_id = " + values["limit_id"] + ")"
				values["used_before"], values["previous_used"], values["used_after"] = last, last, last+" + "+values["amount"]
			}
			rows = append(rows, row{table, values})
		}
	}
	return rows
}

// change changes something in the rows of a payment, mostly what a guard is about.
func (f forger) change(rows []row, g guard) []row {
	pick := func(column string) string {
		kind := ""
		for _, c := range f.columns[g.table] {
			if c.name == column {
				kind = c.kind
			}
		}
		return f.value(programColumn{table: g.table, name: column, kind: kind}, column)
	}
	switch f.random.IntN(8) {
	case 0, 1: // somebody else makes it, decides it, or both
		person := one(f.programs, f.people).values
		if f.random.IntN(2) == 0 {
			person = one(f.programs, f.both).values
		}
		maker, checker := f.random.IntN(2) == 0, f.random.IntN(4) > 0
		grant := func(role string) map[string]string {
			of := slices.DeleteFunc(slices.Clone(f.people), func(p row) bool { return p.values["user"] != person["user"] || p.values["role"] != role })
			if len(of) == 0 {
				return person
			}
			return one(f.programs, of).values
		}
		list := "ARRAY[" + person["person"] + "]"
		for _, r := range rows {
			_, made := r.values["maker_user"]
			if _, has := r.values["makers"]; has && maker && (r.table != "decision" || f.random.IntN(4) > 0) {
				r.values["makers"] = list
			}
			if made && maker {
				r.values["maker_user"], r.values["maker_person"] = person["user"], person["person"]
			}
			if r.table == "message_version" && maker {
				by := grant("'maker'::text")
				r.values["first_maker"], r.values["maker_grant_id"], r.values["maker_granted_at"] = person["person"], by["grant"], by["granted"]
			}
			if r.table == "decision" && checker {
				by := grant("'checker'::text")
				r.values["checker_user"], r.values["grant_id"], r.values["granted_at"] = person["user"], by["grant"], by["granted"]
				if f.random.IntN(4) > 0 {
					r.values["checker_person"] = person["person"]
				}
				if f.random.IntN(2) == 0 {
					r.values["checker_role"] = by["role"]
				}
			}
		}
	case 2: // fewer approvals, in some of the tables
		number, asked, last, first := f.random.IntN(2), f.random.IntN(2) == 0, f.random.IntN(2) == 0, f.random.IntN(2) == 0
		keep := "'1'::integer"
		for _, r := range rows {
			if _, has := r.values["approvals_required"]; has && asked && f.random.IntN(2) == 0 {
				r.values["approvals_required"] = strconv.Itoa(number)
			}
			if r.table == "release" && last {
				r.values["last_ordinal"], r.values["last_action"] = "NULL", "NULL"
			} else if r.table == "release" && number > 0 && first {
				r.values["last_ordinal"], r.values["last_action"] = keep, "'approve'"
			} else if r.table == "release" && number > 0 {
				keep = r.values["last_ordinal"] // the last one alone
			}
		}
		for _, r := range rows {
			if r.table == "decision" && r.values["ordinal"] == keep && !first {
				r.values["previous_ordinal"], r.values["previous_action"] = "NULL", "NULL"
			}
		}
		return slices.DeleteFunc(rows, func(r row) bool { return r.table == "decision" && (number == 0 || r.values["ordinal"] != keep) })
	case 3: // a row less, or one more
		at := f.random.IntN(len(rows))
		if f.random.IntN(2) == 0 {
			return slices.Delete(slices.Clone(rows), at, at+1)
		}
		again := row{rows[at].table, maps.Clone(rows[at].values)}
		column := one(f.programs, f.columns[again.table])
		again.values[column.name] = f.value(column, again.values[column.name])
		return append(slices.Clone(rows), again)
	case 4: // a value everywhere
		column := one(f.programs, g.columns)
		name, value := cmp.Or(namesOfSame[column], column), pick(column)
		if strings.Contains(value, column) {
			return rows
		}
		for _, r := range rows {
			for other := range r.values {
				if cmp.Or(namesOfSame[other], other) == name && f.random.IntN(6) > 0 {
					r.values[other] = value
				}
			}
		}
	default: // values of rows of the table
		for _, r := range rows {
			if r.table != g.table || f.random.IntN(3) == 0 {
				continue
			}
			for _, column := range g.columns {
				value := pick(column)
				switch f.random.IntN(3 + len(g.columns)/3) {
				case 0:
					r.values[column] = "NULL"
				case 1:
					r.values[column] = strings.ReplaceAll(value, column, "("+r.values[column]+")")
				}
			}
		}
	}
	return rows
}

// moved are the columns of a message that its moves change.
var moved = []string{"state", "state_sequence", "approvals", "accepted_at", "delivered_at", "settled_at", "status_code", "status_text"}

// program writes a payment as it was entered, and then its decisions, moves and release; or changes rows that are there.
func (f forger) program(g guard) string {
	table := g.table
	if len(f.keys[table]) > 0 && (g.kind == "grant" || !slices.Contains(clonedTables, table) || f.random.IntN(5) == 0) {
		statements := make([]string, 1+f.random.IntN(2))
		for i := range statements {
			statements[i] = f.strike(table)
		}
		return strings.Join(statements, ";\n") + ";\n"
	}
	rows := f.clone()
	for range 1 + f.random.IntN(3) {
		rows = f.change(rows, g)
	}
	var first, second []string
	update, atOnce := "", f.random.IntN(3) == 0
	for i, r := range rows {
		into := &second
		switch {
		case atOnce:
			into = &first
		case r.table == "message":
			entered := maps.Clone(r.values)
			var sets []string
			for _, name := range moved {
				sets = append(sets, name+" = "+r.values[name])
				entered[name] = "NULL"
			}
			entered["state"], entered["state_sequence"], entered["approvals"] = "'Approval Pending'", "1", "0"
			for _, h := range rows {
				if h.table == "message_history" && h.values["sequence"] == "'1'::integer" {
					entered["state"] = h.values["to_state"]
				}
			}
			update = fmt.Sprintf("UPDATE message SET %s WHERE message_id = %s", strings.Join(sets, ", "), r.values["message_id"])
			r, into = row{r.table, entered}, &first
		case r.table == "document", r.table == "message_version", r.table == "message_history" && r.values["sequence"] == "'1'::integer":
			into = &first
		}
		names := slices.Sorted(maps.Keys(r.values))
		list := make([]string, len(names))
		for n, name := range names {
			list[n] = r.values[name]
		}
		*into = append(*into, fmt.Sprintf("r%d AS (INSERT INTO %s (%s) VALUES (%s))", i, r.table, strings.Join(names, ", "), strings.Join(list, ", ")))
	}
	statement := func(with []string, last string) string {
		if len(with) == 0 {
			return last + ";\n"
		}
		return "WITH " + strings.Join(with, ",\n") + "\n" + last + ";\n"
	}
	return statement(first, "UPDATE message SET state = state WHERE false") + statement(second, cmp.Or(update, "UPDATE message SET state = state WHERE false"))
}

// try runs programs as the application's role with a guard taken out, until one breaks a promise. It returns this program, the promises
// that it broke, and the number of programs that were let through. Error: the guard cannot be taken out.
func (f forger) try(conn *pgx.Conn, g guard, programs []string) (program, broken string, through int, err error) {
	var b strings.Builder
	check := "saved.broken()"
	if slices.Contains(neverChanged, g.table) || slices.Contains(underTwo, g.table) {
		check = "concat_ws(', ', saved.broken(), saved." + g.table + "())"
	}
	b.WriteString("DO $programs$ DECLARE broken text; through int := 0; BEGIN\n")
	for i, p := range programs {
		fmt.Fprintf(&b, `BEGIN SET LOCAL ROLE countersign_app; %s SET CONSTRAINTS ALL IMMEDIATE; RESET ROLE; through := through + 1;
broken := %s; IF broken <> '' THEN PERFORM set_config('test.moved', '%d ' || broken, false); RETURN; END IF;
RAISE EXCEPTION USING ERRCODE = 'ZZ001'; EXCEPTION WHEN OTHERS THEN NULL; END;
`, p, check, i)
	}
	b.WriteString("PERFORM set_config('test.through', through::text, false); END $programs$")
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "SELECT set_config('test.moved', '', false), set_config('test.through', '0', false)")
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, g.out)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, b.String(), pgx.QueryExecModeSimpleProtocol)
		if err != nil {
			return err
		}
		var count string
		err = tx.QueryRow(ctx, "SELECT current_setting('test.moved'), current_setting('test.through')").Scan(&broken, &count)
		if err != nil {
			return err
		}
		through, _ = strconv.Atoi(count)
		return errRolledBack
	})
	if errors.Is(err, errRolledBack) {
		err = nil
	}
	if number, what, found := strings.Cut(broken, " "); found {
		at, _ := strconv.Atoi(number)
		return programs[at], what, through, err
	}
	return "", "", through, err
}

// errRolledBack takes a transaction back.
var errRolledBack = errors.New("taken back")

// TestEachGuardIsNeeded takes each constraint, index, policy and missing grant of the schema out in turn: a program of the application's
// role then breaks a promise, or the guard has a reason in explainedGuards. With all guards no program breaks one. A part of the guards with
// the tests, all in make search.
func TestEachGuardIsNeeded(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	h := servicetest.New(t)
	// One person decides no longer, and one decides since all payments were made.
	for _, values := range []administration.Values{{"roles": "maker, checker"}, {"roles": "maker"}} {
		agreed(t, h, service.RequestInput{Kind: administration.KindUserRoles, Subject: "maker2", Values: values})
	}
	world := newProgramWorld(t, h, func() {
		h.Clock.Add(time.Minute)
		agreed(t, h, service.RequestInput{
			Kind: administration.KindUserRoles, Subject: "maker2", Values: administration.Values{"roles": "maker, checker"},
		})
		agreed(t, h, service.RequestInput{Kind: administration.KindPolicyCreate, Values: administration.Values{
			"approvals": "1", "rank": "0", "expiresAfter": "24h", "stepUp": "yes",
		}})
	})
	_, err := world.owner.Exec(ctx, brokenPromises())
	must(t, err)
	f := newForger(t, world.owner, 45)
	conn := h.DB.Connect(t)
	_, err = conn.Exec(ctx, "SET countersign.realm = 'demo'")
	must(t, err)
	rows, err := conn.Query(ctx, guardList)
	must(t, err)
	guards, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (g guard, err error) {
		return g, row.Scan(&g.kind, &g.table, &g.name, &g.out, &g.columns)
	})
	must(t, err)
	wanted := regexp.MustCompile(cmp.Or(os.Getenv("COUNTERSIGN_GUARDS"), `^check (decision.decision|release.release)_check$`))
	count := testutil.Count(t, "COUNTERSIGN_GUARD_PROGRAMS", 5000)
	found, needed, explained, through := 0, 0, 0, 0
	for _, g := range guards {
		if !wanted.MatchString(g.String()) {
			continue
		}
		var program, broken string
		let, why := 0, explainedBy(g)
		for tried := 0; tried < count && broken == "" && err == nil; tried += together {
			list := make([]string, together)
			for i := range list {
				list[i] = f.program(g)
			}
			var more int
			program, broken, more, err = f.try(conn, g, list)
			let += more
			if why != "" {
				break
			}
		}
		through += let
		if err != nil && strings.Contains(err.Error(), "depend on it") {
			needed++ // a key that references need
			err = nil
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", g, err)
		}
		if broken != "" {
			_, breaks, _, err := f.try(conn, guard{table: g.table, out: "SELECT"}, []string{program})
			must(t, err)
			if breaks != "" {
				t.Errorf("%s stands, and yet a program leaves %s\n%s", g, breaks, program)
			}
		}
		switch {
		case broken != "":
			found++
			t.Logf("%s: without it %s", g, broken)
		case why != "":
			explained++
		default:
			t.Errorf("%s: without it %d programs break nothing (%d let through), and no reason is given", g, count, let)
		}
	}
	t.Logf("%d guards found to be needed, %d keys of references, %d explained; %d programs let through", found, needed, explained, through)
}

// explained are guards without which no program breaks a promise, and why they stay, by a pattern of their names.
var explained = []struct{ guards, why string }{
	{`^not null `, "a field that is empty is not what was sealed: the drill empties each (TestEverySingleChangeIsFoundAndItsRowNamed)"},
	{
		`^[a-z]+ (realm|person|user_account|user_role|client|policy|debtor_account|incoming_account|spending_limit|identity_provider|outer_identity|` +
			`webhook|beneficiary|routing_directory|second_factor)\.`,
		"no gateway uses a row that is not under the head (TestMasterDataThatNobodySealedCountForNothing, TestTheServicesRoleBringsNoPolicyBack)",
	},
	{
		`^[a-z]+ (realm_change|realm_change_decision|break_glass)\.`,
		"sealed; what a planted one lets through is not under the head (TestTheServicesRoleBringsNoPolicyBack)",
	},
	{`^[a-z]+ reference_edition\.`, "sealed, and checked at each use (TestImportedCodeSetsAndCalendarsAreInForce)"},
	{
		`^(check|key|unique|reference|policy) (message|message_history|message_version|document)\.(message_check|message_document|document_outbound|` +
			`message_version_(amount|check[12]|clients|payee|version)|\w*(history|version|message|document)_(pkey|\w*key|\w*fkey|\w*sequence_check)$|` +
			`message_history_check|grant_in_force)`,
		"version, moves and content are compared with their seals at each read (TestEverySingleChangeIsFoundAndItsRowNamed has no checks or references)",
	},
	{
		`^grant (message|message_history|message_version|release|limit_use|factor_use|creation_key|legal_move|role_duty|realm_administration|realm_head)\.`,
		"rows are sealed and their moves are leaves: changed or deleted ones are withheld (TestEverySingleChangeIsFoundAndItsRowNamed)",
	},
	{`^[a-z]+ limit_use\.`, "uses follow under the lock, and the sealed step has them (TestUsesOfALimitThatAreGoneStillCount)"},
	{`^[a-z]+ factor_use\.`, "sealed, and counted once (TestOfTheSameCodeAtOnceOneCounts, TestFactorsThatSomebodyWroteByHandLetNobodyIn)"},
	{`^[a-z]+ creation_key\.`, "sealed, and checked at a repeat (TestAKeyNamesOneOrder)"},
	{`^check .*finite$`, "times are compared and sealed, and infinite ones are neither"},
	{`_(key_id|mac|seal|digest|hash|fingerprint)_check$`, "the shape of a seal or digest, which the gateway verifies"},
	{
		`^\S+ (token_family|access_token|refresh_token|sessions|user_session|last_sign_in|login_throttle|outer_sign_in|user_setup|user_setup_use|user_setup_try)\.`,
		"sign-ins: sealed, and ended ones stay ended (TestARevokedSignInStaysRevoked)",
	},
	{
		`^\S+ (draft|parked_form|payment_template|saved_view|user_preference|batch|batch_payment|webhook_\w+|notice|notice_choice|presence|message_look|event_order)\.`,
		"nothing rests on the table (docs/security.md)",
	},
	{`^\S+ (inbox|outbox|incoming_payment|core_booking)\.`, "sealed, and compared with the documents before they count (TestTheOutboxSendsOnlyWhatTheGatewayPutThere)"},
	{`^\S+ (audit_\w+|refusal_count)\.`, "the tree and the seals of the trail prove the rows (TestWhatTheGatewayDidNotWriteIsSignedAsUnverified)"},
	{`^(check|key|unique|reference) (legal_move|role_duty|realm_administration|realm_head)\.`, "the service cannot add rows, or not without the key"},
	{
		`_(reason|remark|status_code|status_text|external_id|global_id|name|reference|key|scope|channel|scheme|currency|direction)_check$`,
		"the shape of a word, which the seals cover",
	},
	{`^check decision\.decision_(check1|check4|factor_of_approval)$`, "what is said with a rejection, which releases nothing"},
	{`^check decision\.decision_(action_check|check2)$`, "release_check takes the last approval asked for, of those that follow from the first"},
	{`^check document\.document_check1$`, "a source has a type"},
	{
		`^\S+ message\.message_(check[234]|direction_of_kind|one_\w+|realm_(answers|original)_id_fkey)$`,
		"answers and recalls (TestTwoMakersOneRecall, TestReturnAndResolutionRaceAndOneWins)",
	},
	{`^reference decision\.decision_realm_client_id_fkey$`, "the client of a decision is a word, which the seal of its audit row covers"},
	{`^reference decision\.decision_realm_message_id_message_created_at_fkey$`, "the age of grants (TestARoleGivenAfterwardsDoesNotDecide)"},
	{`^key decision\.decision_pkey$`, "the unique keys that the references name hold the ordinals as well"},
	{`^check release\.release_makers_check$`, "an incoming payment has no makers, and no sealed release"},
	{`decision\.decision_factor_\w+$`, "an approval has its own use of a factor (TestAnApprovalNeedsTheFactorThatItsPolicyAsksFor)"},
	{`^policy decision\.another_client$`, "clients (TestAClientThatAmendedDoesNotDecide)"},
	{`^policy \w+\.(own_realm|every_realm)$`, "reads of another realm (TestEveryTableWithARealmHidesTheOthers)"},
}

// explainedBy is the reason for a guard; "" for none.
func explainedBy(g guard) string {
	for _, e := range explained {
		if regexp.MustCompile(e.guards).MatchString(g.String()) {
			return e.why
		}
	}
	return ""
}
