package simtest

import (
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"testing"

	"countersign/internal/store/storetest"
)

// wire lies between a gateway and PostgreSQL, and is where the gateway dies: at a statement that was chosen beforehand, every connection
// ends, and none is let in until the next gateway starts. It counts what makes the server work: Query and Sync (PostgreSQL's protocol 3.0).
// The server's processes outlive the gateway: what they had begun and not committed is rolled back, and the next gateway gets them as if
// they were new. Processes of its own for each gateway cost the server ten times what the schedules themselves do.
type wire struct {
	listener net.Listener
	target   string

	mu     sync.Mutex
	open   map[net.Conn]bool     // towards the gateway
	idle   map[string][]*session // processes of the server that wait for a gateway, by how they were started
	closed bool
	dead   bool
	life   int // which gateway it is: each that is let in is the next
	passed int // statements since the start
	next   breakage
}

// breakage is where and how the wire breaks next.
type breakage struct {
	after int  // statements from now on, from 1; 0 for never
	done  bool // the server does the statement, and its answer is lost; else the server never gets it
	blip  bool // the connections end, and new ones work: the gateway lives on
}

// newWire listens. url is that of the database by way of the wire.
func newWire(t *testing.T, db *storetest.DB) (w *wire, through string) {
	t.Helper()
	read, err := url.Parse(db.URL)
	must(t, err)
	query := read.Query()
	folder, name := t.TempDir(), ".s.PGSQL."+query.Get("port")
	w = &wire{target: filepath.Join(query.Get("host"), name), open: make(map[net.Conn]bool), idle: make(map[string][]*session)}
	w.listener, err = net.Listen("unix", filepath.Join(folder, name))
	must(t, err)
	t.Cleanup(w.close)
	query.Set("host", folder)
	read.RawQuery = query.Encode()
	go func() {
		for {
			near, err := w.listener.Accept()
			if err != nil {
				return
			}
			go w.carry(near)
		}
	}()
	return w, read.String()
}

// close ends everything.
func (w *wire) close() {
	_ = w.listener.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.end(breakage{})
	w.closed = true
	for _, idle := range w.idle {
		for _, s := range idle {
			_ = s.far.Close()
		}
	}
	clear(w.idle)
}

// arm says where the wire breaks next.
func (w *wire) arm(b breakage) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next = b
}

// cut ends every connection.
func (w *wire) cut(b breakage) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.end(b)
}

// cutOf ends every connection of a gateway. Those of the next stay, which may be there when the server has done what the last one asked.
func (w *wire) cutOf(life int, b breakage) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if life == w.life {
		w.end(b)
	}
}

func (w *wire) end(b breakage) {
	w.dead, w.next = !b.blip, breakage{}
	for connection := range w.open {
		_ = connection.Close()
	}
	clear(w.open)
}

// broken says whether the gateway is dead.
func (w *wire) broken() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.dead
}

// revive lets connections in again.
func (w *wire) revive() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dead, w.next = false, breakage{}
	w.life++
}

// statement counts one of a gateway, and says whether the wire breaks at it.
func (w *wire) statement(life int) (b breakage, here bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.passed++
	if w.next.after == 0 || life != w.life {
		return breakage{}, false
	}
	w.next.after--
	if w.next.after > 0 {
		return breakage{}, false
	}
	b = w.next
	if !b.done {
		w.end(b)
	}
	return b, true
}
