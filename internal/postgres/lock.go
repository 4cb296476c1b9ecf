package postgres

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// acquireLock takes the lock file for this program until releaseLock or the end of the program. The file itself stays, with
// the process number of its last holder; only the system's lock on it counts.
//
// Errors: ErrInUse with the holder's process number.
func acquireLock(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errors.Join(inUse(path), file.Close())
	}
	if err == nil {
		err = file.Truncate(0)
	}
	if err == nil {
		_, err = fmt.Fprintf(file, "%d\n", os.Getpid())
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// releaseLock frees the lock at once. Closing the file alone would leave it to a child process that is just being started and still
// shares the open file.
func releaseLock(file *os.File) error {
	return errors.Join(syscall.Flock(int(file.Fd()), syscall.LOCK_UN), file.Close())
}

func inUse(path string) error {
	holder, err := os.ReadFile(path)
	if err != nil {
		return ErrInUse
	}
	return fmt.Errorf("%w (process %s): stop it first, or choose another data directory", ErrInUse, strings.TrimSpace(string(holder)))
}
