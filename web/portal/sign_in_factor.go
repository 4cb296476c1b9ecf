package portal

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/auth"
	"countersign/internal/identity"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// secondHalf continues a sign-in after the right password: at the page that asks for a factor, or the page that adds one.
func (v *Request) secondHalf(needed *auth.FactorNeededError, next string) error {
	where, err := v.beginSecondHalf(needed, next)
	if err != nil {
		return err
	}
	return v.Echo.Redirect(http.StatusSeeOther, where)
}

// beginSecondHalf stores who has to show or add a factor, and returns the page for it.
func (v *Request) beginSecondHalf(needed *auth.FactorNeededError, next string) (where string, err error) {
	if !needed.Enrol {
		return "/signin/factor", v.StartHalf(needed.By, next)
	}
	err = v.StartSession(needed.By)
	if err != nil {
		return "", err
	}
	v.portal.sessions.Put(v.Context(), keyEnrol, true)
	return FactorsPath, nil
}

// showSignInFactor asks for a second factor.
func showSignInFactor(v *Request) error { return v.renderSignInFactor(http.StatusOK) }

func (v *Request) renderSignInFactor(status int, problems ...ui.Problem) error {
	half, _, known := v.Half()
	if !known {
		return v.Echo.Redirect(http.StatusSeeOther, "/signin")
	}
	by, kinds, err := v.Config.Auth.HalfSignedIn(v.Context(), half)
	if errors.Is(err, auth.ErrUnauthorized) {
		return v.Echo.Redirect(http.StatusSeeOther, "/signin?ended=yes")
	}
	if err != nil {
		return err
	}
	model := views.SignInFactor{UserName: by.UserName, Apps: slices.Contains(kinds, identity.FactorTOTP), Problems: problems}
	model.Passkey, err = v.PasskeyFor(by, identity.PurposeSignIn)
	if err != nil {
		return err
	}
	model.Layout = v.layout("Second factor", views.PlaceNone)
	model.Layout.Failed = len(problems) > 0
	return v.Render(status, views.SignInFactorPage(model))
}

// signInFactor starts a session after a right factor.
func signInFactor(v *Request, form url.Values) error {
	half, next, known := v.Half()
	if !known {
		return v.Echo.Redirect(http.StatusSeeOther, "/signin")
	}
	by, err := v.Config.Auth.SecondSignIn(v.Context(), auth.SecondSignInInput{
		Session: half, Answer: v.FactorAnswer(form), SourceAddress: Address(v.Echo),
	})
	if errors.Is(err, auth.ErrUnauthorized) {
		return v.Echo.Redirect(http.StatusSeeOther, "/signin?ended=yes")
	}
	if problem, status := FactorProblem(err); status != 0 {
		return v.renderSignInFactor(status, problem)
	}
	if err != nil {
		return err
	}
	return v.signedIn(by, next)
}

// proofOf reads the proof for a change of factors from a form.
func (v *Request) proofOf(form url.Values) auth.FactorChange {
	return auth.FactorChange{By: v.By, Password: form.Get("password"), Answer: v.FactorAnswer(form)}
}

// Session keys before the sign-in is complete: for a person whose second factor is still missing, and for one who must set up a second
// factor first. The former is not a session: only the page that requests the factor reads it.
const (
	keyHalfRealm = "halfRealm"
	keyHalfUser  = "halfUser"
	keyHalfSince = "halfSince"
	keyHalfAsOf  = "halfAsOf"
	keyHalfNext  = "halfNext"
	keyEnrol     = "enrol"
)

// FactorsPath is the page of a person's second factors.
const FactorsPath = "/me/factors"

// StartHalf stores whose password was right, under a new session token.
func (v *Request) StartHalf(by identity.Principal, next string) error {
	ctx, s := v.Context(), v.portal.sessions
	err := v.tellEnd(store.EndedBySignIn)
	if err != nil {
		return err
	}
	err = s.Clear(ctx)
	if err != nil {
		return err
	}
	err = s.RenewToken(ctx)
	if err != nil {
		return err
	}
	s.Put(ctx, keyHalfRealm, by.Realm)
	s.Put(ctx, keyHalfUser, by.UserID.String())
	s.Put(ctx, keyHalfSince, v.At.UnixMicro())
	s.Put(ctx, keyHalfAsOf, by.AsOf.UnixMicro())
	s.Put(ctx, keyHalfNext, next)
	return nil
}

// Half returns the account whose password was right, and the page to continue with; known is false without one.
func (v *Request) Half() (half auth.PortalSession, next string, known bool) {
	ctx, s := v.Context(), v.portal.sessions
	id, err := uuid.Parse(s.GetString(ctx, keyHalfUser))
	if err != nil {
		return auth.PortalSession{}, "", false
	}
	half = auth.PortalSession{
		Realm: s.GetString(ctx, keyHalfRealm), UserID: id, Since: time.UnixMicro(s.GetInt64(ctx, keyHalfSince)),
		AsOf: v.portal.asOf(ctx, keyHalfAsOf),
	}
	return half, LocalPath(s.GetString(ctx, keyHalfNext)), true
}

// MustEnrol reports whether the session is restricted to the page of second factors.
func (v *Request) MustEnrol() bool { return v.portal.sessions.GetBool(v.Context(), keyEnrol) }

// heldBackAt reports whether the session is restricted and the requested page does not add a factor.
func (v *Request) heldBackAt() bool {
	return v.MustEnrol() && !strings.HasPrefix(v.Echo.Path(), FactorsPath)
}
