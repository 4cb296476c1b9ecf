package web_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"countersign/internal/testutil"
	"countersign/web"
	"countersign/web/webtest"
)

// limited is the server of a bundle with limits of its own.
func limited(t *testing.T, limits web.Limits) *bundle {
	t.Helper()
	return setupWith(t, webtest.Options{Settings: web.Settings{Limits: limits}})
}

// TestOneCallerDoesNotTakeTheShareOfOthers: who asks more often than he may is told to wait, by principal and by address; others are not.
func TestOneCallerDoesNotTakeTheShareOfOthers(t *testing.T) {
	t.Parallel()
	b := limited(t, web.Limits{PerPrincipal: 3, PerAddress: 20})
	for _, who := range []webtest.Person{webtest.Maker1, webtest.Checker1} {
		b.Token(t, who)
	}
	for i := range 5 {
		a := b.Send(t, webtest.Get(webtest.ListPath, webtest.Maker1))
		if want := i >= 3; (a.Status == http.StatusTooManyRequests) != want {
			t.Errorf("call %d: %d", i, a.Status)
		}
		if a.Status == http.StatusTooManyRequests && (a.Header.Get("Retry-After") != "1" || a.Text("errorCode") != "429_TOO_MANY_REQUESTS") {
			t.Errorf("Retry-After %q, %s", a.Header.Get("Retry-After"), a.Body)
		}
	}
	if a := b.Send(t, webtest.Get(webtest.ListPath, webtest.Checker1)); a.Status != http.StatusOK {
		t.Errorf("another person: %d", a.Status)
	}
	login := webtest.Call{
		Path: "/api/auth/v1/realms/demo/login", Kind: "application/x-www-form-urlencoded", Body: "grant_type=password&client_id=x",
	}
	refused := 0
	for range 25 {
		a := b.Send(t, login)
		if a.Status == http.StatusTooManyRequests {
			refused++
			if a.Header.Get("Retry-After") == "" || a.Text("error") == "" || a.Text("errorCode") != "429_TOO_MANY_REQUESTS" {
				t.Errorf("%v %s", a.Header, a.Body)
			}
		}
	}
	if refused == 0 {
		t.Error("one address may ask as often as it likes")
	}
	elsewhere := webtest.Get(webtest.ListPath, webtest.Checker1)
	elsewhere.Change = func(r *http.Request) { r.RemoteAddr = "198.51.100.7:4711" }
	if a := b.Send(t, elsewhere); a.Status != http.StatusOK {
		t.Errorf("another address: %d", a.Status)
	}
	b.Clock.Add(time.Second)
	if a := b.Send(t, webtest.Get(webtest.ListPath, webtest.Maker1)); a.Status != http.StatusOK {
		t.Errorf("a second later: %d", a.Status)
	}
}

// TestEveryDoorForProgramsRefusesInJSON asks at each address for programs once more than an address may: nobody is told so by a page.
func TestEveryDoorForProgramsRefusesInJSON(t *testing.T) {
	t.Parallel()
	b := limited(t, web.Limits{PerAddress: 1})
	b.Send(t, webtest.Get(webtest.ListPath, webtest.Nobody))
	told := 0
	for _, route := range b.Server.Routes() {
		a := b.Send(t, webtest.Call{Method: route.Method, Path: strings.ReplaceAll(route.Path, ":realm", "demo")})
		if a.Status != http.StatusTooManyRequests {
			continue // the operator's addresses and the description have no limit
		}
		told++
		if a.JSON == nil || a.Text("errorCode") != "429_TOO_MANY_REQUESTS" {
			t.Errorf("%s %s: %s", route.Method, route.Path, a.Body)
		}
	}
	if told < 50 {
		t.Errorf("only %d routes have a limit", told)
	}
}

// TestTheDefaultsLeaveRoomForThePublishedThroughput: one client with one token makes a thousand calls in a second.
func TestTheDefaultsLeaveRoomForThePublishedThroughput(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	b := setup(t)
	b.Token(t, webtest.Maker1)
	for i := range 1000 { // the clock stands still: all in the same second
		if a := b.Send(t, webtest.Get("/api/common/v1/account/list", webtest.Maker1)); a.Status != http.StatusOK {
			t.Fatalf("call %d: %d %s", i, a.Status, a.Body)
		}
	}
}

// listening serves a bundle's server on a real connection.
func (b *bundle) listening(t *testing.T) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.Server.Serve(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		err := <-ended
		if err != nil {
			t.Log("the server ended:", err)
		}
	})
	return listener.Addr().String()
}

// dial opens a connection that the test closes.
func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	connection, err := net.Dial("tcp", address)
	must(t, err)
	t.Cleanup(func() { _ = connection.Close() })
	return connection
}

// TestASlowBodyIsAnswered408: a body that does not come to its end holds nothing for longer than its call may take.
func TestASlowBodyIsAnswered408(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token := b.Token(t, webtest.Maker1)
	connection := dial(t, b.listening(t))
	_, err := fmt.Fprintf(connection, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Request-Id: slow\r\n"+
		"Authorization: Bearer %s\r\nContent-Length: 1000\r\n\r\n{", webtest.CreateSwiss, token)
	must(t, err)
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	must(t, err)
	body, err := io.ReadAll(response.Body)
	must(t, errors.Join(err, response.Body.Close()))
	if response.StatusCode != http.StatusRequestTimeout || !strings.Contains(string(body), "408_REQUEST_TIMEOUT") || !response.Close {
		t.Errorf("%d, closes %v: %s", response.StatusCode, response.Close, body)
	}
}

// TestABodyOfTwoLengthsEndsTheConnection: a proxy in front may believe the Content-Length of a chunked request and take the rest for a
// request of somebody else. It is not answered (RFC 9112 section 6.1).
func TestABodyOfTwoLengthsEndsTheConnection(t *testing.T) {
	t.Parallel()
	connection := dial(t, setup(t).listening(t))
	_, err := io.WriteString(connection, "POST "+webtest.CreateSwiss+" HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"+
		"0\r\n\r\nGET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
	must(t, err)
	reader := bufio.NewReader(connection)
	response, err := http.ReadResponse(reader, nil)
	must(t, err)
	_, err = io.Copy(io.Discard, response.Body)
	must(t, errors.Join(err, response.Body.Close()))
	if rest, _ := io.ReadAll(reader); !response.Close || len(rest) > 0 {
		t.Errorf("closes %v, and then answers %q", response.Close, rest)
	}
}

// TestASlowReaderIsLetGo asks for far more than fits on the way, and reads none of it until the server has given up.
func TestASlowReaderIsLetGo(t *testing.T) {
	t.Parallel()
	const asked = 2000
	b := limited(t, web.Limits{Write: 200 * time.Millisecond})
	connection := dial(t, b.listening(t))
	go func() {
		_, _ = io.WriteString(connection, strings.Repeat("GET /api/openapi.yaml HTTP/1.1\r\nHost: x\r\n\r\n", asked))
	}()
	// The server's log line of an answer that it could not write to its end is the sign that it gave up.
	for deadline := time.Now().Add(time.Minute); !strings.Contains(b.Log.String(), "answer broken off"); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the server still waits for somebody who does not read:\n%s", b.Log)
		}
	}
	must(t, connection.SetReadDeadline(time.Now().Add(time.Minute)))
	reader, answers := bufio.NewReader(connection), 0
	for {
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			break
		}
		_, err = io.Copy(io.Discard, response.Body)
		if err != nil {
			break
		}
		answers++
	}
	if answers >= asked {
		t.Errorf("the server wrote all %d answers to somebody who did not read", answers)
	}
}

// TestMoreConnectionsWait: beyond the limit a connection is served when another one ends.
func TestMoreConnectionsWait(t *testing.T) {
	t.Parallel()
	b := limited(t, web.Limits{Connections: 2})
	address := b.listening(t)
	ask := func(connection net.Conn) error {
		_, err := io.WriteString(connection, "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
		must(t, err)
		response, err := http.ReadResponse(bufio.NewReader(connection), nil)
		if err == nil {
			_ = response.Body.Close()
		}
		return err
	}
	first, second, third := dial(t, address), dial(t, address), dial(t, address)
	must(t, errors.Join(ask(first), ask(second)))
	must(t, third.SetReadDeadline(time.Now().Add(300*time.Millisecond)))
	if err := ask(third); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("a third connection is served beside two: %v", err)
	}
	must(t, first.Close())
	must(t, third.SetReadDeadline(time.Now().Add(time.Minute)))
	response, err := http.ReadResponse(bufio.NewReader(third), nil)
	must(t, err)
	must(t, response.Body.Close())
}
