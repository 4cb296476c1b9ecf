package credential

import (
	"context"
	"log/slog"
	"time"

	"countersign/internal/keyring"
	"countersign/internal/store/internal/dbsqlc"
)

// tokenKind is what a token may be used for; an access token is never taken for a refresh token.
type tokenKind string

const (
	refreshToken tokenKind = "refresh"
	accessToken  tokenKind = "access"
)

// issued is what the seal of a token covers: the digest of its text, its use and its life, and the sign-in it belongs to.
type issued struct {
	kind      tokenKind
	family    dbsqlc.TokenFamily
	hash      []byte
	at, until time.Time
}

func (i issued) fields() keyring.Fields {
	var f keyring.Fields
	f.Text("countersign token 1", string(i.kind), i.family.Realm)
	f.Bytes(i.hash)
	f.Moment(i.at)
	f.Moment(i.until)
	f.ID(i.family.FamilyID, i.family.UserID)
	f.Text(i.family.ClientID, i.family.Scope)
	f.Moment(i.family.StartedAt)
	f.Moment(i.family.EndsAt)
	return f
}

func (t *Tokens) sealIssued(family dbsqlc.TokenFamily, at time.Time, token IssuedToken, kind tokenKind) keyring.Seal {
	return t.seals.Seal(issued{kind: kind, family: family, hash: token.Hash, at: at, until: token.ExpiresAt}.fields())
}

// unfit tells the log of a token whose row was not written by this gateway, and returns ErrUnknownToken.
func (t *Tokens) unfit(ctx context.Context, family dbsqlc.TokenFamily, err error) error {
	t.db.Log().LogAttrs(ctx, slog.LevelError, "a token does not fit its seal and is refused", slog.Bool("alarm", true),
		slog.String("realm", family.Realm), slog.String("family", family.FamilyID.String()), slog.String("user", family.UserID.String()),
		slog.String("error", err.Error()))
	return ErrUnknownToken
}
