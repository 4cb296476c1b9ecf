package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// private refuses a file of secrets that other accounts of this machine may read or change. Root's files are taken too: that is how
// secrets are mounted into a service. The error goes on from the file's name.
func private(info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return errors.New("is no file: name a file of your own")
	}
	const others = 0o077
	if mode := info.Mode().Perm(); mode&others != 0 {
		return fmt.Errorf("is open to others (mode %04o): run chmod 600 on it", mode)
	}
	stat, known := info.Sys().(*syscall.Stat_t)
	if known && stat.Uid != 0 && int(stat.Uid) != os.Geteuid() {
		return fmt.Errorf("belongs to user %d, and this program runs as user %d: give it to this user (chown)", stat.Uid, os.Geteuid())
	}
	return nil
}
