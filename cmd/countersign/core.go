package main

import (
	"errors"
	"time"

	"countersign/internal/service"
)

// coreSettings say where core banking is asked; docs/core-banking.md explains them.
type coreSettings struct {
	URL             string        `help:"Base URL of core banking, without /corebank/v1. If empty, core banking is not used." name:"core-url" env:"COUNTERSIGN_CORE_URL"`
	CertificateFile string        `help:"Client certificate (PEM, with its chain) of this gateway." name:"core-certificate-file" env:"COUNTERSIGN_CORE_CERTIFICATE_FILE"`
	KeyFile         string        `help:"Private key (PEM) of that certificate." name:"core-key-file" env:"COUNTERSIGN_CORE_KEY_FILE"`
	CAFile          string        `help:"CA certificates (PEM) to verify core banking. Default: those of the system." name:"core-ca-file" env:"COUNTERSIGN_CORE_CA_FILE"`
	Within          time.Duration `help:"Time limit for a reply, 100ms to 5s." name:"core-timeout" default:"2s" env:"COUNTERSIGN_CORE_TIMEOUT"`
	Incoming        string        `help:"Incoming payments while core banking cannot be reached: refuse or accept." name:"core-incoming" default:"refuse" enum:"refuse,accept" env:"COUNTERSIGN_CORE_INCOMING"`
}

// apply gives the gateway its port to core banking.
func (s *coreSettings) apply(g *gateway) error {
	if s.URL == "" {
		if s.CertificateFile+s.KeyFile+s.CAFile != "" {
			return errors.New("COUNTERSIGN_CORE_URL: say where core banking is asked, or leave out the other COUNTERSIGN_CORE settings")
		}
		return nil
	}
	if s.Within < 100*time.Millisecond || s.Within > 5*time.Second {
		return errors.New("COUNTERSIGN_CORE_TIMEOUT: give a time from 100ms to 5s")
	}
	secured, err := partner{
		url: s.URL, files: &tlsFiles{
			prefix: "COUNTERSIGN_CORE", certificateFile: s.CertificateFile, keyFile: s.KeyFile, caFile: s.CAFile, log: g.Log,
		},
		why: "core banking moves money for gateways that show one",
	}.read()
	if err != nil {
		return err
	}
	g.Core = service.NewCoreBank(service.CoreBankConfig{
		Address: s.URL, TLS: secured, Within: s.Within, Log: g.Log,
	})
	g.CreditUnasked = s.Incoming == "accept"
	return nil
}
