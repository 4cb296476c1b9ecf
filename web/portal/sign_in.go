package portal

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"

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
	model.Layout = v.layout("Sign in", views.PlaceNone)
	model.Layout.Failed = len(model.Problems) > 0
	model.DemoHint = v.Config.DemoHint
	v.throughProvider(&model)
	return v.Render(status, views.SignInPage(model))
}

// signIn starts a session after a right password. The password goes to the service and nowhere else.
func signIn(v *Request, form url.Values) error {
	model := views.SignIn{Realm: form.Get("realm"), UserName: form.Get("username"), Next: LocalPath(form.Get("next"))}
	by, err := v.Config.Auth.SignIn(v.Context(), auth.SignInInput{
		Realm: model.Realm, Name: model.UserName, Password: form.Get("password"), SourceAddress: Address(v.Echo), Device: v.Device(),
	})
	var needed *auth.FactorNeededError
	if errors.As(err, &needed) {
		return v.secondHalf(needed, model.Next)
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
	err = v.KeepDevice(by.Realm, by.UserName)
	if err != nil {
		return err
	}
	return v.Echo.Redirect(http.StatusSeeOther, next)
}

// signInProblem returns the problem of a refused sign-in; status 0 is an error of ours.
func signInProblem(err error) (ui.Problem, int) {
	var refused *auth.AccountError
	var busy *auth.BusyError
	var limited *auth.LimitError
	switch {
	case errors.As(err, &limited):
		text := i18n.Text("Too many attempts from your network. Wait %s before you try again.").With(Wait(limited.RetryAfter))
		return ui.Problem{Field: "password", Text: text}, http.StatusTooManyRequests
	case errors.Is(err, auth.ErrUnknownRealm), errors.Is(err, auth.ErrInvalidClient):
		return ui.Problem{Field: "realm", Text: "Check the realm: no realm has this name."}, http.StatusUnprocessableEntity
	case errors.Is(err, auth.ErrPasswordsBarred):
		text := i18n.Text("People of your realm sign in through the identity provider of your institution: use its button.")
		return ui.Problem{Field: "password", Text: text}, http.StatusForbidden
	case errors.Is(err, auth.ErrFactorsForged):
		return ui.Problem{
			Field: "password",
			Text:  "Your second factors were changed outside the gateway. Tell an operator.",
		}, http.StatusUnprocessableEntity
	case errors.As(err, &busy):
		return ui.Problem{
			Field: "password",
			Text:  "Many people are signing in right now. Try again in a few seconds.",
		}, http.StatusTooManyRequests
	case !errors.As(err, &refused):
		return ui.Problem{}, 0
	}
	text := i18n.Text("Check your user name and password: they do not match.")
	switch refused.Problem {
	case auth.ProblemLocked:
		text = i18n.Text("Too many attempts. Wait %s before you try again.").With(Wait(refused.RetryAfter))
	case auth.ProblemNotVerified:
		text = "This account is not verified yet. Ask an administrator of your realm."
	case auth.ProblemSuppressed:
		text = "This account is blocked. Ask an administrator of your realm."
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
	return v.GoTo("/", "You stay signed in.")
}
