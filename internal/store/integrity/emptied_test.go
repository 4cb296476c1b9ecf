package integrity_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"countersign/internal/store/integrity"
	"countersign/internal/testutil"
)

// TestAColumnThatNothingLetsBeEmptyIsFoundEmpty: a superuser empties columns that the schema does not let be empty, keys too: one of every
// table at a time, until each was. Each is a finding that names the row, by its place where its key is gone, and none keeps the auditor
// from the others.
func TestAColumnThatNothingLetsBeEmptyIsFoundEmpty(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	h := withCore(t)
	fill(t, h, 2)
	h.Notary.Sweep(ctx)
	s := singles{drill: newDrill(t, h, 901)}
	wanted := make(map[string][]singleColumn)
	for _, in := range allStruck {
		wanted[in.table] = s.columns(t, in.table, "a.attnotnull")
	}
	s.save(t)
	emptied := 0
	for s.emptyNext(t, wanted) {
		report := audit(t, h, s.url)
		for table, column := range s.emptied {
			emptied++
			if !saidEmpty(report, table, column) {
				t.Errorf("%s of a row of %s is empty, and no finding says so of a row", column.name, table)
			}
			s.mend(t, table)
		}
	}
	if emptied < 350 {
		t.Errorf("%d columns were emptied, want those of all tables", emptied)
	}
}

// emptyNext empties the next column of each table in one of its rows. It reports whether any was left.
func (s *singles) emptyNext(t *testing.T, wanted map[string][]singleColumn) bool {
	t.Helper()
	s.emptied = make(map[string]singleColumn)
	for table, columns := range wanted {
		if len(columns) == 0 {
			continue
		}
		s.emptied[table], wanted[table] = columns[0], columns[1:]
		did, err := s.conn.Exec(ctx, fmt.Sprintf("UPDATE %[1]s SET %[2]s = NULL WHERE ctid = (SELECT min(ctid) FROM %[1]s)", table,
			columns[0].name))
		must(t, err)
		if did.RowsAffected() != 1 {
			t.Errorf("%s has no row that could be emptied", table)
		}
	}
	return len(s.emptied) > 0
}

// saidEmpty reports whether a finding says of a row that a column of it is empty, and names the row: by its place where its key is empty.
func saidEmpty(report integrity.Report, table string, column singleColumn) bool {
	for _, i := range report.Invariants {
		for _, v := range i.Violations {
			if v.Table == table && strings.Contains(v.What, " "+column.name+" is never empty") && strings.Contains(v.Key, "at (") == column.key &&
				v.Key != "" {
				return true
			}
		}
	}
	return false
}

// TestWhatNobodyCanReadIsAFinding: values that no clock shows, that no list has, or that are no JSON, and places far beyond any tree, are
// findings like others: the auditor neither ends with an error nor fills its memory.
func TestWhatNobodyCanReadIsAFinding(t *testing.T) {
	t.Parallel()
	h := withCore(t)
	fill(t, h, 2)
	h.Notary.Sweep(ctx)
	s := singles{drill: newDrill(t, h, 902)}
	s.save(t)
	for _, one := range []struct{ table, change string }{
		{"message", "created_at = 'infinity'"},
		{"message_history", "at = '-infinity'"},
		{"decision", "decided_at = 'infinity'"},
		{"audit_event", "at = 'infinity'"},
		{"document", "created_at = '-infinity'"},
		{"policy", "created_at = 'infinity'"},
		{"user_role", "granted_at = '-infinity'"},
		{"realm_change", "requested_at = 'infinity'"},
		{"refresh_token", "expires_at = 'infinity'"},
		{"audit_checkpoint", "at = 'infinity'"},
		{"limit_use", "day = 'infinity'"},
		{"message_version", "makers = '{NULL}'"},
		{"release", "makers = NULL"},
		{"message_version", "clients = '{NULL}'"},
		{"audit_tree", "edge = '{NULL}'"},
		{"audit_leaf", "leaf_index = 1::bigint << 60"},
		{"audit_tree", "size = 1::bigint << 60"},
		{"audit_checkpoint", "size = 1::bigint << 60"},
		{"audit_node", "level = 2147483647"},
		{"policy", "pending_seconds = 2147483647"},
		{"audit_event", "detail = '{' WHERE event = 'session.ended'"},
		{"audit_event", "detail = '{' WHERE event = 'user.rights'"},
	} {
		change, where, given := strings.Cut(one.change, " WHERE ")
		if !given {
			where = "true"
		}
		names := allStruck[slices.IndexFunc(allStruck, func(in struck) bool { return in.table == one.table })].names
		var named []string
		must(t, s.conn.QueryRow(ctx, fmt.Sprintf(`WITH was AS (SELECT ctid AS place, ARRAY[%[1]s]::text[] AS names FROM %[2]s WHERE %[3]s LIMIT 1)
			UPDATE %[2]s t SET %[4]s FROM was WHERE t.ctid = was.place RETURNING was.names || ARRAY[%[1]s]::text[]`,
			names, one.table, where, change)).Scan(&named))
		if !anyNamed(audit(t, h, s.url), named) {
			t.Errorf("%s with %s: none of %q is named", one.table, one.change, named)
		}
		s.mend(t, one.table)
	}
}
