package web_test

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
	metadata := b.send(t, call{
		method: http.MethodGet, path: "http://bank.test/.well-known/oauth-authorization-server/api/auth/v1/realms/demo",
	})
	if metadata.status != http.StatusOK {
		t.Fatalf("got %d %s", metadata.status, metadata.body)
	}
	for _, member := range []string{"token_endpoint", "refresh_endpoint", "logout_endpoint", "revocation_endpoint"} {
		address, _ := metadata.json[member].(string)
		form := url.Values{
			"grant_type": {"refresh_token"}, "client_id": {demo.Backoffice}, "client_secret": {"wrong"}, "refresh_token": {"x"}, "token": {"x"},
		}
		refused := b.send(t, call{path: address, body: form.Encode(), kind: "application/x-www-form-urlencoded"})
		header, _ := refused.json["header"].(map[string]any)
		if refused.status != http.StatusUnauthorized || refused.json["error"] != "invalid_client" {
			t.Errorf("%s: got %d %s", member, refused.status, refused.body)
		}
		if header["originalRequestId"] != "request-1" || header["responseId"] == "" || header["responseId"] == nil {
			t.Errorf("%s: got header %v", member, header)
		}
	}
	unknown := b.send(t, call{method: http.MethodGet, path: "/.well-known/oauth-authorization-server/api/auth/v1/realms/gamma"})
	if unknown.status != http.StatusNotFound {
		t.Errorf("an unknown realm: got %d %s", unknown.status, unknown.body)
	}
}
