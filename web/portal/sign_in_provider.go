package portal

import (
	"errors"
	"net/http"

	"countersign/internal/auth"
	"countersign/internal/auth/oidc"
	"countersign/internal/i18n"
	"countersign/views"
	"countersign/views/ui"
)

// beginAtProvider sends a person to the identity provider of the realm through a page of ours, because the content policy lets a form lead
// nowhere else.
func beginAtProvider(v *Request) error {
	realm, next := v.Echo.QueryParam("realm"), LocalPath(v.Echo.QueryParam("next"))
	begun, err := v.Config.Auth.BeginAtProvider(v.Context(), auth.BeginInput{Realm: realm, Next: next, SourceAddress: Address(v.Echo)})
	if err != nil {
		return v.notThroughProvider(views.SignIn{Realm: realm, Next: next}, err)
	}
	v.putOuter(begun.Held, outerLife)
	v.Echo.Response().Header().Set("Refresh", "0; url="+begun.Address)
	return v.Render(http.StatusOK, views.ProblemPage(views.Problem{
		Layout: v.layout("Sign in", views.PlaceNone), Heading: "Continue to your institution's sign-in page",
		Text:      "Your institution's identity provider asks you to sign in, then sends you back to the portal.",
		NextLabel: "Continue", NextURL: begun.Address,
	}))
}

// cameBack starts a session for a person sent back by the provider of the realm.
func cameBack(v *Request) error {
	answer := v.Echo.QueryParams()
	by, next, err := v.Config.Auth.SignInAtProvider(v.Context(), auth.CameBackInput{
		Realm: v.Echo.Param("realm"), Held: v.TakeOuter(), SourceAddress: Address(v.Echo),
		Answer: oidc.Answer{State: answer.Get("state"), Code: answer.Get("code"), Issuer: answer.Get("iss"), Error: answer.Get("error")},
	})
	var needed *auth.FactorNeededError
	switch {
	case errors.As(err, &needed):
		where, err := v.beginSecondHalf(needed, LocalPath(next))
		if err != nil {
			return err
		}
		return v.goOnInside(where)
	case err != nil:
		return v.notThroughProvider(views.SignIn{Realm: v.Echo.Param("realm"), Next: "/"}, err)
	}
	err = v.StartSession(by)
	if err != nil {
		return err
	}
	v.KeepDevice(by.Realm, by.UserName)
	return v.goOnInside(LocalPath(next))
}

// goOnInside opens a page from one of ours: browsers send a strict cookie only on the way from the same site.
func (v *Request) goOnInside(where string) error {
	v.Echo.Response().Header().Set("Refresh", "0; url="+where)
	return v.Render(http.StatusOK, views.ProblemPage(views.Problem{
		Layout: v.layout("Sign in", views.PlaceNone), Heading: "You are signed in through your institution",
		Text:      "The portal will open in a moment.",
		NextLabel: "Continue", NextURL: where,
	}))
}

// notThroughProvider shows the sign-in page with the problem of a sign-in through the provider.
func (v *Request) notThroughProvider(model views.SignIn, err error) error {
	text, status := v.providerWords(err)
	if status == 0 {
		return err
	}
	model.Problems = []ui.Problem{{Text: text}}
	return v.renderSignIn(status, model)
}

// providerWords describes why a sign-in through a provider failed; status 0 is an error of ours.
func (v *Request) providerWords(err error) (text i18n.Text, status int) {
	text, status = anySignInProblem(err)
	if status != 0 {
		return text, status
	}
	var refused *auth.ProviderError
	switch {
	case errors.Is(err, auth.ErrNoProvider):
		return "This realm has no identity provider. Check the realm, or sign in with your user name and " +
			"password.", http.StatusUnprocessableEntity
	case errors.Is(err, auth.ErrProviderAway):
		return "Your institution's identity provider is not responding. Try again in a minute, or ask an administrator.",
			http.StatusServiceUnavailable
	case errors.Is(err, auth.ErrProviderForged):
		return "The identity provider of your realm was changed outside the gateway. Tell an operator.", http.StatusUnprocessableEntity
	case errors.Is(err, auth.ErrFlowOver):
		return "This sign-in has expired, or it was started in another browser or window. Start again.", http.StatusUnprocessableEntity
	case errors.As(err, &refused) && refused.Unknown():
		return i18n.Text("Your institution identifies you as %s, but no user account in this portal is linked to that identifier. Ask an " +
			"administrator of your realm to link your user account.").With(refused.Subject), http.StatusForbidden
	case errors.As(err, &refused) && refused.Subject != "":
		return "Your user account in this portal is blocked or has no password yet. Ask an administrator of your realm for help.",
			http.StatusForbidden
	case errors.As(err, &refused):
		return i18n.Text("The response from your institution's identity provider is not valid. Try to sign in again. If the problem " +
			"continues, give this code to an administrator: %s.").With(refused.Why), http.StatusForbidden
	}
	return "", 0
}

// throughProvider adds the sign-in through the provider to the page: a button when the realm has a provider, and a field for the realm when
// none is named. Without the database the page is shown without the button; sending it then gives 503.
func (v *Request) throughProvider(model *views.SignIn) {
	if model.Realm == "" {
		model.AskRealm = true
		return
	}
	found, err := v.Config.Auth.HasProvider(v.Context(), model.Realm)
	model.Provider = err == nil && found
}

// outerLife is the life of the cookie of a sign-in at an identity provider, in seconds. The sealed content has its own, shorter expiry.
const outerLife = 900

// TakeOuter returns the content of the cookie and deletes the cookie; "" for none.
func (v *Request) TakeOuter() string {
	held := cookieOf(v.Echo, v.portal.hostCookie("outer"))
	if held != "" {
		v.putOuter("", -1)
	}
	return held
}

// putOuter sets the cookie of a sign-in at a provider; a negative life deletes it. It is no session. A strict cookie would not be sent on
// the way back from the provider.
func (v *Request) putOuter(value string, life int) {
	v.setCookie(v.portal.hostCookie("outer"), value, life, http.SameSiteLaxMode)
}
