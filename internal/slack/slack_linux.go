// Package slack lets the system wake the program up to a millisecond late, so that it wakes seldom: Go's runtime looks after its
// threads from one of its own, which sleeps 20 microseconds at a time while another is in a system call, and under load one always is.
// These wake-ups took an eighth of the program's processor time at eight clients (docs/performance.md).
//
// A thread's slack is that of the thread that made it, and nobody sets another's without a privilege (prctl(2), PR_SET_TIMERSLACK). The
// runtime's thread has begun before any line of ours. So the program begins anew once, as the same process, with what was set kept: as the
// package is made, before those that take longer, and for commands that serve alone.
//
// A slack that somebody else has set is left alone, such as systemd's TimerSlackNSec=1ms, which saves beginning twice.
package slack

import (
	"os"
	"slices"
	"syscall"
)

// begun in the environment says that the program has begun anew, or shall not.
const begun = "COUNTERSIGN_TIMER_SLACK_SET"

// Of prctl(2); in nanoseconds. golang.org/x/sys has the first two as well, but what imports it is made later, after what lies under
// github.com.
const (
	setTimerSlack = 29
	getTimerSlack = 30
	usual         = 50_000
	wanted        = 1_000_000
)

func init() {
	if slices.ContainsFunc(os.Args[min(1, len(os.Args)):], serves) && os.Getenv(begun) == "" && widen() {
		beginAnew()
	}
}

// serves tells whether a word of the command line is that of a command that serves until it is stopped.
func serves(word string) bool { return word == "serve" || word == "demo" || word == "simulator" }

// widen sets the slack of this thread, and tells whether it had the usual one and has the wanted one now.
func widen() bool {
	had, _, _ := syscall.RawSyscall(syscall.SYS_PRCTL, getTimerSlack, 0, 0)
	if had != usual {
		return false
	}
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setTimerSlack, wanted, 0) // what came of it is asked next
	has, _, _ := syscall.RawSyscall(syscall.SYS_PRCTL, getTimerSlack, 0, 0)
	return has == wanted
}

// beginAnew does not return, unless the program cannot begin anew: it goes on with the usual slack of all other threads then.
func beginAnew() {
	program, err := os.Executable()
	if err == nil {
		_ = syscall.Exec(program, os.Args, append(os.Environ(), begun+"=yes")) //nolint:gosec // this program
	}
}
