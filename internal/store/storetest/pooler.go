package storetest

import (
	"context"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"countersign/internal/testutil"
)

// Pooler starts a pgbouncer in transaction mode in front of the test's server, with few connections, and returns the database's URL through
// it for a login. One that was started before the login was settled has connections that do not know it. It is for tests of
// the long tier.
func (d *DB) Pooler(t testing.TB, login string) (through string) {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Fatal("storetest:", err)
		}
	}
	testutil.Long(t)
	program := testutil.Program(t, "pgbouncer", "make pgbouncer")
	direct, err := url.Parse(d.URL)
	must(err)
	socket := filepath.Join(direct.Query().Get("host"), ".s.PGSQL."+direct.Query().Get("port"))
	free, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	port := free.Addr().(*net.TCPAddr).Port
	must(free.Close())
	folder, err := os.MkdirTemp("", "csbouncer")
	must(err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	settings, users := filepath.Join(folder, "pgbouncer.ini"), filepath.Join(folder, "users")
	must(os.WriteFile(users, fmt.Appendf(nil, "%q \"\"\n", login), 0o600))
	must(os.WriteFile(settings, fmt.Appendf(
		nil, "[databases]\n* = host=%s port=%s\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = %d\n"+
			"unix_socket_dir =\nauth_type = trust\nauth_file = %s\npool_mode = transaction\ndefault_pool_size = 4\nmax_client_conn = 100\n",
		filepath.Dir(socket), direct.Query().Get("port"), port, users,
	), 0o600))
	must(os.Chmod(folder, fs.FileMode(0o755))) // the account of the server reads them
	must(os.Chmod(settings, fs.FileMode(0o644)))
	must(os.Chmod(users, fs.FileMode(0o644)))
	command := exec.Command(program, "-q", settings) //nolint:gosec // the program that make installs
	if os.Getuid() == 0 {                            // it refuses to be root, and works as the account of the server
		owner, err := os.Stat(socket)
		must(err)
		account := owner.Sys().(*syscall.Stat_t)
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: account.Uid, Gid: account.Gid}}
	}
	said := &strings.Builder{}
	command.Stdout, command.Stderr = said, said
	must(command.Start())
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
			must(connection.Close())
			break
		}
	}
	return "postgres://" + login + "@" + address + direct.Path
}

// SettlePooled gives a login the settings that the gateway otherwise makes for its connections, as docs/operations.md describes.
func (d *DB) SettlePooled(t testing.TB, login string) {
	t.Helper()
	_, err := d.Owner(t).Exec(
		context.Background(), "ALTER ROLE "+login+" SET role = 'countersign_app'; ALTER ROLE "+login+" SET countersign.realm = '(gateway)'",
	)
	if err != nil {
		t.Fatal("storetest:", err)
	}
}
