package portal

import (
	"net/http"
	"net/url"
	"strings"

	"countersign/internal/i18n"
	"countersign/views/ui"
)

// listCookie stores the list that this browser showed last, with filter, page and account. The pages of single messages link back to it.
// The Referer header is no help: browsers are told not to send it.
const listCookie = "list"

// maxList is the longest address that is kept, in bytes: a cookie has no more than 4,096.
const maxList = 1500

// lists maps the lists from which messages are opened to the labels of the way back.
var lists = map[string]i18n.Text{
	"/payments": "Payments", "/incoming": "Incoming payments", "/recalls": "Received recalls", "/mine": "My submissions",
}

// RememberList stores the address of this list. Messages opened from the list link back to it.
func (v *Request) RememberList() {
	address := v.Echo.Request().URL.RequestURI()
	if lists[v.Echo.Request().URL.Path] == "" || len(address) > maxList {
		return
	}
	v.setCookie(listCookie, url.QueryEscape(v.By.UserID.String()+address), 0, http.SameSiteStrictMode)
}

// ListBehind returns the link to the list that this person saw last, with its filter; none when unknown.
func (v *Request) ListBehind() ui.Step {
	kept, err := url.QueryUnescape(cookieOf(v.Echo, listCookie))
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
	return ui.Step{Label: i18n.Text("Back to the list “%s”").With(label), URL: path + "?" + parsed.Query().Encode()}
}
