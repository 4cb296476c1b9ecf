package storetest

import (
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// keeper lies between the tests and PostgreSQL. The server's processes outlive the connections: what one had begun and not committed is
// rolled back, and the next gets the process as if it were new. A process of its own for each connection costs the server several times
// what the tests themselves do, as it reads the schema and prepares each statement anew.
type keeper struct {
	url    string // at which tests connect
	target string // the socket of the server

	mu sync.Mutex
	of map[string]*kept // by database
}

// kept are the server's processes of one database.
type kept struct {
	idle map[string][]*session // those that wait for a connection, by how they were started
	open map[*line]bool        // those that serve one
	gone bool                  // no more are kept
	busy sync.WaitGroup
}

// port only names the socket, as that of the server does.
const port = "5433"

// mostIdle is the number of processes that are kept for a database.
const mostIdle = 10

// newKeeper listens beside the socket of a server.
func newKeeper(server string) (*keeper, error) {
	read, err := url.Parse(server)
	if err != nil {
		return nil, err
	}
	query := read.Query()
	target := filepath.Join(query.Get("host"), ".s.PGSQL."+query.Get("port"))
	query.Set("port", port)
	read.RawQuery = query.Encode()
	k := &keeper{url: read.String(), target: target, of: make(map[string]*kept)}
	listener, err := net.Listen("unix", filepath.Join(query.Get("host"), ".s.PGSQL."+port))
	if err != nil {
		return nil, err
	}
	owner, err := os.Stat(target)
	if err == nil { // a pooler runs as the account to which the socket belongs
		account := owner.Sys().(*syscall.Stat_t)
		err = os.Chown(listener.Addr().String(), int(account.Uid), int(account.Gid))
	}
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			go k.carry(near)
		}
	}()
	return k, err
}

// database returns the processes of a database. Call it with the lock.
func (k *keeper) database(name string) *kept {
	if k.of[name] == nil {
		k.of[name] = &kept{idle: make(map[string][]*session), open: make(map[*line]bool)}
	}
	return k.of[name]
}

// carry carries one connection, from its first message to its end.
func (k *keeper) carry(near net.Conn) {
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
	if binary.BigEndian.Uint32(start[4:]) != protocol { // a statement is to be cancelled
		k.cancel(near, start)
		return
	}
	text, name := inOrder(start)
	k.mu.Lock()
	of := k.database(name)
	of.busy.Add(1)
	k.mu.Unlock()
	defer of.busy.Done()
	s, err := k.take(of, text)
	if err != nil {
		if s != nil {
			_, _ = near.Write(s.greeting) // who opens the database reads why
		}
		return
	}
	l := &line{session: s, near: near}
	k.mu.Lock()
	of.open[l] = true
	k.mu.Unlock()
	usable := l.talk()
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(of.open, l)
	waiting := 0
	for _, idle := range of.idle {
		waiting += len(idle)
	}
	if !usable || of.gone || waiting >= mostIdle {
		_ = s.far.Close()
		return
	}
	of.idle[s.start] = append(of.idle[s.start], s)
}

// cancel hands a request to cancel on. What the server does after it closes the connection.
func (k *keeper) cancel(near net.Conn, start []byte) {
	far, err := net.Dial("unix", k.target)
	if err != nil {
		return
	}
	defer func() { _ = far.Close() }()
	_, err = far.Write(start)
	if err == nil {
		_, _ = io.Copy(near, far)
	}
}

// inOrder is the start of a session with its settings in the order of their names: pgx sends them in another order each time, and a
// process of the server serves all of them. It returns the name of the database too.
func inOrder(start []byte) (text, database string) {
	head, texts := start[:8], strings.Split(string(start[8:]), "\x00")
	settings := slices.Collect(slices.Chunk(texts[:len(texts)/2*2], 2)) // what is over are the ends, which are empty
	slices.SortFunc(settings, slices.Compare)
	settings = slices.DeleteFunc(settings, func(pair []string) bool { return pair[0] == "" })
	for _, pair := range settings {
		if pair[0] == "database" {
			database = pair[1]
		}
	}
	return string(head) + strings.Join(slices.Concat(settings...), "\x00") + "\x00\x00", database
}

// take returns a session that was started so and lives, or starts one.
func (k *keeper) take(of *kept, start string) (*session, error) {
	for {
		k.mu.Lock()
		idle := of.idle[start]
		last := len(idle) - 1
		if last < 0 {
			k.mu.Unlock()
			break
		}
		of.idle[start] = idle[:last]
		k.mu.Unlock()
		if idle[last].lives() {
			return idle[last], nil
		}
		_ = idle[last].far.Close()
	}
	far, err := net.Dial("unix", k.target)
	if err != nil {
		return nil, err
	}
	s, err := begin(far, start)
	if err != nil {
		_ = far.Close()
	}
	return s, err
}

// leave ends all connections to a database, and waits until the server is done with them. keep says whether its processes are kept.
func (k *keeper) leave(name string, keep bool) {
	k.mu.Lock()
	of := k.database(name)
	for l := range of.open {
		_ = l.near.Close()
	}
	of.gone = !keep
	if !keep {
		for _, idle := range of.idle {
			for _, s := range idle {
				_ = s.far.Close()
			}
		}
		clear(of.idle)
	}
	k.mu.Unlock()
	late := time.AfterFunc(time.Second, func() { // who waits for a lock waits no more
		k.mu.Lock()
		defer k.mu.Unlock()
		for l := range of.open {
			_ = l.far.Close()
		}
	})
	of.busy.Wait()
	late.Stop()
	if !keep {
		k.mu.Lock()
		delete(k.of, name)
		k.mu.Unlock()
	}
}

// alone ends the processes that wait.
func (k *keeper) alone(name string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, idle := range k.database(name).idle {
		for _, s := range idle {
			_ = s.far.Close()
		}
	}
	clear(k.database(name).idle)
}
