package simtest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"time"
)

// Messages of PostgreSQL's protocol 3.0, by their letters; the same letter means different things in the two directions.
const (
	query, parse, sync_, terminate, closing = 'Q', 'P', 'S', 'X', 'C' // from the gateway
	parsed, closed, ready, failed           = '1', '3', 'Z', 'E'      // from the server
	authentication                          = 'R'

	header   = 5 // a letter and the length, which counts itself
	longest  = 16 << 20
	protocol = 3 << 16 // what a start of a session says; anything else asks for something else
)

// session is a process of the server, which serves one gateway after the other.
type session struct {
	start    string // what it was started with
	far      net.Conn
	in       *bufio.Reader
	out      bytes.Buffer    // of a statement that the gateway has not ended
	greeting []byte          // what it said when it started
	prepared map[string]bool // statements that it knows, with their names
	unusual  bool            // something was said that the next gateway must not find: it serves nobody else
}

// message reads one message into the buffer.
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

// write makes a message of texts, each with its end.
func write(letter byte, texts ...string) []byte {
	made := []byte{letter, 0, 0, 0, 0}
	for _, text := range texts {
		made = append(append(made, text...), 0)
	}
	binary.BigEndian.PutUint32(made[1:], uint32(len(made)-1))
	return made
}

// begin has the server start a process. It fails when the server wants to know more than the start says, or refuses: then the session is
// returned too, with what the server said.
func begin(far net.Conn, start string) (*session, error) {
	s := &session{start: start, far: far, in: bufio.NewReaderSize(far, 64<<10), prepared: make(map[string]bool)}
	_, err := io.WriteString(far, start)
	var buffer []byte
	for err == nil {
		buffer, err = message(s.in, buffer)
		if err != nil {
			break
		}
		s.greeting = append(s.greeting, buffer...)
		switch {
		case buffer[0] == ready:
			return s, nil
		case buffer[0] == failed, buffer[0] == authentication && binary.BigEndian.Uint32(buffer[header:]) != 0:
			return s, io.ErrUnexpectedEOF
		}
	}
	return s, err
}

// clean ends what the last gateway had begun and takes back what it had set, as the end of its connection does. The statements stay.
func (s *session) clean() error {
	_, err := s.far.Write(append(write(query, "ROLLBACK"), write(query,
		"CLOSE ALL; UNLISTEN *; SELECT pg_advisory_unlock_all(); SET SESSION AUTHORIZATION DEFAULT; RESET ALL")...))
	var buffer []byte
	for left := 2; err == nil && left > 0; {
		buffer, err = message(s.in, buffer)
		switch {
		case err != nil:
		case buffer[0] == failed:
			err = io.ErrUnexpectedEOF
		case buffer[0] == ready:
			left--
		}
	}
	return err
}

// line is one connection of a gateway to a session.
type line struct {
	*wire
	*session
	near net.Conn
	life int // of the wire

	lock   sync.Mutex
	asked  []asked // that the server has not answered
	sent   int     // statements that the server got
	ended  int     // that it has answered
	last   int     // the number of the one whose answer is lost; 0 for none
	breaks breakage
	over   bool // the gateway says no more
}

// asked is a message whose answer is a change of what the session has prepared, or, without a letter, the end of a statement.
type asked struct {
	letter byte
	text   string
	known  bool // the session has it already: the server is asked for something else, whose answer is turned into this one's
}

// carry carries one connection, from its first message to its end.
func (w *wire) carry(near net.Conn) {
	defer func() { _ = near.Close() }()
	start := make([]byte, 8)
	_, err := io.ReadFull(near, start)
	size := int(binary.BigEndian.Uint32(start)) - len(start)
	if err != nil || size < 0 || size > longest {
		return
	}
	start = append(start, make([]byte, size)...)
	_, err = io.ReadFull(near, start[8:])
	if err != nil {
		return
	}
	if binary.BigEndian.Uint32(start[4:]) != protocol { // a statement is to be cancelled: that may come so late that it strikes another
		return
	}
	s, err := w.take(inOrder(start))
	if err != nil {
		if s != nil {
			_, _ = near.Write(s.greeting) // who opens the gateway reads why
		}
		return
	}
	l := &line{wire: w, session: s, near: near}
	w.mu.Lock()
	let := !w.dead
	l.life = w.life
	if let {
		w.open[near] = true
	}
	w.mu.Unlock()
	if !let {
		w.give(s)
		return
	}
	l.talk()
}

// inOrder is the start of a session with its settings in the order of their names: pgx sends them in another order each time, and a
// process of the server serves all of them.
func inOrder(start []byte) string {
	head, texts := start[:8], strings.Split(string(start[8:]), "\x00")
	settings := slices.Collect(slices.Chunk(texts[:len(texts)/2*2], 2)) // what is over are the ends, which are empty
	slices.SortFunc(settings, slices.Compare)
	settings = slices.DeleteFunc(settings, func(pair []string) bool { return pair[0] == "" })
	return string(head) + strings.Join(slices.Concat(settings...), "\x00") + "\x00\x00"
}

// take is a session that was started so, or starts one.
func (w *wire) take(start string) (*session, error) {
	w.mu.Lock()
	idle := w.idle[start]
	if last := len(idle) - 1; last >= 0 {
		w.idle[start] = idle[:last]
		w.mu.Unlock()
		return idle[last], nil
	}
	w.mu.Unlock()
	far, err := net.Dial("unix", w.target)
	if err != nil {
		return nil, err
	}
	s, err := begin(far, start)
	if err != nil {
		_ = far.Close()
	}
	return s, err
}

// give takes a session back.
func (w *wire) give(s *session) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || s.unusual {
		_ = s.far.Close()
		return
	}
	w.idle[s.start] = append(w.idle[s.start], s)
}

// talk carries until one side is gone, and then until the server has done what it was told.
func (l *line) talk() {
	_, err := l.near.Write(l.greeting)
	finished := make(chan struct{})
	go func() { defer close(finished); l.back() }()
	if err == nil {
		l.forth()
	}
	l.wire.mu.Lock()
	delete(l.wire.open, l.near)
	l.wire.mu.Unlock()
	_ = l.near.Close()
	l.lock.Lock()
	l.over, l.asked = true, ended(l.asked)
	l.out.Reset()
	if l.ended == l.sent { // it waits for what does not come
		_ = l.far.SetReadDeadline(time.Unix(1, 0))
	}
	l.lock.Unlock()
	<-finished
	_ = l.far.SetReadDeadline(time.Time{})
	if !l.unusual && l.clean() != nil {
		l.unusual = true
	}
	l.give(l.session)
}

// forth carries what the gateway sends: a whole statement at a time, so that the server never has half of one.
func (l *line) forth() {
	from := bufio.NewReaderSize(l.near, 64<<10)
	var buffer []byte
	var err error
	for {
		buffer, err = message(from, buffer)
		if err != nil || buffer[0] == terminate {
			return
		}
		switch buffer[0] {
		case query, sync_:
			if !l.statement(buffer) {
				return
			}
			continue
		case parse:
			l.prepare(buffer)
			continue
		case closing:
			l.ask(asked{letter: closing, text: string(buffer[header:])})
		case 'B', 'D', 'E': // bind, describe, execute
		default: // copies and flushes
			l.unusual = true
		}
		_, _ = l.out.Write(buffer)
		if l.unusual {
			_, err = l.out.WriteTo(l.far)
		}
		if err != nil {
			return
		}
	}
}

func (l *line) ask(a asked) {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.asked = append(l.asked, a)
}

// statement hands on the end of a statement, unless the wire breaks before it.
func (l *line) statement(buffer []byte) bool {
	b, here := l.wire.statement(l.life)
	if here && !b.done {
		return false
	}
	if text := strings.ToLower(string(buffer[header:])); strings.Contains(text, "deallocate") || strings.Contains(text, "discard") {
		l.unusual = true
	}
	l.lock.Lock()
	l.sent++
	l.asked = append(l.asked, asked{})
	if here {
		l.last, l.breaks = l.sent, b
	}
	l.lock.Unlock()
	_, _ = l.out.Write(buffer)
	_, err := l.out.WriteTo(l.far)
	return err == nil
}

// ended keeps what belongs to statements that were handed on.
func ended(all []asked) []asked {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].letter == 0 {
			return all[:i+1]
		}
	}
	return nil
}

// prepare hands on a statement to be prepared, or, where the session has it from an earlier gateway, something that does nothing.
func (l *line) prepare(buffer []byte) {
	a := asked{letter: parse, text: string(buffer[header:])}
	l.lock.Lock()
	a.known = buffer[header] != 0 && l.prepared[a.text]
	l.asked = append(l.asked, a)
	l.lock.Unlock()
	if a.known {
		buffer = write(closing, "Sno statement has this name")
	}
	_, _ = l.out.Write(buffer)
}

// back carries what the server answers, but not the answer that is lost: when the server has given it, the wire breaks. What it answers
// when the gateway is gone is for nobody.
func (l *line) back() {
	to := bufio.NewWriterSize(l.near, 64<<10)
	var buffer []byte
	var err error
	for {
		buffer, err = message(l.in, buffer)
		if err != nil {
			return
		}
		silent, breaks, finished := l.answer(buffer)
		if breaks {
			l.cutOf(l.life, l.breaks)
		}
		if !silent {
			_, _ = to.Write(buffer)
			if l.in.Buffered() == 0 {
				_ = to.Flush()
			}
		}
		if finished {
			return
		}
	}
}

// answer notes an answer of the server.
func (l *line) answer(buffer []byte) (silent, breaks, finished bool) {
	l.lock.Lock()
	defer l.lock.Unlock()
	silent = l.last > 0 && l.ended >= l.last-1
	switch buffer[0] {
	case parsed, closed:
		l.agreed(buffer)
	case ready:
		for len(l.asked) > 0 && l.asked[0].letter != 0 { // an error came before them
			l.asked = l.asked[1:]
		}
		l.asked = l.asked[min(1, len(l.asked)):]
		l.ended++
		breaks = l.last > 0 && l.ended == l.last
		finished = l.over && l.ended == l.sent
	}
	return silent, breaks, finished
}

// agreed notes that a statement is prepared, or no more, and turns the answer into that of what the gateway asked.
func (l *line) agreed(buffer []byte) {
	if len(l.asked) == 0 || l.asked[0].letter == 0 {
		return
	}
	a := l.asked[0]
	l.asked = l.asked[1:]
	switch {
	case a.known:
		buffer[0] = parsed
	case a.letter == parse:
		l.prepared[a.text] = true
	default:
		for text := range l.prepared {
			if name, _, _ := bytes.Cut([]byte(text), []byte{0}); "S"+string(name)+"\x00" == a.text {
				delete(l.prepared, text)
			}
		}
	}
}
