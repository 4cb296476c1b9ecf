package store

import (
	"context"
	"log/slog"
	"time"

	"countersign/internal/keyring"
	"countersign/internal/store/internal/dbsqlc"
)

// Kind is the permitted use of a token; an access token is never accepted as a refresh token.
type Kind string

// The kinds of tokens.
const (
	Refresh Kind = "refresh"
	Access  Kind = "access"
)

// TokenSealKeys derives the keys for the seals of token rows.
func TokenSealKeys(tokens keyring.Ring) (keyring.Ring, error) { return tokens.Derive("token seal") }

// Issued holds the sealed fields of a token: the digest of its text, its use, its lifetime, and its sign-in.
type Issued struct {
	Kind      Kind
	Family    dbsqlc.TokenFamily
	Hash      []byte
	At, Until time.Time
}

// OfRefresh returns the sealed fields of a refresh token.
func OfRefresh(t dbsqlc.RefreshToken, family dbsqlc.TokenFamily) Issued {
	return Issued{Kind: Refresh, Family: family, Hash: t.TokenHash, At: t.IssuedAt, Until: t.ExpiresAt}
}

// OfAccess returns the sealed fields of an access token.
func OfAccess(t dbsqlc.AccessToken, family dbsqlc.TokenFamily) Issued {
	return Issued{Kind: Access, Family: family, Hash: t.TokenHash, At: t.IssuedAt, Until: t.ExpiresAt}
}

// Fields returns the fields to seal.
func (i Issued) Fields() keyring.Fields {
	var f keyring.Fields
	f.Text("countersign token 1", string(i.Kind), i.Family.Realm)
	f.Bytes(i.Hash)
	f.Moment(i.At)
	f.Moment(i.Until)
	f.ID(i.Family.FamilyID, OrZero(i.Family.UserID))
	f.Text(i.Family.ClientID, i.Family.Scope)
	f.Moment(i.Family.StartedAt)
	f.Moment(i.Family.EndsAt)
	f.Moment(OrZero(i.Family.AsOf))
	return f
}

func (t *Tokens) sealIssued(family dbsqlc.TokenFamily, at time.Time, token IssuedToken, kind Kind) keyring.Seal {
	return t.seals.Seal(Issued{Kind: kind, Family: family, Hash: token.Hash, At: at, Until: token.ExpiresAt}.Fields())
}

// unfit logs a token whose row was not written by this gateway, and returns ErrUnknownToken.
func (t *Tokens) unfit(ctx context.Context, family dbsqlc.TokenFamily, err error) error {
	t.db.Log().LogAttrs(ctx, slog.LevelError, "a token does not fit its seal and is refused", slog.Bool("alarm", true),
		slog.String("realm", family.Realm), slog.String("family", family.FamilyID.String()), slog.String("user", OrZero(family.UserID).String()),
		slog.String("error", err.Error()))
	return ErrUnknownToken
}
