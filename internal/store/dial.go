package store

import (
	"context"
	"net"
	"syscall"
	"time"
)

const (
	// connectWithin is the longest time to open a connection, where the URL says no other.
	connectWithin = 5 * time.Second
	// clockConnectWithin is the same for the clock, whose scans must not wait longer for a fresh connection.
	clockConnectWithin = 3 * time.Second
	// pingWithin limits the ping of a connection that was idle.
	pingWithin = time.Second
	// unheardWithin is the TCP user timeout: the system closes a connection whose data stays unconfirmed for so long.
	unheardWithin = 10 * time.Second
)

// dial opens a connection that the system ends when the other side no longer answers.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3},
		Control: func(network, _ string, raw syscall.RawConn) error {
			if network == "unix" {
				return nil
			}
			return limitUnheard(raw, unheardWithin)
		},
	}
	return dialer.DialContext(ctx, network, address)
}
