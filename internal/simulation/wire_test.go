package simulation

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"testing"

	"countersign/internal/store/storetest"
)

// wire lies between a gateway and PostgreSQL, and is where the gateway dies: at a statement that was chosen beforehand, every connection
// ends, and none is let in until the next gateway starts. It counts what makes the server work: Query and Sync (PostgreSQL's protocol 3.0).
type wire struct {
	listener net.Listener
	target   string

	mu     sync.Mutex
	open   map[net.Conn]bool
	dead   bool
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
	w = &wire{target: filepath.Join(query.Get("host"), name), open: make(map[net.Conn]bool)}
	w.listener, err = net.Listen("unix", filepath.Join(folder, name))
	must(t, err)
	t.Cleanup(func() { _ = w.listener.Close(); w.cut(breakage{}) })
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
}

// statement counts one, and says whether the wire breaks at it.
func (w *wire) statement() (b breakage, here bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.passed++
	if w.next.after == 0 {
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

// line is one connection.
type line struct {
	*wire
	near, far net.Conn
	mu        sync.Mutex
	sent      int // statements that the server got
	ended     int // that it has answered
	last      int // the number of the one whose answer is lost; 0 for none
	breaks    breakage
}

func (w *wire) carry(near net.Conn) {
	far, err := net.Dial("unix", w.target)
	if err != nil {
		_ = near.Close()
		return
	}
	w.mu.Lock()
	if w.dead {
		_, _ = near.Close(), far.Close()
		w.mu.Unlock()
		return
	}
	w.open[near], w.open[far] = true, true
	w.mu.Unlock()
	l := &line{wire: w, near: near, far: far, ended: -1} // the first ReadyForQuery answers no statement
	go l.back()
	l.forth()
	w.mu.Lock()
	delete(w.open, near)
	delete(w.open, far)
	w.mu.Unlock()
	_, _ = near.Close(), far.Close()
}

const (
	header  = 5 // a letter and the length, which counts itself
	longest = 16 << 20
)

// message reads one message of the protocol into the buffer.
func message(from *bufio.Reader, buffer []byte) ([]byte, error) {
	buffer = append(buffer[:0], make([]byte, header)...)
	_, err := io.ReadFull(from, buffer)
	if err != nil {
		return nil, err
	}
	size := int(binary.BigEndian.Uint32(buffer[1:])) + 1
	if size < header || size > longest {
		return nil, io.ErrUnexpectedEOF
	}
	buffer = append(buffer, make([]byte, size-header)...)
	_, err = io.ReadFull(from, buffer[header:])
	return buffer, err
}

// forth carries what the gateway sends.
func (l *line) forth() {
	from, to := bufio.NewReaderSize(l.near, 64<<10), bufio.NewWriterSize(l.far, 64<<10)
	start := make([]byte, 4)
	_, err := io.ReadFull(from, start)
	size := int(binary.BigEndian.Uint32(start)) - len(start)
	if err != nil || size < 0 || size > longest {
		return
	}
	_, _ = to.Write(start)
	_, err = io.CopyN(to, from, int64(size))
	if err != nil || to.Flush() != nil {
		return
	}
	var buffer []byte
	for {
		buffer, err = message(from, buffer)
		if err != nil {
			return
		}
		if buffer[0] == 'Q' || buffer[0] == 'S' {
			b, here := l.statement()
			if here && !b.done {
				return
			}
			l.mu.Lock()
			l.sent++
			if here {
				l.last, l.breaks = l.sent, b
			}
			l.mu.Unlock()
		}
		_, err = to.Write(buffer)
		if err == nil && from.Buffered() == 0 {
			err = to.Flush()
		}
		if err != nil {
			return
		}
	}
}

// back carries what the server answers, but not the answer that is lost: when the server has given it, the wire breaks.
func (l *line) back() {
	from, to := bufio.NewReaderSize(l.far, 64<<10), bufio.NewWriterSize(l.near, 64<<10)
	defer func() { _ = l.near.Close() }()
	var buffer []byte
	var err error
	for {
		buffer, err = message(from, buffer)
		if err != nil {
			return
		}
		l.mu.Lock()
		silent := l.last > 0 && l.ended >= l.last-1
		if buffer[0] == 'Z' {
			l.ended++
		}
		over := l.last > 0 && l.ended >= l.last
		l.mu.Unlock()
		if over {
			l.cut(l.breaks)
			return
		}
		if silent {
			continue
		}
		_, err = to.Write(buffer)
		if err == nil && from.Buffered() == 0 {
			err = to.Flush()
		}
		if err != nil {
			return
		}
	}
}
