package main

import (
	"os"
	"regexp"
	"testing"
	"time"

	"countersign/internal/store/storetest"
	"countersign/internal/testutil"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// TestTheBarePairsAreThere: what pgbench says it did is in the tables, each payment decided once, and the server's time was counted.
func TestTheBarePairsAreThere(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	server, err := ServerOf(t.Context(), db.URL)
	must(t, err)
	before, err := server.ProcessorTime()
	must(t, err)
	testutil.OfPostgres(t, "pgbench")
	result, err := Bare(t.Context(), BareRun{URL: db.URL, Clients: 2, For: time.Second})
	must(t, err)
	after, err := server.ProcessorTime()
	must(t, err)
	if result.Pairs == 0 || result.PerSecond <= 0 || after <= before {
		t.Errorf("%+v, and the server used %s", result, after-before)
	}
	var payments, decisions int
	must(t, db.Owner(t).QueryRow(t.Context(), `SELECT (SELECT count(*) FROM bare.payment WHERE state = 'Approved'
		AND length(content) = 2048),
		(SELECT count(*) FROM bare.decision)`).Scan(&payments, &decisions))
	if payments != result.Pairs || decisions != result.Pairs {
		t.Errorf("pgbench made %d pairs, the tables hold %d payments and %d decisions", result.Pairs, payments, decisions)
	}
}

// TestHugePagesAreToldOnlyWhereThereAreSome: a machine that has set none aside gives none to PostgreSQL.
func TestHugePagesAreToldOnlyWhereThereAreSome(t *testing.T) {
	t.Parallel()
	server, err := ServerOf(t.Context(), storetest.New(t).URL)
	must(t, err)
	has, err := server.HugePages()
	must(t, err)
	machine, err := os.ReadFile("/proc/meminfo")
	must(t, err)
	if has && regexp.MustCompile(`HugePages_Total: +0\n`).Match(machine) {
		t.Error("PostgreSQL has huge pages, the machine has none")
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
