package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"countersign/internal/payee"
	"countersign/internal/stations"
	"countersign/internal/transport/payeebank"
)

// payeeSettings say where payees of payments in euro are verified; docs/payee.md explains them.
type payeeSettings struct {
	URL             string `help:"Where payees of payments in euro are verified: the address of the scheme's routing service, before /vop/v1. Without it nobody is asked." name:"payee-url" env:"COUNTERSIGN_PAYEE_URL"`
	CertificateFile string `help:"Certificate (PEM, with its chain) that this gateway shows there." name:"payee-certificate-file" env:"COUNTERSIGN_PAYEE_CERTIFICATE_FILE"`
	KeyFile         string `help:"Private key (PEM) of that certificate." name:"payee-key-file" env:"COUNTERSIGN_PAYEE_KEY_FILE"`
	CAFile          string `help:"Who may have signed the other side's certificate (PEM); those of the system without." name:"payee-ca-file" env:"COUNTERSIGN_PAYEE_CA_FILE"`
}

// apply gives the gateway its verifier.
func (s *payeeSettings) apply(g *gateway) error {
	if s.URL == "" {
		if s.CertificateFile+s.KeyFile+s.CAFile != "" {
			return errors.New("COUNTERSIGN_PAYEE_URL: say where payees are verified, or leave out the other COUNTERSIGN_PAYEE settings")
		}
		return nil
	}
	at, err := url.Parse(s.URL)
	if err != nil || at.Host == "" || at.User != nil || at.RawQuery != "" || at.Scheme != "http" && at.Scheme != "https" {
		return errors.New("COUNTERSIGN_PAYEE_URL: give an address that begins with https://, without user and question mark")
	}
	near := loopback(at.Hostname())
	if at.Scheme == "http" && !near {
		return fmt.Errorf("COUNTERSIGN_PAYEE_URL: names and accounts would travel to %s without TLS: "+
			"give an address that begins with https://", at.Host)
	}
	certificate, err := s.certificate(!near)
	if err != nil {
		return err
	}
	roots, err := s.roots()
	if err != nil {
		return err
	}
	g.Payee = payeebank.New(payeebank.Config{
		Address: s.URL, Certificate: certificate, Roots: roots, Now: time.Now, NewID: stations.NewID, Log: g.Log,
	})
	return nil
}

// certificate reads what this gateway shows; nil when it shows nothing, which is enough on this machine alone.
func (s *payeeSettings) certificate(needed bool) (*tls.Certificate, error) {
	switch {
	case s.CertificateFile == "" && s.KeyFile == "" && !needed:
		return nil, nil //nolint:nilnil // no certificate is an answer
	case s.CertificateFile == "":
		return nil, errors.New("COUNTERSIGN_PAYEE_CERTIFICATE_FILE: name the file with the certificate that this gateway shows: " +
			"banks verify payees for banks that show one")
	case s.KeyFile == "":
		return nil, errors.New("COUNTERSIGN_PAYEE_KEY_FILE: name the file with the private key of the certificate")
	}
	info, err := os.Stat(s.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("COUNTERSIGN_PAYEE_KEY_FILE: read the key: %w", err)
	}
	err = private(info)
	if err != nil {
		return nil, fmt.Errorf("COUNTERSIGN_PAYEE_KEY_FILE: the key file %s %w", s.KeyFile, err)
	}
	certificate, err := tls.LoadX509KeyPair(s.CertificateFile, s.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("COUNTERSIGN_PAYEE_CERTIFICATE_FILE and COUNTERSIGN_PAYEE_KEY_FILE: read certificate and key: %w", err)
	}
	if certificate.Leaf != nil && time.Now().After(certificate.Leaf.NotAfter) {
		return nil, fmt.Errorf("COUNTERSIGN_PAYEE_CERTIFICATE_FILE: the certificate ended on %s: put a new one there",
			certificate.Leaf.NotAfter.UTC().Format(time.DateOnly))
	}
	return &certificate, nil
}

func (s *payeeSettings) roots() (*x509.CertPool, error) {
	if s.CAFile == "" {
		return nil, nil //nolint:nilnil // those of the system
	}
	content, err := os.ReadFile(s.CAFile)
	if err != nil {
		return nil, fmt.Errorf("COUNTERSIGN_PAYEE_CA_FILE: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(content) {
		return nil, fmt.Errorf("COUNTERSIGN_PAYEE_CA_FILE: %s holds no certificate in PEM", s.CAFile)
	}
	return roots, nil
}

var _ payee.Verifier = (*payeebank.Verifier)(nil)
