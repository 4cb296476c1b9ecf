package portal

import (
	"net/http"
	"strings"
	"time"

	"countersign/internal/auth"
	"countersign/internal/i18n"
	"countersign/internal/store"
	"countersign/views"
)

// ApprovalPath begins the addresses of the pages where payments are approved.
const ApprovalPath = "/queue"

// usedEvery is the interval at which the use of a session is stored.
const usedEvery = time.Minute

// use records the use of the session and its idle limit: five minutes after a page of approvals, else a quarter of an hour. The request
// that keeps a session alive leaves the limit of the page before.
func (v *Request) use() error {
	path, ctx, s := v.Echo.Path(), v.Context(), v.portal.sessions
	if askedByPages[path] {
		return nil
	}
	if path != StayPath {
		s.Put(ctx, keyDecide, strings.HasPrefix(path, ApprovalPath))
	}
	if s.Exists(ctx, keyEnds) {
		ends := time.UnixMicro(s.GetInt64(ctx, keyEnds))
		if soon := time.Now().Add(v.idle()); v.idle() < sessionIdle && soon.Before(ends) { // the library counts by the machine's clock
			ends = soon
		}
		s.SetDeadline(ctx, ends.UTC())
	}
	if v.At.Sub(time.UnixMicro(s.GetInt64(ctx, keyUsed))) < usedEvery {
		return nil
	}
	s.Put(ctx, keyUsed, v.At.UnixMicro())
	return v.Config.Sessions.Use(ctx, v.By.Realm, s.Token(ctx), v.At)
}

// idle returns the idle limit of the session after this page.
func (v *Request) idle() time.Duration {
	if v.By.UserName != "" && v.portal.sessions.GetBool(v.Context(), keyDecide) {
		return approvalIdle
	}
	return sessionIdle
}

// Sessions lists the usable sessions of this person. A session left on a page of approvals may expire before it leaves the list.
func (v *Request) Sessions() ([]store.OpenSession, error) {
	return v.Config.Sessions.List(v.Context(), store.SessionAsk{
		By: v.By, Token: v.portal.sessions.Token(v.Context()), At: v.At, UsedAfter: v.At.Add(-sessionIdle),
	})
}

// endedWhy returns the reason for the end of the session that the browser sends, as far as its row still knows it. Of the idle limit and
// the longest life, the one that passed first ended it.
func (v *Request) endedWhy() string {
	token := cookieOf(v.Echo, v.portal.sessions.Cookie.Name)
	if token == "" {
		return views.EndedSomehow
	}
	why, err := v.Config.Sessions.EndedWhy(v.Context(), token)
	switch {
	case err == nil && (why == store.EndedByElsewhere || why == store.EndedByOwner):
		return why
	case err != nil || why != "":
		return views.EndedSomehow
	}
	data, found, err := v.Config.Sessions.LapsedCtx(v.Context(), token, v.At.Add(-store.LapsedFor))
	if err != nil || !found {
		return views.EndedSomehow
	}
	_, values, err := v.portal.sessions.Codec.Decode(data)
	since, signedIn := values[keySince].(int64)
	used, _ := values[keyUsed].(int64)
	idle := sessionIdle
	if decided, _ := values[keyDecide].(bool); decided {
		idle = approvalIdle
	}
	unused, tooOld := time.UnixMicro(used).Add(idle), time.UnixMicro(since).Add(sessionLife)
	switch {
	case err != nil || !signedIn:
		return views.EndedSomehow
	case unused.Before(tooOld) && !unused.After(v.At):
		return views.EndedIdle
	case !tooOld.After(v.At):
		return views.EndedByAge
	}
	return views.EndedSomehow
}

// deviceWords names a browser and its system from the User-Agent header. The header proves nothing.
func deviceWords(agent string) string {
	first := func(words [][2]string, other string) string {
		for _, word := range words {
			if strings.Contains(agent, word[0]) {
				return word[1]
			}
		}
		return other
	}
	// The order counts: Edge and Opera call themselves Chrome too, and Chrome calls itself Safari.
	browser := first([][2]string{
		{"Edg/", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
	}, string(otherBrowser))
	system := first([][2]string{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"}, {"Linux", "Linux"},
	}, string(otherSystem))
	return browser + deviceJoint + system
}

// Stored device names are English: the words between browser and system, and for unknown parts.
const (
	deviceJoint            = " on "
	otherBrowser i18n.Text = "Unknown browser"
	otherSystem  i18n.Text = "another system"
)

// DeviceName names the device that a session was started with: its browser and system.
func DeviceName(stored string) i18n.Text {
	browser, system, found := strings.Cut(stored, deviceJoint)
	if !found {
		return i18n.Data(stored)
	}
	return i18n.Text("%s on %s (browser and system)").With(i18n.Kept(browser), i18n.Kept(system))
}

// KeepDevice stores a cookie by which this browser is recognised at the next sign-in under the name. It is no session and gives no access.
func (v *Request) KeepDevice(realm, name string) {
	token, life := v.Config.Auth.NewDevice(realm, name), int(auth.DeviceLife.Seconds())
	v.setCookie(v.portal.hostCookie("device"), token, life, http.SameSiteStrictMode)
}
