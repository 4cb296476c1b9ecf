package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync/atomic"
	"time"

	"golang.org/x/net/netutil"

	"countersign/internal/clearing"
	"countersign/internal/rulebook"
)

// clearingDoor is a listener for documents of clearing alone, under TLS with a client certificate.
type clearingDoor struct {
	address string
	files   *tlsFiles
	theirs  atomic.Pointer[time.Time]  // the end of the certificate that was shown last
	names   map[rulebook.Scheme]string // in the certificate of who delivers documents of a scheme
}

// door reads the settings of the door; nil without them.
func (c *clearingSettings) door(log *slog.Logger) (*clearingDoor, error) {
	d := &clearingDoor{address: c.InListen, names: map[rulebook.Scheme]string{}, files: &tlsFiles{
		prefix: "COUNTERSIGN_CLEARING_IN", certificateFile: c.InCertificateFile, keyFile: c.InKeyFile, caFile: c.InCAFile, log: log,
	}}
	for scheme, name := range map[rulebook.Scheme]string{rulebook.SchemeSIC: c.SICInName, rulebook.SchemeSCT: c.SCTInName} {
		if name != "" {
			d.names[scheme] = name
		}
	}
	given := c.InCertificateFile+c.InKeyFile+c.InCAFile != "" || len(d.names) > 0
	switch {
	case c.InListen == "" && !given:
		return nil, nil //nolint:nilnil // no door is an answer
	case c.InListen == "":
		return nil, errors.New("COUNTERSIGN_CLEARING_IN_LISTEN: say where clearing delivers, or leave out the other settings of it")
	case c.Transport != "http":
		return nil, errors.New("COUNTERSIGN_CLEARING_IN_LISTEN: documents come from the broker with COUNTERSIGN_CLEARING_TRANSPORT=amqp")
	case c.InCertificateFile == "":
		return nil, errors.New("COUNTERSIGN_CLEARING_IN_CERTIFICATE_FILE: name the file with the certificate of the door")
	case c.InCAFile == "":
		return nil, errors.New("COUNTERSIGN_CLEARING_IN_CA_FILE: name the file with the authorities of clearing's certificate")
	case c.SICInName == "" && (c.SICURL != "" || c.SCTInName == ""):
		return nil, errors.New("COUNTERSIGN_CLEARING_SIC_IN_NAME: give the name in the certificate of who delivers Swiss instant payments")
	case c.SCTInName == "" && c.SCTURL != "":
		return nil, errors.New("COUNTERSIGN_CLEARING_SCT_IN_NAME: give the name in the certificate of who delivers SEPA instant payments")
	}
	return d, d.files.open()
}

// listen opens the listener, if there is a door, for so many connections at most.
func (d *clearingDoor) listen(most int) ([]net.Listener, error) {
	if d == nil {
		return nil, nil
	}
	listener, err := net.Listen("tcp", d.address)
	if err != nil {
		return nil, fmt.Errorf("listen for clearing (COUNTERSIGN_CLEARING_IN_LISTEN): %w", err)
	}
	secured := d.files.server(func(seen tls.ConnectionState) error {
		d.theirs.Store(&seen.PeerCertificates[0].NotAfter)
		return nil
	})
	return []net.Listener{tls.NewListener(netutil.LimitListener(listener, most), secured)}, nil
}

// both are the ways to clearing and from it. Of two certificates the one that ends first counts.
type both struct {
	clearing.Network
	door *clearingDoor
}

// Certificates returns the ends of the certificates of each scheme.
func (b both) Certificates() map[rulebook.Scheme]clearing.Certificates {
	all := map[rulebook.Scheme]clearing.Certificates{}
	if known, is := b.Network.(clearing.Certified); is {
		all = known.Certificates()
	}
	own, _ := b.door.files.current()
	for scheme := range b.door.names {
		ends := all[scheme]
		ends.Ours = earlier(ends.Ours, &own.Leaf.NotAfter)
		ends.Theirs = earlier(ends.Theirs, b.door.theirs.Load())
		all[scheme] = ends
	}
	return all
}

// earlier is the earlier of two times; zero and nil are none.
func earlier(one time.Time, other *time.Time) time.Time {
	if other == nil || !one.IsZero() && one.Before(*other) {
		return one
	}
	return other.UTC()
}
