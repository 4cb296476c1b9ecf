package auth

import (
	"crypto/sha256"
	"errors"
	"testing"
	"time"

	"countersign/internal/administration"
	"countersign/internal/store"
)

// What ends a sign-in ends each of its tokens, also one that has time left and was never used: no other rule is needed for that.
func TestATokenOfASignInThatIsOverGivesNothing(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)
	good := store.RefreshToken{
		ClientID: "office", UserStatus: administration.StatusActive, FamilyStartedAt: now.Add(-time.Hour), FamilyEndsAt: now.Add(time.Microsecond),
		ExpiresAt: now.Add(time.Hour),
	}
	digested := token{digests: make([][sha256.Size]byte, 1)}
	use := refreshUse{client: store.Client{ClientID: "office"}, now: now, successors: []successor{{refresh: digested, access: digested}}}
	if out := use.decide(good); out.err != nil {
		t.Fatalf("a good token: %v", out.err)
	}
	for name, end := range map[string]func(*store.RefreshToken){
		"its time is over":        func(r *store.RefreshToken) { r.FamilyEndsAt = now },
		"it was ended":            func(r *store.RefreshToken) { r.FamilyRevokedAt = now },
		"all sign-ins were ended": func(r *store.RefreshToken) { r.UserAsOf = r.FamilyStartedAt },
		"they were ended as its password was looked at": func(r *store.RefreshToken) {
			r.FamilyAsOf, r.UserAsOf = now.Add(-3*time.Hour), now.Add(-2*time.Hour)
		},
	} {
		over := good
		end(&over)
		if out := use.decide(over); !errors.Is(out.err, ErrInvalidGrant) {
			t.Errorf("%s: %v", name, out.err)
		}
	}
}
