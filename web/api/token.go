package api

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/internal/auth"
)

// TokenHandler answers the token calls: login, refresh, logout and revoke (interface contract, section 2). The realm is the path
// parameter "realm". Bodies are forms of at most 16 KiB; answers are never cached.
type TokenHandler struct {
	station *auth.Station
	log     *slog.Logger
}

// NewTokenHandler makes the handler.
func NewTokenHandler(station *auth.Station, log *slog.Logger) *TokenHandler {
	return &TokenHandler{station: station, log: log}
}

// tokenAnswer is a token set as OAuth writes it (RFC 6749 section 5.1). Lives are whole seconds from now.
type tokenAnswer struct {
	AccessToken      string `json:"access_token"`
	RefreshToken     string `json:"refresh_token"`
	TokenType        string `json:"token_type"`
	ExpiresIn        int64  `json:"expires_in"`
	RefreshExpiresIn int64  `json:"refresh_expires_in"`
	Scope            string `json:"scope,omitempty"`
}

// Login gives tokens for a user's name and password.
func (h *TokenHandler) Login(c echo.Context) error {
	return h.issue(c, "password", func(ctx context.Context, f tokenForm) (auth.TokenSet, error) {
		err := f.require("username", "password")
		if err != nil {
			return auth.TokenSet{}, err
		}
		return h.station.Login(ctx, auth.LoginInput{
			Realm: c.Param("realm"), Client: f.client, Name: f.fields["username"], Password: f.fields["password"],
			Scope: f.fields["scope"], SourceAddress: c.RealIP(),
		})
	})
}

// Refresh gives new tokens for a refresh token.
func (h *TokenHandler) Refresh(c echo.Context) error {
	return h.issue(c, "refresh_token", func(ctx context.Context, f tokenForm) (auth.TokenSet, error) {
		err := f.require("refresh_token")
		if err != nil {
			return auth.TokenSet{}, err
		}
		return h.station.Refresh(ctx, auth.RefreshInput{
			Realm: c.Param("realm"), Client: f.client, RefreshToken: f.fields["refresh_token"], Scope: f.fields["scope"],
		})
	})
}

// Logout ends the sign-in that a refresh token belongs to. Both spellings of the path lead here.
func (h *TokenHandler) Logout(c echo.Context) error {
	f, err := openTokenForm(c)
	if err == nil {
		err = f.require("refresh_token")
	}
	if err == nil {
		err = h.station.Logout(c.Request().Context(), auth.LogoutInput{
			Realm: c.Param("realm"), Client: f.client, RefreshToken: f.fields["refresh_token"],
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
		err = h.station.Revoke(c.Request().Context(), auth.RevokeInput{
			Realm: c.Param("realm"), Client: f.client, Token: f.fields["token"],
		})
	}
	if err != nil {
		return h.refuse(c, err)
	}
	return c.NoContent(http.StatusOK)
}

func (h *TokenHandler) issue(c echo.Context, grant string, give func(context.Context, tokenForm) (auth.TokenSet, error)) error {
	f, err := openTokenForm(c)
	if err == nil {
		err = f.requireGrant(grant)
	}
	if err != nil {
		return h.refuse(c, err)
	}
	tokens, err := give(c.Request().Context(), f)
	if err != nil {
		return h.refuse(c, err)
	}
	return c.JSON(http.StatusOK, tokenAnswer{
		AccessToken: tokens.AccessToken, RefreshToken: tokens.RefreshToken, TokenType: "bearer", Scope: tokens.Scope,
		ExpiresIn: int64(tokens.ExpiresIn / time.Second), RefreshExpiresIn: int64(tokens.RefreshExpiresIn / time.Second),
	})
}

// refuse writes an error as the body that carries both vocabularies.
func (h *TokenHandler) refuse(c echo.Context, err error) error {
	p := tokenProblemOf(err)
	if p.status >= http.StatusInternalServerError {
		h.log.ErrorContext(c.Request().Context(), "token call failed", "path", c.Path(), "realm", c.Param("realm"), "error", err)
	}
	header := c.Response().Header()
	if p.retryAfter > 0 {
		header.Set(echo.HeaderRetryAfter, strconv.Itoa(p.retrySeconds()))
	}
	if p.status == http.StatusUnauthorized && usesBasic(c.Request()) {
		header.Set(echo.HeaderWWWAuthenticate, `Basic realm="countersign", charset="UTF-8"`)
	}
	return c.JSON(p.status, tokenProblemAnswer{
		Error: p.oauth, ErrorDescription: p.text, ErrorCode: p.code, Message: p.text,
	})
}
