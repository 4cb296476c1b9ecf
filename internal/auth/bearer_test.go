package auth_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"countersign/internal/auth"
	"countersign/internal/identity"
)

func TestAuthenticateRefusesWhatIsNoToken(t *testing.T) {
	t.Parallel()
	b := setup(t)
	good := b.login(t, "maker").AccessToken
	body := strings.TrimPrefix(good, "alpha.")
	for name, text := range map[string]string{
		"nothing": "", "no realm": body, "another realm": "beta." + body, "unknown realm": "gamma." + body, "realm in capitals": "ALPHA." + body,
		"quote in the realm": "a'." + body, "trailing text": good + "x", "cut": good[:len(good)-1],
		"JWT without signature": "eyJhbGciOiJub25lIn0.eyJzdWIiOiJtYWtlciJ9.",
		"another body":          "alpha." + strings.Repeat("A", 43), "very long": strings.Repeat("a", 1<<20), "NUL": "alpha.\x00" + body[1:],
	} {
		_, err := b.Authenticate(t.Context(), text)
		if !errors.Is(err, auth.ErrUnauthorized) {
			t.Errorf("%s: got %v, want %v", name, err, auth.ErrUnauthorized)
		}
	}
	b.alive(t, good)
}

func TestLogoutIsImmediate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	second := b.another(t)
	first := b.login(t, "maker")
	next, err := b.refresh(t.Context(), first.RefreshToken)
	check(t, err)
	b.alive(t, first.AccessToken)
	b.alive(t, next.AccessToken)
	_, err = second.Authenticate(t.Context(), next.AccessToken)
	check(t, err)
	out := auth.RevokeInput{Realm: "alpha", Client: office, Token: first.RefreshToken} // a spent one of the family does
	check(t, b.Logout(t.Context(), out))
	b.dead(t, first.AccessToken)
	b.dead(t, next.AccessToken)
	_, err = b.refresh(t.Context(), next.RefreshToken)
	if !errors.Is(err, auth.ErrInvalidGrant) {
		t.Errorf("refresh after logout: got %v, want %v", err, auth.ErrInvalidGrant)
	}
	if err := b.Logout(t.Context(), out); err != nil {
		t.Errorf("the second logout: %v", err)
	}
	told := `SELECT count(*) FROM audit_event a JOIN token_family f ON f.realm = a.realm AND f.family_id::text = a.detail::jsonb ->> 'ended'
		WHERE a.event = 'sign-in.ended' AND a.actor_user = f.user_id AND a.detail::jsonb ->> 'reason' = 'logout'`
	if n := b.count(t, told); n != 1 {
		t.Errorf("%d audit rows tell of the end of the sign-in, want one by its user", n)
	}
	b.clock.Add(time.Second) // the longest that another process believes
	_, err = second.Authenticate(t.Context(), next.AccessToken)
	if !errors.Is(err, auth.ErrUnauthorized) {
		t.Errorf("another process after a second: got %v, want %v", err, auth.ErrUnauthorized)
	}
}

func TestLogoutNeedsATokenOfTheClient(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tokens := b.login(t, "maker")
	other := auth.ClientCredentials{ClientID: "other", ClientSecret: secret}
	for name, in := range map[string]auth.RevokeInput{
		"another client":  {Realm: "alpha", Client: other, Token: tokens.RefreshToken},
		"another realm":   {Realm: "beta", Client: office, Token: tokens.RefreshToken},
		"an access token": {Realm: "alpha", Client: office, Token: tokens.AccessToken},
		"no token":        {Realm: "alpha", Client: office, Token: "nothing"},
	} {
		err := b.Logout(t.Context(), in)
		if !errors.Is(err, auth.ErrInvalidGrant) {
			t.Errorf("%s: got %v, want %v", name, err, auth.ErrInvalidGrant)
		}
	}
	b.alive(t, tokens.AccessToken)
}

func TestRevokeTakesBothKindsOfTokens(t *testing.T) {
	t.Parallel()
	b := setup(t)
	byRefresh, byAccess := b.login(t, "maker"), b.login(t, "maker")
	other := auth.ClientCredentials{ClientID: "other", ClientSecret: secret}
	check(t, b.Revoke(t.Context(), auth.RevokeInput{Realm: "alpha", Client: office, Token: "unknown"}))
	check(t, b.Revoke(t.Context(), auth.RevokeInput{Realm: "alpha", Client: other, Token: byRefresh.RefreshToken}))
	b.alive(t, byRefresh.AccessToken)
	b.alive(t, byAccess.AccessToken)
	check(t, b.Revoke(t.Context(), auth.RevokeInput{Realm: "alpha", Client: office, Token: byRefresh.RefreshToken}))
	check(t, b.Revoke(t.Context(), auth.RevokeInput{Realm: "alpha", Client: office, Token: byAccess.AccessToken}))
	b.dead(t, byRefresh.AccessToken)
	b.dead(t, byAccess.AccessToken)
	err := b.Revoke(t.Context(), auth.RevokeInput{Realm: "alpha", Client: auth.ClientCredentials{ClientID: "office"}, Token: "unknown"})
	if !errors.Is(err, auth.ErrInvalidClient) {
		t.Errorf("without a secret: got %v, want %v", err, auth.ErrInvalidClient)
	}
}

func TestRolesAreAtMostASecondOld(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tokens := b.login(t, "maker")
	b.alive(t, tokens.AccessToken)
	b.owner(t, "DELETE FROM user_role WHERE realm = 'alpha'")
	b.clock.Add(time.Second)
	principal, err := b.Authenticate(t.Context(), tokens.AccessToken)
	check(t, err)
	if principal.Has(identity.RoleMaker) {
		t.Error("a role taken away still counts after a second")
	}
	b.owner(t, "UPDATE user_account SET status = 'suppressed' WHERE realm = 'alpha'")
	b.db.SealMasterData(t)
	b.clock.Add(time.Second)
	b.dead(t, tokens.AccessToken)
}

func TestRowLevelSecurityHidesOtherRealmsTokens(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.login(t, "maker")
	b.try(t, "maker", "wrong")
	for _, table := range []string{"token_family", "refresh_token", "access_token", "login_throttle"} {
		seen, own := b.asApplication(t, table, "beta"), b.asApplication(t, table, "alpha")
		if seen != 0 || own == 0 {
			t.Errorf("%s: realm beta sees %d rows of alpha, alpha itself %d", table, seen, own)
		}
	}
}

func TestCleanUpDropsWhatHasEnded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.login(t, "maker")
	b.try(t, "nobody", "wrong")
	b.clock.Add(6 * time.Hour)
	b.login(t, "maker")
	b.try(t, "checker", "wrong")
	b.clock.Add(6*time.Hour + time.Second)
	tokens := b.login(t, "maker")
	dropped, err := b.CleanUp(t.Context())
	check(t, err)
	// Two expired access tokens, one ended family (its refresh token goes along), one forgotten name.
	if dropped != 4 {
		t.Errorf("dropped %d rows, want 4", dropped)
	}
	for table, want := range map[string]int{"token_family": 2, "refresh_token": 2, "access_token": 1, "login_throttle": 1} {
		if n := b.count(t, "SELECT count(*) FROM "+table); n != want {
			t.Errorf("%s: %d rows left, want %d", table, n, want)
		}
	}
	b.alive(t, tokens.AccessToken)
}
