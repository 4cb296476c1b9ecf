package postgres

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

const (
	// socketPathLimit is the longest socket path in bytes that Linux (107) and macOS (103) both take.
	socketPathLimit = 103
	// fallbackRuntimeDir is used where the system's directory for temporary files is too long or closed to the server's account.
	fallbackRuntimeDir = "/tmp"
	socketDirPrefix    = "cs-"
)

// prepareSocketDir makes the directory of the socket of a data directory: always the same one for the same data directory, open to the
// account and root alone, since anybody who can reach the socket may connect.
func prepareSocketDir(config Config, who account) (string, error) {
	parent, err := socketParent(config, who)
	if err != nil {
		return "", err
	}
	digest := sha256.Sum256([]byte(config.DataDir))
	dir := filepath.Join(parent, socketDirPrefix+hex.EncodeToString(digest[:6]))
	err = os.Mkdir(dir, 0o700)
	if err == nil {
		err = who.own(dir)
	}
	if err != nil && !os.IsExist(err) {
		return "", fmt.Errorf("make the socket directory: %w", err)
	}
	return dir, checkSocketDir(dir, who)
}

// socketParent chooses where the socket directory stands: as configured, else the first of the usual places that serves.
func socketParent(config Config, who account) (string, error) {
	places := []string{os.TempDir(), fallbackRuntimeDir}
	if config.RuntimeDir != "" {
		places = []string{config.RuntimeDir}
	}
	for _, place := range places {
		absolute, err := filepath.Abs(place)
		if err != nil {
			return "", fmt.Errorf("resolve runtime directory: %w", err)
		}
		sample := socketPath(filepath.Join(absolute, socketDirPrefix+"0123456789ab"))
		if len(sample) <= socketPathLimit && who.canEnter(absolute) {
			return absolute, nil
		}
	}
	return "", fmt.Errorf("no socket can be made in %s: choose a runtime directory with a path of at most %d bytes "+
		"that user %d can enter", strings.Join(places, " or "), socketPathLimit-len("/"+socketDirPrefix+"0123456789ab/.s.PGSQL."+port), who.user)
}

// checkSocketDir refuses a directory that somebody else made at the expected place, or opened to others.
func checkSocketDir(dir string, who account) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("check the socket directory: %w", err)
	}
	owner, err := ownerOf(dir)
	if err != nil {
		return fmt.Errorf("check the socket directory: %w", err)
	}
	if !info.IsDir() || owner.user != who.user || info.Mode().Perm() != 0o700 {
		return fmt.Errorf("socket directory %s must be a directory of user %d with mode 0700, and is not: "+
			"remove it, or choose another runtime directory", dir, who.user)
	}
	return nil
}

// removeSocketDir removes a directory made by prepareSocketDir, and nothing else.
func removeSocketDir(dir string) error {
	if !strings.HasPrefix(filepath.Base(dir), socketDirPrefix) {
		return nil
	}
	err := os.RemoveAll(dir)
	if err != nil {
		return fmt.Errorf("remove the socket directory: %w", err)
	}
	return nil
}

func socketPath(dir string) string {
	return filepath.Join(dir, ".s.PGSQL."+port)
}

// Unwritable adds the remedy to the error of a path that could not be written; it returns nil and other errors unchanged.
func Unwritable(path string, err error) error {
	switch {
	case errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%s is on a read-only file system: mount it for writing, or choose another data directory (%w)", path, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf(
			"this program runs as user %d, which may not write to %s: give it to that user (chown), or choose another data directory (%w)",
			os.Geteuid(), path, err,
		)
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s is a file, or lies below one: choose another data directory (%w)", path, err)
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("the file system of %s is full: make room on it, or choose another data directory (%w)", path, err)
	}
	return err
}

// checkFolder refuses a data directory that is a file.
func checkFolder(dataDir string) error {
	info, err := os.Stat(dataDir)
	if err == nil && !info.IsDir() {
		return fmt.Errorf("%s is a file: choose another data directory", dataDir)
	}
	return nil // what else is wrong is told when it is used
}

// checkClosed refuses databases that are open to other users, as PostgreSQL would.
func checkClosed(dataDir string) error {
	info, err := os.Stat(dataDir)
	if err != nil {
		return fmt.Errorf("look at the data directory: %w", err)
	}
	const others = 0o027 // PostgreSQL lets the group read
	if mode := info.Mode().Perm(); mode&others != 0 {
		return fmt.Errorf("the data directory %s is open to others (mode %04o): run chmod 700 on it", dataDir, mode)
	}
	return nil
}
