package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"sync"
	"time"

	"countersign/web"
)

// tlsFiles are a certificate of this gateway with its key, and the authorities that may have signed the other side's. The files are read
// again when they change, so that a new certificate needs no restart.
type tlsFiles struct {
	prefix                           string // of the settings, such as COUNTERSIGN_CLEARING
	certificateFile, keyFile, caFile string // "" for none
	log                              *slog.Logger

	mu      sync.Mutex
	written [3]time.Time     // when the files in use were written
	own     *tls.Certificate // nil for none
	roots   *x509.CertPool   // nil for those of the system
	failed  bool             // the last change could not be read, and was logged
}

// open reads the files. It fails when one is missing, a key readable for others, or the certificate has ended.
func (f *tlsFiles) open() error {
	switch {
	case f.certificateFile == "" && f.keyFile != "":
		return errors.New(f.prefix + "_CERTIFICATE_FILE: name the file with the certificate that this gateway shows")
	case f.keyFile == "" && f.certificateFile != "":
		return errors.New(f.prefix + "_KEY_FILE: name the file with the private key of the certificate")
	}
	err := f.load()
	if err == nil && f.own != nil && time.Now().After(f.own.Leaf.NotAfter) {
		err = fmt.Errorf("%s_CERTIFICATE_FILE: the certificate ended on %s: put a new one there", f.prefix,
			f.own.Leaf.NotAfter.UTC().Format(time.DateOnly))
	}
	return err
}

// load reads the files when they are not those in use. Call it under the lock, or before others know the files.
func (f *tlsFiles) load() error {
	var written [len(f.written)]time.Time
	for i, file := range [len(f.written)]struct{ what, path string }{
		{"CERTIFICATE", f.certificateFile}, {"KEY", f.keyFile}, {"CA", f.caFile},
	} {
		if file.path == "" {
			continue
		}
		info, err := os.Stat(file.path)
		if err != nil {
			return fmt.Errorf("%s_%s_FILE: %w", f.prefix, file.what, err)
		}
		written[i] = info.ModTime()
		if file.path != f.keyFile {
			continue
		}
		err = private(file.path, info)
		if err != nil {
			return fmt.Errorf("%s_KEY_FILE: the key file %s %w", f.prefix, file.path, err)
		}
	}
	if written == f.written {
		return nil
	}
	var own *tls.Certificate
	if f.certificateFile != "" {
		pair, err := tls.LoadX509KeyPair(f.certificateFile, f.keyFile)
		if err != nil {
			return fmt.Errorf("%s_CERTIFICATE_FILE and %[1]s_KEY_FILE: read certificate and key: %w", f.prefix, err)
		}
		own = &pair
	}
	var roots *x509.CertPool
	if f.caFile != "" {
		content, err := os.ReadFile(f.caFile)
		if err != nil {
			return fmt.Errorf("%s_CA_FILE: %w", f.prefix, err)
		}
		roots = x509.NewCertPool()
		if !roots.AppendCertsFromPEM(content) {
			return fmt.Errorf("%s_CA_FILE: %s holds no certificate in PEM", f.prefix, f.caFile)
		}
	}
	f.own, f.roots, f.written = own, roots, written
	return nil
}

// current returns the certificate and the authorities for a new connection. Files that cannot be read, as while they are written, leave
// those in use.
func (f *tlsFiles) current() (*tls.Certificate, *x509.CertPool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.load()
	if err != nil && !f.failed {
		f.log.LogAttrs(context.Background(), slog.LevelError, "new files of TLS cannot be used, the old ones stay",
			slog.Bool("alarm", true), slog.String("error", err.Error()))
	}
	f.failed = err != nil
	return f.own, f.roots
}

// client is the TLS of connections to the other side. Its authorities are those of the start.
func (f *tlsFiles) client() *tls.Config {
	cfg := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: f.roots}
	if f.certificateFile != "" {
		cfg.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			own, _ := f.current()
			return own, nil
		}
	}
	return cfg
}

// server is the TLS of connections from the other side, which must show a certificate of the authorities. seen is called with each.
func (f *tlsFiles) server(seen func(tls.ConnectionState) error) *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		own, roots := f.current()
		return &tls.Config{
			MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{*own}, ClientCAs: roots, ClientAuth: tls.RequireAndVerifyClientCert,
			VerifyConnection: seen, SessionTicketsDisabled: true, // a resumed session would not be held against new authorities
		}, nil
	}}
}

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
