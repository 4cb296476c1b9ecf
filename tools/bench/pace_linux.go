package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is the processor time that this thread has used.
func threadTime() time.Duration {
	var used unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &used) // every Linux has this clock
	return time.Duration(used.Nano())
}
