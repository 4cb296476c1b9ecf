package store

import (
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

// TestConnectionsEndWhenTheOtherSideIsGone: the system is told to look, and when to give up.
func TestConnectionsEndWhenTheOtherSideIsGone(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	opened, err := dial(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	raw, err := opened.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	err = raw.Control(func(socket uintptr) {
		for name, option := range map[string][2]int{
			"user timeout": {unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT}, "keepalive": {unix.SOL_SOCKET, unix.SO_KEEPALIVE},
			"idle": {unix.IPPROTO_TCP, unix.TCP_KEEPIDLE}, "interval": {unix.IPPROTO_TCP, unix.TCP_KEEPINTVL},
			"count": {unix.IPPROTO_TCP, unix.TCP_KEEPCNT},
		} {
			got[name], _ = unix.GetsockoptInt(int(socket), option[0], option[1])
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"user timeout": 10_000, "keepalive": 1, "idle": 10, "interval": 5, "count": 3} {
		if got[name] != want {
			t.Errorf("%s is %d, want %d", name, got[name], want)
		}
	}
}
