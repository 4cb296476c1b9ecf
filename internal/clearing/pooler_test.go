package clearing_test

import (
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"countersign/internal/rulebook"
	"countersign/internal/stationtest"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/internal/testneed"
)

// bouncer starts a pgbouncer in transaction mode in front of the test's server, with few connections, and returns the database's URL
// through it for a login.
func bouncer(t *testing.T, db *storetest.DB, login string) (through string) {
	t.Helper()
	program := testneed.Program(t, "pgbouncer", "make pgbouncer")
	direct, err := url.Parse(db.URL)
	must(t, err)
	socket := filepath.Join(direct.Query().Get("host"), ".s.PGSQL."+direct.Query().Get("port"))
	free, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	port := free.Addr().(*net.TCPAddr).Port
	must(t, free.Close())
	folder, err := os.MkdirTemp("", "csbouncer")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	settings := filepath.Join(folder, "pgbouncer.ini")
	must(t, os.WriteFile(filepath.Join(folder, "users"), fmt.Appendf(nil, "%q \"\"\n", login), 0o644))
	must(
		t,
		os.WriteFile(settings, fmt.Appendf(nil, "[databases]\n* = host=%s port=%s\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = %d\n"+
			"unix_socket_dir =\nauth_type = trust\nauth_file = %s\npool_mode = transaction\ndefault_pool_size = 4\nmax_client_conn = 100\n",
			filepath.Dir(socket), direct.Query().Get("port"), port, filepath.Join(folder, "users")), 0o644),
	)
	must(t, os.Chmod(folder, fs.FileMode(0o755)))
	command := exec.Command(program, "-q", settings)
	if os.Getuid() == 0 { // it refuses to be root, and works as the account of the server
		owner, err := os.Stat(socket)
		must(t, err)
		account := owner.Sys().(*syscall.Stat_t)
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: account.Uid, Gid: account.Gid}}
	}
	said := &strings.Builder{}
	command.Stdout, command.Stderr = said, said
	must(t, command.Start())
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
		if t.Failed() {
			t.Log(said)
		}
	})
	address := "127.0.0.1:" + strconv.Itoa(port)
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		connection, err := net.Dial("tcp", address)
		if err == nil {
			must(t, connection.Close())
			break
		}
	}
	return "postgres://" + login + "@" + address + direct.Path
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestThroughAPoolerAllIsAsEver runs the stations, jobs and clock through a real pgbouncer that gives each transaction another connection:
// many payments at a time are made, approved, sent and settled, and nothing is mixed up. A login that does not bring its settings is
// refused.
func TestThroughAPoolerAllIsAsEver(t *testing.T) {
	t.Parallel()
	const login = "countersign_pooled"
	network := &halfDead{}
	h := stationtest.With(t, stationtest.Options{Now: runningClock(), Clearing: network, Database: func(db *storetest.DB) *store.Database {
		owner := db.Connect(t)
		_, err := owner.Exec(ctx, "DROP ROLE IF EXISTS "+login)
		must(t, err)
		must(t, store.EnsureServiceLogin(ctx, db.OwnerURL, login))
		through := bouncer(t, db, login)
		cfg := store.Config{
			URL: through, Pooled: true, Seal: db.Seal, TokenKeys: storetest.Keys(t), Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		}
		_, err = store.Open(ctx, cfg)
		if err == nil || !strings.Contains(err.Error(), "ALTER ROLE") {
			t.Errorf("a login without settings: %v", err)
		}
		_, err = owner.Exec(ctx, "ALTER ROLE "+login+" SET role = 'countersign_app'; ALTER ROLE "+login+" SET countersign.realm = '(gateway)'")
		must(t, err)
		through = bouncer(t, db, login) // with connections that know it
		cfg.URL = through
		database, err := store.Open(ctx, cfg)
		must(t, err)
		t.Cleanup(database.Close)
		return database
	}})
	network.house = h
	defer h.CheckInvariants(t)
	goingOn(t, h)
	var makers sync.WaitGroup
	for range 4 {
		makers.Go(func() { approveMany(t, h, rulebook.SchemeSIC, 10) })
	}
	makers.Wait()
	until(t, h, 40, "SELECT count(*) FROM message WHERE state = 'Settled'")
}
