package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"
)

// partner is a program that this gateway asks over HTTP: its address, our client certificate, and the authorities of its own.
type partner struct {
	prefix                                string // of the settings, such as COUNTERSIGN_PAYEE
	url, certificateFile, keyFile, caFile string
	why                                   string // a certificate is needed
}

// read checks the address and reads the files. The certificate is nil on this machine when none is given, roots are nil for those of the
// system.
func (p partner) read() (*tls.Certificate, *x509.CertPool, error) {
	at, err := url.Parse(p.url)
	if err != nil || at.Host == "" || at.User != nil || at.RawQuery != "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, nil, fmt.Errorf("%s_URL: give an address that begins with https://, without user and question mark", p.prefix)
	}
	near := loopback(at.Hostname())
	if at.Scheme == "http" && !near {
		return nil, nil, fmt.Errorf("%s_URL: names and accounts would travel to %s without TLS: give an address that begins with https://",
			p.prefix, at.Host)
	}
	certificate, err := p.certificate(!near)
	if err != nil {
		return nil, nil, err
	}
	roots, err := p.roots()
	return certificate, roots, err
}

func (p partner) certificate(needed bool) (*tls.Certificate, error) {
	switch {
	case p.certificateFile == "" && p.keyFile == "" && !needed:
		return nil, nil //nolint:nilnil // no certificate is an answer
	case p.certificateFile == "":
		return nil, errors.New(p.prefix + "_CERTIFICATE_FILE: name the file with the certificate that this gateway shows: " + p.why)
	case p.keyFile == "":
		return nil, errors.New(p.prefix + "_KEY_FILE: name the file with the private key of the certificate")
	}
	info, err := os.Stat(p.keyFile)
	if err != nil {
		return nil, fmt.Errorf("%s_KEY_FILE: read the key: %w", p.prefix, err)
	}
	err = private(p.keyFile, info)
	if err != nil {
		return nil, fmt.Errorf("%s_KEY_FILE: the key file %s %w", p.prefix, p.keyFile, err)
	}
	certificate, err := tls.LoadX509KeyPair(p.certificateFile, p.keyFile)
	if err != nil {
		return nil, fmt.Errorf("%s_CERTIFICATE_FILE and %[1]s_KEY_FILE: read certificate and key: %w", p.prefix, err)
	}
	if certificate.Leaf != nil && time.Now().After(certificate.Leaf.NotAfter) {
		return nil, fmt.Errorf("%s_CERTIFICATE_FILE: the certificate ended on %s: put a new one there", p.prefix,
			certificate.Leaf.NotAfter.UTC().Format(time.DateOnly))
	}
	return &certificate, nil
}

func (p partner) roots() (*x509.CertPool, error) {
	if p.caFile == "" {
		return nil, nil //nolint:nilnil // those of the system
	}
	content, err := os.ReadFile(p.caFile)
	if err != nil {
		return nil, fmt.Errorf("%s_CA_FILE: %w", p.prefix, err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(content) {
		return nil, fmt.Errorf("%s_CA_FILE: %s holds no certificate in PEM", p.prefix, p.caFile)
	}
	return roots, nil
}
