package portal

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/auth"
	"countersign/internal/identity"
	"countersign/internal/store"
)

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
	err := v.tellEnd(store.EndedBySignIn)
	if err != nil {
		return err
	}
	err = s.Clear(ctx)
	if err != nil {
		return err
	}
	err = s.RenewToken(ctx)
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
	ctx, s := v.Context(), v.portal.sessions
	id, err := uuid.Parse(s.GetString(ctx, keyHalfUser))
	if err != nil {
		return auth.PortalSession{}, "", false
	}
	half = auth.PortalSession{
		Realm: s.GetString(ctx, keyHalfRealm), UserID: id, Since: time.UnixMicro(s.GetInt64(ctx, keyHalfSince)),
		AsOf: v.portal.asOf(ctx, keyHalfAsOf),
	}
	return half, LocalPath(s.GetString(ctx, keyHalfNext)), true
}

// MustEnrol reports whether the session is restricted to the page of second factors.
func (v *Request) MustEnrol() bool { return v.portal.sessions.GetBool(v.Context(), keyEnrol) }

// heldBackAt reports whether the session is restricted and the requested page does not add a factor.
func (v *Request) heldBackAt() bool {
	return v.MustEnrol() && !strings.HasPrefix(v.Echo.Path(), FactorsPath)
}
