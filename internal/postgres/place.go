package postgres

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

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
