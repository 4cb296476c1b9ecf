package auth

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/google/uuid"
)

func TestPasswordChecksHaveAPlaceOrAreSentAway(t *testing.T) {
	t.Parallel()
	c := newPasswordChecker(1, 1)
	leave, err := c.enter(t.Context(), 1, "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	waiting := make(chan error)
	go func() {
		_, err := c.enter(ctx, 2, "")
		waiting <- err
	}()
	for len(c.places) < 2 {
		select {
		case err := <-waiting:
			t.Fatalf("got %v, want it to wait", err)
		default:
		}
	}
	var busy *BusyError
	_, err = c.enter(t.Context(), 3, "")
	if !errors.As(err, &busy) || busy.RetryAfter <= 0 {
		t.Errorf("third of two: got %v, want busy with a time to wait", err)
	}
	cancel()
	err = <-waiting
	if !errors.Is(err, context.Canceled) {
		t.Errorf("waiting caller who went away: got %v", err)
	}
	leave()
	if len(c.places)+len(c.workers)+len(c.lanes[1])+len(c.lanes[2]) != 0 {
		t.Error("a place was not given back")
	}
	leave, err = c.enter(t.Context(), 2, "")
	if err != nil {
		t.Fatalf("a free place: %v", err)
	}
	leave()
}

func TestBearerCacheForgetsAcrossARevocation(t *testing.T) {
	t.Parallel()
	s := newBearerCache()
	now, family := time.Unix(1_770_000_000, 0), uuid.New()
	for i := range bearerEntries + 1 {
		hash := [32]byte{byte(i), byte(i >> 8), byte(i >> 16)}
		_, known, turn := s.get(hash, now)
		if known {
			t.Fatal("an unknown token is known")
		}
		s.put(hash, bearerEntry{until: now.Add(bearerBelief), turn: turn})
	}
	if len(s.entries) > bearerEntries {
		t.Errorf("%d entries", len(s.entries))
	}
	// A token read from the database before a revocation must not be kept after it.
	_, _, turn := s.get([32]byte{9}, now)
	s.drop(family)
	s.put([32]byte{9}, bearerEntry{family: family, until: now.Add(bearerBelief), turn: turn})
	_, known, _ := s.get([32]byte{9}, now)
	if known {
		t.Error("a revoked token was put back")
	}
}

func TestTheHashOfNoneCostsWhatAnyHashCosts(t *testing.T) {
	t.Parallel()
	if productParameters.Memory != 19*1024 || productParameters.Iterations != 2 || productParameters.Parallelism != 1 {
		t.Errorf("new hashes have parameters %+v, want those of OWASP", productParameters)
	}
	none := hashOfNone()
	made, err := HashPassword("a password")
	if err != nil {
		t.Fatal(err)
	}
	if len(none) != len(made) || none == hashOfNone() {
		t.Errorf("%d characters, a hash that was made has %d; it must be drawn anew each time", len(none), len(made))
	}
	same, parameters, err := argon2id.CheckHash("a password", none)
	if same || err != nil || *parameters != hashParameters {
		t.Errorf("same %v, parameters %+v, error %v, want a hash of %+v that nothing matches", same, parameters, err, hashParameters)
	}
}
