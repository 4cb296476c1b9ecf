package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/postgres"
)

// holdVariable makes the test program a program that starts a cluster on the directory it names and then waits to be killed.
const holdVariable = "COUNTERSIGN_TEST_HOLD_CLUSTER"

func TestMain(m *testing.M) {
	if dataDir := os.Getenv(holdVariable); dataDir != "" {
		hold(dataDir)
	}
	os.Exit(m.Run())
}

func hold(dataDir string) {
	cluster, err := postgres.Start(context.Background(), quick(dataDir))
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(cluster.URL("postgres"))
	select {}
}

// quick is a configuration that does not wait for the disk.
func quick(dataDir string) postgres.Config {
	return postgres.Config{DataDir: dataDir, Settings: map[string]string{"fsync": "off"}}
}

func start(t *testing.T, config postgres.Config) *postgres.Cluster {
	t.Helper()
	cluster, err := postgres.Start(t.Context(), config)
	if err != nil {
		t.Fatalf("start: %v", err)
	}
	t.Cleanup(func() { stop(t, cluster) })
	return cluster
}

func stop(t *testing.T, cluster *postgres.Cluster) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := cluster.Stop(ctx)
	if err != nil {
		t.Errorf("stop: %v", err)
	}
}

// refused asserts that a start fails with all the given words in its sentence.
func refused(t *testing.T, config postgres.Config, words ...string) {
	t.Helper()
	cluster, err := postgres.Start(t.Context(), config)
	if err == nil {
		stop(t, cluster)
		t.Fatal("the start was not refused")
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("the refusal does not say %q: %v", word, err)
		}
	}
}

func ask(t *testing.T, address, query string) string {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	defer func() { _ = connection.Close(context.Background()) }()
	var answer string
	err = connection.QueryRow(t.Context(), query).Scan(&answer)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		t.Fatalf("%s: %v", query, err)
	}
	return answer
}

func expect(t *testing.T, cluster *postgres.Cluster, query, want string) {
	t.Helper()
	got := ask(t, cluster.URL("postgres"), query)
	if got != want {
		t.Errorf("%s: got %q, want %q", query, got, want)
	}
}

const (
	writeMarker = `WITH made AS (INSERT INTO marker VALUES ('kept') RETURNING word) SELECT word FROM made`
	readMarker  = `SELECT word FROM marker`
)

func mark(t *testing.T, cluster *postgres.Cluster) {
	t.Helper()
	ask(t, cluster.URL("postgres"), `CREATE TABLE marker (word text)`)
	expect(t, cluster, writeMarker, "kept")
}

func TestDataIsKeptFromStartToStart(t *testing.T) {
	t.Parallel()
	for name, dataDir := range map[string]string{
		"plain":                    "data",
		"spaces and quotes":        `my "fine" payments, and 'more'/the data`,
		"longer than any socket":   strings.Repeat("a-long-name/", 20) + "data",
		"parent to be made, dotty": "x/../y/./data",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := quick(filepath.Join(t.TempDir(), dataDir))
			first := start(t, config)
			mark(t, first)
			stop(t, first)
			expect(t, start(t, config), readMarker, "kept")
		})
	}
}

func TestServerIsPrivateAndConfigured(t *testing.T) {
	t.Parallel()
	config := quick(filepath.Join(t.TempDir(), "data"))
	config.Settings["work_mem"] = "7MB"
	config.Settings["listen_addresses"] = "*"
	cluster := start(t, config)
	for query, want := range map[string]string{
		"SHOW listen_addresses":             "",
		"SHOW max_connections":              "200",
		"SHOW server_encoding":              "UTF8",
		"SHOW lc_collate":                   "C",
		"SHOW timezone":                     "UTC",
		"SHOW work_mem":                     "7MB",
		"SHOW max_wal_size":                 "4GB",
		"SHOW autovacuum_vacuum_cost_limit": "2000",
		"SHOW data_checksums":               "on",
	} {
		if strings.Contains(query, "lc_collate") {
			query = "SELECT datcollate FROM pg_database WHERE datname = 'postgres'"
		}
		expect(t, cluster, query, want)
	}
	info, err := os.Stat(socketDir(t, cluster.URL("postgres")))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 {
		t.Errorf("the socket's directory has mode %v", info.Mode())
	}
	stop(t, cluster)
	stop(t, cluster)
	_, err = os.Stat(socketDir(t, cluster.URL("postgres")))
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket's directory was left behind: %v", err)
	}
}

func socketDir(t *testing.T, address string) string {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Query().Get("host")
}

func TestDirectoryOfAnotherVersionIsRefusedAndKept(t *testing.T) {
	t.Parallel()
	config := quick(filepath.Join(t.TempDir(), "data"))
	cluster := start(t, config)
	mark(t, cluster)
	stop(t, cluster)
	versionFile := filepath.Join(config.DataDir, "PG_VERSION")
	own, err := os.ReadFile(versionFile)
	if err != nil {
		t.Fatal(err)
	}
	overwrite(t, versionFile, "99\n")
	refused(t, config, "made by PostgreSQL 99", "only PostgreSQL "+strings.TrimSpace(string(own)), "install PostgreSQL 99")
	overwrite(t, versionFile, "13\n")
	refused(t, config, "made by PostgreSQL 13", "15 or newer", "pg_upgrade")
	overwrite(t, versionFile, string(own))
	expect(t, start(t, config), readMarker, "kept")
}

func overwrite(t *testing.T, path, content string) {
	t.Helper()
	err := os.WriteFile(path, []byte(content), 0o600)
	if err != nil {
		t.Fatal(err)
	}
}

func TestForeignFilesAreRefusedAndKept(t *testing.T) {
	t.Parallel()
	dataDir := t.TempDir()
	letter := filepath.Join(dataDir, "letter.txt")
	overwrite(t, letter, "dear customer")
	refused(t, quick(dataDir), "holds files", "nothing in it was touched")
	content, err := os.ReadFile(letter)
	if err != nil || string(content) != "dear customer" {
		t.Errorf("the file is now %q (%v)", content, err)
	}
}

func TestInterruptedFirstStartIsRepeated(t *testing.T) {
	t.Parallel()
	config := quick(filepath.Join(t.TempDir(), "data"))
	halfMade := config.DataDir + ".initdb"
	err := os.Mkdir(halfMade, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	overwrite(t, filepath.Join(halfMade, "PG_VERSION"), "15\n")
	mark(t, start(t, config))
	_, err = os.Stat(halfMade)
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the half-made directory is still there: %v", err)
	}
}

func TestEndOfTheCallersContext(t *testing.T) {
	t.Parallel()
	config := quick(filepath.Join(t.TempDir(), "data"))
	ended, end := context.WithCancel(t.Context())
	end()
	_, err := postgres.Start(ended, config)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want the context's error", err)
	}
	mark(t, start(t, config))
}

func TestFailedStartQuotesTheServerAndFreesTheDirectory(t *testing.T) {
	t.Parallel()
	config := quick(filepath.Join(t.TempDir(), "data"))
	config.Settings["work_mem"] = "plenty"
	refused(t, config, "work_mem", "plenty")
	delete(config.Settings, "work_mem")
	mark(t, start(t, config))
}

func TestSecondProgramIsRefused(t *testing.T) {
	t.Parallel()
	config := quick(filepath.Join(t.TempDir(), "data"))
	cluster := start(t, config)
	_, err := postgres.Start(t.Context(), config)
	if !errors.Is(err, postgres.ErrInUse) {
		t.Errorf("got %v, want ErrInUse", err)
	}
	output, err := holder(t, config.DataDir).Output()
	if err == nil || !strings.Contains(string(output), "another data directory") {
		t.Errorf("another program got %q (%v), want a refusal", output, err)
	}
	expect(t, cluster, "SELECT 'alive'", "alive")
}

func holder(t *testing.T, dataDir string) *exec.Cmd {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0])
	command.Env = append(os.Environ(), holdVariable+"="+dataDir)
	return command
}

// startHolder starts another program that starts the cluster, and returns it with the cluster's address.
func startHolder(t *testing.T, dataDir string) (*exec.Cmd, string) {
	t.Helper()
	program := holder(t, dataDir)
	output, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	err = program.Start()
	if err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 4096)
	length, err := output.Read(line)
	if err != nil {
		t.Fatalf("the other program said nothing: %v", err)
	}
	return program, strings.TrimSpace(string(line[:length]))
}

func TestServerOfAKilledProgramIsAdopted(t *testing.T) {
	t.Parallel()
	config := quick(filepath.Join(t.TempDir(), "data"))
	program, address := startHolder(t, config.DataDir)
	process := ask(t, address, `SELECT split_part(pg_read_file('postmaster.pid'), E'\n', 1)`)
	err := program.Process.Kill()
	if err != nil {
		t.Fatal(err)
	}
	_ = program.Wait()

	adopted := start(t, config)
	if adopted.URL("postgres") != address {
		t.Errorf("adopted at %s, want %s", adopted.URL("postgres"), address)
	}
	expect(t, adopted, `SELECT split_part(pg_read_file('postmaster.pid'), E'\n', 1)`, process)
	mark(t, adopted)
	stop(t, adopted)
	_, err = os.Stat(filepath.Join(config.DataDir, "postmaster.pid"))
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the adopted server was not stopped: %v", err)
	}
	expect(t, start(t, config), readMarker, "kept")
}

func TestServerThatCrashedIsRecovered(t *testing.T) {
	t.Parallel()
	config := quick(filepath.Join(t.TempDir(), "data"))
	program, address := startHolder(t, config.DataDir)
	server := ask(t, address, `SELECT split_part(pg_read_file('postmaster.pid'), E'\n', 1)`)
	err := program.Process.Kill()
	if err != nil {
		t.Fatal(err)
	}
	_ = program.Wait()
	var process int
	_, err = fmt.Sscan(server, &process)
	if err != nil {
		t.Fatal(err)
	}
	err = syscall.Kill(process, syscall.SIGKILL)
	if err != nil {
		t.Fatal(err)
	}
	mark(t, start(t, config))
}

// TestRecordOfAnotherProcess: after a restart of the machine, the number in a leftover pid file may belong to any program.
func TestRecordOfAnotherProcess(t *testing.T) {
	t.Parallel()
	config := quick(filepath.Join(t.TempDir(), "data"))
	cluster := start(t, config)
	mark(t, cluster)
	stop(t, cluster)
	record := fmt.Sprintf("%d\n%s\n1700000000\n5432\n%s\n", os.Getpid(), config.DataDir, t.TempDir())
	pidFile := filepath.Join(config.DataDir, "postmaster.pid")
	overwrite(t, pidFile, record)
	err := os.Chown(pidFile, int(owner(t, config.DataDir)), -1)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, start(t, config), readMarker, "kept")
}
