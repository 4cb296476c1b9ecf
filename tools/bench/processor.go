package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// tick is the unit of the times in /proc: Linux has told user space 100 a second on every architecture for decades.
const tick = time.Second / 100

// Server is a PostgreSQL server of this machine, by its first process.
type Server int

// ServerOf finds the server behind a connection. It works where the server runs on this machine and the machine is a Linux.
func ServerOf(ctx context.Context, address string) (Server, error) {
	connection, err := pgx.Connect(ctx, address)
	if err != nil {
		return 0, err
	}
	own, err := readProcess(strconv.FormatUint(uint64(connection.PgConn().PID()), 10))
	return Server(own.parent), errors.Join(err, connection.Close(ctx))
}

// ProcessorTime is what the server's processes have used so far, those that ended included.
func (s Server) ProcessorTime() (time.Duration, error) {
	folders, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return 0, err
	}
	var total time.Duration
	for _, folder := range folders {
		p, err := readProcess(filepath.Base(folder))
		switch {
		case errors.Is(err, os.ErrNotExist):
			continue // it ended meanwhile
		case err != nil:
			return 0, err
		case p.id == int(s):
			total += p.used + p.usedByEnded
		case p.parent == int(s):
			total += p.used
		}
	}
	return total, nil
}

// HugePages tells whether the server keeps its buffers in huge pages: its first process has some of them in memory then.
func (s Server) HugePages() (bool, error) {
	content, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(int(s)), "status"))
	if err != nil {
		return false, err
	}
	for line := range strings.Lines(string(content)) {
		if kilobytes, told := strings.CutPrefix(line, "HugetlbPages:"); told {
			return strings.Fields(kilobytes)[0] != "0", nil
		}
	}
	return false, nil // a kernel without huge pages
}

// Used is what a process used so far, and the memory it holds.
type Used struct {
	Processor time.Duration
	Memory    int64 // bytes, resident
}

// UsedBy reads what a process of this machine used.
func UsedBy(pid int) (Used, error) {
	p, err := readProcess(strconv.Itoa(pid))
	if err != nil {
		return Used{}, err
	}
	content, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "statm"))
	if err != nil {
		return Used{}, err
	}
	fields := strings.Fields(string(content))
	const resident = 1
	if len(fields) <= resident {
		return Used{}, fmt.Errorf("/proc/%d/statm is not understood", pid)
	}
	pages, err := strconv.ParseInt(fields[resident], 10, 64)
	return Used{Processor: p.used, Memory: pages * int64(os.Getpagesize())}, err
}

// process is what /proc tells of one.
type process struct {
	id, parent        int
	used, usedByEnded time.Duration
}

// readProcess reads /proc/…/stat: the name, which may hold spaces, stands in brackets, and what counts follows it.
func readProcess(id string) (process, error) {
	content, err := os.ReadFile(filepath.Join("/proc", id, "stat"))
	if err != nil {
		if strings.Contains(err.Error(), "no such process") {
			err = os.ErrNotExist
		}
		return process{}, err
	}
	text := string(content)
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	const parent, user, system, endedUser, endedSystem = 1, 11, 12, 13, 14
	if len(fields) <= endedSystem {
		return process{}, fmt.Errorf("/proc/%s/stat is not understood", id)
	}
	numbers := make([]int, len(fields))
	for _, i := range []int{parent, user, system, endedUser, endedSystem} {
		numbers[i], err = strconv.Atoi(fields[i])
		if err != nil {
			return process{}, fmt.Errorf("read /proc/%s/stat: %w", id, err)
		}
	}
	own, err := strconv.Atoi(id)
	return process{
		id: own, parent: numbers[parent], used: time.Duration(numbers[user]+numbers[system]) * tick,
		usedByEnded: time.Duration(numbers[endedUser]+numbers[endedSystem]) * tick,
	}, err
}
