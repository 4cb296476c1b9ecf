package clearing_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/payment"
	"countersign/internal/postgres"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/testutil"
)

// archived is a server whose write-ahead log is archived, as a point-in-time restore needs it.
type archived struct {
	*postgres.Cluster
	folder string // with data, archive and base in it
}

func (a archived) archive() string { return filepath.Join(a.folder, "archive") }

// startAt runs a server on a data folder below the archived one's, with settings of its own.
func (a *archived) startAt(t *testing.T, data string, settings map[string]string) {
	t.Helper()
	settings["fsync"] = "off"
	server, err := postgres.Start(ctx, postgres.Config{
		DataDir: filepath.Join(a.folder, data), Log: slog.New(slog.DiscardHandler), Settings: settings,
	})
	must(t, err)
	t.Cleanup(func() { _ = server.Stop(ctx) })
	a.Cluster = server
}

func (a *archived) start(t *testing.T) {
	t.Helper()
	a.startAt(t, "data", map[string]string{"archive_mode": "on", "archive_command": "cp %p " + a.archive() + "/%f"})
}

// ask has the server answer with one text.
func (a *archived) ask(t *testing.T, query string) (answer string) {
	t.Helper()
	conn, err := pgx.Connect(ctx, a.URL("postgres"))
	must(t, err)
	must(t, conn.QueryRow(ctx, query).Scan(&answer))
	must(t, conn.Close(ctx))
	return answer
}

// newArchived is such a server with a base backup, which is a copy of its data folder, and nothing of the payments to come in it.
func newArchived(t *testing.T) *archived {
	t.Helper()
	dumped := dump(t, servicetest.New(t))
	folder, err := os.MkdirTemp("", "csp")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	a := &archived{folder: folder}
	must(t, os.Mkdir(a.archive(), 0o755))
	for _, open := range []string{folder, a.archive()} { // the server is not root, and cp is run by it
		must(t, os.Chmod(open, 0o777))
	}
	a.start(t)
	into(t, a.Cluster, dumped).Database.Close()
	must(t, a.Stop(ctx))
	run(t, "cp", "-a", filepath.Join(folder, "data"), filepath.Join(folder, "base"))
	a.start(t)
	return a
}

// restoredTo ends the server and runs another on the base backup, up to the point of the name.
func (a *archived) restoredTo(t *testing.T, point string) {
	t.Helper()
	last := a.ask(t, "SELECT pg_walfile_name(pg_switch_wal())")
	eventually(t, "the end of the log is archived", func() bool {
		_, err := os.Stat(filepath.Join(a.archive(), last))
		return err == nil
	})
	must(t, a.Stop(ctx))
	base := filepath.Join(a.folder, "base")
	must(t, os.WriteFile(filepath.Join(base, "recovery.signal"), nil, 0o600))
	owner, err := os.Stat(filepath.Join(base, "PG_VERSION"))
	must(t, err)
	if stat, ok := owner.Sys().(*syscall.Stat_t); ok {
		must(t, os.Chown(filepath.Join(base, "recovery.signal"), int(stat.Uid), int(stat.Gid)))
	}
	a.startAt(t, "base", map[string]string{
		"restore_command": "cp " + a.archive() + "/%f %p", "recovery_target_name": point, "recovery_target_action": "promote",
	})
	eventually(t, "the restored server is a primary", func() bool { return a.ask(t, "SELECT pg_is_in_recovery()::text") == "false" })
}

// TestWhatWasSentAfterThePointOfARestoreIsFoundAgain is TestWhatWasSentAfterTheBackupIsFoundAgain with a copy of a PostgreSQL data folder
// that is brought to a point between the entry of a payment and its approval.
func TestWhatWasSentAfterThePointOfARestoreIsFoundAgain(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	needsPrograms(t)
	server := newArchived(t)
	h := servicetest.On(t, on(t, server.Cluster), servicetest.Options{})
	there := &memory{has: map[string]string{}}
	h.Network.Refuse = there.refuse
	m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	server.ask(t, "SELECT pg_create_restore_point('entered')::text")
	_, err := h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID})
	must(t, err)
	send(t, h, m)
	receive(t, h, answer(t, m, "A1", "ACSC", ""))
	want{state: payment.StateSettled}.check(t, h, m)
	server.restoredTo(t, "entered")
	foundAgain(t, servicetest.On(t, on(t, server.Cluster), servicetest.Options{At: h.Clock.Now().Add(time.Minute)}), there, m)
}
