package web_test

import (
	"bytes"
	"encoding/binary"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// line is a relay to the database that a test can cut.
type line struct {
	socket string
	target string

	mu       sync.Mutex
	listener net.Listener
	open     map[net.Conn]bool
	// loseCommit cuts a connection when the server has answered a COMMIT, before the answer arrives.
	loseCommit atomic.Bool
}

// relay listens where a client looks for a PostgreSQL, in a folder of its own.
func relay(t *testing.T, databaseURL string) (l *line, throughURL string) {
	t.Helper()
	read, err := url.Parse(databaseURL)
	must(t, err)
	query := read.Query()
	folder := t.TempDir()
	name := ".s.PGSQL." + query.Get("port")
	l = &line{socket: filepath.Join(folder, name), target: filepath.Join(query.Get("host"), name), open: map[net.Conn]bool{}}
	query.Set("host", folder)
	read.RawQuery = query.Encode()
	l.connect(t)
	t.Cleanup(l.cut)
	return l, read.String()
}

// connect lets connections through, from now on.
func (l *line) connect(t *testing.T) {
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

// cut ends every connection and lets no new one in.
func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.listener.Close()
	for connection := range l.open {
		_ = connection.Close()
	}
	clear(l.open)
}

func (l *line) carry(near net.Conn) {
	far, err := net.Dial("unix", l.target)
	if err != nil {
		_ = near.Close()
		return
	}
	l.mu.Lock()
	l.open[near], l.open[far] = true, true
	l.mu.Unlock()
	var lost atomic.Bool
	go func() {
		defer func() { _ = near.Close() }()
		answers := make([]byte, 64<<10)
		for {
			n, err := far.Read(answers)
			if err != nil || lost.Load() {
				return
			}
			_, err = near.Write(answers[:n])
			if err != nil {
				return
			}
		}
	}()
	buffer := make([]byte, 64<<10)
	for {
		n, err := near.Read(buffer)
		if err != nil {
			break
		}
		if l.loseCommit.Load() && isCommit(buffer[:n]) {
			lost.Store(true)
		}
		_, err = far.Write(buffer[:n])
		if err != nil {
			break
		}
	}
	_ = far.Close()
}

// isCommit recognises the simple query COMMIT (PostgreSQL's protocol 3.0, message Q).
func isCommit(message []byte) bool {
	const header = 5
	if len(message) < header || message[0] != 'Q' || int(binary.BigEndian.Uint32(message[1:header])) > len(message)-1 {
		return false
	}
	return bytes.EqualFold(bytes.TrimRight(message[header:], "\x00"), []byte("commit"))
}

// setupBehind is the whole server behind a line to its database that the test can cut.
func setupBehind(t *testing.T) (*bundle, *line) {
	t.Helper()
	db := storetest.New(t)
	l, throughURL := relay(t, db.URL)
	return setupOn(t, db, func(log *slog.Logger) *store.Database {
		database, err := store.Open(t.Context(), store.Config{URL: throughURL, Seal: db.Seal, Log: log})
		must(t, err)
		t.Cleanup(database.Close)
		return database
	}), l
}

// TestWithoutItsDatabaseEveryCallAsksToWait cuts the line to the database: every door says 503 with Retry-After, the log says it once,
// and all is well as soon as the line is back.
func TestWithoutItsDatabaseEveryCallAsksToWait(t *testing.T) {
	t.Parallel()
	b, l := setupBehind(t)
	id := b.send(t, call{path: createSwiss, who: maker1, body: order(sample)}).text("identifiers", "internalId")
	for _, who := range []person{checker1, supervisor1} {
		b.token(t, who)
	}
	l.cut()
	const form = "application/x-www-form-urlencoded"
	login := "grant_type=password&client_id=demo-backoffice&client_secret=demo-secret&username=maker1&password=countersign-demo"
	calls := map[string]call{
		"create": {path: createSwiss, who: maker1, body: order(sample)}, "approve": {path: approvePath, who: checker1, body: verdict(id, "approve")},
		"list": get(listPath, supervisor1), "read": get("/api/common/v1/transaction/"+id, maker1),
		"login": {path: "/api/auth/v1/realms/demo/login", kind: form, body: login}, "readyz": get("/readyz", nobody),
		"clearing": clearingCall(statusReport(t, "sic-inst_04_pacs.002.001.10_ACSC.xml", "DM00000000000000"), nil), "unknown token": {method: http.MethodGet, path: listPath, change: func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer demo."+strings.Repeat("A", 43))
		}},
	}
	for range 5 {
		for name, c := range calls {
			a := b.send(t, c)
			wantsCode := name != "readyz"
			if a.status != http.StatusServiceUnavailable || wantsCode && a.text("errorCode") != "503_UNAVAILABLE" || a.header.Get("Retry-After") == "" {
				t.Errorf("%s: %d, Retry-After %q, %s", name, a.status, a.header.Get("Retry-After"), a.body)
			}
		}
	}
	if lines := strings.Count(b.log.String(), `"level":"ERROR"`); lines != 1 {
		t.Errorf("the log has %d errors for one outage:\n%s", lines, b.log.String())
	}
	l.connect(t)
	if a := b.send(t, calls["approve"]); a.status != http.StatusOK {
		t.Errorf("with the database back: %d %s", a.status, a.body)
	}
	if !strings.Contains(b.log.String(), "the database is available again") {
		t.Error("the log does not say that the database is back")
	}
}

// TestABrokenCommitIsNotCalledAFailure: what was being stored when the connection broke may have been stored. The caller is told so,
// and the same request again finds out.
func TestABrokenCommitIsNotCalledAFailure(t *testing.T) {
	t.Parallel()
	b, l := setupBehind(t)
	b.token(t, maker1)
	b.send(t, get(listPath, maker1)) // the token is known now, so that the next commit is the order's
	l.loseCommit.Store(true)
	body := order(sample)
	a := b.send(t, call{path: createSwiss, who: maker1, body: body})
	if a.status != http.StatusBadRequest || !strings.Contains(a.text("error", "message"), "not known") {
		t.Fatalf("%d %s\n%s", a.status, a.body, b.log.String())
	}
	l.loseCommit.Store(false)
	var stored int
	must(t, b.db.Connect(t).QueryRow(t.Context(), "SELECT count(*) FROM message").Scan(&stored))
	if stored != 1 {
		t.Fatalf("%d messages are stored: the test did not lose the answer of a commit", stored)
	}
	if again := b.send(t, call{path: createSwiss, who: maker1, body: body}); again.status != http.StatusOK || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the same again: %d %s", again.status, again.body)
	}
}
