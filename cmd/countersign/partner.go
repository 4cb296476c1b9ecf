package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
)

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
