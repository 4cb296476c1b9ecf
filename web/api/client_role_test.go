package api_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/internal/demo"
)

const clientTokenPath = "/api/auth/v1/realms/demo/token"

// byItself asks for a token of a client without a user.
func (b *bundle) byItself(t *testing.T, clientID, secret string) answer {
	t.Helper()
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {clientID}, "client_secret": {secret}}
	return b.Send(t, call{Path: clientTokenPath, Body: form.Encode(), Kind: "application/x-www-form-urlencoded"})
}

// carrying is a call with an access token.
func carrying(c call, token string) call {
	c.Change = func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
	return c
}

// A client with a role of its own reads payments, the audit trail and events by its secret alone. It makes and decides nothing, and two
// administrators give the role and take it away.
func TestAClientReadsByItself(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.byItself(t, demo.Backoffice, demo.ClientSecret)
	if a.Status != http.StatusBadRequest || a.Text("error") != "unauthorized_client" {
		t.Errorf("a client without roles: %d %s", a.Status, a.Body)
	}
	secret := b.changed(t, "client.create", "", `{"clientId":"reader","kind":"confidential"}`).Text("clientSecret")
	b.changed(t, "client.roles", "reader", `{"roles":["supervisor"]}`)
	a = b.byItself(t, "reader", secret)
	token := a.Text("access_token")
	if a.Status != http.StatusOK || token == "" || a.At("refresh_token") != nil || a.At("expires_in") != float64(300) {
		t.Fatalf("a client with a role: %d %s", a.Status, a.Body)
	}
	id := b.Send(t, call{Path: createSwiss, Who: maker1, Body: order(sample)}).Text("identifiers", "internalId")
	alone := func(c call) answer {
		return b.Send(t, carrying(c, token))
	}
	for _, path := range []string{
		"/api/common/v1/transaction/list", "/api/common/v1/transaction/" + id, "/api/common/v1/transaction/" + id + "/history",
		"/api/common/v1/event/list", "/api/common/v1/audit/list", "/api/common/v1/account/list",
	} {
		a = alone(call{Method: http.MethodGet, Path: path})
		if a.Status != http.StatusOK {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
	}
	b.writesNothing(t, id, alone)
	if !strings.Contains(b.Send(t, get("/api/common/v1/audit/list?event=instruction.approve-refused", supervisor1)).Body, `"actor":"reader"`) {
		t.Error("the audit trail does not name the program that was refused")
	}
	b.Send(t, call{Path: "/api/auth/v1/realms/demo/revoke", Kind: "application/x-www-form-urlencoded", Body: url.Values{
		"client_id": {"reader"}, "client_secret": {secret}, "token": {token},
	}.Encode()})
	if a = alone(get("/api/common/v1/transaction/list", person{})); a.Status != http.StatusUnauthorized {
		t.Errorf("a revoked token: %d", a.Status)
	}
	token = b.byItself(t, "reader", secret).Text("access_token")
	b.changed(t, "client.roles", "reader", `{"roles":[]}`)
	if a = alone(get("/api/common/v1/transaction/list", person{})); a.Status != http.StatusUnauthorized {
		t.Errorf("the token of a client whose role was taken away: %d", a.Status)
	}
	if a = b.byItself(t, "reader", secret); a.Status != http.StatusBadRequest {
		t.Errorf("a client whose role was taken away: %d %s", a.Status, a.Body)
	}
	b.isWhole(t)
}

// writesNothing refuses every step of a program by itself.
func (b *bundle) writesNothing(t *testing.T, id string, alone func(call) answer) {
	t.Helper()
	for path, body := range map[string]string{
		createSwiss:                           order(sample),
		changeCreate:                          `{"kind":"user.suppress","subject":"maker1"}`,
		"/api/sic-inst/v1/instruction/batch":  order(sample),
		"/api/sic-inst/v1/instruction/cancel": `{"identifiers":{"internalId":"` + id + `"}}`,
		"/api/common/v1/instruction/approval": `{"identifiers":{"internalId":"` + id + `"},"ApprovalDetails":{"action":"approve"}}`,
		"/api/common/v1/instruction/answer":   `{"identifiers":{"internalId":"` + id + `"},"answer":"yes"}`,
		"/api/common/v1/instruction/approval/bulk": `{"approvals":[{"identifiers":{"internalId":"` + id +
			`"},"ApprovalDetails":{"action":"approve","contentHash":"` + strings.Repeat("a", 64) + `"}}]}`,
	} {
		a := alone(call{Path: path, Body: body})
		if a.Status != http.StatusForbidden && !strings.Contains(a.Body, "403_FORBIDDEN") {
			t.Errorf("%s by a program alone: %d %s", path, a.Status, a.Body)
		}
	}
	if state := b.Send(t, get("/api/common/v1/transaction/"+id, maker1)).At("transaction", "state"); state != "Approval Pending" {
		t.Errorf("the payment is %v", state)
	}
}

// A client gets no role with which it could make or decide, nor one without a secret.
func TestAClientGetsNoRoleThatActs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, role := range []string{"maker", "checker", "administrator", "supervisor, maker", "nobody"} {
		roles := `["` + strings.ReplaceAll(role, ", ", `","`) + `"]`
		for _, body := range []string{
			`{"kind":"client.create","values":{"clientId":"reader","kind":"confidential","roles":` + roles + `}}`,
			`{"kind":"client.roles","subject":"demo-backoffice","values":{"roles":` + roles + `}}`,
		} {
			a := b.Send(t, call{Path: changeCreate, Who: admin1, Body: body})
			if a.Status != http.StatusBadRequest || !strings.Contains(a.Body, `"/values/roles"`) {
				t.Errorf("%s: %d %s", body, a.Status, a.Body)
			}
		}
		_, err := b.DB.Owner(t).Exec(t.Context(), "UPDATE client SET roles = $1 WHERE client_id = 'demo-backoffice'", role)
		if err == nil {
			t.Errorf("the schema takes the role %s of a client", role)
		}
	}
	a := b.Send(t, call{
		Path: changeCreate, Who: admin1, Body: `{"kind":"client.create","values":{"clientId":"app","kind":"public","roles":["supervisor"]}}`,
	})
	if a.Status != http.StatusBadRequest || !strings.Contains(a.Body, "has no secret to authenticate with") {
		t.Errorf("a public client: %d %s", a.Status, a.Body)
	}
}

// A role that somebody writes into the database past the two administrators opens nothing, given or used.
func TestARoleOfAClientThatWasPlantedOpensNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	secret := b.changed(t, "client.create", "", `{"clientId":"reader","kind":"confidential","roles":["supervisor"]}`).Text("clientSecret")
	token := b.byItself(t, "reader", secret).Text("access_token")
	owner := b.DB.Owner(t)
	for _, statement := range []string{
		"ALTER TABLE client DROP CONSTRAINT client_roles_check", "UPDATE client SET roles = 'maker' WHERE client_id = 'reader'",
	} {
		_, err := owner.Exec(t.Context(), statement)
		if err != nil {
			t.Fatal(err)
		}
	}
	a := b.Send(t, carrying(call{Path: createSwiss, Body: order(sample)}, token))
	if a.Status != http.StatusUnauthorized {
		t.Errorf("a payment by a planted role: %d %s", a.Status, a.Body)
	}
	if a = b.byItself(t, "reader", secret); a.Status != http.StatusUnauthorized {
		t.Errorf("a token by a planted role: %d %s", a.Status, a.Body)
	}
}
