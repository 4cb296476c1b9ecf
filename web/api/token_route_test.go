package api_test

import (
	"net/http"
	"net/url"
	"testing"

	"countersign/internal/demo"
)

// The metadata leads a client to calls that are served, and a caller that names its request finds it again in a refusal.
func TestTokenCallsAsTheMetadataNamesThem(t *testing.T) {
	t.Parallel()
	b := setup(t)
	metadata := b.Send(t, call{
		Method: http.MethodGet, Path: "http://bank.test/.well-known/oauth-authorization-server/api/auth/v1/realms/demo",
	})
	if metadata.Status != http.StatusOK {
		t.Fatalf("got %d %s", metadata.Status, metadata.Body)
	}
	for _, member := range []string{"token_endpoint", "refresh_endpoint", "logout_endpoint", "revocation_endpoint"} {
		address, _ := metadata.JSON[member].(string)
		form := url.Values{
			"grant_type": {"refresh_token"}, "client_id": {demo.Backoffice}, "client_secret": {"wrong"}, "refresh_token": {"x"}, "token": {"x"},
		}
		refused := b.Send(t, call{Path: address, Body: form.Encode(), Kind: "application/x-www-form-urlencoded"})
		header, _ := refused.JSON["header"].(map[string]any)
		if refused.Status != http.StatusUnauthorized || refused.JSON["error"] != "invalid_client" {
			t.Errorf("%s: got %d %s", member, refused.Status, refused.Body)
		}
		if header["originalRequestId"] != "request-1" || header["responseId"] == "" || header["responseId"] == nil {
			t.Errorf("%s: got header %v", member, header)
		}
	}
	unknown := b.Send(t, call{Method: http.MethodGet, Path: "/.well-known/oauth-authorization-server/api/auth/v1/realms/gamma"})
	if unknown.Status != http.StatusNotFound {
		t.Errorf("an unknown realm: got %d %s", unknown.Status, unknown.Body)
	}
}
