package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"strings"

	"countersign/internal/clearing"
	"countersign/internal/money"
	"countersign/internal/rulebook"
)

type serveCommand struct {
	Listen            string `help:"Address of portal and API." default:"127.0.0.1:8080" env:"COUNTERSIGN_LISTEN"`
	DatabaseURL       string `help:"PostgreSQL URL of the service's login." required:"" env:"COUNTERSIGN_DATABASE_URL"`
	ReleaseKeyFile    string `help:"File with the key that seals releases." required:"" env:"COUNTERSIGN_RELEASE_KEY_FILE"`
	TokenKeyFile      string `help:"File with the key of tokens." required:"" env:"COUNTERSIGN_TOKEN_KEY_FILE"`
	Environment       string `help:"Shown on every page." enum:"TEST,PROD" default:"TEST" env:"COUNTERSIGN_ENVIRONMENT"`
	TLS               bool   `help:"Browsers reach the portal through HTTPS." default:"true" negatable:"" env:"COUNTERSIGN_TLS"`
	ClearingSICURL    string `help:"Where Swiss instant payments go." env:"COUNTERSIGN_CLEARING_SIC_URL"`
	ClearingSCTURL    string `help:"Where SEPA instant payments go." env:"COUNTERSIGN_CLEARING_SCT_URL"`
	ClearingTokenFile string `help:"File with the bearer token clearing shows when it delivers." env:"COUNTERSIGN_CLEARING_TOKEN_FILE"`
	SICLimit          string `help:"Largest Swiss instant payment, in CHF." default:"20000.00" env:"COUNTERSIGN_SIC_LIMIT"`
	SCTLimit          string `help:"Largest SEPA instant payment, in EUR." default:"999999999.99" env:"COUNTERSIGN_SCT_LIMIT"`
}

// Run serves until ctx ends.
func (c *serveCommand) Run(ctx context.Context, log *slog.Logger) error {
	g, err := c.gateway(log)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("listen for portal and API (COUNTERSIGN_LISTEN moves it): %w", err)
	}
	log.Info("countersign is up", "address", listener.Addr().String(), "environment", c.Environment)
	return g.run(ctx, listener)
}

// gateway reads the settings. Every wrong one is a sentence that names it.
func (c *serveCommand) gateway(log *slog.Logger) (gateway, error) {
	g := gateway{DatabaseURL: c.DatabaseURL, Environment: c.Environment, TLS: c.TLS, Log: log}
	var err error
	g.ReleaseKey, err = readKey(c.ReleaseKeyFile)
	if err != nil {
		return gateway{}, fmt.Errorf("COUNTERSIGN_RELEASE_KEY_FILE: %w", err)
	}
	g.TokenKey, err = readKey(c.TokenKeyFile)
	if err != nil {
		return gateway{}, fmt.Errorf("COUNTERSIGN_TOKEN_KEY_FILE: %w", err)
	}
	g.Rules.SICLimit, err = money.Parse(money.CHF, c.SICLimit)
	if err != nil {
		return gateway{}, fmt.Errorf("COUNTERSIGN_SIC_LIMIT: %w", err)
	}
	g.Rules.SCTLimit, err = money.Parse(money.EUR, c.SCTLimit)
	if err != nil {
		return gateway{}, fmt.Errorf("COUNTERSIGN_SCT_LIMIT: %w", err)
	}
	if c.ClearingTokenFile != "" {
		token, err := os.ReadFile(c.ClearingTokenFile)
		if err != nil {
			return gateway{}, fmt.Errorf("COUNTERSIGN_CLEARING_TOKEN_FILE: read the clearing token: %w", err)
		}
		g.ClearingToken = strings.TrimSpace(string(token))
	}
	addresses, err := clearingAddresses(c.ClearingSICURL, c.ClearingSCTURL)
	if err != nil {
		return gateway{}, err
	}
	g.Network = clearing.NewHTTP(addresses)
	return g, nil
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
