package web

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/labstack/echo/v4"
)

// origin is the server's own origin as the browser that sent a request knows it: a trusted proxy says which it is.
func (s *Server) origin(r *http.Request) string {
	scheme, host := "http", r.Host
	if s.cfg.TLS || r.TLS != nil {
		scheme = "https"
	}
	if s.throughProxy(r) {
		if said := lastOf(r.Header.Values(echo.HeaderXForwardedProto)); said == "http" || said == "https" {
			scheme = said
		}
		if said := lastOf(r.Header.Values("X-Forwarded-Host")); said != "" {
			host = said
		}
	}
	return scheme + "://" + host
}

// throughProxy reports whether the connection comes from a trusted proxy.
func (s *Server) throughProxy(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	for _, trusted := range s.cfg.TrustedProxies {
		if trusted.Contains(peer.Addr().Unmap()) {
			return true
		}
	}
	return false
}

// lastOf returns the last value of a list header: the value of the nearest proxy. Earlier values came with the request.
func lastOf(values []string) string {
	if len(values) == 0 {
		return ""
	}
	list := strings.Split(values[len(values)-1], ",")
	return strings.ToLower(strings.TrimSpace(list[len(list)-1]))
}

// clientAddress finds the address a request came from. Without trusted proxies it is that of the connection, and headers are ignored;
// with them it is the last address in X-Forwarded-For that is not one of the proxies.
func clientAddress(proxies []netip.Prefix) echo.IPExtractor {
	if len(proxies) == 0 {
		return echo.ExtractIPDirect()
	}
	trust := []echo.TrustOption{echo.TrustLoopback(false), echo.TrustLinkLocal(false), echo.TrustPrivateNet(false)}
	for _, prefix := range proxies {
		prefix = prefix.Masked()
		trust = append(trust, echo.TrustIPRange(&net.IPNet{
			IP: prefix.Addr().AsSlice(), Mask: net.CIDRMask(prefix.Bits(), prefix.Addr().BitLen()),
		}))
	}
	return echo.ExtractIPFromXFFHeader(trust...)
}

// sameOrigin refuses forms that another site makes a browser send (security study T7). A browser names the origin of a form in
// Sec-Fetch-Site or Origin; a request with neither is refused too, since a cookie alone proves nothing. Origin must equal our own including
// the scheme, or be "null" with a Sec-Fetch-Site that allows it: browsers send "null" under our referrer policy.
func (s *Server) sameOrigin(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			return next(c)
		}
		site, origin := r.Header.Get("Sec-Fetch-Site"), r.Header.Get(echo.HeaderOrigin)
		vouched := site == "same-origin" || site == "none"
		switch {
		case site != "" && !vouched, site == "" && origin == "", site == "" && origin == "null":
			return errCrossOrigin
		case origin != "" && origin != "null" && !strings.EqualFold(origin, s.origin(r)):
			return errCrossOrigin
		}
		return next(c)
	}
}
