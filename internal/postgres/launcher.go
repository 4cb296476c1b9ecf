package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

const (
	// inheritedDir is the first extra file a child process gets, as a path. Linux opens it without a look at the directories above.
	inheritedDir = "/proc/self/fd/3"
	// logTailLimit is the length in bytes of the server's log quoted in an error.
	logTailLimit = 2000
	// logSizeLimit is the size in bytes from which a start keeps the log under a second name (".log.1") and begins a new one.
	logSizeLimit = 8 << 20
)

// launcher knows everything needed to run PostgreSQL's programs on one data directory.
type launcher struct {
	config      Config
	account     account
	binaries    binaries
	dataVersion int
	socketDir   string
}

func newLauncher(ctx context.Context, config Config) (launcher, error) {
	who, err := serverAccount(config.DataDir)
	if err != nil {
		return launcher{}, err
	}
	err = checkFolder(config.DataDir)
	if err != nil {
		return launcher{}, err
	}
	version, err := dataVersion(config.DataDir)
	if err != nil {
		return launcher{}, err
	}
	if version != 0 {
		err = checkClosed(config.DataDir)
	}
	if err != nil {
		return launcher{}, err
	}
	found, err := choose(ctx, candidateDirs(config.CacheDir), version)
	if err != nil {
		return launcher{}, fmt.Errorf("find PostgreSQL for %s: %w", config.DataDir, err)
	}
	socketDir, err := prepareSocketDir(config, who)
	if err != nil {
		return launcher{}, err
	}
	found, err = found.reachable(who, socketDir)
	if err != nil {
		return launcher{}, err
	}
	return launcher{config: config, account: who, binaries: found, dataVersion: version, socketDir: socketDir}, nil
}

// reachable returns programs the account can run. A cache below root's home is closed to it; then the whole installation, which is
// relocatable and 60 MB, is copied beside the socket.
func (b binaries) reachable(who account, socketDir string) (binaries, error) {
	if !who.drop || who.canEnter(b.dir) {
		return b, nil
	}
	if filepath.Base(filepath.Dir(b.dir)) != fetchedRoot {
		return b, fmt.Errorf("PostgreSQL in %s cannot be run by user %d: install it where every user can run it, or run `make postgres`",
			b.dir, who.user)
	}
	place := filepath.Join(socketDir, fetchedRoot)
	err := os.RemoveAll(place)
	if err == nil {
		err = os.CopyFS(place, os.DirFS(filepath.Dir(b.dir)))
	}
	if err == nil {
		err = who.own(place)
	}
	if err != nil {
		return b, fmt.Errorf("copy PostgreSQL to where user %d can run it: %w", who.user, err)
	}
	b.dir = filepath.Join(place, "bin")
	return b, nil
}

// initialise makes the data directory: complete under another name first, so that a directory at the final place is always whole.
func (l launcher) initialise(ctx context.Context) error {
	l.config.Log.Info("making a new database cluster", "data", l.config.DataDir, "postgres", l.binaries.major)
	building := l.config.DataDir + ".initdb"
	err := os.RemoveAll(building)
	if err == nil {
		err = os.Mkdir(building, 0o700)
	}
	if err == nil {
		err = l.account.own(building)
	}
	if err != nil {
		return fmt.Errorf("prepare the new data directory: %w", Unwritable(filepath.Dir(building), err))
	}
	err = l.runInitdb(ctx, building)
	if err != nil {
		return err
	}
	err = os.Rename(building, l.config.DataDir)
	if err != nil {
		return fmt.Errorf("move the new data directory to its place: %w", err)
	}
	return syncDir(filepath.Dir(l.config.DataDir))
}

func (l launcher) runInitdb(ctx context.Context, dir string) error {
	arguments := []string{
		"--username=" + superuser, "--auth=trust", "--encoding=UTF8", "--locale=C", "--data-checksums", "--no-instructions",
	}
	if l.config.Settings["fsync"] == "off" {
		arguments = append(arguments, "--no-sync")
	}
	command, closeDir, err := l.command("initdb", dir, arguments)
	if err != nil {
		return err
	}
	defer closeDir()
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	err = command.Start()
	if err != nil {
		return fmt.Errorf("run initdb: %w", err)
	}
	stopWatching := context.AfterFunc(ctx, func() { _ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) })
	defer stopWatching()
	err = command.Wait()
	if err != nil {
		return fmt.Errorf("run initdb: %w: %s", errors.Join(err, ctx.Err()), tail(output.Bytes()))
	}
	return nil
}

// launch starts the server and waits until it takes clients.
func (l launcher) launch(ctx context.Context) (*Cluster, error) {
	logFile, err := openLog(l.config.DataDir + ".log")
	if err != nil {
		return nil, fmt.Errorf("open the server's log: %w", err)
	}
	defer func() { _ = logFile.Close() }()
	begin, err := logFile.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("open the server's log: %w", err)
	}
	command, closeDir, err := l.command("postgres", l.config.DataDir, l.settings())
	if err != nil {
		return nil, err
	}
	defer closeDir()
	command.Stdout, command.Stderr = logFile, logFile
	err = command.Start()
	if err != nil {
		return nil, fmt.Errorf("start postgres: %w", err)
	}
	cluster := l.watch(command)
	err = cluster.waitUntilReady(ctx)
	if err != nil {
		return nil, fmt.Errorf("start postgres: %w: %s", err, tailFrom(logFile, begin))
	}
	l.config.Log.Info("postgres started", "data", l.config.DataDir, "version", l.binaries.major, "process", cluster.process)
	return cluster, nil
}

// watch makes the cluster of a started server and collects its exit status when it ends.
func (l launcher) watch(command *exec.Cmd) *Cluster {
	exited := make(chan struct{})
	go func() {
		_ = command.Wait()
		close(exited)
	}()
	return &Cluster{
		dataDir: l.config.DataDir, socketDir: l.socketDir, process: command.Process.Pid, exited: exited, log: l.config.Log,
	}
}

func (c *Cluster) waitUntilReady(ctx context.Context) error {
	err := poll(ctx, func() bool { return c.ended() || ping(ctx, socketPath(c.socketDir)) == ready })
	if err == nil && c.ended() {
		err = errors.New("the server ended at once")
	}
	if err != nil {
		// An immediate shutdown, which the server's own watchdog ends within seconds. Nobody has written anything yet.
		_ = syscall.Kill(c.process, syscall.SIGQUIT)
		<-c.exited
	}
	return err
}

// settings are the server's arguments: the defaults, then the caller's, then those that keep it private. A new database gets its first
// statistics within seconds, and not within a minute, in which plans are made and kept that know nothing of it. After each checkpoint a
// page is written to the log whole when it first changes, and with checksums also when vacuum finds it visible to all: with room for four
// gigabytes a busy server has a checkpoint every five minutes, where it had one a minute, and a quarter less log for a payment.
// Payments wait more often while autovacuum works, however slowly it does: at ten times its usual speed it is done in a third of the
// seconds.
func (l launcher) settings() []string {
	values := map[string]string{
		"max_connections": "200", "timezone": "UTC", "log_timezone": "UTC", "autovacuum_naptime": "15s", "max_wal_size": "4GB",
		"autovacuum_vacuum_cost_limit": "2000",
	}
	maps.Copy(values, l.config.Settings)
	values["port"] = port
	values["listen_addresses"] = ""
	values["unix_socket_directories"] = `"` + strings.ReplaceAll(l.socketDir, `"`, `""`) + `"`
	var arguments []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		arguments = append(arguments, "-c", name+"="+values[name])
	}
	return arguments
}

// command prepares one of PostgreSQL's programs to run on a directory as the account, in a process group of its own so that a Ctrl-C
// in the terminal reaches this program only. Call the returned function when the program has been started or has ended.
func (l launcher) command(program, dir string, arguments []string) (*exec.Cmd, func(), error) {
	command := exec.Command(filepath.Join(l.binaries.dir, program)) //nolint:gosec // a found server, which outlives the start
	command.Dir = "/"
	command.Env = []string{"LC_ALL=C", "PATH=/usr/bin:/bin"}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: l.account.credential()}
	closeDir := func() {}
	if l.account.drop && !l.account.canEnter(filepath.Dir(dir)) {
		opened, err := l.openForChild(dir)
		if err != nil {
			return nil, nil, err
		}
		command.ExtraFiles = []*os.File{opened}
		dir, closeDir = inheritedDir, func() { _ = opened.Close() }
	}
	command.Args = append(command.Args, append([]string{"-D", dir}, arguments...)...)
	return command, closeDir, nil
}

// openForChild opens a directory whose parents are closed to the account (below root's home, say), so that the child process can use
// it without those parents being opened to everybody.
func (l launcher) openForChild(dir string) (*os.File, error) {
	if runtime.GOOS != "linux" {
		return nil, fmt.Errorf("user %d cannot enter %s: choose a data directory that every user may walk to", l.account.user, dir)
	}
	opened, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("open the data directory: %w", err)
	}
	return opened, nil
}

func openLog(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil && info.Size() > logSizeLimit {
		err = os.Rename(path, path+".1")
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
}

func tailFrom(file *os.File, begin int64) string {
	content, err := io.ReadAll(io.NewSectionReader(file, begin, 1<<20))
	if err != nil {
		return fmt.Sprintf("its log cannot be read: %v", err)
	}
	return tail(content)
}

func tail(output []byte) string {
	return strings.TrimSpace(string(output[max(0, len(output)-logTailLimit):]))
}

// syncDir makes a rename in a directory survive a power cut.
func syncDir(dir string) error {
	opened, err := os.Open(dir)
	if err == nil {
		err = errors.Join(opened.Sync(), opened.Close())
	}
	if err != nil {
		return fmt.Errorf("sync %s: %w", dir, err)
	}
	return nil
}
