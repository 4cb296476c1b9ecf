package auth_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/auth"
	"countersign/internal/identity"
)

func TestLoginGivesTokensOfTheRealmsLives(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tokens := b.login(t, " MAKER ") // names are compared normalised
	if tokens.ExpiresIn != 300*time.Second || tokens.RefreshExpiresIn != 1800*time.Second {
		t.Errorf("got lives %s and %s, want 300 s and 1,800 s", tokens.ExpiresIn, tokens.RefreshExpiresIn)
	}
	principal, err := b.Authenticate(t.Context(), tokens.AccessToken)
	check(t, err)
	if principal.UserName != "maker" || principal.DisplayName != "The maker" || principal.Realm != "alpha" ||
		!slices.Equal(principal.Roles, []identity.Role{identity.RoleMaker}) || principal.ClientID != "office" ||
		!principal.ClientMayDecideOwn || principal.Channel != identity.ChannelAPI {
		t.Errorf("got principal %+v", principal)
	}
	b.dead(t, tokens.RefreshToken) // a refresh token opens nothing
	plain := b.count(t, "SELECT count(*) FROM refresh_token WHERE token_hash = convert_to('"+tokens.RefreshToken+"', 'UTF8')")
	if plain != 0 {
		t.Error("a token is stored in clear")
	}
}

func TestLoginRefusesBadClients(t *testing.T) {
	t.Parallel()
	b := setup(t)
	cases := map[string]struct {
		realm  string
		client auth.ClientCredentials
		want   error
	}{
		"wrong secret":           {"alpha", auth.ClientCredentials{ClientID: "office", ClientSecret: "wrong"}, auth.ErrInvalidClient},
		"no secret":              {"alpha", auth.ClientCredentials{ClientID: "office"}, auth.ErrInvalidClient},
		"unknown client":         {"alpha", auth.ClientCredentials{ClientID: "nobody", ClientSecret: secret}, auth.ErrInvalidClient},
		"client with a NUL":      {"alpha", auth.ClientCredentials{ClientID: "off\x00ice", ClientSecret: secret}, auth.ErrInvalidClient},
		"client not in UTF-8":    {"alpha", auth.ClientCredentials{ClientID: "off\xffice", ClientSecret: secret}, auth.ErrInvalidClient},
		"the portal's client":    {"alpha", auth.ClientCredentials{ClientID: "portal"}, auth.ErrInvalidClient},
		"unknown realm":          {"gamma", office, auth.ErrUnknownRealm},
		"realm that is no name":  {"a'; --", office, auth.ErrUnknownRealm},
		"public client, allowed": {"alpha", auth.ClientCredentials{ClientID: "phone"}, nil},
	}
	for name, c := range cases {
		_, err := b.Login(t.Context(), auth.LoginInput{Realm: c.realm, Client: c.client, Name: "maker", Password: password})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
	if n := b.PasswordsChecked(); n != 1 {
		t.Errorf("%d passwords were checked, want only that of the good client", n)
	}
}

func TestLoginChecksScope(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for scope, want := range map[string]error{
		"": nil, "payments openid": nil, "two  spaces": auth.ErrInvalidScope, `quo"te`: auth.ErrInvalidScope,
		strings.Repeat("x", 257): auth.ErrInvalidScope,
	} {
		tokens, err := b.Login(t.Context(), auth.LoginInput{Realm: "alpha", Client: office, Name: "maker", Password: password, Scope: scope})
		if !errors.Is(err, want) || (err == nil && tokens.Scope != scope) {
			t.Errorf("scope %q: got %q, %v, want %v", scope, tokens.Scope, err, want)
		}
	}
}

func TestAccountProblemsAreToldOnlyAfterTheRightPassword(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, want := range map[string]auth.AccountProblem{
		"maker": "", "fresh": auth.ProblemNotVerified, "barred": auth.ProblemSuppressed, "nobody": auth.ProblemIncorrect,
		"na\x00me": auth.ProblemIncorrect, "\xff": auth.ProblemIncorrect, strings.Repeat("n", 5000): auth.ProblemIncorrect,
	} {
		if got := b.try(t, name, "wrong"); got != auth.ProblemIncorrect {
			t.Errorf("%.20q with a wrong password: got %q, want %q", name, got, auth.ProblemIncorrect)
		}
		if got := b.try(t, name, password); got != want {
			t.Errorf("%.20q with the right password: got %q, want %q", name, got, want)
		}
	}
	longest := strings.Repeat("x", 1024)
	hash, err := auth.HashPassword(longest)
	check(t, err)
	b.owner(t, "UPDATE user_account SET password_hash = $1 WHERE name = 'checker'", hash)
	b.db.SealMasterData(t)
	for given, want := range map[string]auth.AccountProblem{longest: "", longest + "x": auth.ProblemIncorrect} {
		if got := b.try(t, "checker", given); got != want {
			t.Errorf("password of %d bytes: got %q, want %q", len(given), got, want)
		}
	}
}

// The same steps happen for a name that exists and one that does not; what differs is nothing but the hash.
func TestLockoutHoldsWhetherOrNotTheNameExists(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"maker", "nobody"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			for range 4 {
				if got := b.try(t, name, "wrong"); got != auth.ProblemIncorrect {
					t.Fatalf("got %q before the fifth failure", got)
				}
			}
			checked := int64(4)
			for _, minutes := range []int{1, 2, 4, 8, 15, 15} {
				if got := b.try(t, name, "wrong"); got != auth.ProblemIncorrect {
					t.Fatalf("a try after the lock: got %q, want it counted", got)
				}
				checked++
				lock := time.Duration(minutes) * time.Minute
				b.clock.Add(lock - time.Second)
				_, err := b.Login(t.Context(), auth.LoginInput{Realm: "alpha", Client: office, Name: name, Password: password})
				var account *auth.AccountError
				if !errors.As(err, &account) || account.Problem != auth.ProblemLocked || account.RetryAfter != time.Second {
					t.Fatalf("one second before the end of %s: got %v, want locked for 1 s", lock, err)
				}
				if got := b.PasswordsChecked(); got != checked {
					t.Fatalf("%d passwords checked, want %d: a locked name's password is not checked", got, checked)
				}
				b.clock.Add(time.Second)
			}
		})
	}
}

func TestSuccessAndTimeForgetFailures(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 3 {
		for range 4 {
			b.try(t, "maker", "wrong")
		}
		if got := b.try(t, "maker", password); got != "" {
			t.Fatalf("right password after four failures: got %q", got)
		}
	}
	for range 4 {
		b.try(t, "checker", "wrong")
	}
	b.clock.Add(12*time.Hour + time.Second)
	b.try(t, "checker", "wrong")
	if got := b.try(t, "checker", password); got != "" {
		t.Errorf("right password after one failure of today: got %q", got)
	}
}

func TestBothDoorsShareTheLock(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 3 {
		b.try(t, "maker", "wrong")
	}
	in := auth.SignInInput{Realm: "alpha", Name: "maker", Password: "wrong"}
	for range 2 {
		_, err := b.SignIn(t.Context(), in)
		if got := problem(t, err); got != auth.ProblemIncorrect {
			t.Fatalf("got %q", got)
		}
	}
	in.Password = password
	_, err := b.SignIn(t.Context(), in)
	if got := problem(t, err); got != auth.ProblemLocked {
		t.Errorf("portal: got %q, want locked", got)
	}
	if got := b.try(t, "maker", password); got != auth.ProblemLocked {
		t.Errorf("API: got %q, want locked", got)
	}
	in.Realm = "beta"
	_, err = b.SignIn(t.Context(), in)
	if err != nil {
		t.Errorf("the same name in another realm: got %v, want it free", err)
	}
}

func TestParallelTriesCheckAtMostFivePasswords(t *testing.T) {
	t.Parallel()
	b := setup(t)
	second := b.another(t) // a lock holds across processes
	var wait sync.WaitGroup
	for i := range 1000 {
		station := b.Service
		if i%2 == 1 {
			station = second
		}
		wait.Go(func() {
			_, err := station.Login(t.Context(), auth.LoginInput{Realm: "alpha", Client: office, Name: "maker", Password: "wrong"})
			if problem(t, err) == "" {
				t.Error("a wrong password was let in")
			}
		})
	}
	wait.Wait()
	if n := b.PasswordsChecked() + second.PasswordsChecked(); n != 5 {
		t.Errorf("%d passwords were checked, want 5", n)
	}
	if got := b.try(t, "maker", password); got != auth.ProblemLocked {
		t.Errorf("got %q, want locked", got)
	}
}

// Tries count before they succeed, so that a crowd of good ones could lock itself out if they did not queue.
func TestParallelGoodSignInsDoNotLockEachOther(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			if got := b.try(t, "maker", password); got != "" {
				t.Errorf("got %q", got)
			}
		})
	}
	wait.Wait()
}

func TestASessionFollowsItsAccount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	principal, err := b.SignIn(t.Context(), auth.SignInInput{Realm: "alpha", Name: "Checker", Password: password, SourceAddress: "192.0.2.7"})
	check(t, err)
	if principal.Channel != identity.ChannelPortal || principal.ClientID != identity.PortalClient || principal.SourceAddress != "192.0.2.7" ||
		!principal.Has(identity.RoleChecker) {
		t.Errorf("got principal %+v", principal)
	}
	b.owner(t, "DELETE FROM user_role WHERE user_id = $1", principal.UserID)
	again, err := b.SessionPrincipal(t.Context(), auth.PortalSession{Realm: "alpha", UserID: principal.UserID, Since: b.clock.Now()})
	check(t, err)
	if len(again.Roles) != 0 || again.PersonID != principal.PersonID {
		t.Errorf("after the role was taken: got %+v", again)
	}
	_, err = b.SessionPrincipal(t.Context(), auth.PortalSession{Realm: "beta", UserID: principal.UserID, Since: b.clock.Now()})
	if !errors.Is(err, auth.ErrUnauthorized) {
		t.Errorf("in another realm: got %v", err)
	}
	b.owner(t, "UPDATE user_account SET status = 'suppressed' WHERE user_id = $1", principal.UserID)
	b.db.SealMasterData(t)
	_, err = b.SessionPrincipal(t.Context(), auth.PortalSession{Realm: "alpha", UserID: principal.UserID, Since: b.clock.Now()})
	if !errors.Is(err, auth.ErrUnauthorized) {
		t.Errorf("after suppression: got %v, want %v", err, auth.ErrUnauthorized)
	}
}

func TestSecretsNeverReachTheLog(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tokens := b.login(t, "maker")
	next, err := b.refresh(t.Context(), tokens.RefreshToken)
	check(t, err)
	b.clock.Add(time.Minute)
	_, _ = b.refresh(t.Context(), tokens.RefreshToken) // used again: logged
	const canary = "canary-typed-into-the-name"
	for range 7 {
		b.try(t, canary, "canary-password")
	}
	log := b.log.String()
	if !strings.Contains(log, "family revoked") || !strings.Contains(log, string(auth.ProblemLocked)) {
		t.Errorf("the log lacks the events: %s", log)
	}
	for _, private := range []string{
		canary, "canary-password", password, secret, tokens.AccessToken, tokens.RefreshToken, next.AccessToken,
		next.RefreshToken,
	} {
		if strings.Contains(log, private) {
			t.Errorf("the log holds %q", private)
		}
	}
}

func TestPreferenceIsKept(t *testing.T) {
	t.Parallel()
	b := setup(t)
	by, err := b.SignIn(t.Context(), auth.SignInInput{Realm: "alpha", Name: "maker", Password: password})
	check(t, err)
	first, err := b.Preference(t.Context(), by)
	check(t, err)
	if first != (auth.Preference{Theme: "auto", Density: "default", Shortcuts: true}) {
		t.Errorf("got %+v for a user who chose nothing", first)
	}
	want := auth.Preference{Theme: "dark", Density: "compact", Shortcuts: false}
	check(t, b.SavePreference(t.Context(), by, want))
	check(t, b.SavePreference(t.Context(), by, want))
	got, err := b.Preference(t.Context(), by)
	check(t, err)
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	err = b.SavePreference(t.Context(), by, auth.Preference{Theme: "pink", Density: "compact"})
	if !errors.Is(err, auth.ErrInvalidPreference) {
		t.Errorf("got %v, want %v", err, auth.ErrInvalidPreference)
	}
}
