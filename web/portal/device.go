package portal

import (
	"net/http"

	"countersign/internal/auth"
)

// deviceCookie names the cookie of a known browser.
func (v *Request) deviceCookie() string {
	if v.Config.TLS {
		return "__Host-device"
	}
	return "device"
}

// Device returns the token that the browser stores of an earlier sign-in; "" for none.
func (v *Request) Device() string {
	cookie, err := v.Echo.Cookie(v.deviceCookie())
	if err != nil {
		return ""
	}
	return cookie.Value
}

// KeepDevice stores a cookie by which this browser is recognised at the next sign-in under the name. It is no session and gives no access.
func (v *Request) KeepDevice(realm, name string) error {
	text, err := v.Config.Auth.NewDevice(realm, name)
	if err != nil {
		return err
	}
	v.Echo.SetCookie(&http.Cookie{ //nolint:gosec // Secure follows the setting that says whether browsers come by HTTPS
		Name: v.deviceCookie(), Value: text, Path: "/", MaxAge: int(auth.DeviceLife.Seconds()), Secure: v.Config.TLS, HttpOnly: true,
		SameSite: http.SameSiteStrictMode,
	})
	return nil
}
