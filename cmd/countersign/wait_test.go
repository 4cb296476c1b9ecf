package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"countersign/internal/demo"
	"countersign/internal/keyring"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/internal/testutil"
)

// behindALine is a migrated database with a realm, which serve reaches over a line.
func behindALine(t *testing.T) (*storetest.Line, []string) {
	t.Helper()
	db := storetest.New(t)
	bank(t, db, "x")
	db.URL = loginOf(t, db, "IN ROLE countersign_app")
	line, through := db.Relay(t)
	return line, append(safe(t, through), "COUNTERSIGN_ENVIRONMENT=TEST", "COUNTERSIGN_AUDIT_KEY_FILE="+keyIn(t, t.TempDir()))
}

// addressIn is the address of serve's settings.
func addressIn(settings []string) string {
	for _, setting := range settings {
		if address, is := strings.CutPrefix(setting, "COUNTERSIGN_LISTEN="); is {
			return address
		}
	}
	return ""
}

// asks returns the answer of an address: its status and body.
func asks(t *testing.T, address string) (int, string) {
	t.Helper()
	answer, err := http.Get("http://" + address)
	if err != nil {
		return 0, ""
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	must(t, err)
	return answer.StatusCode, string(body)
}

// TestServeWaitsForItsDatabase: a gateway that starts while the database is away, or frozen, says why it is not ready, and works when the
// database is there. It ends when that takes too long, or by SIGTERM.
func TestServeWaitsForItsDatabase(t *testing.T) {
	t.Parallel()
	for name, gone := range map[string]func(*storetest.Line){"away": (*storetest.Line).Cut, "frozen": (*storetest.Line).Freeze} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			line, settings := behindALine(t)
			gone(line)
			address := addressIn(settings)
			p := start(t, settings, "serve")
			if !poll(func() bool { status, _ := asks(t, address+"/livez"); return status == http.StatusOK }) {
				t.Fatal("it does not live")
			}
			status, body := asks(t, address+"/readyz")
			if status != http.StatusServiceUnavailable || !strings.Contains(body, `"database":"unreachable"`) {
				t.Errorf("ready without a database: %d %s", status, body)
			}
			if status, _ = asks(t, address+"/signin"); status != http.StatusServiceUnavailable {
				t.Errorf("a page without a database: %d", status)
			}
			if name == "away" {
				line.Connect(t)
			} else {
				line.Thaw()
			}
			p.answers(t, "http://"+address+"/readyz")
			if code := p.terminate(t); code != 0 {
				t.Errorf("it ends with %d", code)
			}
		})
	}
	t.Run("read only", func(t *testing.T) {
		t.Parallel()
		db := storetest.New(t)
		bank(t, db, "x")
		owner := db.Connect(t)
		var name string
		must(t, owner.QueryRow(t.Context(), "SELECT current_database()").Scan(&name))
		alter := func(how string) {
			_, err := owner.Exec(t.Context(), "ALTER DATABASE "+name+how)
			must(t, err)
		}
		db.URL = loginOf(t, db, "IN ROLE countersign_app")
		alter(" SET default_transaction_read_only = on")
		settings := append(safe(t, db.URL), "COUNTERSIGN_ENVIRONMENT=TEST", "COUNTERSIGN_AUDIT_KEY_FILE="+keyIn(t, t.TempDir()))
		p := start(t, settings, "serve")
		if !poll(func() bool {
			status, _ := asks(t, addressIn(settings)+"/readyz")
			return status == http.StatusServiceUnavailable
		}) {
			t.Fatal("it does not say that it is not ready")
		}
		alter(" RESET default_transaction_read_only")
		p.answers(t, "http://"+addressIn(settings)+"/readyz")
	})
	t.Run("too long", func(t *testing.T) {
		t.Parallel()
		line, settings := behindALine(t)
		line.Cut()
		refusedWith(t, append(settings, "COUNTERSIGN_DATABASE_WAIT=2s"), "open the database (is it running")
	})
	t.Run("terminated", func(t *testing.T) {
		t.Parallel()
		line, settings := behindALine(t)
		line.Cut()
		p := start(t, settings, "serve")
		if !poll(func() bool { status, _ := asks(t, addressIn(settings)+"/livez"); return status == http.StatusOK }) {
			t.Fatal("it does not live")
		}
		if code := p.terminate(t); code != 0 {
			t.Errorf("it ends with %d", code)
		}
	})
}

// stopsWithin is the longest time from SIGTERM to the end of serve, also with parts that hang.
const stopsWithin = 8 * time.Second

// TestServeStopsInTimeWhateverHangs: clearing takes connections and never answers, clients send half a request or read nothing, and the
// database is frozen. Each alone and all together, serve ends in time with 0.
func TestServeStopsInTimeWhateverHangs(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	for name, hangs := range map[string]struct{ client, database bool }{
		"clearing": {}, "clients": {client: true}, "database": {database: true}, "all": {client: true, database: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stopsInTime(t, hangs.client, hangs.database)
		})
	}
}

func stopsInTime(t *testing.T, client, database bool) {
	t.Helper()
	db := storetest.New(t)
	keys, err := keyring.Parse([]byte(bankKey()), "")
	must(t, err)
	must(t, demo.Ensure(t.Context(), store.Provisioner{OwnerURL: db.OwnerURL, Keys: keys, At: storetest.Provisioned}))
	clearing := hangingClearing(t)
	db.URL = loginOf(t, db, "IN ROLE countersign_app")
	line, through := db.Relay(t)
	settings := append(safe(t, through),
		"COUNTERSIGN_ENVIRONMENT=TEST", "COUNTERSIGN_TLS=false", "COUNTERSIGN_AUDIT_KEY_FILE="+keyIn(t, t.TempDir()),
		"COUNTERSIGN_CLEARING_SIC_URL="+clearing, "COUNTERSIGN_CLEARING_SCT_URL="+clearing)
	address := addressIn(settings)
	p := start(t, settings, "serve")
	p.answers(t, "http://"+address+"/readyz")
	o := newOffice(t, &house{gateway: address})
	for range 5 { // their deliveries hang
		paper := o.newPaper(0)
		_, err := o.create(paper)
		must(t, err)
		_, err = o.approve(paper)
		must(t, err)
	}
	if client {
		hangingClients(t, address)
	}
	if database {
		line.Freeze()
		for range 5 { // requests that wait for it
			paper := o.newPaper(0)
			go func() { _, _ = o.create(paper) }()
		}
	}
	time.Sleep(500 * time.Millisecond)
	began := time.Now()
	must(t, p.process.Signal(syscall.SIGTERM))
	code, took := p.wait(t), time.Since(began)
	t.Logf("it ends with %d after %s", code, took.Round(10*time.Millisecond))
	if code != 0 || took > stopsWithin {
		t.Errorf("it ends with %d after %s:\n%s", code, took, p.output)
	}
}

// hangingClearing takes connections and never answers.
func hangingClearing(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { <-ctx.Done(); _ = connection.Close() }()
		}
	}()
	return "http://" + listener.Addr().String()
}

// hangingClients send half a header, and half a body.
func hangingClients(t *testing.T, address string) {
	t.Helper()
	for _, half := range []string{
		"GET /signin HTTP/1.1\r\nHost: x\r\nX-Half",
		"POST /api/auth/v1/realms/demo/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\ngrant",
		"GET /events HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		connection, err := net.Dial("tcp", address)
		must(t, err)
		t.Cleanup(func() { _ = connection.Close() })
		_, err = connection.Write([]byte(half))
		must(t, err)
	}
}
