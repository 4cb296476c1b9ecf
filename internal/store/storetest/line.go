package storetest

import (
	"bytes"
	"encoding/binary"
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Line is a relay to the database that a test can cut, or make swallow the traffic of a connection without breaking it.
type Line struct {
	socket string
	target string

	mu       sync.Mutex
	listener net.Listener
	open     map[net.Conn]bool
	silent   *atomic.Bool // of the connections opened since the last change: whether they swallow
	// loseCommit cuts a connection when the server has answered a COMMIT, before the answer arrives.
	loseCommit atomic.Bool
	delay      atomic.Int64 // of what is sent, as a duration
	before     atomic.Pointer[func(message []byte)]
}

// Relay listens where a client looks for a PostgreSQL, in a folder of its own. through is the database's URL by way of the line.
func (d *DB) Relay(t testing.TB) (l *Line, through string) {
	t.Helper()
	read, err := url.Parse(d.URL)
	must(t, err)
	query := read.Query()
	folder := t.TempDir()
	name := ".s.PGSQL." + query.Get("port")
	l = &Line{
		socket: filepath.Join(folder, name), target: filepath.Join(query.Get("host"), name), open: map[net.Conn]bool{}, silent: &atomic.Bool{},
	}
	query.Set("host", folder)
	read.RawQuery = query.Encode()
	l.Connect(t)
	t.Cleanup(l.Cut)
	return l, read.String()
}

// Connect lets connections through, from now on.
func (l *Line) Connect(t testing.TB) {
	t.Helper()
	listener, err := net.Listen("unix", l.socket)
	must(t, err)
	l.mu.Lock()
	l.listener = listener
	l.mu.Unlock()
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			go l.carry(near)
		}
	}()
}

// Cut ends every connection and lets no new one in.
func (l *Line) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.listener.Close()
	for connection := range l.open {
		_ = connection.Close()
	}
	clear(l.open)
}

// Break ends every connection there is. New ones work.
func (l *Line) Break() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for connection := range l.open {
		_ = connection.Close()
	}
	clear(l.open)
}

// Delay delays the traffic in each direction; 0 for no delay.
func (l *Line) Delay(d time.Duration) { l.delay.Store(int64(d)) }

// Before calls do before each part of the traffic to the server.
func (l *Line) Before(do func(message []byte)) { l.before.Store(&do) }

func (l *Line) wait() {
	if d := time.Duration(l.delay.Load()); d > 0 {
		time.Sleep(d)
	}
}

// LoseCommits has the connection break, or not, when the server has answered a COMMIT, before the answer arrives.
func (l *Line) LoseCommits(lose bool) { l.loseCommit.Store(lose) }

// Swallow drops the traffic of the present connections in both directions without breaking them. New ones work.
func (l *Line) Swallow() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.silent.Store(true)
	l.silent = &atomic.Bool{}
}

// Freeze is Swallow for new connections too, until Thaw.
func (l *Line) Freeze() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.silent.Store(true)
}

// Thaw lets new connections work. Swallowed traffic stays lost.
func (l *Line) Thaw() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.silent = &atomic.Bool{}
}

func (l *Line) carry(near net.Conn) {
	far, err := net.Dial("unix", l.target)
	if err != nil {
		_ = near.Close()
		return
	}
	l.mu.Lock()
	l.open[near], l.open[far] = true, true
	silent := l.silent
	l.mu.Unlock()
	var lost atomic.Bool
	go func() {
		defer func() {
			if !silent.Load() { // that the server ended a connection does not come through either
				_ = near.Close()
			}
		}()
		answers := make([]byte, 64<<10)
		for {
			n, err := far.Read(answers)
			if err != nil || lost.Load() {
				return
			}
			if silent.Load() {
				continue
			}
			l.wait()
			_, err = near.Write(answers[:n])
			if err != nil {
				return
			}
		}
	}()
	l.carryOut(near, far, silent, &lost)
	_ = far.Close()
}

// carryOut relays the traffic of the client.
func (l *Line) carryOut(near, far net.Conn, silent, lost *atomic.Bool) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := near.Read(buffer)
		if err != nil {
			return
		}
		if silent.Load() {
			continue
		}
		if l.loseCommit.Load() && isCommit(buffer[:n]) {
			lost.Store(true)
		}
		if do := l.before.Load(); do != nil {
			(*do)(buffer[:n])
		}
		l.wait()
		_, err = far.Write(buffer[:n])
		if err != nil {
			return
		}
	}
}

// isCommit recognises what ends a transaction that changes something: the simple query COMMIT (PostgreSQL's protocol 3.0, message Q), or a
// pipeline of statements with the commit in it, from its first Bind to its Sync. Of the settings that open such a pipeline (store.Alone)
// one says that it does not only read.
func isCommit(message []byte) bool {
	if len(message) > 0 && message[0] == 'B' && bytes.HasSuffix(message, []byte("S\x00\x00\x00\x04")) {
		return bytes.Contains(message, []byte("\x00\x00\x00\x03off"))
	}
	const header = 5
	if len(message) < header || message[0] != 'Q' || int(binary.BigEndian.Uint32(message[1:header])) > len(message)-1 {
		return false
	}
	return bytes.EqualFold(bytes.TrimRight(message[header:], "\x00"), []byte("commit"))
}
