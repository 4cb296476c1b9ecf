package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

// place is where one client works: a connection of its own, on which it waits for each answer before it calls again. What a pool of
// connections does besides (two goroutines for each, timers, their wake-ups) is work for the processors that are measured, and none of the
// gateway's: pgbench, beside which the gateway is measured, does nothing of the kind.
type place struct {
	conn net.Conn
	in   *bufio.Reader
	out  *bufio.Writer
}

// callWithin is how long an answer may take.
const callWithin = 30 * time.Second

func openPlace(ctx context.Context, base string) (*place, error) {
	address, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address.Host)
	if err != nil {
		return nil, fmt.Errorf("connect a client: %w", err)
	}
	return &place{conn: conn, in: bufio.NewReader(conn), out: bufio.NewWriter(conn)}, nil
}

func (p *place) close() { _ = p.conn.Close() }

// call sends a request and reads its whole answer.
func (p *place) call(request *http.Request) (status int, content []byte, err error) {
	err = p.conn.SetDeadline(time.Now().Add(callWithin))
	if err == nil {
		err = request.Write(p.out)
	}
	if err == nil {
		err = p.out.Flush()
	}
	if err != nil {
		return 0, nil, err
	}
	answer, err := http.ReadResponse(p.in, request)
	if err != nil {
		return 0, nil, err
	}
	content, err = io.ReadAll(answer.Body)
	return answer.StatusCode, content, errors.Join(err, answer.Body.Close())
}
