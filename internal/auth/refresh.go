package auth

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"countersign/internal/store"
)

// grace is the time within which a repeated refresh gets the same answer again.
const grace = 5 * time.Second

// RefreshInput requests new tokens.
type RefreshInput struct {
	Realm        string
	Client       ClientCredentials
	RefreshToken string
	Scope        string // optional; not wider than that of the sign-in
}

// Refresh spends a refresh token for its successor and a new access token. A spent token used again ends the family, but within 5 s the
// same client gets the same successor once more, as long as that is unspent. Errors: ErrUnknownRealm, ErrInvalidClient,
// ErrInvalidGrant, ErrInvalidScope, *AccountError for a user who is no longer active.
func (s *Service) Refresh(ctx context.Context, in RefreshInput) (TokenSet, error) {
	client, err := s.checkClient(ctx, in.Realm, in.Client)
	if err != nil {
		return TokenSet{}, err
	}
	presented, ok := s.parseTokenOf(in.Realm, in.RefreshToken)
	if !ok {
		return TokenSet{}, ErrInvalidGrant
	}
	use := refreshUse{client: client, scope: in.Scope, now: s.now(), successors: s.successors(presented)}
	var outcome refreshOutcome
	var used store.RefreshToken
	err = s.tokens.Rotate(ctx, store.RotateInput{Realm: in.Realm, Hashes: presented.hashes(), At: use.now},
		func(stored store.RefreshToken) store.Rotation {
			used, outcome = stored, use.decide(stored)
			return outcome.rotation
		})
	if errors.Is(err, store.ErrUnknownToken) {
		return TokenSet{}, ErrInvalidGrant
	}
	if err != nil {
		return TokenSet{}, err
	}
	if outcome.rotation.Revoke != "" {
		s.bearers.drop(used.FamilyID)
		s.log.LogAttrs(ctx, slog.LevelWarn, "refresh token used again, family revoked", slog.String("realm", in.Realm),
			slog.String("client", client.ClientID), slog.String("user", used.UserID.String()), slog.String("family", used.FamilyID.String()))
	}
	return outcome.tokens, outcome.err
}

// refreshUse is the use of a refresh token, with the successors it would have under each key.
type refreshUse struct {
	client     store.Client
	scope      string
	now        time.Time
	successors []successor
}

type refreshOutcome struct {
	rotation store.Rotation
	tokens   TokenSet
	err      error
}

func refuse(err error) refreshOutcome { return refreshOutcome{err: err} }

// decide returns the outcome of using a stored refresh token. A second use is detected before any other reason to refuse, because it means
// that two parties hold the token.
func (u refreshUse) decide(t store.RefreshToken) refreshOutcome {
	spent := !t.SpentAt.IsZero()
	given, inGrace := u.inGrace(t)
	switch {
	case !t.FamilyRevokedAt.IsZero(), !u.now.Before(t.FamilyEndsAt), !t.FamilyStartedAt.After(t.UserAsOf),
		!t.FamilyAsOf.IsZero() && !t.FamilyAsOf.Equal(t.UserAsOf):
		return refuse(ErrInvalidGrant)
	case spent && !inGrace:
		return refreshOutcome{rotation: store.Rotation{Revoke: store.RevokedByReuse}, err: ErrInvalidGrant}
	case t.ClientID != u.client.ClientID, !spent && !u.now.Before(t.ExpiresAt):
		return refuse(ErrInvalidGrant)
	case problemOf(t.UserStatus) != "":
		return refuse(&AccountError{Problem: problemOf(t.UserStatus)})
	case !validScope(u.scope), !withinScope(u.scope, t.Scope):
		return refuse(ErrInvalidScope)
	case spent:
		return u.repeat(t, given)
	}
	return u.rotate(t)
}

// inGrace reports whether a spent token is the direct predecessor of an unspent one, spent a moment ago by this very client, and which
// successor it was given.
func (u refreshUse) inGrace(t store.RefreshToken) (successor, bool) {
	repeated := t.ClientID == u.client.ClientID && u.now.Sub(t.SpentAt) <= grace && t.SuccessorSpentAt.IsZero() &&
		u.now.Before(t.SuccessorExpiresAt)
	for _, given := range u.successors {
		for _, hash := range given.refresh.hashes() {
			if repeated && subtle.ConstantTimeCompare(t.SuccessorHash, hash) == 1 {
				return given, true
			}
		}
	}
	return successor{}, false
}

// repeat returns the answer of the first use again, with the remaining time.
func (u refreshUse) repeat(t store.RefreshToken, given successor) refreshOutcome {
	accessEnd := earlier(t.SpentAt.Add(u.client.Life.Access), t.FamilyEndsAt)
	return refreshOutcome{tokens: u.tokenSet(t, given, accessEnd, t.SuccessorExpiresAt)}
}

func (u refreshUse) rotate(t store.RefreshToken) refreshOutcome {
	life, next := u.client.Life, u.successors[0]
	accessEnd, refreshEnd := earlier(u.now.Add(life.Access), t.FamilyEndsAt), earlier(u.now.Add(life.Refresh), t.FamilyEndsAt)
	return refreshOutcome{
		rotation: store.Rotation{
			Refresh: store.IssuedToken{Hash: next.refresh.hash(), ExpiresAt: refreshEnd},
			Access:  store.IssuedToken{Hash: next.access.hash(), ExpiresAt: accessEnd},
		},
		tokens: u.tokenSet(t, next, accessEnd, refreshEnd),
	}
}

func (u refreshUse) tokenSet(t store.RefreshToken, given successor, accessEnd, refreshEnd time.Time) TokenSet {
	return TokenSet{
		AccessToken: given.access.text, RefreshToken: given.refresh.text, Scope: cmp.Or(u.scope, t.Scope),
		ExpiresIn: max(accessEnd.Sub(u.now), 0), RefreshExpiresIn: max(refreshEnd.Sub(u.now), 0),
	}
}

// RevokeInput withdraws a token.
type RevokeInput struct {
	Realm  string
	Client ClientCredentials
	Token  string // a refresh token, a spent one too, or for Revoke an access token
}

// Logout kills the family of a refresh token and its access tokens at once. A second logout is as good as the first. Errors:
// ErrUnknownRealm, ErrInvalidClient, ErrInvalidGrant for a token that this client never had.
func (s *Service) Logout(ctx context.Context, in RevokeInput) error {
	found, err := s.end(ctx, in, store.RevokedByLogout)
	if err == nil && !found {
		return ErrInvalidGrant
	}
	return err
}

// Revoke ends the family that a token belongs to (RFC 7009). A token that does not exist, or is another client's, is a success without
// an effect. Errors: ErrUnknownRealm, ErrInvalidClient.
func (s *Service) Revoke(ctx context.Context, in RevokeInput) error {
	_, err := s.end(ctx, in, store.RevokedByRequest)
	return err
}

func (s *Service) end(ctx context.Context, in RevokeInput, reason store.Revocation) (found bool, err error) {
	client, err := s.checkClient(ctx, in.Realm, in.Client)
	if err != nil {
		return false, err
	}
	given, ok := s.parseTokenOf(in.Realm, in.Token)
	if !ok {
		return false, nil
	}
	family, err := s.tokens.Revoke(ctx, store.RevokeInput{
		Realm: in.Realm, Hashes: given.hashes(), ClientID: client.ClientID, AccessToken: reason == store.RevokedByRequest, At: s.now(),
		Reason: reason,
	})
	if errors.Is(err, store.ErrUnknownToken) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	s.bearers.drop(family)
	return true, nil
}

// maxScope is the longest accepted scope, in bytes.
const maxScope = 256

// validScope checks the form of a scope (RFC 6749 section 3.3). Rights come from roles alone: a scope is stored and returned, and gives no
// rights. The empty scope is none.
func validScope(scope string) bool {
	wrong := func(word string) bool {
		return word == "" || strings.ContainsFunc(word, func(r rune) bool { return r < 0x21 || r > 0x7E || r == '"' || r == '\\' })
	}
	return scope == "" || len(scope) <= maxScope && !slices.ContainsFunc(strings.Split(scope, " "), wrong)
}

// withinScope reports whether the granted scope has every word of the requested one (RFC 6749 section 6).
func withinScope(asked, granted string) bool {
	allowed := strings.Fields(granted)
	return !slices.ContainsFunc(strings.Fields(asked), func(word string) bool { return !slices.Contains(allowed, word) })
}
