package portal

import "net/http"

// outerLife is the life of the cookie of a sign-in at an identity provider, in seconds. The sealed content has its own, shorter expiry.
const outerLife = 900

// outerCookie names the cookie of a sign-in at an identity provider.
func (v *Request) outerCookie() string {
	if v.Config.TLS {
		return "__Host-outer"
	}
	return "outer"
}

// TakeOuter returns the content of the cookie and deletes the cookie; "" for none.
func (v *Request) TakeOuter() string {
	cookie, err := v.Echo.Cookie(v.outerCookie())
	if err != nil {
		return ""
	}
	v.putOuter("", -1)
	return cookie.Value
}

// putOuter sets the cookie of a sign-in at a provider; a negative life deletes it. It is no session. A strict cookie would not
// be sent on the way back from the provider.
func (v *Request) putOuter(value string, life int) {
	v.Echo.SetCookie(&http.Cookie{ //nolint:gosec // Secure follows the setting that says whether browsers come by HTTPS
		Name: v.outerCookie(), Value: value, Path: "/", MaxAge: life, Secure: v.Config.TLS, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}
