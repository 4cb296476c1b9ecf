package testutil

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

const (
	// memoryFolder is where Linux keeps files in memory.
	memoryFolder = "/dev/shm"
	// memoryRoom is how many bytes must be free there, and in memory. All tests take half a gigabyte at most.
	memoryRoom = 4 << 30
)

// KeepInMemory has files of this test process, and of the programs it starts, lie in memory where there is room. Whoever sets TMPDIR knows
// better. Call it before the first test.
//
// A test makes a database of a thousand files and deletes it. For each file it makes, ext4 passes over those that were deleted in the last
// five minutes: two fifths of the time of the tests of web/portal.
func KeepInMemory() error {
	_, given := os.LookupEnv("TMPDIR")
	if given || free(memoryFolder) < memoryRoom || available() < memoryRoom {
		return nil
	}
	return os.Setenv("TMPDIR", memoryFolder)
}

// free is how many bytes a folder in memory takes; 0 for one that is not in memory, or that takes none of ours.
func free(folder string) uint64 {
	var state unix.Statfs_t
	err := unix.Statfs(folder, &state)
	if err != nil || state.Type != unix.TMPFS_MAGIC || unix.Access(folder, unix.W_OK) != nil {
		return 0
	}
	return state.Bavail * uint64(state.Bsize) //nolint:gosec // the size of a block
}

// available is how many bytes of memory the machine has to give, or this container may take at most.
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
