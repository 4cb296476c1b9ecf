package integrity_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"countersign/internal/store/storetest"
)

// leftOutNames are tables, and columns of tables, as the page names them.
var leftOutNames = regexp.MustCompile("`([a-z_]+(?:\\.[a-z_]+)?)`")

// leftOut are the tables and columns that nothing rests on, by what docs/security.md says of them: no other list of them is kept.
func leftOut(t *testing.T) map[string]bool {
	t.Helper()
	page, err := os.ReadFile("../../../docs/security.md")
	must(t, err)
	_, part, _ := strings.Cut(string(page), "### What nothing rests on")
	part, _, _ = strings.Cut(part, "\n#")
	left := make(map[string]bool)
	for line := range strings.Lines(part) {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		names, why, _ := strings.Cut(line[1:], "|")
		if len(why) < 20 {
			t.Errorf("no reason is given for %s", names)
		}
		for _, name := range leftOutNames.FindAllStringSubmatch(names, -1) {
			left[name[1]] = true
		}
	}
	return left
}

// TestEveryTableIsStruckOrLeftOutWithAReason: the drill strikes every table and column of the schema but those that the page gives a reason
// for, and the page names no others.
func TestEveryTableIsStruckOrLeftOutWithAReason(t *testing.T) {
	t.Parallel()
	rows, err := storetest.New(t).Owner(t).Query(ctx, `SELECT c.relname::text FROM pg_class c
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
		UNION ALL SELECT c.relname || '.' || a.attname
		FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT attisdropped
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'`)
	must(t, err)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	left, known, strikes := leftOut(t), make(map[string]bool), make(map[string]bool)
	for _, one := range allStruck {
		strikes[one.table] = true
	}
	for _, name := range names {
		known[name] = true
		if !strings.Contains(name, ".") && strikes[name] == left[name] {
			t.Errorf("%s: struck %v, left out %v", name, strikes[name], left[name])
		}
	}
	for name := range left {
		if !known[name] {
			t.Errorf("the page leaves %s out, which is not there", name)
		}
	}
}
