package page

import "net/http"

// outerLife is how long a browser keeps what belongs to a sign-in at a provider, in seconds. It is sealed and holds its own, shorter time.
const outerLife = 900

// outerCookie is what the cookie of a sign-in at a provider is called.
func (v *Visit) outerCookie() string {
	if v.Config.TLS {
		return "__Host-outer"
	}
	return "outer"
}

// HoldOuter lets the browser keep what belongs to a sign-in at a provider until it comes back. It is no session. It travels with the way
// back from the provider, which a strict cookie would not.
func (v *Visit) HoldOuter(held string) { v.putOuter(held, outerLife) }

// TakeOuter is what the browser kept; "" for nothing. It keeps it no longer.
func (v *Visit) TakeOuter() string {
	cookie, err := v.Echo.Cookie(v.outerCookie())
	if err != nil {
		return ""
	}
	v.putOuter("", -1)
	return cookie.Value
}

func (v *Visit) putOuter(value string, life int) {
	v.Echo.SetCookie(&http.Cookie{ //nolint:gosec // Secure follows the setting that says whether browsers come by HTTPS
		Name: v.outerCookie(), Value: value, Path: "/", MaxAge: life, Secure: v.Config.TLS, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}
