package auth_test

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"countersign/internal/auth"
)

// family is the model of one sign-in: its tokens in order, when the last but one was spent, and whether it still lives.
type family struct {
	tokens   []auth.TokenSet
	lastUsed time.Time // of the newest refresh, zero before the first
	alive    bool
}

// TestRandomUsesOfAFamilyFollowTheModel plays refreshes of new and old tokens and the passing of seconds in random order, and
// holds every answer to the rule: the newest token rotates, its direct predecessor repeats within 5 s, any other use ends the family.
func TestRandomUsesOfAFamilyFollowTheModel(t *testing.T) {
	t.Parallel()
	b := setup(t)
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 1))
	t.Logf("seed %d", seed)
	for range 25 {
		f := &family{tokens: []auth.TokenSet{b.login(t, "maker")}, alive: true}
		for range 15 {
			switch random.IntN(8) {
			case 0, 1:
				b.clock.Add(time.Duration(random.IntN(4)) * time.Second)
			case 2:
				b.clock.Add(6 * time.Second)
			case 3, 4, 5:
				b.use(t, f, len(f.tokens)-1)
			case 6:
				b.use(t, f, max(0, len(f.tokens)-2))
			case 7:
				b.use(t, f, random.IntN(len(f.tokens)))
			}
			newest := f.tokens[len(f.tokens)-1].AccessToken
			if f.alive {
				b.alive(t, newest)
			} else {
				b.dead(t, newest)
			}
		}
	}
}

// use refreshes with the token at a place in the family and compares the answer with the model's.
func (b *bundle) use(t *testing.T, f *family, place int) {
	t.Helper()
	got, err := b.refresh(t.Context(), f.tokens[place].RefreshToken)
	newest := len(f.tokens) - 1
	switch {
	case f.alive && place == newest:
		check(t, err)
		f.tokens = append(f.tokens, got)
		f.lastUsed = b.clock.Now()
	case f.alive && place == newest-1 && b.clock.Now().Sub(f.lastUsed) <= 5*time.Second:
		check(t, err)
		if got.RefreshToken != f.tokens[newest].RefreshToken || got.AccessToken != f.tokens[newest].AccessToken {
			t.Fatal("the repeated answer has other tokens")
		}
	default:
		f.alive = false
		if !errors.Is(err, auth.ErrInvalidGrant) {
			t.Fatalf("token %d of %d: got %v, want %v", place, newest, err, auth.ErrInvalidGrant)
		}
	}
}
