package auth_test

import (
	"errors"
	"strings"
	"testing"

	"countersign/internal/administration"
	"countersign/internal/auth"
	"countersign/internal/demo"
	"countersign/internal/identity"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
)

// reset has two administrators reset maker1, and returns the set-up with its link and its code.
func reset(t *testing.T, h *servicetest.Env) auth.SetUpInput {
	t.Helper()
	asked, err := h.Admin.Request(t.Context(), h.Person(t, "admin1"), service.RequestInput{
		Kind: administration.KindUserReset, Subject: "maker1",
	})
	check(t, err)
	decided, err := h.Admin.Decide(t.Context(), h.Person(t, "admin2"), service.DecideInput{ChangeID: asked.Change.ID, Approve: true})
	check(t, err)
	return auth.SetUpInput{
		Realm: demo.Realm, Link: strings.TrimPrefix(decided.SetUpPath, identity.SetUpPath(demo.Realm, "")), Code: asked.Code,
		Password: demo.UserPassword, SourceAddress: "192.0.2.7",
	}
}

// TestOnlyAWrongCodeIsATryOfASetUpLink: of a link there are five wrong codes. A right one that finds the gateway busy is none of them.
func TestOnlyAWrongCodeIsATryOfASetUpLink(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	in := reset(t, h)
	leave := h.Auth.FillPasswordPlaces()
	for range 6 {
		var busy *auth.BusyError
		err := h.Auth.SetUp(t.Context(), in)
		if !errors.As(err, &busy) {
			t.Errorf("with no place free: %v", err)
		}
	}
	leave()
	wrong := in
	wrong.Code = "none"
	for range identity.SetUpTries - 1 {
		err := h.Auth.SetUp(t.Context(), wrong)
		if !errors.Is(err, auth.ErrSetUpCode) {
			t.Errorf("a wrong code: %v", err)
		}
	}
	check(t, h.Auth.SetUp(t.Context(), in))
}

// TestTheLastWrongCodeEndsASetUpLink: as many wrong codes as there are tries are told, and then the right one is of no use.
func TestTheLastWrongCodeEndsASetUpLink(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	in := reset(t, h)
	wrong := in
	wrong.Code = "none"
	for range identity.SetUpTries {
		err := h.Auth.SetUp(t.Context(), wrong)
		if !errors.Is(err, auth.ErrSetUpCode) {
			t.Errorf("a wrong code: %v", err)
		}
	}
	err := h.Auth.SetUp(t.Context(), in)
	if !errors.Is(err, auth.ErrSetUpOver) {
		t.Errorf("the right code after as many wrong ones: %v", err)
	}
}
