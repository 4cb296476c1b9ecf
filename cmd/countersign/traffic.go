package main

import (
	"fmt"
	"net/netip"
	"time"

	"countersign/web"
)

// trafficSettings say whom the gateway believes and how much it takes; docs/operations.md explains them.
type trafficSettings struct {
	TrustedProxies  []string      `help:"Networks or addresses of the proxies whose X-Forwarded-* headers are trusted." env:"COUNTERSIGN_TRUSTED_PROXIES"`
	WebhookNetworks []string      `help:"Networks or addresses that are not public, and that webhooks may use." env:"COUNTERSIGN_WEBHOOK_NETWORKS"`
	LimitPrincipal  int           `help:"Maximum API calls per second of a user and client." default:"2000" env:"COUNTERSIGN_LIMIT_PRINCIPAL"`
	LimitAddress    int           `help:"Maximum requests per second from an address." default:"4000" env:"COUNTERSIGN_LIMIT_ADDRESS"`
	DrainPause      time.Duration `help:"How long requests are still accepted after SIGTERM, while /readyz returns 503 to the load balancer." default:"0s" env:"COUNTERSIGN_DRAIN_PAUSE"`
	MaxRequests     int           `help:"Maximum concurrent API calls. Further calls get 503 with Retry-After." default:"128" env:"COUNTERSIGN_MAX_REQUESTS"`
	MaxConnections  int           `help:"Maximum concurrent connections." default:"4000" env:"COUNTERSIGN_MAX_CONNECTIONS"`
}

// maxDrain limits the drain time: service managers kill a program that does not stop.
const maxDrain = 5 * time.Minute

// apply reads the settings into the gateway's. Every wrong one is a sentence that names it.
func (s *trafficSettings) apply(g *gateway) error {
	for _, networks := range []struct {
		setting string
		texts   []string
		into    *[]netip.Prefix
	}{
		{"COUNTERSIGN_TRUSTED_PROXIES", s.TrustedProxies, &g.TrustedProxies},
		{"COUNTERSIGN_WEBHOOK_NETWORKS", s.WebhookNetworks, &g.WebhookNetworks},
	} {
		for _, text := range networks.texts {
			network, err := networkOf(text)
			if err != nil {
				return fmt.Errorf("%s: write %q as a network such as 10.0.0.0/24, or as an address", networks.setting, text)
			}
			*networks.into = append(*networks.into, network)
		}
	}
	for _, limit := range []struct {
		setting string
		value   int
	}{
		{"COUNTERSIGN_LIMIT_PRINCIPAL", s.LimitPrincipal},
		{"COUNTERSIGN_LIMIT_ADDRESS", s.LimitAddress},
		{"COUNTERSIGN_MAX_REQUESTS", s.MaxRequests},
		{"COUNTERSIGN_MAX_CONNECTIONS", s.MaxConnections},
	} {
		if limit.value < 1 {
			return fmt.Errorf("%s: give a number from 1", limit.setting)
		}
	}
	if s.DrainPause < 0 || s.DrainPause > maxDrain {
		return fmt.Errorf("COUNTERSIGN_DRAIN_PAUSE: give a time from 0s to %s", maxDrain)
	}
	g.Limits = web.Limits{
		PerPrincipal: s.LimitPrincipal, PerAddress: s.LimitAddress, InFlight: s.MaxRequests, Connections: s.MaxConnections,
		Drain: s.DrainPause,
	}
	return nil
}

// networkOf reads a network, or an address as the network of itself alone.
func networkOf(text string) (netip.Prefix, error) {
	address, err := netip.ParseAddr(text)
	if err == nil {
		return netip.PrefixFrom(address, address.BitLen()), nil
	}
	return netip.ParsePrefix(text)
}
