package auth_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"countersign/internal/auth"
)

// from signs in to the portal of alpha from an address.
func (b *bundle) from(t *testing.T, in auth.SignInInput) error {
	t.Helper()
	in.Realm = "alpha"
	_, err := b.SignIn(t.Context(), in)
	return err
}

// One address that tries made-up names shuts the door for itself and for nobody else.
func TestAFloodFromOneAddressLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Service = b.station(t, auth.Config{Keys: b.keys})
	var limited *auth.LimitError
	refused := 0
	for i := range 300 {
		err := b.from(t, auth.SignInInput{Name: fmt.Sprintf("nobody%d", i), Password: "x", SourceAddress: "192.0.2.7"})
		if errors.As(err, &limited) {
			refused++
		}
	}
	if refused != 240 || b.PasswordsChecked() != 60 || limited.RetryAfter < time.Second {
		t.Errorf(
			"%d of 300 refused, %d passwords checked, wait %s; want 240, 60 and a second", refused, b.PasswordsChecked(), limited.RetryAfter,
		)
	}
	err := b.from(t, auth.SignInInput{Name: "maker", Password: password, SourceAddress: "192.0.2.7"})
	if !errors.As(err, &limited) {
		t.Errorf("the same address: got %v, want LimitError", err)
	}
	check(t, b.from(t, auth.SignInInput{Name: "maker", Password: password, SourceAddress: "192.0.2.8"}))
	b.clock.Add(500 * time.Millisecond)
	check(t, b.from(t, auth.SignInInput{Name: "maker", Password: password, SourceAddress: "192.0.2.7"}))
	_, err = b.Login(
		t.Context(), auth.LoginInput{Realm: "alpha", Client: office, Name: "maker", Password: password, SourceAddress: "192.0.2.7"},
	)
	if !errors.As(err, &limited) {
		t.Errorf("the other door, same address: got %v, want LimitError", err)
	}
}

func TestAnIPv6NetworkCountsAsOneAddress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Service = b.station(t, auth.Config{Keys: b.keys})
	var limited *auth.LimitError
	var err error
	for i := range 61 {
		err = b.from(t, auth.SignInInput{Name: "nobody", Password: "x", SourceAddress: fmt.Sprintf("2001:db8::%x", i+1)})
	}
	if !errors.As(err, &limited) {
		t.Errorf("the 61st address of a network: got %v, want LimitError", err)
	}
	check(t, b.from(t, auth.SignInInput{Name: "maker", Password: password, SourceAddress: "2001:db8:0:1::1"}))
}

// Five wrong passwords lock a name; who signed in with this browser before keeps the way in, with a count of tries of its own.
func TestAKnownDeviceGetsInWhileItsNameIsLocked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	known := b.NewDevice("alpha", "Maker")
	lock := func(in auth.SignInInput) {
		t.Helper()
		for range 5 {
			in.Password = "wrong"
			if got := problem(t, b.from(t, in)); got != auth.ProblemIncorrect {
				t.Fatalf("a wrong password: got %q", got)
			}
		}
	}
	lock(auth.SignInInput{Name: "maker"})
	otherName := b.NewDevice("alpha", "checker")
	otherRealm := b.NewDevice("beta", "maker")
	for name, device := range map[string]string{
		"none": "", "of another name": otherName, "of another realm": otherRealm, "made up": known[:len(known)-2] + "AA", "cut": known[1:],
	} {
		got := problem(t, b.from(t, auth.SignInInput{Name: "maker", Password: password, Device: device}))
		if got != auth.ProblemLocked {
			t.Errorf("device %s: got %q, want it locked", name, got)
		}
	}
	check(t, b.from(t, auth.SignInInput{Name: "maker", Password: password, Device: known}))
	lock(auth.SignInInput{Name: "maker", Device: known})
	if got := problem(t, b.from(t, auth.SignInInput{Name: "maker", Password: password, Device: known})); got != auth.ProblemLocked {
		t.Errorf("five wrong passwords on the device: got %q, want it locked", got)
	}
	b.clock.Add(auth.DeviceLife)
	lock(auth.SignInInput{Name: "maker"})
	if got := problem(t, b.from(t, auth.SignInInput{Name: "maker", Password: password, Device: known})); got != auth.ProblemLocked {
		t.Errorf("a device of half a year ago: got %q, want it locked", got)
	}
}
