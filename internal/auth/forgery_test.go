package auth_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/auth"
	"countersign/internal/demo"
	"countersign/internal/keyring"
	"countersign/internal/service/servicetest"
	"countersign/internal/store/storetest"
)

// A digest that anybody can compute would let a login that may write rows sign in as anybody: the application's role can, and so can
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
		`INSERT INTO access_token (realm, token_hash, family_id, issued_at, expires_at, key_id, seal)
			VALUES ('alpha', $2, $1, $3, $3::timestamptz + interval '5 minutes', 'test', $2)`,
		`INSERT INTO refresh_token (realm, token_hash, family_id, issued_at, expires_at, key_id, seal)
			VALUES ('alpha', $2, $1, $3, $3::timestamptz + interval '5 minutes', 'test', $2)`,
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

// The digest of a token proves only that its text is ours: hung onto a sign-in of somebody else, with the seal it came with, it must open
// nothing, and no later end either.
func TestTheRowOfATokenCannotBeMoved(t *testing.T) {
	t.Parallel()
	b := setup(t)
	own := b.login(t, "maker")
	b.login(t, "checker")
	conn := b.db.Connect(t)
	for _, statement := range []string{
		`UPDATE access_token SET family_id = (SELECT f.family_id FROM token_family f JOIN user_account u USING (realm, user_id)
			WHERE u.name = 'checker') WHERE family_id = (SELECT f.family_id FROM token_family f JOIN user_account u USING (realm, user_id)
			  WHERE u.name = 'maker')`,
		`UPDATE access_token SET expires_at = expires_at + interval '1 hour'`,
		`UPDATE token_family SET user_id = (SELECT user_id FROM user_account WHERE realm = 'alpha' AND name = 'checker')
			WHERE user_id = (SELECT user_id FROM user_account WHERE realm = 'alpha' AND name = 'maker')`,
	} {
		_, err := conn.Exec(t.Context(), statement)
		check(t, err)
		b.clock.Add(time.Second)
		b.dead(t, own.AccessToken)
	}
	_, err := b.refresh(t.Context(), own.RefreshToken)
	if !errors.Is(err, auth.ErrInvalidGrant) {
		t.Errorf("the refresh token of a sign-in that is another's now: got %v, want %v", err, auth.ErrInvalidGrant)
	}
}

// What a superuser writes into people, roles and clients without the key gives nobody a right.
func TestMasterDataThatNobodySealedCountForNothing(t *testing.T) {
	t.Parallel()
	for name, statement := range map[string]string{
		"a role": `INSERT INTO user_role (realm, user_id, duty, role, granted_at) SELECT realm, user_id, duty, 'checker', '2020-01-01' FROM ` +
			`user_account WHERE realm = 'alpha' AND name = 'maker'`,
		"a person": `UPDATE user_account SET person_id = (SELECT person_id FROM user_account WHERE realm = 'alpha' AND name = 'checker') WHERE ` +
			`realm = 'alpha' AND name = 'maker'`,
		"a client": `UPDATE client SET may_decide_own = NOT may_decide_own WHERE realm = 'alpha'`,
		"a name":   `UPDATE person SET display_name = 'Somebody else' WHERE realm = 'alpha'`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			tokens := b.login(t, "maker")
			_, err := b.db.Owner(t).Exec(t.Context(), statement)
			check(t, err)
			b.clock.Add(time.Second)
			b.dead(t, tokens.AccessToken)
			_, err = b.SignIn(t.Context(), auth.SignInInput{Realm: "alpha", Name: "maker", Password: password})
			if err == nil {
				t.Error("the portal took a principal of rows that do not fit their seals")
			}
		})
	}
}

// The lives of tokens are numbers of a realm: changed by somebody without the key they let nobody in for longer, or at all.
func TestLivesOfTokensThatNobodySealedLetNobodyIn(t *testing.T) {
	t.Parallel()
	db := servicetest.Demo(t)
	station, err := auth.New(auth.Config{Database: db.Database, Now: time.Now, Keys: storetest.Keys(t), Log: slog.New(slog.DiscardHandler)})
	check(t, err)
	login := auth.LoginInput{
		Realm: "demo", Client: auth.ClientCredentials{ClientID: "demo-backoffice", ClientSecret: demo.ClientSecret}, Name: "maker1",
		Password: demo.UserPassword,
	}
	_, err = station.Login(t.Context(), login)
	check(t, err)
	_, err = db.Owner(t).Exec(t.Context(), "UPDATE realm SET refresh_absolute_seconds = 604800 WHERE realm = 'demo'")
	check(t, err)
	_, err = station.Login(t.Context(), login)
	if !errors.Is(err, auth.ErrUnknownRealm) {
		t.Errorf("got %v, want %v", err, auth.ErrUnknownRealm)
	}
}

// What ended stays ended for a login that writes rows as the service does.
func TestARevokedSignInStaysRevoked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tokens := b.login(t, "maker")
	err := b.Revoke(t.Context(), auth.RevokeInput{Realm: "alpha", Client: office, Token: tokens.RefreshToken})
	check(t, err)
	conn := b.db.ConnectAsApplication(t, "alpha")
	_, err = conn.Exec(t.Context(), "UPDATE token_family SET revoked_at = NULL, revoked_for = NULL")
	if err == nil {
		t.Error("a revocation was taken back")
	}
}

// A new key in front of the old one ends nothing; taking the old one away ends what it made.
func TestAKeyOfTokensCanBeChanged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tokens := b.login(t, "maker")
	old, fresh := "tokens "+strings.Repeat("5a", 32), "next "+strings.Repeat("c3", 32)
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
