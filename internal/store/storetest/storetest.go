// Package storetest gives each test a database of its own on a real PostgreSQL: a copy of a template that is migrated once. The
// server is a private one of the test process, or the one COUNTERSIGN_TEST_DATABASE_URL names.
package storetest

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"countersign/internal/keyring"
	"countersign/internal/payment"
	"countersign/internal/postgres"
	"countersign/internal/store"
	"countersign/internal/testutil"
)

// DB is one test's database: migrated, without any realm.
type DB struct {
	URL      string // as the service uses it
	OwnerURL string // as the migrations use it
	Database *store.Database
	Seal     payment.Sealer // as Database has it

	test  testing.TB // that the database was made for; none if it was not made here
	owner owner
}

// Key is the line of the key file that Seal has.
const Key = "test 6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b"

// Sealer makes a sealer of the lines of a key file.
func Sealer(t testing.TB, lines ...string) payment.Sealer {
	t.Helper()
	keys, err := keyring.Parse([]byte(strings.Join(lines, "\n")), "bare")
	if err != nil {
		t.Fatal("storetest:", err)
	}
	seal, err := payment.NewSealer(keys)
	if err != nil {
		t.Fatal("storetest:", err)
	}
	return seal
}

// server is the PostgreSQL of this test process. Main sets it before the tests run.
type server struct {
	url     func(database string) string
	admin   *pgxpool.Pool // makes and drops databases
	name    string        // of the template
	counter atomic.Int64

	mu       sync.Mutex
	prepared map[string]error // templates with rows in them, by name: whether they could be made
}

var current *server

// Main runs a package's tests around one server. Call it from TestMain.
func Main(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "storetest:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	ctx := context.Background()
	s := &server{name: "countersign_template_" + strconv.Itoa(os.Getpid()), prepared: map[string]error{}}
	stop := func() {}
	err := testutil.KeepInMemory()
	if err != nil {
		return 0, err
	}
	if given := os.Getenv("COUNTERSIGN_TEST_DATABASE_URL"); given != "" {
		s.url = func(database string) string { return withDatabase(given, database) }
	} else {
		dir, err := os.MkdirTemp("", "cst")
		if err != nil {
			return 0, err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		cluster, err := postgres.Start(ctx, postgres.Config{
			DataDir: filepath.Join(dir, "data"), Log: slog.New(slog.DiscardHandler),
			Settings: map[string]string{ // and little room for its log, which lies in memory
				"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_wal_size": "1GB", "autovacuum": "off",
			},
		})
		if err != nil {
			return 0, err
		}
		s.url = cluster.URL
		stop = func() { _ = cluster.Stop(ctx) }
	}
	defer stop()
	s.admin, err = pgxpool.New(ctx, s.url("postgres"))
	if err != nil {
		return 0, err
	}
	defer s.admin.Close()
	err = s.makeTemplate(ctx)
	if err != nil {
		return 0, err
	}
	defer s.dropTemplates(ctx)
	current = s
	return m.Run(), nil
}

func (s *server) makeTemplate(ctx context.Context) error {
	err := s.execute(ctx, "CREATE DATABASE "+s.name)
	if err != nil {
		return err
	}
	return store.Migrate(ctx, s.url(s.name))
}

// prepare makes a template with rows in it, the first time somebody asks for it, and returns its name.
func (s *server) prepare(template string, fill func(ownerURL string) error) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := s.name + "_" + template
	err, made := s.prepared[template]
	if !made {
		err = s.execute(context.Background(), "CREATE DATABASE "+name+" TEMPLATE "+s.name)
		if err == nil {
			err = fill(s.url(name))
		}
		s.prepared[template] = err
	}
	return name, err
}

func (s *server) dropTemplates(ctx context.Context) {
	for template := range s.prepared {
		_ = s.execute(ctx, "DROP DATABASE IF EXISTS "+s.name+"_"+template+" WITH (FORCE)")
	}
	_ = s.execute(ctx, "DROP DATABASE IF EXISTS "+s.name+" WITH (FORCE)")
}

func (s *server) execute(ctx context.Context, statements ...string) error {
	for _, statement := range statements {
		_, err := s.admin.Exec(ctx, statement)
		if err != nil {
			return err
		}
	}
	return nil
}

// New makes a database for the test and drops it at its end.
func New(t testing.TB) *DB {
	t.Helper()
	running(t)
	return opened(t, current.name)
}

// Filled makes a database for the test as New does, as a copy of a template with the rows of fill. fill runs once for all tests of this
// process that name the same template; it must close its connections, since PostgreSQL copies no database in use.
func Filled(t testing.TB, template string, fill func(by store.Provisioner) error) *DB {
	t.Helper()
	running(t)
	name, err := current.prepare(template, func(ownerURL string) error { return fill(provisioner(t, ownerURL)) })
	if err != nil {
		t.Fatal("storetest:", err)
	}
	return opened(t, name)
}

func running(t testing.TB) {
	t.Helper()
	if current == nil {
		t.Fatal("storetest: call storetest.Main from TestMain")
	}
}

// opened makes a database as a copy of a template, and opens it.
func opened(t testing.TB, template string) *DB {
	t.Helper()
	db := create(t, template)
	db.Database = db.Open(t, db.Seal)
	return db
}

// create makes a database as a copy of another one.
func create(t testing.TB, template string) *DB {
	t.Helper()
	ctx := context.Background()
	name := current.name + "_" + strconv.FormatInt(current.counter.Add(1), 10)
	// Files are copied sooner than pages are written to the log. A copy has the server's defaults again, which a migration takes away.
	err := current.execute(ctx,
		"CREATE DATABASE "+name+" TEMPLATE "+template+" STRATEGY FILE_COPY", "REVOKE TEMPORARY ON DATABASE "+name+" FROM PUBLIC")
	if err != nil {
		t.Fatal("storetest:", err)
	}
	t.Cleanup(func() {
		err := current.execute(ctx, "DROP DATABASE "+name+" WITH (FORCE)")
		if err != nil {
			t.Error("storetest:", err)
		}
	})
	return &DB{URL: current.url(name), OwnerURL: current.url(name), Seal: Sealer(t, Key), test: t}
}

// Keys are the token keys of tests.
func Keys(t testing.TB) keyring.Ring {
	t.Helper()
	keys, err := keyring.Parse([]byte("tokens "+strings.Repeat("5a", keyring.KeyBytes)), "")
	if err != nil {
		t.Fatal("storetest:", err)
	}
	return keys
}

// AuditKeys are the keys of tests that sign checkpoints of the audit trail.
func AuditKeys(t testing.TB) keyring.Ring {
	t.Helper()
	keys, err := keyring.Parse([]byte("audit-test "+strings.Repeat("7c", keyring.KeyBytes)), "")
	if err != nil {
		t.Fatal("storetest:", err)
	}
	return keys
}

// Provisioned is the time at which the realms of tests are made: before any clock of a test.
var Provisioned = time.Date(2020, time.January, 1, 0, 0, 0, 0, time.UTC)

// Provisioner brings realms into the test's database.
func (d *DB) Provisioner(t testing.TB) store.Provisioner {
	t.Helper()
	return provisioner(t, d.OwnerURL)
}

func provisioner(t testing.TB, ownerURL string) store.Provisioner {
	t.Helper()
	return store.Provisioner{OwnerURL: ownerURL, Keys: Keys(t), At: Provisioned}
}

// Sessions is a store of portal sessions in the test's database.
func (d *DB) Sessions(t testing.TB) *store.Sessions {
	t.Helper()
	sessions, err := store.NewSessions(d.Database, Keys(t), time.Now)
	if err != nil {
		t.Fatal("storetest:", err)
	}
	return sessions
}

// Open opens the database once more, with other keys.
func (d *DB) Open(t testing.TB, seal payment.Sealer) *store.Database {
	t.Helper()
	database, err := store.Open(context.Background(), store.Config{
		URL: d.URL, Seal: seal, TokenKeys: Keys(t), Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal("storetest:", err)
	}
	t.Cleanup(database.Close)
	return database
}

// Connect opens a connection of the owner that is the test's alone: for transactions, locks and settings of a session.
func (d *DB) Connect(t testing.TB) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), d.OwnerURL)
	if err != nil {
		t.Fatal("storetest:", err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// ConnectAsApplication opens a connection in the application's role and the given realm, to probe the limits of that role.
func (d *DB) ConnectAsApplication(t testing.TB, realm string) *pgx.Conn {
	t.Helper()
	conn := d.Connect(t)
	_, err := conn.Exec(context.Background(), "SET ROLE countersign_app; SET countersign.realm = '"+realm+"'")
	if err != nil {
		t.Fatal("storetest:", err)
	}
	return conn
}

func withDatabase(given, database string) string {
	u, err := url.Parse(given)
	if err != nil {
		return given
	}
	u.Path = "/" + database
	return u.String()
}
