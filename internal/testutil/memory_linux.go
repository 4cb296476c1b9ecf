package testutil

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

const (
	// memoryFolder is Linux's folder for files in memory.
	memoryFolder = "/dev/shm"
	// memoryRoom is the number of bytes that must be free there, and in memory. All tests use half a gigabyte at most.
	memoryRoom = 4 << 30
)

// KeepInMemory makes this test process, and the programs it starts, keep temporary files in memory when there is room and TMPDIR is not
// set. Call it before the first test.
//
// A test makes a database of a thousand files and deletes it. For each new file ext4 skips those deleted in the last five minutes, which
// takes two fifths of the time of the tests of web/portal.
func KeepInMemory() error {
	_, given := os.LookupEnv("TMPDIR")
	if given || free(memoryFolder) < memoryRoom || available() < memoryRoom {
		return nil
	}
	return os.Setenv("TMPDIR", memoryFolder)
}

// free returns the free bytes of a folder in memory; 0 for a folder elsewhere, or one that is not writable.
func free(folder string) uint64 {
	var state unix.Statfs_t
	err := unix.Statfs(folder, &state)
	if err != nil || state.Type != unix.TMPFS_MAGIC || unix.Access(folder, unix.W_OK) != nil {
		return 0
	}
	return state.Bavail * uint64(state.Bsize) //nolint:gosec // the size of a block
}

// available returns the free bytes of memory of the machine, limited to those of this container.
func available() uint64 {
	machine, _ := os.ReadFile("/proc/meminfo") // where it is not, no number is in it
	_, after, _ := bytes.Cut(machine, []byte("MemAvailable:"))
	number, _, _ := bytes.Cut(after, []byte(" kB"))
	kilobytes, err := strconv.ParseUint(string(bytes.TrimSpace(number)), 10, 54)
	if err != nil {
		return 0
	}
	limit, _ := os.ReadFile("/sys/fs/cgroup/memory.max") // it says max, or is not there, where there is none
	most, err := strconv.ParseUint(string(bytes.TrimSpace(limit)), 10, 64)
	if err != nil {
		return kilobytes << 10
	}
	return min(kilobytes<<10, most)
}
