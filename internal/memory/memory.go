// Package memory is how much memory the program takes: when garbage is collected, and what goes after the start.
package memory

import (
	"context"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"
)

const (
	// garbagePercent is how much may be garbage before it is collected, beside what is in use. Little is in use here, so that the usual 100
	// collects after every few requests (docs/performance.md).
	garbagePercent = 150
	// memoryAimed is what the program keeps below by collecting sooner; it is no bound. Within a container of less memory, set GOMEMLIMIT.
	memoryAimed = 256 << 20
)

// CollectSeldom has garbage collected less often than usual. Who sets GOGC or GOMEMLIMIT knows better.
func CollectSeldom() {
	if _, given := os.LookupEnv("GOGC"); !given {
		debug.SetGCPercent(garbagePercent)
	}
	if _, given := os.LookupEnv("GOMEMLIMIT"); !given {
		debug.SetMemoryLimit(memoryAimed)
	}
}

// collecting is whether CollectNow is at it.
var collecting atomic.Bool

// CollectNow has garbage collected beside what goes on, for whoever has just let go of much. While a collection runs, all that is in use
// then counts for how much garbage the next one may wait for: a password's 19 MiB let the program grow to 110 MB.
func CollectNow() {
	if collecting.CompareAndSwap(false, true) {
		go func() {
			defer collecting.Store(false)
			runtime.GC()
		}()
	}
}

// started is how long after it listens the program has done what only its start needs.
const started = 3 * time.Second

// AfterStart waits until the start is over and lets go of what only it needed, unless ctx ends before: garbage, and pages of the program.
func AfterStart(ctx context.Context, log *slog.Logger) {
	select {
	case <-ctx.Done():
		return
	case <-time.After(started):
	}
	debug.FreeOSMemory()
	err := letGoOfPages()
	if err != nil {
		log.WarnContext(ctx, "memory of the start", "error", err.Error())
	}
}
