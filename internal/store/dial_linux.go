package store

import (
	"errors"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// limitUnheard sets TCP_USER_TIMEOUT (RFC 5482): keepalive does not look at a connection on which something was sent.
func limitUnheard(raw syscall.RawConn, within time.Duration) error {
	var failed error
	err := raw.Control(func(socket uintptr) {
		failed = unix.SetsockoptInt(int(socket), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(within/time.Millisecond))
	})
	return errors.Join(err, failed)
}
