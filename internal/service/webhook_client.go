package service

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
	"time"
)

// WebhookClient makes the client that sends to receivers. It connects only to public addresses and those of the allowed networks: it checks
// the dialled address itself, after the name is resolved. It follows no redirect and uses no proxy.
func WebhookClient(allowed []netip.Prefix) *http.Client {
	dialer := &net.Dialer{
		Timeout: webhookTimeout,
		Control: func(_, address string, _ syscall.RawConn) error { return mayDial(address, allowed) },
	}
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSHandshakeTimeout: webhookTimeout, ResponseHeaderTimeout: webhookTimeout,
			MaxIdleConnsPerHost: webhookAtOnce, IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: 64 << 10, ForceAttemptHTTP2: true,
		},
	}
}

// reserved lists networks that are not public, beside those that package netip knows.
var reserved = func() (list []netip.Prefix) {
	for _, network := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
		"240.0.0.0/4", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "fec0::/10",
	} {
		list = append(list, netip.MustParsePrefix(network))
	}
	return list
}()

// mayDial refuses an address that is neither public nor allowed.
func mayDial(address string, allowed []netip.Prefix) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("dial %s: %w", address, err)
	}
	ip := at.Addr().Unmap().WithZone("")
	contains := func(network netip.Prefix) bool { return network.Contains(ip) }
	if slices.ContainsFunc(allowed, contains) {
		return nil
	}
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || slices.ContainsFunc(reserved, contains) {
		return fmt.Errorf("the address %s is not public: the operator has to allow its network (COUNTERSIGN_WEBHOOK_NETWORKS)", ip)
	}
	return nil
}
