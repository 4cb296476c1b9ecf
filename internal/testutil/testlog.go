package testutil

import (
	"bytes"
	"sync"
)

// Log collects text from several goroutines. The zero value is empty and ready.
type Log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write appends to the log; it never fails.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String is all that was written so far.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
