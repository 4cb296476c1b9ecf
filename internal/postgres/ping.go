package postgres

import (
	"bytes"
	"context"
	"encoding/binary"
	"net"
	"time"
)

// readiness is the answer of a server to a connection attempt.
type readiness int

const (
	// silent: nothing answers on the socket.
	silent readiness = iota
	// busy: it answers that it is starting up or shutting down.
	busy
	// ready: it takes clients.
	ready
)

const (
	// protocolVersion is 3.0 as the startup message writes it (PostgreSQL manual, "Message Formats": StartupMessage).
	protocolVersion = 3 << 16
	// cannotConnectNow is the error code of a server that is starting up or shutting down (manual, appendix "PostgreSQL Error Codes").
	cannotConnectNow = "57P03"
	pingLimit        = 2 * time.Second
	answerLimit      = 1024
)

// ping asks the server on a socket whether it takes clients: it begins a session as any client does and looks at the first answer.
// Any answer but "not now" counts as ready, also a refusal such as "too many clients": the server itself is up.
func ping(ctx context.Context, socket string) readiness {
	ctx, cancel := context.WithTimeout(ctx, pingLimit)
	defer cancel()
	var dialer net.Dialer
	connection, err := dialer.DialContext(ctx, "unix", socket)
	if err != nil {
		return silent
	}
	defer func() { _ = connection.Close() }()
	deadline, _ := ctx.Deadline()
	err = connection.SetDeadline(deadline)
	if err != nil {
		return silent
	}
	_, err = connection.Write(startupMessage())
	if err != nil {
		return silent
	}
	answer := make([]byte, answerLimit)
	length, err := connection.Read(answer)
	if err != nil {
		return silent
	}
	return classify(answer[:length], connection)
}

// classify reads the first answer and, where a session was opened, ends it politely so that the server logs no broken connection.
func classify(answer []byte, connection net.Conn) readiness {
	if answer[0] == 'E' && bytes.Contains(answer, []byte("C"+cannotConnectNow+"\x00")) {
		return busy
	}
	if answer[0] == 'R' {
		_, _ = connection.Write([]byte{'X', 0, 0, 0, 4})
	}
	return ready
}

func startupMessage() []byte {
	body := binary.BigEndian.AppendUint32(nil, protocolVersion)
	body = append(body, "user\x00"+superuser+"\x00database\x00postgres\x00\x00"...)
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body)+4)), body...) //nolint:gosec // a few dozen bytes
}
