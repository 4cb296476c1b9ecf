package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

const (
	// superuser owns every database of a private cluster.
	superuser = "postgres"
	// port only names the socket file: the server has no TCP port.
	port = "5432"
	// pollInterval is the pause between two looks at a server that starts or stops.
	pollInterval = 10 * time.Millisecond
	// waitInterval is the pause between two looks at an adopted server, whose end nobody tells us.
	waitInterval = 500 * time.Millisecond
	// startLimit ends a start that never gets ready; it leaves room for the recovery after a crash.
	startLimit = 2 * time.Minute
)

// ErrInUse is returned by Start when another living program holds the data directory.
var ErrInUse = errors.New("the data directory is in use by another program")

// Config holds the settings of a private cluster. Only DataDir is required.
type Config struct {
	// DataDir holds the database files. It is made if it does not exist. Its parent gets three neighbours of the same name: the
	// lock (".lock"), the server's log (".log") and, during the first start, the directory being made (".initdb").
	DataDir string
	// RuntimeDir is the directory in which the socket's own directory is made. Its path must be short (a socket path has at most
	// 103 bytes). Default: the system's directory for temporary files.
	RuntimeDir string
	// CacheDir is the project's cache: binaries fetched by `make postgres` are looked for in it, before all other places.
	CacheDir string
	// Log receives what happens to the server; the server's own output goes to DataDir + ".log". Default: nothing is logged.
	Log *slog.Logger
	// Settings are PostgreSQL's own settings by name ("fsync": "off"), in force until the server stops. An adopted server keeps
	// those it was started with. Where the server listens cannot be changed.
	Settings map[string]string
}

// Cluster is a running private server. Its methods may be called by several goroutines.
type Cluster struct {
	dataDir   string
	socketDir string
	process   int
	// exited is closed when the server has ended. It is nil for an adopted server, which is not our child process.
	exited   chan struct{}
	lock     *os.File
	log      *slog.Logger
	stopOnce sync.Once
	stopErr  error
}

// Start returns the running cluster of a data directory: the one a killed program left behind, or a new server on the existing or new
// directory. It returns when the server answers. The context limits the start only; the server runs until Stop.
//
// Errors: ErrInUse; and, each with its remedy: no usable PostgreSQL on this machine; a data directory of another major version, with other
// files, open to other users or not writable; a server that ended at once (with the end of its log).
func Start(ctx context.Context, config Config) (*Cluster, error) {
	config, err := config.resolve()
	if err != nil {
		return nil, err
	}
	lock, err := acquireLock(config.DataDir + ".lock")
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", config.DataDir, Unwritable(filepath.Dir(config.DataDir), err))
	}
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	cluster, err := startLocked(ctx, config)
	if err != nil {
		return nil, errors.Join(err, releaseLock(lock))
	}
	cluster.lock = lock
	return cluster, nil
}

// resolve fills in the defaults and makes the paths absolute, with symbolic links followed, so that one directory has one lock.
func (c Config) resolve() (Config, error) {
	if c.DataDir == "" {
		return c, errors.New("start postgres: no data directory was given")
	}
	absolute, err := filepath.Abs(c.DataDir)
	if err != nil {
		return c, fmt.Errorf("resolve data directory: %w", err)
	}
	err = os.MkdirAll(filepath.Dir(absolute), 0o755) //nolint:gosec // the server's account must walk through; the data are closed
	if err != nil {
		return c, fmt.Errorf("make the parent of the data directory: %w", Unwritable(filepath.Dir(absolute), err))
	}
	c.DataDir, err = followLinks(absolute)
	if err != nil {
		return c, fmt.Errorf("resolve data directory: %w", err)
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c, nil
}

// followLinks resolves the symbolic links of a path whose last part need not exist yet.
func followLinks(path string) (string, error) {
	resolved, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, os.ErrNotExist) {
		return resolved, err
	}
	parent, err := filepath.EvalSymlinks(filepath.Dir(path))
	return filepath.Join(parent, filepath.Base(path)), err
}

// startLocked does the work of Start for the one program that holds the lock.
func startLocked(ctx context.Context, config Config) (*Cluster, error) {
	cluster, err := adopt(ctx, config)
	if err != nil || cluster != nil {
		return cluster, err
	}
	launcher, err := newLauncher(ctx, config)
	if err != nil {
		return nil, err
	}
	if launcher.dataVersion == 0 {
		err = launcher.initialise(ctx)
	}
	if err == nil {
		cluster, err = launcher.launch(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, removeSocketDir(launcher.socketDir))
	}
	return cluster, nil
}

// URL is the address of one database of the cluster, for pgx and other clients that read libpq's URLs. The user is the superuser.
func (c *Cluster) URL(database string) string {
	return c.URLAs(superuser, database)
}

// URLAs is the address of one database of the cluster for another user, who needs no password either.
func (c *Cluster) URLAs(user, database string) string {
	address := url.URL{
		Scheme:   "postgres",
		User:     url.User(user),
		Path:     "/" + database,
		RawQuery: url.Values{"host": {c.socketDir}, "port": {port}, "sslmode": {"disable"}}.Encode(),
	}
	return address.String()
}

// Wait returns nil when the server has ended, by itself or by Stop, and the context's error when that ends first.
func (c *Cluster) Wait(ctx context.Context) error {
	if c.exited == nil {
		return pollEvery(ctx, waitInterval, c.ended)
	}
	select {
	case <-c.exited:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Stop shuts the server down ("fast": open transactions are rolled back, clients are disconnected), waits for its end and gives up the
// data directory. If the context ends first, the server still goes down, but its end was not seen: the error wraps the context's.
// A second call does nothing and returns the first one's result.
func (c *Cluster) Stop(ctx context.Context) error {
	c.stopOnce.Do(func() {
		c.stopErr = errors.Join(c.shutDown(ctx), releaseLock(c.lock))
	})
	return c.stopErr
}

func (c *Cluster) shutDown(ctx context.Context) error {
	err := syscall.Kill(c.process, syscall.SIGINT)
	if err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("stop postgres (process %d): %w", c.process, err)
	}
	err = poll(ctx, c.ended)
	if err != nil {
		return fmt.Errorf("wait for the end of postgres (process %d): %w", c.process, err)
	}
	c.log.Info("postgres stopped", "data", c.dataDir)
	return removeSocketDir(c.socketDir)
}

// ended reports whether the server is gone. An adopted server is gone when its pid file is: its process may stay visible until its parent
// collects the exit status.
func (c *Cluster) ended() bool {
	if c.exited == nil {
		record, err := readPidFile(c.dataDir)
		return err != nil || record.process != c.process || !alive(c.process)
	}
	select {
	case <-c.exited:
		return true
	default:
		return false
	}
}

// poll asks until the answer is yes or the context ends.
func poll(ctx context.Context, done func() bool) error {
	return pollEvery(ctx, pollInterval, done)
}

func pollEvery(ctx context.Context, interval time.Duration, done func() bool) error {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for !done() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
	return nil
}
