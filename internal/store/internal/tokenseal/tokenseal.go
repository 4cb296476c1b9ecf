// Package tokenseal says what the seal of a token's row covers. A sign-in makes and checks it, the auditor checks it too, so it belongs to
// neither of their rooms.
package tokenseal

import (
	"time"

	"countersign/internal/keyring"
	"countersign/internal/store/internal/dbsqlc"
)

// Kind is what a token may be used for; an access token is never taken for a refresh token.
type Kind string

// The kinds of tokens.
const (
	Refresh Kind = "refresh"
	Access  Kind = "access"
)

// Keys derives the keys that the rows of tokens are sealed with from those of tokens.
func Keys(tokens keyring.Ring) (keyring.Ring, error) { return tokens.Derive("token seal") }

// Issued is what the seal of a token covers: the digest of its text, its use and its life, and the sign-in it belongs to.
type Issued struct {
	Kind      Kind
	Family    dbsqlc.TokenFamily
	Hash      []byte
	At, Until time.Time
}

// OfRefresh is what the seal of a refresh token covers.
func OfRefresh(t dbsqlc.RefreshToken, family dbsqlc.TokenFamily) Issued {
	return Issued{Kind: Refresh, Family: family, Hash: t.TokenHash, At: t.IssuedAt, Until: t.ExpiresAt}
}

// OfAccess is what the seal of an access token covers.
func OfAccess(t dbsqlc.AccessToken, family dbsqlc.TokenFamily) Issued {
	return Issued{Kind: Access, Family: family, Hash: t.TokenHash, At: t.IssuedAt, Until: t.ExpiresAt}
}

// Fields are what is sealed.
func (i Issued) Fields() keyring.Fields {
	var f keyring.Fields
	f.Text("countersign token 1", string(i.Kind), i.Family.Realm)
	f.Bytes(i.Hash)
	f.Moment(i.At)
	f.Moment(i.Until)
	f.ID(i.Family.FamilyID, i.Family.UserID)
	f.Text(i.Family.ClientID, i.Family.Scope)
	f.Moment(i.Family.StartedAt)
	f.Moment(i.Family.EndsAt)
	if i.Family.AsOf != nil {
		f.Moment(*i.Family.AsOf)
	}
	return f
}
