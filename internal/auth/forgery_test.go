package auth_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/auth"
	"countersign/internal/keyring"
)

// A digest that anybody can compute would let whoever may write rows sign in as whom they like: the application's role can, and so can
// an injected statement.
func TestARowInTheTablesSignsNobodyIn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.login(t, "maker") // the tables are in use
	text := "alpha." + base64.RawURLEncoding.EncodeToString(bytes.Repeat([]byte{1}, 32))
	digest := sha256.Sum256([]byte(text))
	family, now := uuid.Must(uuid.NewV7()), b.clock.Now()
	conn := b.db.ConnectAsApplication(t, "alpha")
	for _, statement := range []string{
		`INSERT INTO token_family (realm, family_id, user_id, client_id, scope, started_at, ends_at)
			SELECT 'alpha', $1, user_id, 'office', '', $3, $3::timestamptz + interval '12 hours' FROM user_account
			WHERE realm = 'alpha' AND name = 'checker' AND $2::bytea IS NOT NULL`,
		`INSERT INTO access_token (realm, token_hash, family_id, issued_at, expires_at)
			VALUES ('alpha', $2, $1, $3, $3::timestamptz + interval '5 minutes')`,
		`INSERT INTO refresh_token (realm, token_hash, family_id, issued_at, expires_at)
			VALUES ('alpha', $2, $1, $3, $3::timestamptz + interval '5 minutes')`,
	} {
		_, err := conn.Exec(t.Context(), statement, family, digest[:], now)
		check(t, err)
	}
	b.dead(t, text)
	_, err := b.refresh(t.Context(), text)
	if err == nil {
		t.Error("a refresh token written into the table was taken")
	}
	b.clock.Add(time.Second)
	b.dead(t, text)
}

// A new key in front of the old one ends nothing; taking the old one away ends what it made.
func TestAKeyOfTokensCanBeChanged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tokens := b.login(t, "maker")
	old, fresh := "test "+strings.Repeat("5a", 32), "next "+strings.Repeat("c3", 32)
	both, err := keyring.Parse([]byte(fresh+"\n"+old), "")
	check(t, err)
	alone, err := keyring.Parse([]byte(fresh), "")
	check(t, err)
	rotated := b.withKeys(t, both)
	_, err = rotated.Authenticate(t.Context(), tokens.AccessToken)
	check(t, err)
	first, err := rotated.Refresh(t.Context(), auth.RefreshInput{Realm: "alpha", Client: office, RefreshToken: tokens.RefreshToken})
	check(t, err)
	again, err := rotated.Refresh(t.Context(), auth.RefreshInput{Realm: "alpha", Client: office, RefreshToken: tokens.RefreshToken})
	check(t, err)
	if first.RefreshToken != again.RefreshToken {
		t.Error("the same refresh token has two successors")
	}
	later := b.withKeys(t, alone)
	_, err = later.Authenticate(t.Context(), tokens.AccessToken)
	if !errors.Is(err, auth.ErrUnauthorized) {
		t.Errorf("a token of the key that is gone: got %v, want %v", err, auth.ErrUnauthorized)
	}
	_, err = later.Authenticate(t.Context(), first.AccessToken)
	check(t, err)
}
