// Package oidc asks an identity provider who somebody is: the authorization code flow of OpenID Connect Core 1.0 with PKCE (RFC 7636,
// S256), state and nonce, as RFC 9700 (best current practice for OAuth 2.0 security) wants it. go-oidc reads the provider's metadata and
// checks signatures, golang.org/x/oauth2 trades the code; what both leave to their callers is checked here: the nonce, who else a token
// is for, how old it is, how long ago the person proved who they are, and the issuer in the answer (RFC 9207).
//
// It knows no realm, session or account, and takes nothing of an answer but the subject.
package oidc
