package testutil

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// SmallDisk mounts a file system of 200 MB in memory, with room for a database and little else, and returns its folder. It skips the test
// of an account that may mount none.
func SmallDisk(t testing.TB) (folder string) {
	t.Helper()
	folder, err := os.MkdirTemp("", "csd")
	if err == nil {
		err = syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=200m,mode=0755")
	}
	if errors.Is(err, syscall.EPERM) {
		Elsewhere(t, "only root mounts a file system")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := syscall.Unmount(folder, syscall.MNT_DETACH)
		if err != nil {
			t.Error(err)
		}
		_ = os.RemoveAll(folder)
	})
	return folder
}

// FillDisk fills the disk of a folder, until free is called.
func FillDisk(t testing.TB, folder string) (free func()) {
	t.Helper()
	ballast := filepath.Join(folder, "ballast")
	file, err := os.Create(ballast)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1 << 20, 4 << 10} {
		for err = nil; err == nil; {
			_, err = file.Write(make([]byte, size))
		}
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("the disk is not full: %v", err)
	}
	_ = file.Close()
	return func() {
		err := os.Remove(ballast)
		if err != nil {
			t.Error(err)
		}
	}
}
