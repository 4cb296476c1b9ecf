package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"countersign/internal/account"
	"countersign/internal/payee"
	"countersign/internal/service"
	"countersign/web/vop"
)

// payeeSettings say where payees of payments in euro are verified; docs/operations.md explains them.
type payeeSettings struct {
	URL             string `help:"Base URL of the scheme's routing service for verification of payee, without /vop/v1. If empty, payees are not verified." name:"payee-url" env:"COUNTERSIGN_PAYEE_URL"`
	CertificateFile string `help:"Client certificate (PEM, with its chain) of this gateway." name:"payee-certificate-file" env:"COUNTERSIGN_PAYEE_CERTIFICATE_FILE"`
	KeyFile         string `help:"Private key (PEM) of that certificate." name:"payee-key-file" env:"COUNTERSIGN_PAYEE_KEY_FILE"`
	RequestersFile  string `help:"File with the banks that may verify payees here, one per line: BIC (or * for a service of many banks) and token." name:"payee-requesters-file" env:"COUNTERSIGN_PAYEE_REQUESTERS_FILE"`
	RequesterLimit  int    `help:"Maximum requests per second of each of these banks." name:"payee-requester-limit" default:"100" env:"COUNTERSIGN_PAYEE_REQUESTER_LIMIT"`
	CAFile          string `help:"CA certificates (PEM) to verify the routing service. Default: those of the system." name:"payee-ca-file" env:"COUNTERSIGN_PAYEE_CA_FILE"`
}

// apply gives the gateway its verifier, and admits the banks that may ask about accounts kept here.
func (s *payeeSettings) apply(g *gateway) error {
	err := s.admit(g)
	if err != nil {
		return err
	}
	if s.URL == "" {
		if s.CertificateFile+s.KeyFile+s.CAFile != "" {
			return errors.New("COUNTERSIGN_PAYEE_URL: say where payees are verified, or leave out the other COUNTERSIGN_PAYEE settings")
		}
		return nil
	}
	secured, err := partner{
		url: s.URL, files: &tlsFiles{
			prefix: "COUNTERSIGN_PAYEE", certificateFile: s.CertificateFile, keyFile: s.KeyFile, caFile: s.CAFile, log: g.Log,
		},
		why: "banks verify payees for banks that show one",
	}.read()
	if err != nil {
		return err
	}
	g.Payee = service.NewPayeeBank(service.PayeeBankConfig{
		Address: s.URL, TLS: secured, Now: time.Now, NewID: service.NewID, Log: g.Log,
	})
	return nil
}

// admit lets the banks of the file ask about accounts kept here.
func (s *payeeSettings) admit(g *gateway) error {
	if s.RequesterLimit < 1 {
		return errors.New("COUNTERSIGN_PAYEE_REQUESTER_LIMIT: give a number from 1")
	}
	g.RequesterPerSecond = s.RequesterLimit
	if s.RequestersFile == "" {
		return nil
	}
	content, err := readPrivateOf("the banks", "the file", s.RequestersFile)
	if err == nil {
		g.Requesters, err = requestersOf(string(content))
	}
	if err != nil {
		return fmt.Errorf("COUNTERSIGN_PAYEE_REQUESTERS_FILE: %w", err)
	}
	return nil
}

// requestersOf reads a line for each bank. Empty lines and lines that begin with # say nothing.
func requestersOf(text string) ([]vop.Requester, error) {
	var requesters []vop.Requester
	seen := map[string]bool{}
	for number, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if len(words) != 2 {
			return nil, fmt.Errorf("line %d: write a BIC and a token, with a space between them", number+1)
		}
		bic, token := words[0], words[1]
		_, err := account.ParseBIC(bic)
		switch {
		case err != nil && bic != vop.AnyBank:
			return nil, fmt.Errorf("line %d: write the BIC of the bank, or * for a service that asks for many", number+1)
		case len(token) < clearingTokenLength:
			return nil, fmt.Errorf("line %d: the token has %d characters: agree on one of at least %d (openssl rand -hex 32)",
				number+1, len(token), clearingTokenLength)
		case seen[token]:
			return nil, fmt.Errorf("line %d: the token stands there twice: give each bank one of its own", number+1)
		}
		seen[token] = true
		requesters = append(requesters, vop.NewRequester(bic, token))
	}
	return requesters, nil
}

var _ payee.Verifier = (*service.Verifier)(nil)
