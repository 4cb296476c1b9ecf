package portal

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"countersign/internal/auth"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/views"
	"countersign/views/ui"
)

func showSignIn(v *Request) error {
	v.ChooseLanguage(v.Echo.QueryParam("language"))
	next := LocalPath(v.Echo.QueryParam("next"))
	_, signedIn, err := v.SignedInAs()
	if err != nil {
		return err
	}
	if signedIn {
		return v.Echo.Redirect(http.StatusSeeOther, next)
	}
	return v.renderSignIn(http.StatusOK, views.SignIn{
		Realm: cmp.Or(v.Echo.QueryParam("realm"), v.Config.Realm), Next: next, Ended: v.Echo.QueryParam("ended"),
	})
}

func (v *Request) renderSignIn(status int, model views.SignIn) error {
	model.Layout = v.FormShell("Sign in", views.PlaceNone, status)
	model.DemoHint = v.Config.DemoHint
	v.throughProvider(&model)
	return v.Render(status, views.SignInPage(model))
}

// signIn starts a session after a right password. The password goes to the service and nowhere else.
func signIn(v *Request, form url.Values) error {
	model := views.SignIn{Realm: form.Get("realm"), UserName: form.Get("username"), Next: LocalPath(form.Get("next"))}
	by, err := v.Config.Auth.SignIn(v.Context(), auth.SignInInput{
		Realm: model.Realm, Name: model.UserName, Password: form.Get("password"), SourceAddress: Address(v.Echo),
		Device: cookieOf(v.Echo, v.portal.hostCookie("device")),
	})
	var needed *auth.FactorNeededError
	if errors.As(err, &needed) {
		where, err := v.beginSecondHalf(needed, model.Next)
		if err != nil {
			return err
		}
		return v.Echo.Redirect(http.StatusSeeOther, where)
	}
	if err != nil {
		problem, status := signInProblem(err)
		if status == 0 {
			return err
		}
		model.Problems = []ui.Problem{problem}
		return v.renderSignIn(status, model)
	}
	return v.signedIn(by, model.Next)
}

// signedIn starts the session of an authenticated person and redirects.
func (v *Request) signedIn(by identity.Principal, next string) error {
	err := v.StartSession(by)
	if err != nil {
		return err
	}
	v.KeepDevice(by.Realm, by.UserName)
	return v.Echo.Redirect(http.StatusSeeOther, next)
}

// anySignInProblem describes the refusals that all ways to sign in share: too many attempts, too many people at once, and second factors
// that were changed outside the gateway; status 0 is another error.
func anySignInProblem(err error) (text i18n.Text, status int) {
	var busy *auth.BusyError
	var limited *auth.LimitError
	switch {
	case errors.As(err, &limited):
		return i18n.Text("Too many attempts from your network. Wait %s before you try again.").With(Wait(limited.RetryAfter)),
			http.StatusTooManyRequests
	case errors.As(err, &busy):
		return "Many people are signing in right now. Try again in a few seconds.", http.StatusTooManyRequests
	case errors.Is(err, auth.ErrFactorsForged):
		return "Your second factors were changed outside the gateway. Tell an operator.", http.StatusUnprocessableEntity
	}
	return "", 0
}

// signInProblem returns the problem of a refused sign-in; status 0 is an error of ours.
func signInProblem(err error) (ui.Problem, int) {
	if text, status := anySignInProblem(err); status != 0 {
		return ui.Problem{Field: "password", Text: text}, status
	}
	var refused *auth.AccountError
	switch {
	case errors.Is(err, auth.ErrUnknownRealm), errors.Is(err, auth.ErrInvalidClient):
		return ui.Problem{Field: "realm", Text: "Check the name of the realm. There is no realm with this name."}, http.StatusUnprocessableEntity
	case errors.Is(err, auth.ErrPasswordsBarred):
		text := i18n.Text("Users in your realm sign in through your institution's identity provider. Choose “Sign in through your " +
			"institution”.")
		return ui.Problem{Field: "password", Text: text}, http.StatusForbidden
	case !errors.As(err, &refused):
		return ui.Problem{}, 0
	}
	text := i18n.Text("Your user name or password is wrong. Check both and try again.")
	switch refused.Problem {
	case auth.ProblemLocked:
		text = i18n.Text("Too many attempts. Wait %s before you try again.").With(Wait(refused.RetryAfter))
	case auth.ProblemNotVerified:
		text = "Your user account is not set up yet. Ask an administrator of your realm for help."
	case auth.ProblemSuppressed:
		text = "Your user account is blocked. Ask an administrator of your realm for help."
	case auth.ProblemIncorrect:
	}
	return ui.Problem{Field: "password", Text: text}, http.StatusUnprocessableEntity
}

func signOut(v *Request) error {
	err := v.EndSession()
	if err != nil {
		return err
	}
	v.TakeOuter() // the next person at this browser goes on with no sign-in that was begun at a provider before
	// The next person at this browser finds nothing of what was shown. Cookies are not named: the session's has ended, and the one that
	// lets the browser be known again is to stay.
	v.Echo.Response().Header().Set("Clear-Site-Data", `"cache", "storage"`)
	return v.Echo.Redirect(http.StatusSeeOther, "/signedout")
}

func showSignedOut(v *Request) error {
	return v.Render(http.StatusOK, views.SignedOutPage(views.SignedOut{Layout: v.layout("Signed out", views.PlaceNone)}))
}

// stay answers the button to stay signed in: the request alone prolongs the session.
func stay(v *Request) error {
	if v.Fragment() {
		return v.Echo.HTML(http.StatusOK, "")
	}
	return v.GoTo("/", "You are still signed in.")
}

// beginSecondHalf stores the person that has to show or add a factor after the right password, and returns the page for it.
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
	model.Layout = v.FormShell("Second factor", views.PlaceNone, status)
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
	err := v.emptySession()
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
	half, known = v.portal.account(v.Context(), keyHalfRealm, keyHalfUser, keyHalfSince, keyHalfAsOf)
	return half, LocalPath(v.portal.sessions.GetString(v.Context(), keyHalfNext)), known
}

// MustEnrol reports whether the session is restricted to the pages that add a factor.
func (v *Request) MustEnrol() bool { return v.portal.sessions.GetBool(v.Context(), keyEnrol) }
