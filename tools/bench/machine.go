package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// machine names the processors of this machine, and how many processes wanted one in the last minute.
func machine() (name string, load float64) {
	name = "unknown processor"
	content, _ := os.ReadFile("/proc/cpuinfo") // a machine without tells no name
	for line := range strings.Lines(string(content)) {
		if key, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(key) == "model name" {
			name = strings.TrimSpace(value)
			break
		}
	}
	content, _ = os.ReadFile("/proc/loadavg")
	if fields := strings.Fields(string(content)); len(fields) > 0 {
		load, _ = strconv.ParseFloat(fields[0], 64)
	}
	return fmt.Sprintf("%d × %s, %s/%s", runtime.NumCPU(), name, runtime.GOOS, runtime.GOARCH), load
}
