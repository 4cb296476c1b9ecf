package request_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/web/request"
)

// TestALateAnswerLeavesItsConnectionAsItWas: a request that took too long ends, and those after it on the same connection go on as on a
// new one, whether they have a body or none.
func TestALateAnswerLeavesItsConnectionAsItWas(t *testing.T) {
	t.Parallel()
	const limit = 30 * time.Millisecond
	e := echo.New()
	within := request.Within(limit)
	e.POST("/slow", within(func(c echo.Context) error {
		_, err := request.ReadBody(c, 100)
		<-c.Request().Context().Done()
		return errors.Join(err, c.NoContent(http.StatusServiceUnavailable))
	}))
	e.GET("/slow", within(func(c echo.Context) error {
		<-c.Request().Context().Done()
		return c.NoContent(http.StatusServiceUnavailable)
	}))
	e.POST("/quick", within(func(c echo.Context) error {
		body, err := request.ReadBody(c, 100)
		if err != nil || c.Request().Context().Err() != nil {
			return c.String(http.StatusInternalServerError, fmt.Sprint(err, c.Request().Context().Err()))
		}
		return c.Blob(http.StatusOK, echo.MIMETextPlain, body)
	}))
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	connection, err := net.Dial("tcp", server.Listener.Addr().String())
	must(t, err)
	t.Cleanup(func() { _ = connection.Close() })
	must(t, connection.SetDeadline(time.Now().Add(time.Minute)))
	reader := bufio.NewReader(connection)
	ask := func(method, path, body string, want int) {
		t.Helper()
		_, err := fmt.Fprintf(connection, "%s %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", method, path, len(body), body)
		must(t, err)
		answer, err := http.ReadResponse(reader, nil)
		must(t, err)
		got, err := io.ReadAll(answer.Body)
		must(t, errors.Join(err, answer.Body.Close()))
		if answer.StatusCode != want || answer.Close || want == http.StatusOK && string(got) != body {
			t.Fatalf("%s %s: %d, closes %v: %s", method, path, answer.StatusCode, answer.Close, got)
		}
	}
	for range 20 {
		ask(http.MethodPost, "/slow", "body", http.StatusServiceUnavailable)
		ask(http.MethodPost, "/quick", "body", http.StatusOK)
		ask(http.MethodGet, "/slow", "", http.StatusServiceUnavailable)
		ask(http.MethodPost, "/quick", "another", http.StatusOK)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
