package portal

import (
	"errors"
	"net/http"
	"net/url"
	"slices"

	"countersign/internal/auth"
	"countersign/internal/identity"
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
