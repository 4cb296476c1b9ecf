package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// clientCertificate is the certificate that this gateway shows to clearing. The files are read again when they change, so that a new
// certificate needs no restart.
type clientCertificate struct {
	certificateFile, keyFile string
	log                      *slog.Logger

	mu     sync.Mutex
	read   [2]time.Time // when the files were written that are in use
	in     *tls.Certificate
	failed bool // the last change could not be read, and was logged
}

// newClientCertificate reads the files. It fails when one is missing, readable for others, or the certificate has ended.
func newClientCertificate(certificateFile, keyFile string, log *slog.Logger) (*clientCertificate, error) {
	if certificateFile == "" || keyFile == "" {
		return nil, errors.New("name both files: of the certificate that this gateway shows to clearing, and of its private key")
	}
	c := &clientCertificate{certificateFile: certificateFile, keyFile: keyFile, log: log}
	err := c.load()
	if err != nil {
		return nil, err
	}
	if time.Now().After(c.ends()) {
		return nil, fmt.Errorf("the certificate in %s ended on %s: put a new one there", certificateFile, c.ends().Format(time.DateOnly))
	}
	return c, nil
}

// load reads the files when they are not those in use. Call it under the lock, or before others know the certificate.
func (c *clientCertificate) load() error {
	var written [2]time.Time
	for i, path := range []string{c.certificateFile, c.keyFile} {
		info, err := os.Stat(path)
		if err != nil {
			return fmt.Errorf("read the certificate for clearing: %w", err)
		}
		written[i] = info.ModTime()
		if path != c.keyFile {
			continue
		}
		err = private(path, info)
		if err != nil {
			return fmt.Errorf("the key file %s %w", path, err)
		}
	}
	if written == c.read {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(c.certificateFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("read the certificate for clearing and its key: %w", err)
	}
	c.in, c.read = &pair, written
	return nil
}

// show returns the certificate for a connection. Files that cannot be read, as while they are written, leave the one in use.
func (c *clientCertificate) show(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.load()
	if err != nil && !c.failed {
		c.log.LogAttrs(context.Background(), slog.LevelError, "the new certificate for clearing cannot be used, the old one stays",
			slog.Bool("alarm", true), slog.String("error", err.Error()))
	}
	c.failed = err != nil
	return c.in, nil
}

// ends is when the certificate in use ends.
func (c *clientCertificate) ends() time.Time {
	if c.in.Leaf == nil {
		return time.Time{}
	}
	return c.in.Leaf.NotAfter.UTC()
}

// secured is the TLS of connections to clearing: with the client certificate, and the authorities that may have signed clearing's; nil
// without settings of it.
func (c *clearingSettings) secured(log *slog.Logger) (*tls.Config, error) {
	if c.CertificateFile+c.KeyFile+c.CAFile == "" {
		return nil, nil //nolint:nilnil // that of the system is an answer
	}
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.CertificateFile+c.KeyFile != "" {
		own, err := newClientCertificate(c.CertificateFile, c.KeyFile, log)
		if err != nil {
			return nil, fmt.Errorf("COUNTERSIGN_CLEARING_CERTIFICATE_FILE and COUNTERSIGN_CLEARING_KEY_FILE: %w", err)
		}
		cfg.GetClientCertificate = own.show
	}
	if c.CAFile != "" {
		content, err := os.ReadFile(c.CAFile)
		if err != nil {
			return nil, fmt.Errorf("COUNTERSIGN_CLEARING_CA_FILE: %w", err)
		}
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM(content) {
			return nil, fmt.Errorf("COUNTERSIGN_CLEARING_CA_FILE: %s holds no certificate in PEM", c.CAFile)
		}
	}
	return cfg, nil
}
