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
// back, and what is needed comes from the file as it came first.
func letGoOfPages() error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	mapped, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return err
	}
	for _, s := range unchanged(mapped, program) {
		_, _, refused := unix.Syscall(unix.SYS_MADVISE, s.from, s.to-s.from, unix.MADV_DONTNEED)
		if refused != 0 {
			err = errors.Join(err, fmt.Errorf("let go of pages from %x to %x: %w", s.from, s.to, refused))
		}
	}
	return err
}

// stretch is a stretch of addresses, from the first to the one behind the last.
type stretch struct{ from, to uintptr }

// unchanged are the stretches of a file that cannot be written to and of which no page was changed, by what the system tells of each
// (proc_pid_smaps(5)):
//
//	00400000-014d9000 r-xp 00000000 fe:00 1234 /usr/bin/countersign
//	Rss:  8320 kB
//	Anonymous:  0 kB
//
// A page that was changed is not that of the file any more, and would come back as it was. A program that is loaded anywhere (PIE) has such
// ones in memory that can be read alone: its addresses were entered as it started. So has one that a debugger looks into.
func unchanged(mapped []byte, file string) (found []stretch) {
	var current stretch
	var takes bool
	for lines := bufio.NewScanner(bytes.NewReader(mapped)); lines.Scan(); {
		var next stretch
		var allowed, name string
		var kilobytes int
		line := lines.Text()
		if n, _ := fmt.Sscanf(line, "%x-%x %s", &next.from, &next.to, &allowed); n == 3 {
			current, takes = next, strings.HasSuffix(line, " "+file) && allowed[0] == 'r' && !strings.Contains(allowed, "w")
			continue
		}
		n, _ := fmt.Sscanf(line, "%s %d kB", &name, &kilobytes)
		switch {
		case n == 2 && kilobytes > 0 && (name == "Anonymous:" || name == "Swap:"):
			takes = false
		case strings.HasPrefix(line, "VmFlags:") && takes: // the last that is told of each
			found = append(found, current)
		}
	}
	return found
}
