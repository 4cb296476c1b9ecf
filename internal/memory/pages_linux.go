package memory

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// letGoOfPages gives back the pages of the program's own file that are in memory: what only the start needed, half of them, does not come
// back, and what is needed comes from the file as it came first. Pages that can be written to stay.
func letGoOfPages() error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return err
	}
	for lines := bufio.NewScanner(bytes.NewReader(maps)); lines.Scan(); {
		// 00400000-014d9000 r-xp 00000000 fe:00 1234 /usr/bin/countersign, see proc_pid_maps(5)
		var from, to uintptr
		var allowed string
		_, unread := fmt.Sscanf(lines.Text(), "%x-%x %s", &from, &to, &allowed)
		if unread != nil || !strings.Contains(lines.Text(), program) || strings.Contains(allowed, "w") {
			continue
		}
		_, _, refused := unix.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_DONTNEED)
		if refused != 0 {
			err = errors.Join(err, fmt.Errorf("let go of pages from %x to %x: %w", from, to, refused))
		}
	}
	return err
}
