package portal

import (
	"net/http"
	"net/url"
	"strings"

	"countersign/internal/i18n"
	"countersign/views/ui"
)

// listCookie is the list that this browser showed last, with its filter and page, behind the account that saw it. The pages of single
// messages lead back to it. No page asks whence it was come to: browsers are told to send no referrer.
const listCookie = "list"

// maxList is the longest address that is kept, in bytes: a cookie has no more than 4,096.
const maxList = 1500

// lists are the lists that messages are opened from.
var lists = map[string]i18n.Text{
	"/payments": "Payments", "/incoming": "Incoming payments", "/recalls": "Received recalls", "/mine": "My submissions",
}

// RememberList stores the address of this list. Messages opened from the list link back to it.
func (v *Request) RememberList() {
	address := v.Echo.Request().URL.RequestURI()
	if lists[v.Echo.Request().URL.Path] == "" || len(address) > maxList {
		return
	}
	v.Echo.SetCookie(&http.Cookie{ //nolint:gosec // Secure follows the setting that says whether browsers come by HTTPS
		Name: listCookie, Value: url.QueryEscape(v.By.UserID.String() + address), Path: "/", Secure: v.Config.TLS, HttpOnly: true,
		SameSite: http.SameSiteStrictMode,
	})
}

// ListBehind is the way back to the list this person saw last, as it was narrowed; none where it was not, or is not known.
func (v *Request) ListBehind() ui.Step {
	cookie, err := v.Echo.Cookie(listCookie)
	if err != nil {
		return ui.Step{}
	}
	kept, err := url.QueryUnescape(cookie.Value)
	address, own := strings.CutPrefix(kept, v.By.UserID.String())
	if err != nil || !own {
		return ui.Step{}
	}
	path, _, narrowed := strings.Cut(address, "?")
	label := lists[path]
	parsed, err := url.Parse(address)
	if err != nil || label == "" || !narrowed || parsed.Host != "" || parsed.Path != path {
		return ui.Step{}
	}
	return ui.Step{Label: i18n.Text("%s, as you left it").With(label), URL: path + "?" + parsed.Query().Encode()}
}
