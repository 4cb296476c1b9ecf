package integrity_test

import (
	"errors"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/service/servicetest"
	"countersign/internal/store/integrity"
	"countersign/internal/store/storetest"
	"countersign/internal/testutil"
)

// tamperings are all kinds, in groups that strike one after the other. What strikes the schema comes last, for it opens ways for the
// others.
var auditorTamperings = [][]tampering{slices.Concat(ofMessages, ofAgreeing), ofTrail, ofMasterData, ofAccess, ofFactors, ofSchema}

// drillRounds is the number of places that each tampering strikes: one with the tests, ten by make drill.
func drillRounds(t *testing.T) int {
	t.Helper()
	return testutil.Count(t, "COUNTERSIGN_DRILL_PLACES", 1)
}

// TestEveryTamperingIsFoundAndItsRowNamed fills a database through the services, and then writes into copies of it as a superuser whom no
// constraint holds. A round strikes with every kind of tampering at random places, each on a message of its own, and the auditor must name
// every row that was struck. Before that it finds nothing.
func TestEveryTamperingIsFoundAndItsRowNamed(t *testing.T) {
	h := withCore(t)
	h.Notary.Sweep(ctx)
	before := audit(t, h, h.DB.OwnerURL).Newest
	filled := fill(t, h, len(ofMessages)+len(ofAgreeing)+1)
	h.Notary.Sweep(ctx)
	h.Clock.Add(65 * time.Second) // what is not sealed by then never will be
	clean := audit(t, h, h.DB.OwnerURL)
	since := audit(t, h, h.DB.OwnerURL, before...)
	if since.Messages == 0 || since.Versions != clean.Versions || since.Leaves == 0 || since.Leaves >= clean.Leaves {
		t.Errorf("since the checkpoint: %d messages, %d of %d versions, %d of %d leaves", since.Messages, since.Versions, clean.Versions, since.Leaves, clean.Leaves)
	}
	for _, i := range slices.Concat(clean.Invariants, since.Invariants) {
		for _, v := range i.Violations {
			t.Errorf("clean, and yet %s is broken by %s %s: %s", i.ID, v.Table, v.Key, v.What)
		}
	}
	seen := map[string]bool{"found": true}
	found, struck := 0, 0
	var took time.Duration
	for round := range drillRounds(t) {
		random := rand.New(rand.NewPCG(uint64(round), 7))
		d := newDrill(t, h, round)
		for _, group := range auditorTamperings {
			marks := d.strike(t, group, filled, random)
			began := time.Now()
			report := audit(t, h, d.url)
			took += time.Since(began)
			later := audit(t, h, d.url, before...)
			for _, m := range marks {
				struck++
				if !named(later, m) && !beyondTheCheckpoint[m.kind] {
					t.Errorf("round %d: %s: since the checkpoint %s does not name %s %s", round, m.kind, m.id, m.table, m.names)
				}
				if !named(report, m) {
					t.Errorf("round %d: %s: %s does not name %s %s", round, m.kind, m.id, m.table, m.names)
					continue
				}
				found++
				seen[m.id] = true
			}
		}
	}
	for _, i := range clean.Invariants {
		if !seen[i.ID] {
			t.Errorf("no tampering breaks %s", i.ID)
		}
	}
	t.Logf("%d kinds, %d struck, %d found; %d versions, %d documents; %s for the checks", len(slices.Concat(auditorTamperings...)), struck, found,
		clean.Versions, clean.Documents, took)
}

// audit checks the database, or what changed in it since checkpoints.
func audit(t *testing.T, h *servicetest.Env, url string, since ...string) integrity.Report {
	t.Helper()
	report, err := integrity.Check(ctx, integrity.Config{
		DatabaseURL: url, Since: since, Seal: h.Seal, Tokens: storetest.Keys(t),
		AuditKeys: storetest.AuditKeys(t), Now: h.Clock.Now(), Zone: h.Clock.Now().Location(),
	})
	must(t, err)
	return report
}

// named reports whether the invariant names the row.
func named(report integrity.Report, m tampering) bool {
	for _, i := range report.Invariants {
		for _, v := range i.Violations {
			if i.ID == m.id && v.Table == m.table && v.Key == m.names {
				return true
			}
		}
	}
	return false
}

// beyondTheCheckpoint are the tamperings whose row a check since a checkpoint need not name: it may have been sealed before, or no message
// leads to it any more. Then I30 names its leaf.
var beyondTheCheckpoint = map[string]bool{
	"a settled payment deleted whole": true, "outbound document without message": true, "transaction ID led to another message": true,
	"a row of the trail edited": true, "a row of the trail deleted": true, "a row of the trail sealed away, its leaf deleted": true,
	"checkpoint changed": true, "first row of a trail that is of no message any more": true,
}

// drill is a copy of the filled database, and a superuser whom nothing holds in it.
type drill struct {
	url  string
	conn *pgx.Conn
}

func newDrill(t *testing.T, h *servicetest.Env, round int) drill {
	t.Helper()
	config, err := pgx.ParseConfig(h.DB.OwnerURL)
	must(t, err)
	from := config.Database
	name := from + "_drill_" + strconv.Itoa(round)
	config.Database = "postgres"
	outside, err := pgx.ConnectConfig(ctx, config)
	must(t, err)
	// A database is copied while nobody is in it; the services' idle connections are in the way.
	_, err = outside.Exec(ctx, "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '"+from+"'")
	must(t, err)
	_, err = outside.Exec(ctx, "CREATE DATABASE "+name+" TEMPLATE "+from)
	must(t, err)
	t.Cleanup(func() {
		_, err := outside.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)")
		must(t, err)
		must(t, outside.Close(ctx))
	})
	d := drill{url: strings.ReplaceAll(h.DB.OwnerURL, from, name)}
	d.conn, err = pgx.Connect(ctx, d.url)
	must(t, err)
	t.Cleanup(func() { _ = d.conn.Close(ctx) })
	must(t, d.free())
	return d
}

// free disables the triggers, and drops the check constraints, most foreign keys and three unique keys, that hold a superuser.
func (d drill) free() error {
	_, err := d.conn.Exec(ctx, `SET session_replication_role = replica;
		DROP INDEX message_one_recall; DROP INDEX refresh_token_live; ALTER TABLE audit_leaf DROP CONSTRAINT audit_leaf_realm_row_id_key;
		DO $$ DECLARE c record; BEGIN
		  FOR c IN SELECT conrelid::regclass AS relation, conname FROM pg_constraint WHERE contype IN ('c', 'f')
		    AND confrelid NOT IN ('realm'::regclass, 'user_account'::regclass)
		    AND connamespace = 'public'::regnamespace LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', c.relation, c.conname);
		  END LOOP;
		END $$`)
	return err
}

// strike writes every tampering of a group at a random place, and returns them with the key that must be named.
func (d drill) strike(t *testing.T, group []tampering, filled places, random *rand.Rand) []tampering {
	t.Helper()
	left := places{}
	for end, ids := range filled {
		left[end] = append([]string(nil), ids...)
		random.Shuffle(len(ids), func(i, j int) { left[end][i], left[end][j] = left[end][j], left[end][i] })
	}
	marks := make([]tampering, 0, len(group))
	for _, one := range group {
		place := strconv.FormatUint(random.Uint64(), 16)
		if one.strikes != "" {
			place, left[one.strikes] = left[one.strikes][0], left[one.strikes][1:]
		}
		here := func(statement string) string { return strings.ReplaceAll(statement, ":m", place) }
		var key string
		err := d.conn.QueryRow(ctx, here(one.names)).Scan(&key)
		if err != nil {
			t.Fatalf("%s: where: %v", one.kind, err)
		}
		_, err = d.conn.Exec(ctx, here(one.statement))
		if err != nil {
			t.Fatalf("%s: %v", one.kind, err)
		}
		one.names = key
		marks = append(marks, one)
	}
	return marks
}

func TestALoginThatSeesHalfIsRefused(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	conn := h.DB.Connect(t)
	login := "half_" + strconv.FormatInt(time.Now().UnixNano(), 36)
	_, err := conn.Exec(ctx, "CREATE ROLE "+login+" LOGIN PASSWORD 'half' IN ROLE countersign_app")
	must(t, err)
	t.Cleanup(func() { _, _ = conn.Exec(ctx, "DROP ROLE "+login) })
	address, err := url.Parse(h.DB.OwnerURL)
	must(t, err)
	address.User = url.UserPassword(login, "half")
	_, err = integrity.Check(ctx, integrity.Config{DatabaseURL: address.String(), Now: h.Clock.Now()})
	var hidden *integrity.HiddenRowsError
	if !errors.As(err, &hidden) || hidden.Login != login || len(hidden.Tables) == 0 {
		t.Errorf("got %v, want a login that sees half to be refused", err)
	}
	report, err := integrity.Check(ctx, integrity.Config{DatabaseURL: h.DB.OwnerURL, Now: h.Clock.Now()})
	if err != nil || len(report.Skipped) != 10 || report.Broken() != 0 {
		t.Errorf("without keys: %d skipped, %d broken, %v", len(report.Skipped), report.Broken(), err)
	}
}
