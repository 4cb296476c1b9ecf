package store

import (
	"context"
	"log/slog"
	"time"

	"countersign/internal/keyring"
	"countersign/internal/store/internal/dbsqlc"
)

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
