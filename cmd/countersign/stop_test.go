package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/demo"
	"countersign/internal/store/storetest"
	"countersign/internal/testutil"
)

func TestAStoppedDemoFinishesWhatIsUnderWay(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	h := newHouse(t)
	p := h.open(t)
	o := newOffice(t, h)
	stream := openStream(t, o)
	before := o.acknowledged.Load()
	group := o.load()
	slow := o.newPaper(0) // later than the load began: it comes back to what was there
	_, err := o.create(slow)
	must(t, err)
	o.waitFor(t, before, 30)
	postmaster, socket := h.postmaster(t), h.pidFile(t)[4]
	// The gateway waits five seconds for a lock at most: it is taken when everything else is under way, and given back once nobody gets in.
	held := lock(t, h, slow.id)
	answers := make(chan reply, 1)
	go func() {
		r, err := o.approve(slow)
		if err != nil {
			r.text = err.Error()
		}
		answers <- r
	}()
	held.waitedFor(t)

	must(t, p.process.Signal(syscall.SIGTERM))
	closed(t, h.gateway)
	held.release(t)
	must(t, group.Wait())
	_, err = io.Copy(io.Discard, stream)
	if err != nil {
		t.Errorf("the stream of an open page does not end, it breaks off: %v", err)
	}
	if r := <-answers; r.status != http.StatusOK {
		t.Errorf("the approval under way is answered %d %s", r.status, r.text)
	}
	if code := p.wait(t); code != 0 {
		t.Errorf("the demo ends with %d", code)
	}
	if alive(postmaster) || h.postmaster(t) != 0 {
		t.Errorf("the database server, process %d, is still there", postmaster)
	}
	if _, err := os.Stat(socket); !os.IsNotExist(err) {
		t.Errorf("the folder of its socket, %s, is still there: %v", socket, err)
	}

	began := time.Now()
	p = h.open(t)
	t.Logf("the second start took %s: %s", time.Since(began).Round(time.Millisecond), readyLine(p))
	o.holdsWhatItAcknowledged(t)
	h.check(t)
	if code := p.terminate(t); code != 0 {
		t.Errorf("the demo ends with %d", code)
	}
}

// openStream opens the live counts of the queue page as a browser does. They never end by themselves.
func openStream(t *testing.T, o *office) io.Reader {
	t.Helper()
	jar, err := cookiejar.New(nil)
	must(t, err)
	browser := &http.Client{Jar: jar}
	form := url.Values{"realm": {demo.Realm}, "username": {"checker1"}, "password": {demo.UserPassword}}
	signIn, err := http.NewRequest(http.MethodPost, o.base+"/signin", strings.NewReader(form.Encode()))
	must(t, err)
	signIn.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	signIn.Header.Set("Origin", o.base) // a form without it comes from nowhere, and is refused
	page, err := browser.Do(signIn)
	must(t, err)
	must(t, page.Body.Close())
	request, err := http.NewRequest(http.MethodGet, o.base+"/events", http.NoBody)
	must(t, err)
	request.Header.Set("Accept", "text/event-stream")
	stream, err := browser.Do(request)
	must(t, err)
	t.Cleanup(func() { _ = stream.Body.Close() })
	if kind := stream.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Fatalf("the stream is %s %s", stream.Status, kind)
	}
	return stream.Body
}

// readyLine is what the demo tells people when it is ready.
func readyLine(p *program) string {
	_, line, _ := strings.Cut(p.output.String(), "ready after ")
	line, _, _ = strings.Cut(line, ".\n")
	return line
}

func alive(process int) bool { return syscall.Kill(process, 0) == nil }

// closed returns when nobody gets in at an address any more.
func closed(t *testing.T, address string) {
	t.Helper()
	until := time.Now().Add(patience)
	for {
		connection, err := net.Dial("tcp", address)
		if err != nil {
			return
		}
		must(t, connection.Close())
		if time.Now().After(until) {
			t.Fatal("the demo still lets people in")
		}
		time.Sleep(time.Millisecond)
	}
}

// locked is a message's row that another transaction holds.
type locked struct {
	connection *pgx.Conn
	tx         pgx.Tx
}

// lock takes the row of a message.
func lock(t *testing.T, h *house, id string) locked {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), h.databaseURL(t))
	must(t, err)
	tx, err := connection.Begin(t.Context())
	must(t, err)
	_, err = tx.Exec(t.Context(), "SELECT 1 FROM message WHERE realm = $1 AND message_id = $2 FOR UPDATE", demo.Realm, id)
	must(t, err)
	return locked{connection: connection, tx: tx}
}

// waitedFor returns when a statement of somebody else stands behind the lock.
func (l locked) waitedFor(t *testing.T) {
	t.Helper()
	until := time.Now().Add(patience)
	for {
		var waits bool
		_, err := l.tx.Exec(t.Context(), "SELECT pg_stat_clear_snapshot()") // who is there is else what it was at the first look
		must(t, err)
		must(t, l.tx.QueryRow(
			t.Context(), "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid)))",
		).Scan(&waits))
		if waits {
			return
		}
		if time.Now().After(until) {
			t.Fatal("nobody waits for the message")
		}
		time.Sleep(time.Millisecond)
	}
}

// release gives the row back.
func (l locked) release(t *testing.T) {
	t.Helper()
	must(t, l.tx.Rollback(t.Context()))
	must(t, l.connection.Close(t.Context()))
}

// TestAnInterruptedCommandIsNoSuccess: a command that SIGTERM ends while it waits for the database exits with 130.
func TestAnInterruptedCommandIsNoSuccess(t *testing.T) {
	t.Parallel()
	for arguments, table := range map[string]string{
		"check": "message", "check --json": "message", "audit verify": "audit_leaf", "migrate": "goose_db_version",
	} {
		t.Run(arguments, func(t *testing.T) {
			t.Parallel()
			db := storetest.New(t)
			must(t, demo.Ensure(t.Context(), db.Provisioner(t)))
			connection, err := pgx.Connect(t.Context(), db.OwnerURL)
			must(t, err)
			defer func() { _ = connection.Close(context.Background()) }()
			tx, err := connection.Begin(t.Context())
			must(t, err)
			_, err = tx.Exec(t.Context(), "LOCK TABLE "+table+" IN ACCESS EXCLUSIVE MODE")
			must(t, err)
			result := filepath.Join(t.TempDir(), "check.json")
			p := start(t, []string{
				"COUNTERSIGN_CHECK_FILE=" + result, "COUNTERSIGN_DATABASE_OWNER_URL=" + db.OwnerURL, "COUNTERSIGN_AUDIT_KEY_FILE=" + keyIn(t, t.TempDir()),
			}, strings.Fields(arguments)...)
			locked{connection: connection, tx: tx}.waitedFor(t)
			must(t, p.process.Signal(syscall.SIGTERM))
			if code := p.wait(t); code != exitInterrupted || !strings.Contains(p.output.String(), "interrupted") {
				t.Errorf("ends with %d:\n%s", code, p.output)
			}
			if _, err := os.Stat(result); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("an interrupted check leaves an outcome: %v", err)
			}
		})
	}
}
