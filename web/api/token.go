package api

import (
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/internal/auth"
	"countersign/web/request"
)

// TokenHandler answers the token calls: login, token, refresh, logout, revoke and the metadata that names them (interface contract,
// section 2). The realm is the path parameter "realm". Bodies are forms of at most 16 KiB; answers are never cached.
type TokenHandler struct {
	Auth *auth.Service
	Now  func() time.Time
	Log  *slog.Logger
	TLS  bool // clients reach the server by https, directly or through a proxy
}

// tokenAnswer is a token set as OAuth writes it (RFC 6749 section 5.1). Lives are whole seconds from now.
type tokenAnswer struct {
	AccessToken      string `json:"access_token"`
	RefreshToken     string `json:"refresh_token,omitempty"` // a client by itself has none
	TokenType        string `json:"token_type"`
	ExpiresIn        int64  `json:"expires_in"`
	RefreshExpiresIn int64  `json:"refresh_expires_in,omitempty"`
	Scope            string `json:"scope,omitempty"`
}

// grant returns tokens for the credentials in a form.
type grant func(*TokenHandler, echo.Context, tokenForm) (auth.TokenSet, error)

// The grants, by the names that clients use. A path accepts one or both.
const (
	grantPassword = "password"
	grantRefresh  = "refresh_token"
	grantClient   = "client_credentials"
)

var grants = map[string]grant{
	grantPassword: (*TokenHandler).byPassword, grantRefresh: (*TokenHandler).byRefreshToken, grantClient: (*TokenHandler).byClient,
}

// Login answers a user's name and password with tokens, and accepts a refresh token too, so that a client with one address for tokens can
// refresh.
func (h *TokenHandler) Login(c echo.Context) error { return h.issue(c, grantPassword, grantRefresh) }

// Token accepts all grants.
func (h *TokenHandler) Token(c echo.Context) error {
	return h.issue(c, grantPassword, grantRefresh, grantClient)
}

// Refresh answers a refresh token with new tokens.
func (h *TokenHandler) Refresh(c echo.Context) error { return h.issue(c, grantRefresh) }

func (h *TokenHandler) byPassword(c echo.Context, f tokenForm) (auth.TokenSet, error) {
	err := f.require("username", "password")
	if err != nil {
		return auth.TokenSet{}, err
	}
	return h.Auth.Login(c.Request().Context(), auth.LoginInput{
		Realm: c.Param("realm"), Client: f.client, Name: f.fields["username"], Password: f.fields["password"],
		Scope: f.fields["scope"], SourceAddress: c.RealIP(), SecondFactor: f.fields["totp"],
	})
}

func (h *TokenHandler) byRefreshToken(c echo.Context, f tokenForm) (auth.TokenSet, error) {
	err := f.require("refresh_token")
	if err != nil {
		return auth.TokenSet{}, err
	}
	return h.Auth.Refresh(c.Request().Context(), auth.RefreshInput{
		Realm: c.Param("realm"), Client: f.client, RefreshToken: f.fields["refresh_token"], Scope: f.fields["scope"],
	})
}

func (h *TokenHandler) byClient(c echo.Context, f tokenForm) (auth.TokenSet, error) {
	return h.Auth.LoginClient(c.Request().Context(), auth.ClientLoginInput{
		Realm: c.Param("realm"), Client: f.client, Scope: f.fields["scope"], SourceAddress: c.RealIP(),
	})
}

// Logout ends the sign-in of a refresh token. Both spellings of the path call it.
func (h *TokenHandler) Logout(c echo.Context) error {
	f, err := openTokenForm(c)
	if err == nil {
		err = f.require("refresh_token")
	}
	if err == nil {
		err = h.Auth.Logout(c.Request().Context(), auth.RevokeInput{
			Realm: c.Param("realm"), Client: f.client, Token: f.fields["refresh_token"],
		})
	}
	if err != nil {
		return h.refuse(c, err)
	}
	return c.NoContent(http.StatusNoContent)
}

// Revoke withdraws a token (RFC 7009). One that does not exist is withdrawn already. The field token_type_hint is not needed.
func (h *TokenHandler) Revoke(c echo.Context) error {
	f, err := openTokenForm(c)
	if err == nil {
		err = f.require("token")
	}
	if err == nil {
		err = h.Auth.Revoke(c.Request().Context(), auth.RevokeInput{
			Realm: c.Param("realm"), Client: f.client, Token: f.fields["token"],
		})
	}
	if err != nil {
		return h.refuse(c, err)
	}
	return c.NoContent(http.StatusOK)
}

func (h *TokenHandler) issue(c echo.Context, allowed ...string) error {
	f, err := openTokenForm(c)
	if err == nil {
		err = f.requireGrant(allowed)
	}
	if err != nil {
		return h.refuse(c, err)
	}
	tokens, err := grants[f.fields["grant_type"]](h, c, f)
	if err != nil {
		return h.refuse(c, err)
	}
	return c.JSON(http.StatusOK, tokenAnswer{
		AccessToken: tokens.AccessToken, RefreshToken: tokens.RefreshToken, TokenType: "bearer", Scope: tokens.Scope,
		ExpiresIn: int64(tokens.ExpiresIn / time.Second), RefreshExpiresIn: int64(tokens.RefreshExpiresIn / time.Second),
	})
}

// refuse writes an error with the members of OAuth and those of the interface. A 401 of a token call always requests the client's
// credentials (RFC 9110 section 15.5.2), wherever they were sent.
func (h *TokenHandler) refuse(c echo.Context, err error) error {
	p, ctx := tokenProblemOf(err), c.Request().Context()
	if p.status == http.StatusInternalServerError {
		h.Log.ErrorContext(
			ctx, "token call failed", "path", c.Path(), "realm", c.Param("realm"), "reference", request.Reference(ctx), "error", err,
		)
	}
	header := c.Response().Header()
	if p.retryAfter > 0 {
		header.Set(echo.HeaderRetryAfter, strconv.Itoa(p.retrySeconds()))
	}
	if p.status == http.StatusUnauthorized {
		header.Set(echo.HeaderWWWAuthenticate, `Basic realm="countersign", charset="UTF-8"`)
	}
	answer := tokenProblemAnswer{Error: p.oauth, ErrorDescription: p.text, ErrorCode: p.code, Message: p.text}
	if id := request.ID(ctx); id != "" {
		answer.Header = &Header{ResponseID: request.Reference(ctx), OriginalRequestID: id, ResponseTime: moment(h.Now())}
	}
	return c.JSON(p.status, answer)
}

// tokenMetadata describes a realm's token calls to a stock OAuth client (RFC 8414 section 2). Refresh and logout have addresses of
// their own besides, under names that the RFC leaves free.
type tokenMetadata struct {
	Issuer               string   `json:"issuer"`
	TokenEndpoint        string   `json:"token_endpoint"`
	RefreshEndpoint      string   `json:"refresh_endpoint"`
	LogoutEndpoint       string   `json:"logout_endpoint"`
	RevocationEndpoint   string   `json:"revocation_endpoint"`
	ResponseTypes        []string `json:"response_types_supported"` // none: there is no authorization endpoint
	GrantTypes           []string `json:"grant_types_supported"`
	TokenAuthMethods     []string `json:"token_endpoint_auth_methods_supported"`
	RevocationAuthMethod []string `json:"revocation_endpoint_auth_methods_supported"`
	Documentation        string   `json:"service_documentation"`
}

// Metadata names the token calls of a realm, with the address the caller reached them by. An unknown realm is 404.
func (h *TokenHandler) Metadata(c echo.Context) error {
	c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
	realm := c.Param("realm")
	err := h.Auth.CheckRealm(c.Request().Context(), realm)
	if err != nil {
		return h.refuse(c, err)
	}
	origin := "http://" + c.Request().Host
	if h.TLS || c.Request().TLS != nil {
		origin = "https://" + c.Request().Host
	}
	issuer := origin + "/api/auth/v1/realms/" + realm
	methods := []string{"client_secret_post", "client_secret_basic", "none"}
	return c.JSON(http.StatusOK, tokenMetadata{
		Issuer: issuer, TokenEndpoint: issuer + "/token", RefreshEndpoint: issuer + "/refresh", LogoutEndpoint: issuer + "/logout",
		RevocationEndpoint: issuer + "/revoke", ResponseTypes: []string{}, GrantTypes: []string{grantPassword, grantRefresh, grantClient},
		TokenAuthMethods: methods, RevocationAuthMethod: methods, Documentation: origin + "/api/docs/",
	})
}
