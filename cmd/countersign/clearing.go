package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"countersign/internal/clearing"
	"countersign/internal/clearing/amqp"
	"countersign/internal/clearing/httpclient"
	"countersign/internal/rulebook"
)

// clearingSettings say how the gateway reaches clearing; docs/clearing.md explains them.
type clearingSettings struct {
	Transport    string `help:"Protocol for documents to and from clearing." name:"clearing-transport" enum:"http,amqp" default:"http" env:"COUNTERSIGN_CLEARING_TRANSPORT"`
	SICURL       string `help:"HTTP: address to send Swiss instant payments to." name:"clearing-sic-url" env:"COUNTERSIGN_CLEARING_SIC_URL"`
	SCTURL       string `help:"HTTP: address to send SEPA instant payments to." name:"clearing-sct-url" env:"COUNTERSIGN_CLEARING_SCT_URL"`
	SICTokenFile string `help:"HTTP: file with the bearer token for deliveries of Swiss instant payments. Read for each delivery." name:"clearing-sic-out-token-file" env:"COUNTERSIGN_CLEARING_SIC_OUT_TOKEN_FILE"`
	SCTTokenFile string `help:"HTTP: the same for SEPA instant payments." name:"clearing-sct-out-token-file" env:"COUNTERSIGN_CLEARING_SCT_OUT_TOKEN_FILE"`
	AMQPURL      string `help:"AMQP: address of the broker, amqps://user:password@host:5671." name:"clearing-amqp-url" env:"COUNTERSIGN_CLEARING_AMQP_URL"`
	AMQPSICOut   string `help:"AMQP: queue to send Swiss instant payments to." name:"clearing-amqp-sic-out" env:"COUNTERSIGN_CLEARING_AMQP_SIC_OUT"`
	AMQPSICIn    string `help:"AMQP: queue to receive Swiss instant payments from." name:"clearing-amqp-sic-in" env:"COUNTERSIGN_CLEARING_AMQP_SIC_IN"`
	AMQPSCTOut   string `help:"AMQP: queue to send SEPA instant payments to." name:"clearing-amqp-sct-out" env:"COUNTERSIGN_CLEARING_AMQP_SCT_OUT"`
	AMQPSCTIn    string `help:"AMQP: queue to receive SEPA instant payments from." name:"clearing-amqp-sct-in" env:"COUNTERSIGN_CLEARING_AMQP_SCT_IN"`

	CertificateFile string `help:"Client certificate (PEM, with its chain) for clearing or its broker. Reloaded when it changes." name:"clearing-certificate-file" env:"COUNTERSIGN_CLEARING_CERTIFICATE_FILE"`
	KeyFile         string `help:"Private key (PEM) of that certificate." name:"clearing-key-file" env:"COUNTERSIGN_CLEARING_KEY_FILE"`
	CAFile          string `help:"CA certificates (PEM) to verify clearing or its broker. Default: those of the system." name:"clearing-ca-file" env:"COUNTERSIGN_CLEARING_CA_FILE"`

	InListen          string `help:"HTTP: separate listening address for documents from clearing, with TLS and client certificates. Default: COUNTERSIGN_LISTEN." name:"clearing-in-listen" env:"COUNTERSIGN_CLEARING_IN_LISTEN"`
	InCertificateFile string `help:"Server certificate (PEM, with its chain) of that address. Reloaded when it changes, like the next two." name:"clearing-in-certificate-file" env:"COUNTERSIGN_CLEARING_IN_CERTIFICATE_FILE"`
	InKeyFile         string `help:"Private key (PEM) of that certificate." name:"clearing-in-key-file" env:"COUNTERSIGN_CLEARING_IN_KEY_FILE"`
	InCAFile          string `help:"CA certificates (PEM) to verify the client certificate of clearing." name:"clearing-in-ca-file" env:"COUNTERSIGN_CLEARING_IN_CA_FILE"`
	SICInName         string `help:"Name in the client certificate of the sender of Swiss instant payments: DNS name, common name, or whole subject." name:"clearing-sic-in-name" env:"COUNTERSIGN_CLEARING_SIC_IN_NAME"`
	SCTInName         string `help:"The same for SEPA instant payments." name:"clearing-sct-in-name" env:"COUNTERSIGN_CLEARING_SCT_IN_NAME"`

	AllowPlain bool `help:"Allow connections to clearing on other machines without TLS." name:"allow-plain-clearing" env:"COUNTERSIGN_ALLOW_PLAIN_CLEARING"`
}

// connect gives the gateway its transport.
func (c *clearingSettings) connect(g *gateway) error {
	if c.Transport == "amqp" {
		return c.connectAMQP(g)
	}
	addresses, err := clearingAddresses(c.SICURL, c.SCTURL)
	if err != nil {
		return err
	}
	secured, err := c.secured(g.Log)
	if err != nil {
		return err
	}
	transport := httpclient.New(addresses, secured)
	for scheme, file := range map[rulebook.Scheme]string{rulebook.SchemeSIC: c.SICTokenFile, rulebook.SchemeSCT: c.SCTTokenFile} {
		if file == "" {
			continue
		}
		if _, err := readToken(file); err != nil {
			return fmt.Errorf("COUNTERSIGN_CLEARING_%s_OUT_TOKEN_FILE: %w", strings.ToUpper(string(scheme)[:3]), err)
		}
		transport.Show(scheme, func() (string, error) { return readToken(file) })
	}
	g.Network, g.Connected = transport, connected(addresses)
	for _, scheme := range rulebook.Schemes() {
		err = c.refusePlain(addresses[scheme])
		if err != nil {
			return fmt.Errorf("COUNTERSIGN_CLEARING_%s_URL: %w", strings.ToUpper(string(scheme)[:3]), err)
		}
	}
	return nil
}

func (c *clearingSettings) connectAMQP(g *gateway) error {
	queues := make(map[rulebook.Scheme]amqp.Queues)
	for scheme, q := range map[rulebook.Scheme]amqp.Queues{
		rulebook.SchemeSIC: {Out: c.AMQPSICOut, In: c.AMQPSICIn},
		rulebook.SchemeSCT: {Out: c.AMQPSCTOut, In: c.AMQPSCTIn},
	} {
		if q != (amqp.Queues{}) {
			queues[scheme] = q
		}
	}
	secured, err := c.secured(g.Log)
	if err != nil {
		return err
	}
	transport, err := amqp.New(amqp.Config{URL: c.AMQPURL, TLS: secured, Queues: queues, Now: time.Now, Log: g.Log})
	if err != nil {
		return fmt.Errorf("COUNTERSIGN_CLEARING_AMQP_*: %w", err)
	}
	err = c.refusePlain(c.AMQPURL)
	if err != nil {
		return fmt.Errorf("COUNTERSIGN_CLEARING_AMQP_URL: %w", err)
	}
	g.Network, g.Connected = transport, connected(queues)
	g.Inbound = func(ctx context.Context, receive func(context.Context, clearing.Document) error) error {
		defer transport.Close()
		return transport.Run(ctx, receive)
	}
	return nil
}

// connected says which schemes have a way to clearing.
func connected[T any](ways map[rulebook.Scheme]T) map[rulebook.Scheme]bool {
	schemes := make(map[rulebook.Scheme]bool, len(ways))
	for scheme := range ways {
		schemes[scheme] = true
	}
	return schemes
}

// refusePlain refuses an address without TLS beyond this machine, unless the setting allows it: anybody on the network path could read
// payments and answer for clearing.
func (c *clearingSettings) refusePlain(address string) error {
	at, err := url.Parse(address)
	if err != nil || at.Scheme == "https" || at.Scheme == "amqps" || address == "" || c.AllowPlain || loopback(at.Hostname()) {
		return nil // what cannot be parsed was refused by the transport
	}
	return fmt.Errorf("documents would travel to %s without TLS: give an address that begins with https:// or amqps://, "+
		"or allow it with COUNTERSIGN_ALLOW_PLAIN_CLEARING=true where the network itself is protected", at.Host)
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

// clearingAddresses reads where payments go. A scheme may be left out; its payments then wait.
func clearingAddresses(swiss, european string) (map[rulebook.Scheme]string, error) {
	addresses := make(map[rulebook.Scheme]string)
	for _, given := range []struct {
		setting, address string
		scheme           rulebook.Scheme
	}{
		{"COUNTERSIGN_CLEARING_SIC_URL", swiss, rulebook.SchemeSIC},
		{"COUNTERSIGN_CLEARING_SCT_URL", european, rulebook.SchemeSCT},
	} {
		if given.address == "" {
			continue
		}
		read, err := url.Parse(given.address)
		if err != nil || read.Host == "" || read.Scheme != "http" && read.Scheme != "https" {
			return nil, fmt.Errorf("%s: give an address that begins with https:// or http://", given.setting)
		}
		addresses[given.scheme] = given.address
	}
	return addresses, nil
}

// secured is the TLS of connections to clearing; nil without settings of it.
func (c *clearingSettings) secured(log *slog.Logger) (*tls.Config, error) {
	if c.CertificateFile+c.KeyFile+c.CAFile == "" {
		return nil, nil //nolint:nilnil // that of the system is an answer
	}
	files := &tlsFiles{
		prefix: "COUNTERSIGN_CLEARING", certificateFile: c.CertificateFile, keyFile: c.KeyFile, caFile: c.CAFile, log: log,
	}
	err := files.open()
	return files.client(), err
}

// partner is a program that this gateway asks over HTTP: its address, our client certificate, and the authorities of its own.
type partner struct {
	url   string
	files *tlsFiles
	why   string // a certificate is needed
}

// read checks the address and reads the files. A certificate is needed beyond this machine.
func (p partner) read() (*tls.Config, error) {
	at, err := url.Parse(p.url)
	if err != nil || at.Host == "" || at.User != nil || at.RawQuery != "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, fmt.Errorf("%s_URL: give an address that begins with https://, without user and question mark", p.files.prefix)
	}
	near := loopback(at.Hostname())
	switch {
	case at.Scheme == "http" && !near:
		return nil, fmt.Errorf("%s_URL: names and accounts would travel to %s without TLS: give an address that begins with https://",
			p.files.prefix, at.Host)
	case p.files.certificateFile == "" && !near:
		return nil, errors.New(p.files.prefix + "_CERTIFICATE_FILE: name the file with the certificate that this gateway shows: " + p.why)
	}
	err = p.files.open()
	return p.files.client(), err
}
