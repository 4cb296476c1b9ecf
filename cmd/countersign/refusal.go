package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"countersign/internal/demo"
	"countersign/internal/store"
	"countersign/web"
)

// clearingTokenLength is the shortest token of a clearing connection, and of a bank that asks about payees, in characters: a shorter one
// can be guessed.
const clearingTokenLength = 16

// readClearingToken reads the token clearing shows when it delivers. Over HTTP clearing answers at our own door, so there the token has
// to be: nobody could deliver without it, and every payment would stay unconfirmed.
func (c *serveCommand) readClearingToken() (string, error) {
	if c.ClearingTokenFile == "" {
		if c.Clearing.Transport == "http" && c.Clearing.SICURL+c.Clearing.SCTURL+c.Clearing.InListen != "" {
			return "", errors.New("clearing answers at /clearing/v1 and shows this token: name the file that holds it")
		}
		return "", nil
	}
	return readToken(c.ClearingTokenFile)
}

// readToken reads the file of a token that clearing and this gateway agreed on.
func readToken(path string) (string, error) {
	content, err := readPrivateOf("the clearing token", "the token file", path)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(content))
	if len(token) < clearingTokenLength {
		return "", fmt.Errorf("the clearing token has %d characters: agree with clearing on one of at least %d (openssl rand -hex 32)",
			len(token), clearingTokenLength)
	}
	return token, nil
}

// refusePlainHTTP refuses to serve without HTTPS beyond this machine, unless that was asked for: passwords and sessions would travel
// in the clear.
func (c *serveCommand) refusePlainHTTP(*gateway) error {
	host, _, err := net.SplitHostPort(c.Listen)
	if c.TLS || c.AllowPlainHTTP || err == nil && loopback(host) {
		return nil
	}
	return fmt.Errorf(
		"COUNTERSIGN_TLS is off and COUNTERSIGN_LISTEN is %s: put a proxy that speaks HTTPS in front and leave COUNTERSIGN_TLS on, "+
			"listen on 127.0.0.1, or allow it with COUNTERSIGN_ALLOW_PLAIN_HTTP=true",
		c.Listen,
	)
}

// refuseUnfit refuses a database that this environment must not serve: in PROD the demo's realms or its public password and a server that
// may lose commits; always open accounts of a scheme without clearing. In TEST the demo's traces and the durability are warnings.
func (g gateway) refuseUnfit(ctx context.Context, db *store.Database, ready store.Readiness) error {
	traces, err := demoTraces(ctx, db, ready)
	if err != nil {
		return err
	}
	if traces != "" && g.Environment == "PROD" {
		return errors.New(traces + ": set up a database of its own for PROD, or serve this one with COUNTERSIGN_ENVIRONMENT=TEST")
	}
	if traces != "" {
		g.Log.WarnContext(ctx, traces+": anybody who knows the demo can sign in")
	}
	if missing := web.Unconnected(ready.SchemesInUse, g.Connected); missing != "" {
		return errors.New(missing)
	}
	durability, err := db.Durability(ctx)
	if err != nil {
		return err
	}
	if durability.Risk != "" && g.Environment == "PROD" {
		return errors.New(durability.Risk)
	}
	if words := cmp.Or(durability.Risk, durability.Doubt); words != "" {
		g.Log.WarnContext(ctx, words)
	}
	return nil
}

// demoTraces returns a sentence about a demo realm or demo password in the database, "" when there is none. The demo's names, secrets and
// passwords are public.
func demoTraces(ctx context.Context, db *store.Database, ready store.Readiness) (string, error) {
	for _, realm := range ready.Realms {
		if realm.MadeBy == store.MadeByDemo {
			return "the database holds the demo's realm " + realm.Realm + " with public passwords", nil
		}
	}
	with, err := db.RealmsWithPassword(ctx, ready.Realms, demo.UserPasswordHash)
	if err != nil || len(with) == 0 {
		return "", err
	}
	return "an account of realm " + with[0] + " has the demo's public password", nil
}
