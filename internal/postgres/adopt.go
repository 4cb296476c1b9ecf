package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// silenceLimit is the time after which a recorded process with an unanswered socket counts as another program with a reused process number.
// PostgreSQL checks the record again when it starts, and refuses to start if it still runs.
const silenceLimit = 5 * time.Second

// pidRecord is the record of a server in its data directory (file postmaster.pid; PostgreSQL's source, pidfile.h).
type pidRecord struct {
	process   int
	socketDir string
}

// adopt returns the server that already runs on the data directory, or nil where there is none. It waits for one that is starting up
// or shutting down.
func adopt(ctx context.Context, config Config) (*Cluster, error) {
	var (
		cluster *Cluster
		silence time.Duration
	)
	err := poll(ctx, func() bool {
		record, err := readPidFile(config.DataDir)
		if err != nil || !alive(record.process) {
			return true
		}
		switch ping(ctx, socketPath(record.socketDir)) {
		case ready:
			cluster = &Cluster{dataDir: config.DataDir, socketDir: record.socketDir, process: record.process, log: config.Log}
			return true
		case busy:
			silence = 0
		case silent:
			silence += pollInterval
		}
		return silence > silenceLimit
	})
	if err != nil {
		return nil, fmt.Errorf("wait for the server that runs on %s: %w", config.DataDir, err)
	}
	if cluster != nil {
		config.Log.Info("adopted the running postgres", "data", config.DataDir, "process", cluster.process)
	}
	return cluster, nil
}

// readPidFile reads the record of the server on a data directory. The socket directory is empty until the server has made its socket.
func readPidFile(dataDir string) (pidRecord, error) {
	content, err := os.ReadFile(filepath.Join(dataDir, "postmaster.pid"))
	if err != nil {
		return pidRecord{}, err
	}
	lines := strings.Split(string(content), "\n")
	process, err := strconv.Atoi(strings.TrimSpace(lines[0]))
	if err != nil || process <= 1 {
		return pidRecord{}, fmt.Errorf("read postmaster.pid: %q is no process number", lines[0])
	}
	record := pidRecord{process: process}
	if len(lines) > 4 {
		record.socketDir = lines[4]
	}
	return record, nil
}

func alive(process int) bool {
	err := syscall.Kill(process, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
