package storetest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Messages of PostgreSQL's protocol 3.0, by their letters; the same letter means different things in the two directions.
const (
	query, parse, sync_, terminate, closing = 'Q', 'P', 'S', 'X', 'C' // from the client
	parsed, closed, ready, failed           = '1', '3', 'Z', 'E'      // from the server
	authentication                          = 'R'

	header   = 5 // a letter and the length, which counts itself
	longest  = 16 << 20
	protocol = 3 << 16 // what a start of a session says; anything else asks for something else
)

// session is a process of the server, which serves one client after the other.
type session struct {
	start    string // what it was started with
	far      net.Conn
	in       *bufio.Reader
	out      bytes.Buffer    // of a statement that the client has not ended
	greeting []byte          // what it said when it started
	prepared map[string]bool // statements that it knows, with their names
	unusual  bool            // something was said that the next client must not find: it serves nobody else
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

// lives says whether the server has said nothing to a session that waits: a test may have ended its process.
func (s *session) lives() (yes bool) {
	raw, err := s.far.(*net.UnixConn).SyscallConn()
	if err == nil {
		err = raw.Read(func(socket uintptr) bool {
			_, _, said := syscall.Recvfrom(int(socket), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
			yes = errors.Is(said, syscall.EAGAIN)
			return true
		})
	}
	return err == nil && yes
}

// clean ends what the last client had begun and takes back what it had set, as the end of its connection does. The statements stay.
func (s *session) clean() error {
	_, err := s.far.Write(append(write(query, "ROLLBACK"), write(query,
		"CLOSE ALL; UNLISTEN *; SELECT pg_advisory_unlock_all(); SET SESSION AUTHORIZATION DEFAULT; RESET ROLE; RESET ALL; DISCARD TEMP")...))
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

// line is one connection of a client to a session.
type line struct {
	*session
	near net.Conn

	lock  sync.Mutex
	asked []asked // that the server has not answered
	sent  int     // statements that the server got
	ended int     // that it has answered
	over  bool    // the client says no more
}

// asked is a message whose answer is a change of what the session has prepared, or, without a letter, the end of a statement.
type asked struct {
	letter byte
	text   string
	known  bool // the session has it already: the server is asked for something else, whose answer is turned into this one's
}

// talk carries until one side is gone, and then until the server has done its last statement. It says whether another client may follow.
func (l *line) talk() (usable bool) {
	_, err := l.near.Write(l.greeting)
	finished := make(chan struct{})
	go func() { defer close(finished); l.back() }()
	if err == nil {
		l.forth()
	}
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
	return !l.unusual && l.clean() == nil
}

// forth carries what the client sends: a whole statement at a time, so that the server never has half of one.
func (l *line) forth() {
	from := bufio.NewReaderSize(l.near, 64<<10)
	var buffer []byte
	var err error
	for {
		buffer, err = message(from, buffer)
		if err != nil || buffer[0] == terminate {
			return
		}
		at := false
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
		case 'B', 'D', 'E', 'd': // bind, describe, execute, data of a copy
		case 'c', 'f': // the end of a copy
			at = true
		default: // a flush
			l.unusual = true
		}
		_, _ = l.out.Write(buffer)
		if at || l.unusual || l.out.Len() > 64<<10 && buffer[0] == 'd' {
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

// statement hands on the end of a statement.
func (l *line) statement(buffer []byte) bool {
	if text := strings.ToLower(string(buffer[header:])); strings.Contains(text, "deallocate") || strings.Contains(text, "discard") {
		l.unusual = true
	}
	l.lock.Lock()
	l.sent++
	l.asked = append(l.asked, asked{})
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

// prepare hands on a statement to be prepared, or, where the session has it from an earlier client, something that does nothing.
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

// back carries the answers of the server. Those that come when the client is gone are for nobody.
func (l *line) back() {
	to := bufio.NewWriterSize(l.near, 64<<10)
	var buffer []byte
	var err error
	for {
		buffer, err = message(l.in, buffer)
		if err != nil {
			_ = l.near.Close()
			return
		}
		finished := l.answer(buffer)
		_, _ = to.Write(buffer)
		if l.in.Buffered() == 0 {
			_ = to.Flush()
		}
		if finished {
			return
		}
	}
}

// answer notes an answer of the server.
func (l *line) answer(buffer []byte) (finished bool) {
	l.lock.Lock()
	defer l.lock.Unlock()
	switch buffer[0] {
	case parsed, closed:
		l.agreed(buffer)
	case ready:
		for len(l.asked) > 0 && l.asked[0].letter != 0 { // an error came before them
			l.asked = l.asked[1:]
		}
		l.asked = l.asked[min(1, len(l.asked)):]
		l.ended++
		finished = l.over && l.ended == l.sent
	}
	return finished
}

// agreed notes that a statement is prepared, or no more, and turns the answer into that of what the client asked.
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
