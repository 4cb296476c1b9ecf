package oidc

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// skew is the tolerated difference between the provider's clock and ours.
const skew = time.Minute

// maxSubject is the longest subject, in ASCII characters (OpenID Connect Core 1.0 section 2).
const maxSubject = 255

// Flow is one sign-in on its way: what only the browser that began it has. It is good for one answer.
type Flow struct {
	State    string `json:"state"`
	Nonce    string `json:"nonce"`
	Verifier string `json:"verifier"`
}

// Answer holds the parameters with which a browser returns from the provider.
type Answer struct {
	State  string
	Code   string
	Issuer string // the parameter iss; "" where it was not sent
	Error  string // the parameter error
}

// RefusedError says why an answer does not count.
type RefusedError struct {
	Why   string // in a word, for the audit trail
	Cause error  // for the log; nil for nothing more
}

// Error names the reason, without anything of the answer.
func (e *RefusedError) Error() string {
	return "the answer of the identity provider does not count: " + e.Why
}

// Unwrap is the cause.
func (e *RefusedError) Unwrap() error { return e.Cause }

// Begin makes a flow and the address at the provider where it goes on. Error: ErrUnreachable.
func (c *Client) Begin(ctx context.Context, s Settings) (flow Flow, address string, err error) {
	m, err := c.metadata(ctx, s.Issuer)
	if err != nil {
		return Flow{}, "", err
	}
	flow = Flow{State: rand.Text() + rand.Text(), Nonce: rand.Text() + rand.Text(), Verifier: oauth2.GenerateVerifier()}
	options := []oauth2.AuthCodeOption{
		oidc.Nonce(flow.Nonce), oauth2.S256ChallengeOption(flow.Verifier),
		oauth2.SetAuthURLParam("max_age", strconv.Itoa(int(s.MaxAge/time.Second))),
	}
	if s.MaxAge == 0 {
		options = append(options, oauth2.SetAuthURLParam("prompt", "login"))
	}
	config := m.config(s)
	address = config.AuthCodeURL(flow.State, options...)
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" || parsed.Scheme != "https" && parsed.Scheme != "http" {
		return Flow{}, "", fmt.Errorf("%w: its metadata name no address to sign in at", ErrUnreachable)
	}
	return flow, address, nil
}

// Finish holds an answer against the flow that it belongs to, trades its code and returns who the provider says it is. Errors:
// *RefusedError, ErrUnreachable.
func (c *Client) Finish(ctx context.Context, s Settings, flow Flow, answer Answer) (subject string, err error) {
	m, err := c.metadata(ctx, s.Issuer)
	if err != nil {
		return "", err
	}
	switch {
	case subtle.ConstantTimeCompare([]byte(answer.State), []byte(flow.State)) != 1 || answer.State == "":
		return "", &RefusedError{Why: "state"}
	case answer.Issuer != "" && answer.Issuer != s.Issuer, answer.Issuer == "" && m.NamesIssuer:
		return "", &RefusedError{Why: "issuer"}
	case answer.Error != "":
		return "", &RefusedError{Why: "provider-refused"}
	case answer.Code == "":
		return "", &RefusedError{Why: "no-code"}
	}
	ctx, cancel := context.WithTimeout(c.context(ctx), 2*answerTime) // the code is traded and, for a new key, the keys are read
	defer cancel()
	config := m.config(s)
	tokens, err := config.Exchange(ctx, answer.Code, oauth2.VerifierOption(flow.Verifier))
	if err != nil {
		return "", exchangeError(err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	verifier := m.provider.VerifierContext(c.context(context.WithoutCancel(ctx)), &oidc.Config{
		ClientID: s.ClientID, SupportedSigningAlgs: m.algorithms(), Now: c.now,
	})
	token, err := verifier.Verify(ctx, raw)
	if err != nil {
		return "", &RefusedError{Why: "id-token", Cause: err}
	}
	return c.subject(token, s, flow)
}

// signed are the algorithms that count: with a key that the provider alone has. Neither "none" nor one with a shared secret is among them.
var signed = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA,
}

// algorithms are those of them that the provider says it uses; RS256 alone where it says nothing that counts.
func (m metadata) algorithms() []string {
	both := slices.DeleteFunc(slices.Clone(signed), func(name string) bool { return !slices.Contains(m.Algorithms, name) })
	if len(both) == 0 {
		return []string{oidc.RS256} // the default of the standard (Core 1.0 section 2)
	}
	return both
}

// subject is whom a token is about whose signature, issuer, audience and end were checked.
func (c *Client) subject(token *oidc.IDToken, s Settings, flow Flow) (string, error) {
	var claims struct {
		AuthorizedParty string `json:"azp"`
		AuthTime        *int64 `json:"auth_time"`
	}
	err := token.Claims(&claims)
	if err != nil {
		return "", &RefusedError{Why: "id-token", Cause: err}
	}
	now := c.now()
	switch {
	case subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(flow.Nonce)) != 1:
		return "", &RefusedError{Why: "nonce"}
	case (len(token.Audience) > 1 || claims.AuthorizedParty != "") && claims.AuthorizedParty != s.ClientID:
		return "", &RefusedError{Why: "authorized-party"}
	case token.IssuedAt.After(now.Add(skew)) || token.IssuedAt.Before(now.Add(-10*skew)):
		return "", &RefusedError{Why: "issued-at"}
	case claims.AuthTime == nil:
		return "", &RefusedError{Why: "no-auth-time"}
	case now.Sub(time.Unix(*claims.AuthTime, 0)) > s.MaxAge+skew || time.Unix(*claims.AuthTime, 0).After(now.Add(skew)):
		return "", &RefusedError{Why: "auth-time"}
	case token.Subject == "" || len(token.Subject) > maxSubject || !printable(token.Subject):
		return "", &RefusedError{Why: "subject"}
	}
	return token.Subject, nil
}

// printable reports whether a text is of visible ASCII and spaces alone.
func printable(text string) bool {
	return !strings.ContainsFunc(text, func(letter rune) bool { return letter < ' ' || letter > '~' })
}

// exchangeError tells a provider that refuses the code from one that does not answer. Nothing of its answer is kept but the code of the
// standard: the rest may name secrets.
func exchangeError(err error) error {
	refused, is := errors.AsType[*oauth2.RetrieveError](err)
	if !is {
		return fmt.Errorf("%w: trade the code: %w", ErrUnreachable, err)
	}
	if refused.Response != nil && refused.Response.StatusCode >= 500 {
		return fmt.Errorf("%w: trade the code: status %d", ErrUnreachable, refused.Response.StatusCode)
	}
	const longest = 40
	code := refused.ErrorCode
	if len(code) > longest || !printable(code) {
		code = "unknown"
	}
	return &RefusedError{Why: "code", Cause: fmt.Errorf("the provider refuses the code: %q", code)}
}
