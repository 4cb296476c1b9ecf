package auth_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"countersign/internal/auth"
)

func TestRefreshRotates(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.login(t, "maker")
	b.clock.Add(time.Minute)
	second, err := b.refresh(t.Context(), first.RefreshToken)
	check(t, err)
	if second.RefreshToken == first.RefreshToken || second.AccessToken == first.AccessToken || second.AccessToken == second.RefreshToken {
		t.Error("a token came twice")
	}
	if second.ExpiresIn != 300*time.Second || second.RefreshExpiresIn != 1800*time.Second {
		t.Errorf("got lives %s and %s", second.ExpiresIn, second.RefreshExpiresIn)
	}
	b.alive(t, first.AccessToken)
	b.alive(t, second.AccessToken)
	third, err := b.refresh(t.Context(), second.RefreshToken)
	check(t, err)
	b.alive(t, third.AccessToken)
}

func TestSpentTokenKillsTheFamily(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.login(t, "maker")
	first := b.login(t, "maker")
	second, err := b.refresh(t.Context(), first.RefreshToken)
	check(t, err)
	b.alive(t, second.AccessToken) // and so cached
	b.clock.Add(5*time.Second + time.Millisecond)
	for range 2 {
		_, err = b.refresh(t.Context(), first.RefreshToken)
		if !errors.Is(err, auth.ErrInvalidGrant) {
			t.Errorf("got %v, want %v", err, auth.ErrInvalidGrant)
		}
	}
	b.dead(t, first.AccessToken)
	b.dead(t, second.AccessToken)
	_, err = b.refresh(t.Context(), second.RefreshToken)
	if !errors.Is(err, auth.ErrInvalidGrant) {
		t.Errorf("the successor: got %v, want %v", err, auth.ErrInvalidGrant)
	}
	b.alive(t, other.AccessToken) // another sign-in of the same user is not touched
}

func TestGraceGivesTheSameSuccessor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.login(t, "maker")
	second, err := b.refresh(t.Context(), first.RefreshToken)
	check(t, err)
	b.clock.Add(5 * time.Second)
	again, err := b.refresh(t.Context(), first.RefreshToken)
	check(t, err)
	if again.RefreshToken != second.RefreshToken || again.AccessToken != second.AccessToken {
		t.Error("the repeated answer has other tokens")
	}
	if again.ExpiresIn != 295*time.Second || again.RefreshExpiresIn != 1795*time.Second {
		t.Errorf("got lives %s and %s, want what is left", again.ExpiresIn, again.RefreshExpiresIn)
	}
	_, err = b.refresh(t.Context(), second.RefreshToken)
	if err != nil {
		t.Errorf("the successor after a repeat: %v", err)
	}
}

func TestGraceIsOnlyForTheDirectPredecessor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.login(t, "maker")
	second, err := b.refresh(t.Context(), first.RefreshToken)
	check(t, err)
	third, err := b.refresh(t.Context(), second.RefreshToken)
	check(t, err)
	b.alive(t, third.AccessToken) // and so cached
	_, err = b.refresh(t.Context(), first.RefreshToken)
	if !errors.Is(err, auth.ErrInvalidGrant) {
		t.Errorf("got %v, want %v", err, auth.ErrInvalidGrant)
	}
	b.dead(t, third.AccessToken)
}

func TestRefreshOfAnotherClientIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.login(t, "maker")
	stranger := auth.RefreshInput{
		Realm: "alpha", Client: auth.ClientCredentials{ClientID: "other", ClientSecret: secret}, RefreshToken: first.RefreshToken,
	}
	_, err := b.Refresh(t.Context(), stranger)
	if !errors.Is(err, auth.ErrInvalidGrant) {
		t.Errorf("got %v, want %v", err, auth.ErrInvalidGrant)
	}
	second, err := b.refresh(t.Context(), first.RefreshToken)
	check(t, err)
	// Within the grace of its owner, a spent token in other hands is a stolen one.
	_, err = b.Refresh(t.Context(), stranger)
	if !errors.Is(err, auth.ErrInvalidGrant) {
		t.Errorf("spent: got %v, want %v", err, auth.ErrInvalidGrant)
	}
	b.dead(t, second.AccessToken)
}

func TestTokensExpire(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tokens := b.login(t, "maker")
	b.clock.Add(299*time.Second + 500*time.Millisecond)
	b.alive(t, tokens.AccessToken)
	b.clock.Add(500 * time.Millisecond) // the cached answer ends with the token
	b.dead(t, tokens.AccessToken)
	b.clock.Add(1500 * time.Second)
	_, err := b.refresh(t.Context(), tokens.RefreshToken)
	if !errors.Is(err, auth.ErrInvalidGrant) {
		t.Errorf("after 1,800 s: got %v, want %v", err, auth.ErrInvalidGrant)
	}
}

func TestFamilyEndsAfterTwelveHours(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tokens := b.login(t, "maker")
	var err error
	for range 23 { // 11 h 7 min
		b.clock.Add(29 * time.Minute)
		tokens, err = b.refresh(t.Context(), tokens.RefreshToken)
		check(t, err)
	}
	b.clock.Add(29 * time.Minute) // 11 h 36 min
	tokens, err = b.refresh(t.Context(), tokens.RefreshToken)
	check(t, err)
	if tokens.RefreshExpiresIn != 24*time.Minute {
		t.Errorf("got %s, want the 24 minutes that are left of twelve hours", tokens.RefreshExpiresIn)
	}
	b.clock.Add(22 * time.Minute)
	tokens, err = b.refresh(t.Context(), tokens.RefreshToken)
	check(t, err)
	if tokens.ExpiresIn != 2*time.Minute {
		t.Errorf("got %s for the access token, want 2 minutes", tokens.ExpiresIn)
	}
	b.clock.Add(2 * time.Minute)
	b.dead(t, tokens.AccessToken)
	_, err = b.refresh(t.Context(), tokens.RefreshToken)
	if !errors.Is(err, auth.ErrInvalidGrant) {
		t.Errorf("got %v, want %v", err, auth.ErrInvalidGrant)
	}
}

func TestRefreshOfASuppressedUserIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tokens := b.login(t, "maker")
	b.owner(t, "UPDATE user_account SET status = 'suppressed' WHERE name = 'maker'")
	b.db.SealMasterData(t)
	_, err := b.refresh(t.Context(), tokens.RefreshToken)
	if got := problem(t, err); got != auth.ProblemSuppressed {
		t.Errorf("got %q", got)
	}
	b.dead(t, tokens.AccessToken)
}

func TestRefreshNarrowsTheScopeOnly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tokens, err := b.Login(
		t.Context(), auth.LoginInput{Realm: "alpha", Client: office, Name: "maker", Password: password, Scope: "read write"},
	)
	check(t, err)
	in := auth.RefreshInput{Realm: "alpha", Client: office, RefreshToken: tokens.RefreshToken, Scope: "read admin"}
	_, err = b.Refresh(t.Context(), in)
	if !errors.Is(err, auth.ErrInvalidScope) {
		t.Errorf("wider: got %v, want %v", err, auth.ErrInvalidScope)
	}
	in.Scope = "read"
	tokens, err = b.Refresh(t.Context(), in)
	check(t, err)
	if tokens.Scope != "read" {
		t.Errorf("got scope %q", tokens.Scope)
	}
	tokens, err = b.refresh(t.Context(), tokens.RefreshToken)
	check(t, err)
	if tokens.Scope != "read write" {
		t.Errorf("got scope %q when none was asked for", tokens.Scope)
	}
}

func TestRacingRefreshesGiveOneSuccessor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	second := b.another(t)
	tokens := b.login(t, "maker")
	for range 10 {
		results := make([]auth.TokenSet, 8)
		var wait sync.WaitGroup
		for i := range results {
			station := b.Service
			if i%2 == 1 {
				station = second
			}
			wait.Go(func() {
				var err error
				results[i], err = station.Refresh(t.Context(), auth.RefreshInput{Realm: "alpha", Client: office, RefreshToken: tokens.RefreshToken})
				if err != nil {
					t.Errorf("a racing refresh: %v", err)
				}
			})
		}
		wait.Wait()
		for _, result := range results[1:] {
			if result.RefreshToken != results[0].RefreshToken || result.AccessToken != results[0].AccessToken {
				t.Fatal("two successors of one token")
			}
		}
		tokens = results[0]
	}
	if n := b.count(t, "SELECT count(*) FROM refresh_token WHERE spent_at IS NULL"); n != 1 {
		t.Errorf("%d live refresh tokens in the family, want 1", n)
	}
	if n := b.count(t, "SELECT count(*) FROM refresh_token"); n != 11 {
		t.Errorf("%d refresh tokens, want 11: one for each turn", n)
	}
	b.alive(t, tokens.AccessToken)
}

// A revocation that races a rotation wins: whatever the order, nothing of the family lives afterwards.
func TestRefreshRacingLogoutLeavesNothingAlive(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 10 {
		first := b.login(t, "maker")
		var next auth.TokenSet
		var wait sync.WaitGroup
		wait.Go(func() { next, _ = b.refresh(t.Context(), first.RefreshToken) })
		wait.Go(func() {
			err := b.Logout(t.Context(), auth.RevokeInput{Realm: "alpha", Client: office, Token: first.RefreshToken})
			if err != nil {
				t.Error(err)
			}
		})
		wait.Wait()
		b.dead(t, first.AccessToken)
		b.dead(t, next.AccessToken)
		_, err := b.refresh(t.Context(), next.RefreshToken)
		if !errors.Is(err, auth.ErrInvalidGrant) {
			t.Errorf("got %v, want %v", err, auth.ErrInvalidGrant)
		}
	}
}
