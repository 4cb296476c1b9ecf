package web

import (
	"net/netip"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
	"golang.org/x/time/rate"

	"countersign/web/request"
)

// Limits bound what callers may ask of the server. A zero takes its default.
type Limits struct {
	// PerPrincipal is the calls a second of one user and client of the API. The default is twice the published throughput of 1,000, so
	// that a well-behaved integrator with one token never meets it.
	PerPrincipal int
	// PerAddress is the calls a second of one address (of a /64 network for IPv6) on all doors together. The default leaves room for
	// several principals behind one address.
	PerAddress int
	// InFlight is the calls of the API that are worked on at a time; more are asked to come again.
	InFlight int
	// Connections is the most connections at a time; more wait to be accepted.
	Connections int
	// Drain is the time for which the server still takes requests after it was told to stop, while /readyz says that it is not ready. There
	// is no default.
	Drain time.Duration
	// Write is the longest time for an answer, but that of a stream.
	Write time.Duration
}

// The defaults of Limits, which docs/operations.md names.
const (
	DefaultPerPrincipal = 2_000
	DefaultPerAddress   = 4_000
	DefaultConnections  = 4_000
	defaultWrite        = 30 * time.Second
)

// withDefaults sets the unset limits to their defaults.
func (l Limits) withDefaults() Limits {
	orElse := func(value *int, otherwise int) {
		if *value <= 0 {
			*value = otherwise
		}
	}
	orElse(&l.PerPrincipal, DefaultPerPrincipal)
	orElse(&l.PerAddress, DefaultPerAddress)
	orElse(&l.InFlight, DefaultInFlight)
	orElse(&l.Connections, DefaultConnections)
	if l.Write <= 0 {
		l.Write = defaultWrite
	}
	return l
}

// maxBuckets bounds each of the two halves of the callers that are remembered.
const maxBuckets = 20_000

// buckets hold a token bucket for each caller. A caller may use up a second's calls at once. When there are maxBuckets of them, those
// not used since the last time that happened are forgotten: their callers find a full bucket again.
type buckets[K comparable] struct {
	perSecond int

	mu      sync.Mutex
	recent  map[K]*rate.Limiter
	earlier map[K]*rate.Limiter
}

func newBuckets[K comparable](perSecond int) *buckets[K] {
	return &buckets[K]{perSecond: perSecond, recent: map[K]*rate.Limiter{}}
}

// take counts a call. wait is 0 when it may go on, else how long until one may.
func (b *buckets[K]) take(caller K, now time.Time) (wait time.Duration) {
	taken := b.of(caller).ReserveN(now, 1)
	wait = taken.DelayFrom(now)
	if wait > 0 {
		taken.CancelAt(now)
	}
	return wait
}

func (b *buckets[K]) of(caller K) *rate.Limiter {
	b.mu.Lock()
	defer b.mu.Unlock()
	bucket := b.recent[caller]
	if bucket != nil {
		return bucket
	}
	bucket = b.earlier[caller]
	if bucket == nil {
		bucket = rate.NewLimiter(rate.Limit(b.perSecond), b.perSecond)
	}
	if len(b.recent) >= maxBuckets {
		b.recent, b.earlier = map[K]*rate.Limiter{}, b.recent
	}
	b.recent[caller] = bucket
	return bucket
}

// byAddress limits the calls from one address.
func (s *Server) byAddress(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		wait := s.addresses.take(network(request.Address(c.Request().Context())), s.cfg.Now())
		if wait > 0 {
			return request.TooMany(wait)
		}
		return next(c)
	}
}

// caller is a user and a client of the API.
type caller struct {
	realm, client string
	user          uuid.UUID
}

// byPrincipal limits the calls of one user and client.
func (s *Server) byPrincipal(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		by, known := request.Principal(c.Request().Context())
		if !known {
			return next(c)
		}
		wait := s.principals.take(caller{by.Realm, by.ClientID, by.UserID}, s.cfg.Now())
		if wait > 0 {
			return request.TooMany(wait)
		}
		return next(c)
	}
}

// network is an address, or for IPv6 the /64 network that its owner may use all addresses of.
func network(address string) string {
	const ownersBits = 64
	read, err := netip.ParseAddr(address)
	if err != nil || read.Unmap().Is4() {
		return address
	}
	prefix, err := read.WithZone("").Prefix(ownersBits)
	if err != nil {
		return address
	}
	return prefix.String()
}
