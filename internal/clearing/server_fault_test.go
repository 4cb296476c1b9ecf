//go:build long

package clearing_test

import (
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"countersign/internal/postgres"
	"countersign/internal/service/servicetest"
	"countersign/internal/store/storetest"
)

// ownServer is a PostgreSQL that a test may do anything to.
type ownServer struct {
	*postgres.Cluster
	data string
}

func startServer(t *testing.T, data string) *ownServer {
	t.Helper()
	s := &ownServer{data: data}
	s.start(t)
	return s
}

func (s *ownServer) start(t *testing.T) {
	t.Helper()
	server, err := postgres.Start(ctx, postgres.Config{DataDir: s.data, Log: slog.New(slog.DiscardHandler)})
	must(t, err)
	t.Cleanup(func() { _ = server.Stop(ctx) })
	s.Cluster = server
}

// execute runs statements, each in a transaction of its own.
func (s *ownServer) execute(t *testing.T, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	must(t, err)
	for _, statement := range statements {
		_, err = conn.Exec(ctx, statement)
		must(t, err)
	}
	must(t, conn.Close(ctx))
}

// processes are the server's own and those of its connections.
func (s *ownServer) processes(t *testing.T) []int {
	t.Helper()
	file, err := os.ReadFile(filepath.Join(s.data, "postmaster.pid"))
	must(t, err)
	first, _, _ := strings.Cut(string(file), "\n")
	server, err := strconv.Atoi(first)
	must(t, err)
	all := []int{server}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	must(t, err)
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(stat), ") ") // behind the name: state, parent
		fields := strings.Fields(rest)
		own, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err == nil && len(fields) > 1 && fields[1] == first {
			all = append(all, own)
		}
	}
	return all
}

// signal sends a signal to the server, which then starts no more processes, and to the others it has.
func (s *ownServer) signal(t *testing.T, signal syscall.Signal) {
	t.Helper()
	all := s.processes(t)
	_ = syscall.Kill(all[0], signal)
	for _, process := range append(all[1:], s.processes(t)...) {
		_ = syscall.Kill(process, signal)
	}
}

// withStandby makes a copy of the server that follows it, and has commits wait for it.
func (s *ownServer) withStandby(t *testing.T, data string) (standby *ownServer) {
	t.Helper()
	read, err := url.Parse(s.URL("postgres"))
	must(t, err)
	run(t, "pg_basebackup", "--pgdata="+data, "--write-recovery-conf", "--checkpoint=fast",
		"--host="+read.Query().Get("host"), "--port="+read.Query().Get("port"), "--username="+read.User.Username())
	run(t, "chown", "--recursive", "--reference="+s.data, data)
	standby = startServer(t, data)
	s.execute(t, "ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
	follows := archived{Cluster: s.Cluster}
	eventually(t, "the standby follows", func() bool {
		return follows.ask(t, "SELECT count(*)::text FROM pg_stat_replication WHERE sync_state = 'sync'") == "1"
	})
	return standby
}

// eitherOf is the address of a database on that of two servers which takes writes.
func eitherOf(t *testing.T, one, other *ownServer) string {
	t.Helper()
	first, err := url.Parse(one.URL("countersign"))
	must(t, err)
	second, err := url.Parse(other.URL("countersign"))
	must(t, err)
	query := first.Query()
	query.Set("host", query.Get("host")+","+second.Query().Get("host"))
	query.Set("port", query.Get("port")+","+second.Query().Get("port"))
	query.Set("target_session_attrs", "read-write")
	first.RawQuery = query.Encode()
	return first.String()
}

// serverFaults are what may happen to a PostgreSQL of the test's own.
func serverFaults() map[string]func(t *testing.T, s, standby *ownServer) fault {
	return map[string]func(t *testing.T, s, standby *ownServer) fault{
		"frozen": func(t *testing.T, s, _ *ownServer) fault {
			return fault{away: true, silent: true, begin: func(*testing.T, *storetest.Line) func() {
				s.signal(t, syscall.SIGSTOP)
				return func() { s.signal(t, syscall.SIGCONT) }
			}}
		},
		"restart": func(t *testing.T, s, _ *ownServer) fault {
			return fault{away: true, begin: func(*testing.T, *storetest.Line) func() {
				must(t, s.Stop(ctx))
				return func() { s.start(t) }
			}}
		},
		"kill of the primary": func(t *testing.T, s, standby *ownServer) fault {
			return fault{away: true, begin: func(*testing.T, *storetest.Line) func() {
				s.signal(t, syscall.SIGKILL)
				return func() { standby.execute(t, "SELECT pg_promote(true, 60)") }
			}}
		},
	}
}

// TestNothingIsLostInFaultsOfTheServer is TestNothingIsLostInFaultsOfTheNetwork with a PostgreSQL that is stopped for five seconds, started
// again, or killed, whose synchronous standby then takes over.
func TestNothingIsLostInFaultsOfTheServer(t *testing.T) {
	rounds := faultRounds(t)
	dumped := dump(t, servicetest.New(t))
	for name, of := range serverFaults() {
		for round := range rounds {
			t.Run(fmt.Sprintf("%s %d", name, round+1), func(t *testing.T) {
				folder, err := os.MkdirTemp("", "csf")
				must(t, err)
				t.Cleanup(func() { _ = os.RemoveAll(folder) })
				must(t, os.Chmod(folder, 0o755))
				server := startServer(t, filepath.Join(folder, "data"))
				into(t, server.Cluster, dumped).Database.Close()
				address := server.URL("countersign")
				standby := server
				if strings.HasPrefix(name, "kill") {
					standby = server.withStandby(t, filepath.Join(folder, "standby"))
					address = eitherOf(t, server, standby)
				}
				db := &storetest.DB{URL: address, OwnerURL: address, Seal: storetest.Sealer(t, storetest.Key)}
				db.Database = db.Open(t, db.Seal)
				play(t, of(t, server, standby), newScene(t, db, nil))
			})
		}
	}
}
