package api

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

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
	err := h.cfg.Station.CheckRealm(c.Request().Context(), realm)
	if err != nil {
		return h.refuse(c, err)
	}
	origin := "http://" + c.Request().Host
	if h.cfg.TLS || c.Request().TLS != nil {
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
