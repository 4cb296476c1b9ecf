package main

import (
	"os"
	"runtime/debug"
)

const (
	// garbagePercent is how much may be garbage before it is collected, beside what is in use. Little is in use here, so that the usual 100
	// collects after every few requests (docs/performance.md).
	garbagePercent = 200
	// memoryAimed is what the program keeps below by collecting sooner; it is no bound. Within a container of less memory, set GOMEMLIMIT.
	memoryAimed = 256 << 20
)

// collectSeldom has garbage collected less often than usual. Who sets GOGC or GOMEMLIMIT knows better.
func collectSeldom() {
	if _, given := os.LookupEnv("GOGC"); !given {
		debug.SetGCPercent(garbagePercent)
	}
	if _, given := os.LookupEnv("GOMEMLIMIT"); !given {
		debug.SetMemoryLimit(memoryAimed)
	}
}
