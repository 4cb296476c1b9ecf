package auth_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"countersign/internal/auth"
	"countersign/internal/store"
	"countersign/internal/store/integrity"
)

const newPassword = "a new one, and long enough"

// signedIn is a maker with a session of the portal and tokens of the API.
func signedIn(t *testing.T, b *bundle) (auth.PortalSession, auth.TokenSet, auth.ChangePasswordInput) {
	t.Helper()
	by, err := b.SignIn(t.Context(), auth.SignInInput{Realm: "alpha", Name: "maker", Password: password})
	check(t, err)
	session := auth.PortalSession{Realm: "alpha", UserID: by.UserID, Since: b.clock.Now()}
	tokens := b.login(t, "maker")
	b.alive(t, tokens.AccessToken)
	_, err = b.SessionPrincipal(t.Context(), session)
	check(t, err)
	b.clock.Add(time.Second)
	return session, tokens, auth.ChangePasswordInput{By: by, Old: password, New: newPassword}
}

// over asserts that nothing of a sign-in lives.
func (b *bundle) over(t *testing.T, session auth.PortalSession, tokens auth.TokenSet) {
	t.Helper()
	b.dead(t, tokens.AccessToken)
	_, err := b.refresh(t.Context(), tokens.RefreshToken)
	if !errors.Is(err, auth.ErrInvalidGrant) {
		t.Errorf("refresh: got %v, want %v", err, auth.ErrInvalidGrant)
	}
	_, err = b.SessionPrincipal(t.Context(), session)
	if !errors.Is(err, auth.ErrUnauthorized) {
		t.Errorf("session: got %v, want %v", err, auth.ErrUnauthorized)
	}
}

func TestANewPasswordEndsSessionsAndTokens(t *testing.T) {
	t.Parallel()
	b := setup(t)
	session, tokens, change := signedIn(t, b)
	other := b.login(t, "checker")
	for name, c := range map[string]struct {
		old, new string
		want     error
	}{
		"too short": {password, "short", auth.ErrWeakPassword}, "the old one": {password, password, auth.ErrWeakPassword},
		"too long": {password, strings.Repeat("x", 2000), auth.ErrWeakPassword},
	} {
		wrong := change
		wrong.Old, wrong.New = c.old, c.new
		err := b.ChangePassword(t.Context(), wrong)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
	wrong := change
	wrong.Old = "not it, this one"
	if got := problem(t, b.ChangePassword(t.Context(), wrong)); got != auth.ProblemIncorrect {
		t.Errorf("a wrong old password: got %q", got)
	}
	b.alive(t, tokens.AccessToken)
	check(t, b.ChangePassword(t.Context(), change))
	b.toldOnce(t, "user.password", change.By.DisplayName)
	b.over(t, session, tokens)
	b.alive(t, other.AccessToken)
	if got := b.try(t, "maker", password); got != auth.ProblemIncorrect {
		t.Errorf("the old password: got %q", got)
	}
	b.clock.Add(time.Second)
	tokens, err := b.Login(t.Context(), auth.LoginInput{Realm: "alpha", Client: office, Name: "maker", Password: newPassword})
	check(t, err)
	b.alive(t, tokens.AccessToken)
	report, err := integrity.Check(t.Context(), integrity.Config{DatabaseURL: b.db.OwnerURL, Tokens: b.keys, Now: b.clock.Now()})
	if err != nil || report.Broken() != 0 {
		t.Errorf("rows that do not fit their seal: %v, %v", report.Invariants, err)
	}
}

func TestAllSessionsOfAUserCanBeEnded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	session, tokens, _ := signedIn(t, b)
	by, err := b.SessionPrincipal(t.Context(), session)
	check(t, err)
	check(t, b.EndSessions(t.Context(), by))
	b.toldOnce(t, "session.ended-all", by.DisplayName)
	b.over(t, session, tokens)
	b.clock.Add(time.Second)
	b.login(t, "maker")
}

// A sign-in whose password was looked at before everything ended, and which was kept after that: its own time says that it is the younger
// one, and it is over all the same, also where two ends have the same time.
func TestASignInThatOvertookTheEndOfAllIsOver(t *testing.T) {
	t.Parallel()
	b := setup(t)
	begin := b.clock.Now()
	for range 2 {
		b.clock.Set(begin.Add(time.Minute))
		by, err := b.SignIn(t.Context(), auth.SignInInput{Realm: "alpha", Name: "maker", Password: password})
		check(t, err)
		session := auth.PortalSession{Realm: "alpha", UserID: by.UserID, Since: b.clock.Now(), AsOf: by.AsOf}
		tokens := b.login(t, "maker")
		b.alive(t, tokens.AccessToken)
		_, err = b.SessionPrincipal(t.Context(), session)
		check(t, err)
		b.clock.Set(begin)
		check(t, b.EndSessions(t.Context(), by))
		b.clock.Set(begin.Add(time.Minute))
		b.over(t, session, tokens)
	}
	again := b.login(t, "maker")
	b.alive(t, again.AccessToken)
	_, err := b.refresh(t.Context(), again.RefreshToken)
	check(t, err)
}

func TestTheOperatorsNewPasswordEndsSessionsToo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	session, tokens, _ := signedIn(t, b)
	hash, err := auth.HashPassword(newPassword)
	check(t, err)
	by := store.Provisioner{OwnerURL: b.db.OwnerURL, Keys: b.keys, At: b.clock.Now()}
	err = store.ResetPassword(t.Context(), by, store.PasswordReset{Realm: "alpha", UserName: "nobody", PasswordHash: hash})
	if !errors.Is(err, store.ErrUnknownUser) {
		t.Errorf("nobody: got %v, want %v", err, store.ErrUnknownUser)
	}
	check(t, store.ResetPassword(t.Context(), by, store.PasswordReset{Realm: "alpha", UserName: "Maker", PasswordHash: hash}))
	b.toldOnce(t, "user.password", "operator")
	b.clock.Add(time.Second) // the longest that a token is believed
	b.over(t, session, tokens)
	_, err = b.Login(t.Context(), auth.LoginInput{Realm: "alpha", Client: office, Name: "maker", Password: newPassword})
	check(t, err)
}

// toldOnce holds that the audit trail tells once what somebody did to the account of the maker.
func (b *bundle) toldOnce(t *testing.T, event, actor string) {
	t.Helper()
	told := fmt.Sprintf(`SELECT count(*) FROM audit_event
		WHERE event = '%s' AND actor_name = '%s' AND detail = '{"subject":"maker"}'`, event, actor)
	if n := b.count(t, told); n != 1 {
		t.Errorf("the audit trail tells %d times of %s by %s, want once", n, event, actor)
	}
}

// TestAPasswordWrittenIntoTheTableOpensNothing: the service may change password hashes. One that it wrote without the key opens nothing; a
// text that is no hash, or a hash of unbounded cost, is answered like a wrong password.
func TestAPasswordWrittenIntoTheTableOpensNothing(t *testing.T) {
	t.Parallel()
	hash, err := auth.HashPassword(newPassword)
	check(t, err)
	memory, passes := fmt.Sprintf("m=%d", *auth.HashMemory), fmt.Sprintf("t=%d", *auth.HashIterations)
	for name, written := range map[string]string{
		"a hash": hash, "nothing": "", "no hash": "x", "half a hash": hash[:len(hash)/2], "a hash of another kind": "$2a$10$" + hash[30:],
		"no lanes": strings.Replace(hash, "p=1", "p=0", 1), "no passes": strings.Replace(hash, passes, "t=0", 1),
		"a hash of 3 TiB": strings.Replace(hash, memory, "m=3221225472", 1), "a hash without end": strings.Replace(hash, passes, "t=4294967295", 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			_, err := b.db.ConnectAsApplication(t, "alpha").Exec(t.Context(), "UPDATE user_account SET password_hash = $1 WHERE name = 'checker'", written)
			check(t, err)
			if got := b.try(t, "checker", newPassword); got != auth.ProblemIncorrect {
				t.Errorf("got %q, want it refused like a wrong password", got)
			}
			if !strings.Contains(b.log.String(), `"alarm":true`) {
				t.Error("no alarm in the log")
			}
		})
	}
}
