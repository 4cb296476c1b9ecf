package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// statementLog reads from the server's log how long statements took. The server writes what each cost it to prepare, to plan and to run.
type statementLog struct {
	file *os.File
}

// logStatements is the setting that makes the server tell.
var logStatements = map[string]string{"log_min_duration_statement": "0"}

var duration = regexp.MustCompile(`\[(\d+)\] LOG:  duration: ([0-9.]+) ms  (parse|bind|execute|statement)[^:]*: (.*)`)

// openStatementLog begins behind what is in the log so far.
func openStatementLog(path string) (*statementLog, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	_, err = file.Seek(0, io.SeekEnd)
	return &statementLog{file}, err
}

// slowest is the statement that took longest since the last call, in milliseconds, and its name among the queries.
func (l *statementLog) slowest() (ms float64, name string, err error) {
	content, err := io.ReadAll(l.file)
	if err != nil {
		return 0, "", err
	}
	begun := map[string]float64{} // what a connection has spent on the statement that it is about to run
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		found := duration.FindStringSubmatch(lines.Text())
		if found == nil {
			continue
		}
		took, err := strconv.ParseFloat(found[2], 64)
		if err != nil {
			return 0, "", err
		}
		begun[found[1]] += took
		if found[3] == "parse" || found[3] == "bind" {
			continue
		}
		if begun[found[1]] > ms {
			ms, name = begun[found[1]], statementName(found[4])
		}
		begun[found[1]] = 0
	}
	return ms, name, lines.Err()
}

// statementName is the name of a query, or its beginning where it has none.
func statementName(text string) string {
	if _, rest, named := strings.Cut(text, "-- name: "); named {
		name, _, _ := strings.Cut(rest, " ")
		return name
	}
	const enough = 24
	return text[:min(enough, len(text))]
}
