package oidctest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// Liar is a provider that answers every code with the token it was told to.
type Liar struct {
	Issuer string

	mu     sync.Mutex
	key    *ecdsa.PrivateKey
	other  *ecdsa.PrivateKey // which its keys do not name
	token  string
	status int
	traded int
	form   map[string][]string
}

// StartLiar runs a provider until the test ends. metadata replaces members of its metadata; nil replaces none.
func StartLiar(t testing.TB, metadata map[string]any) *Liar {
	t.Helper()
	l := &Liar{status: http.StatusOK}
	var err error
	for _, key := range []**ecdsa.PrivateKey{&l.key, &l.other} {
		*key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
	}
	routes := http.NewServeMux()
	server := httptest.NewServer(routes)
	t.Cleanup(server.Close)
	l.Issuer = server.URL
	says := map[string]any{
		"issuer": l.Issuer, "authorization_endpoint": l.Issuer + "/authorize", "token_endpoint": l.Issuer + "/token",
		"jwks_uri":                              l.Issuer + "/keys",
		"id_token_signing_alg_values_supported": []string{"ES256", "HS256", "none"},
	}
	maps.Copy(says, metadata)
	routes.HandleFunc("/.well-known/openid-configuration", answerWith(says))
	named := jose.JSONWebKey{Key: l.key.Public(), KeyID: "k1", Algorithm: "ES256", Use: "sig"}
	routes.HandleFunc("/keys", answerWith(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{named}}))
	routes.HandleFunc("/token", l.trade)
	return l
}

func answerWith(value any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(value)
	}
}

func (l *Liar) trade(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	l.mu.Lock()
	l.traded++
	l.form = r.PostForm
	status, token := l.status, l.token
	l.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	answer := map[string]any{"access_token": "of no use", "token_type": "Bearer", "id_token": token}
	if status != http.StatusOK {
		answer["error"] = "invalid_grant"
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// Traded returns the number of codes it was sent, and the form of the last one.
func (l *Liar) Traded() (count int, form map[string][]string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.traded, l.form
}

// Claims are those of a token that is in order.
func (l *Liar) Claims(subject, nonce string, at time.Time) map[string]any {
	return map[string]any{
		"iss": l.Issuer, "sub": subject, "aud": ClientID, "nonce": nonce, "iat": at.Unix(),
		"exp": at.Add(5 * time.Minute).Unix(), "auth_time": at.Unix(),
	}
}

// The ways to sign.
const (
	Signed      = "ES256"        // as its keys say
	OtherKey    = "other"        // by a key it does not name
	Unsigned    = "none"         // not at all
	SharedKey   = "HS256"        // by the secret of the client
	PublicAsKey = "HS-of-public" // by its public key, taken for a shared secret
	Garbage     = "garbage"      // a long text that is no token
)

// Says sets the token that the next codes are answered with, and the status of the answer.
func (l *Liar) Says(t testing.TB, how string, claims map[string]any, status int) {
	t.Helper()
	payload, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.status = status
	if how == Garbage {
		l.token = strings.Repeat("no token. ", 50_000)
		return
	}
	if how == Unsigned {
		head := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"JWT"}`))
		l.token = head + "." + base64.RawURLEncoding.EncodeToString(payload) + "."
		return
	}
	l.token = l.sign(t, how, payload)
}

func (l *Liar) sign(t testing.TB, how string, payload []byte) string {
	t.Helper()
	key := jose.SigningKey{Algorithm: jose.ES256, Key: l.key}
	switch how {
	case OtherKey:
		key.Key = l.other
	case SharedKey:
		key = jose.SigningKey{Algorithm: jose.HS256, Key: []byte(Secret + Secret)}
	case PublicAsKey:
		public, err := l.key.PublicKey.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		key = jose.SigningKey{Algorithm: jose.HS256, Key: public}
	}
	signer, err := jose.NewSigner(key, (&jose.SignerOptions{}).WithHeader(jose.HeaderKey("kid"), "k1"))
	if err != nil {
		t.Fatal(err)
	}
	signature, err := signer.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	text, err := signature.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}
