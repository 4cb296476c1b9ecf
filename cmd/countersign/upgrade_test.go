//go:build long

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"

	"countersign/internal/store/storetest"
	"countersign/internal/testutil"
)

// statements are those of the program of today and of the planted next one, which writes the added column and keeps the digests of requests
// in the table that was split off.
var statements = map[string]*strings.Replacer{
	"message.sql.go": strings.NewReplacer(
		"SELECT realm, client_id, scope, key, message_id, fingerprint, created_at, key_id, seal FROM creation_key\n",
		"SELECT realm, client_id, scope, key, message_id, digest AS fingerprint, created_at, key_id, seal FROM creation_key\n"+
			"JOIN creation_request USING (realm, client_id, scope, key)\n",
		"INSERT INTO creation_key (realm, client_id, scope, key, message_id, fingerprint, created_at, key_id, seal)",
		"INSERT INTO creation_key (realm, client_id, scope, key, message_id, created_at, key_id, seal, planted)",
		"a.scope, a.key, i.message_id, i.fingerprint, i.created_at, i.version_key_id, a.seal\n",
		"a.scope, a.key, i.message_id, i.created_at, i.version_key_id, a.seal, 'next'\n",
		"  ON CONFLICT DO NOTHING\n  RETURNING message_id\n), counted AS (",
		"  ON CONFLICT DO NOTHING\n  RETURNING message_id, realm, client_id, scope, key\n), digested AS (\n"+
			"  INSERT INTO creation_request (realm, client_id, scope, key, digest)\n"+
			"  SELECT k.realm, k.client_id, k.scope, k.key, i.fingerprint FROM keyed k JOIN item i ON i.message_id = k.message_id\n), counted AS (",
	),
	"audited.sql.go": strings.NewReplacer(
		"SELECT realm, client_id, scope, key, message_id, fingerprint, created_at, key_id, seal FROM creation_key k\n",
		"SELECT realm, client_id, scope, key, message_id, digest AS fingerprint, created_at, key_id, seal FROM creation_key k\n"+
			"JOIN creation_request USING (realm, client_id, scope, key)\n",
	),
}

// plantedIn is the content of each file after that.
var plantedIn = map[string][]string{
	"message.sql.go": {"digest AS fingerprint", "'next'", "digested AS"}, "audited.sql.go": {"digest AS fingerprint"},
}

// planted builds the program of a later version, with some of the migrations of testdata/upgrade.
func planted(t *testing.T, names ...string) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	must(t, err)
	folder, replaced := t.TempDir(), map[string]string{}
	for _, name := range names {
		replaced[filepath.Join(root, "migrations", name)] = filepath.Join(root, "cmd", "countersign", "testdata", "upgrade", name)
	}
	for name, replacer := range statements {
		file := filepath.Join(root, "internal", "store", "internal", "dbsqlc", name)
		content, err := os.ReadFile(file)
		must(t, err)
		text := replacer.Replace(string(content))
		for _, written := range plantedIn[name] {
			if !strings.Contains(text, written) {
				t.Fatalf("the statements of %s are not those that the test replaces: no %s", name, written)
			}
		}
		replaced[file] = filepath.Join(folder, name)
		must(t, os.WriteFile(replaced[file], []byte(text), 0o600))
	}
	described := filepath.Join(root, "internal", "store", "integrity", "schema.txt")
	content, err := os.ReadFile(described)
	must(t, err)
	replaced[described] = filepath.Join(folder, "schema.txt")
	must(t, os.WriteFile(replaced[described], regexp.MustCompile(`(?m)^column\tcreation_key\.fingerprint\t.*\n`).ReplaceAll(content, nil), 0o600))
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	must(t, err)
	must(t, os.WriteFile(filepath.Join(folder, "overlay.json"), overlay, 0o600))
	program := filepath.Join(folder, "countersign")
	build := exec.Command("go", "build", "-overlay", filepath.Join(folder, "overlay.json"), "-o", program, "./cmd/countersign")
	build.Dir = root
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the next program: %v\n%s", err, said)
	}
	return program
}

// upgrade is the rehearsal of three gateways on one database.
type upgrade struct {
	*rehearsal
	owner   string // URL
	repeats atomic.Int64
}

// TestAnUpgradeUnderTraffic migrates and replaces three gateways behind HAProxy one by one, while payments are entered, approved and entered
// again under their keys: from the program of today over a column, an index and a table that are added, and back for one gateway, to the
// contract that takes the old column away. No call fails, and each payment takes effect once. What would break a program is refused.
func TestAnUpgradeUnderTraffic(t *testing.T) {
	wanted := testutil.Count(t, "COUNTERSIGN_UPGRADE", 0)
	if wanted == 0 {
		t.Skip("make rehearse-upgrade plays it")
	}
	adds := []string{"09001_column.sql", "09002_index.sql", "09003_split.sql"}
	today, next, last := os.Args[0], planted(t, adds...), planted(t, append(adds, "09004_contract.sql")...)
	u := newUpgrade(t)
	stop, group := make(chan struct{}), &errgroup.Group{}
	limit := rate.NewLimiter(perSecond, 1)
	for range workers {
		group.Go(func() error {
			err := u.works(stop, limit)
			if err != nil {
				t.Errorf("a call failed at %s: %v", time.Now().Format(time.StampMilli), err)
			}
			return nil
		})
	}
	u.done(100)
	u.migrates(next, 0, "the schema is up to date")
	u.done(100)
	u.replace(0, next)
	u.done(100)
	u.replace(0, today) // the program goes back by one version
	u.done(100)
	u.replace(0, next)
	u.replace(1, next)
	u.migrates(last, exitFailed, "migration 9004 waits, and those before it are applied: it needs programs that know migration 9003")
	u.replace(2, next)
	u.done(100)
	u.migrates(last, 0, "the schema is up to date")
	u.done(100)
	u.replace(0, last)
	u.done(100)
	u.replace(0, next)
	for number := range u.gateways {
		u.replace(number, last)
	}
	refusedWith(t, slices.Concat(u.settings[0], []string{"COUNTERSIGN_LISTEN=" + freeAddress(t)}), "the schema is newer than this program")
	u.done(int64(wanted))
	close(stop)
	must(t, group.Wait())
	u.holds(last)
}

// newUpgrade makes a database of its own whose owner is no superuser, with three gateways.
func newUpgrade(t *testing.T) *upgrade {
	t.Helper()
	db := storetest.New(t)
	for _, statement := range []string{
		"CREATE ROLE countersign_owner LOGIN PASSWORD 'owner' CREATEROLE", "CREATE ROLE countersign_service LOGIN PASSWORD 'service'",
		"CREATE DATABASE countersign OWNER countersign_owner",
	} {
		_, err := db.Owner(t).Exec(t.Context(), statement)
		must(t, err)
	}
	t.Cleanup(func() { _, _ = db.Owner(t).Exec(context.Background(), "DROP DATABASE countersign WITH (FORCE)") })
	as := func(name, password string) string {
		address, err := url.Parse(db.OwnerURL)
		must(t, err)
		address.User, address.Path = url.UserPassword(name, password), "/countersign"
		return address.String()
	}
	u := &upgrade{rehearsal: &rehearsal{t: t}, owner: as("countersign_owner", "owner")}
	// The roles of the schema are of the server and belong to the login that made the template.
	_, err := db.Owner(t).Exec(t.Context(), "GRANT countersign_app TO countersign_owner WITH ADMIN OPTION")
	must(t, err)
	u.open(u.owner, as("countersign_service", "service"), 3)
	return u
}

// works enters payments, approves them, and enters those of a while ago again. Whatever is not the expected answer is an error.
func (u *upgrade) works(stop <-chan struct{}, limit *rate.Limiter) error {
	var mine []*paper
	for number := 0; ; number++ {
		select {
		case <-stop:
			return nil
		default:
		}
		_ = limit.Wait(context.Background())
		p := u.office.newPaper(number)
		mine = append(mine, p)
		err := u.office.comeBack(p)
		if err != nil {
			return fmt.Errorf("payment %s: %w", p.key, err)
		}
		before := mine[number*7/8]
		first := *before
		r, err := u.office.create(before)
		if err != nil {
			return err
		}
		if r.status != http.StatusOK || *before != first {
			return fmt.Errorf("payment %s entered again is %s: %w", first.id, before.id, refusal(r))
		}
		u.repeats.Add(1)
	}
}

// done waits until so many more requests were acknowledged.
func (u *upgrade) done(count int64) {
	u.t.Helper()
	u.office.waitFor(u.t, u.office.acknowledged.Load(), count)
	if u.t.Failed() {
		u.t.FailNow()
	}
}

func (u *upgrade) migrates(program string, code int, said string) {
	u.t.Helper()
	p := startFile(u.t, program, "", []string{"COUNTERSIGN_DATABASE_OWNER_URL=" + u.owner}, "migrate")
	if got := p.wait(u.t); got != code || !strings.Contains(p.output.String(), said) {
		u.t.Fatalf("migrate ends with %d:\n%s", got, p.output)
	}
}

// replace stops a gateway and starts another program in its place, as docs/operations.md says.
func (u *upgrade) replace(number int, program string) {
	u.t.Helper()
	if code := u.gateways[number].terminate(u.t); code != 0 {
		u.t.Errorf("gateway %d ends with %d", number+1, code)
	}
	u.gateways[number] = startFile(u.t, program, "", u.settings[number], "serve")
	u.gateways[number].answers(u.t, "http://"+u.addresses[number]+"/readyz")
	name := fmt.Sprintf("gw%d", number+1)
	up := poll(func() bool {
		_, counters := asks(u.t, u.counters+"/;csv")
		return slices.ContainsFunc(strings.Split(counters, "\n"), func(line string) bool {
			return strings.HasPrefix(line, "gateways,"+name+",") && strings.Contains(line, ",UP,")
		})
	})
	if !up {
		u.t.Fatal("HAProxy does not see " + name)
	}
}

// holds waits for every payment to come to its end, and compares with clearing's log. The schema has what the test planted, and the check
// finds nothing else.
func (u *upgrade) holds(program string) {
	u.settled()
	conn, err := pgx.Connect(context.Background(), u.owner)
	must(u.t, err)
	var older, newer int
	must(u.t, conn.QueryRow(
		context.Background(), "SELECT count(*) FILTER (WHERE planted = ''), count(*) FILTER (WHERE planted = 'next') FROM creation_key",
	).Scan(&older, &newer))
	must(u.t, conn.Close(context.Background()))
	if older == 0 || newer == 0 {
		u.t.Errorf("%d keys are of the old program and %d of the new one", older, newer)
	}
	p := startFile(u.t, program, "", append(u.keys, "COUNTERSIGN_DATABASE_OWNER_URL="+u.owner), "check", "--json")
	p.wait(u.t)
	var report struct {
		Invariants []struct{ ID, Verdict string }
	}
	must(u.t, json.NewDecoder(strings.NewReader(p.output.String())).Decode(&report)) // what it says of the outcome follows
	for _, i := range report.Invariants {
		if i.Verdict != "holds" && i.ID != "I25" {
			u.t.Errorf("%s is %s:\n%s", i.ID, i.Verdict, p.output)
		}
	}
	u.t.Logf("%d payments, %d acknowledged requests, of them %d repeated under a key; %d keys of the old program, %d of the new one; "+
		"no call failed, nothing lost or doubled: %t", len(u.office.papers()), u.office.acknowledged.Load(), u.repeats.Load(), older, newer, !u.t.Failed())
}
