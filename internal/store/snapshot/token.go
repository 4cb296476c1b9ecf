package snapshot

import (
	"context"
	"encoding/hex"
	"fmt"

	"github.com/google/uuid"

	"countersign/internal/keyring"
	"countersign/internal/store/internal/column"
	"countersign/internal/store/internal/dbsqlc"
	"countersign/internal/store/internal/tokenseal"
)

// UnfitToken is a row of a token that does not fit its seal.
type UnfitToken struct {
	Realm, Table string
	Key          string // the digest of the token
	FamilyID     uuid.UUID
	Err          error // keyring.ErrForged or keyring.ErrUnknownKey
}

// Tokens holds every token of every realm, in pages, against its seal, and returns the rows that do not fit, with how many it looked at.
// The keys are those of tokens.
func (s *Snapshot) Tokens(ctx context.Context, tokens keyring.Ring) (unfit []UnfitToken, looked int, err error) {
	keys, err := tokenseal.Keys(tokens)
	if err != nil {
		return nil, 0, err
	}
	c := tokenCheck{q: s.q, keys: keys}
	for _, page := range []func(context.Context) (int, error){c.refreshTokens, c.accessTokens} {
		c.realm, c.after = "", nil
		for read := auditedPage; read == auditedPage; {
			read, err = page(ctx)
			if err != nil {
				return nil, 0, fmt.Errorf("check the tokens: %w", err)
			}
			looked += read
		}
	}
	return c.unfit, looked, nil
}

type tokenCheck struct {
	q     *dbsqlc.Queries
	keys  keyring.Ring
	realm string // of the last token that was looked at
	after []byte // and its digest
	unfit []UnfitToken
}

func (c *tokenCheck) refreshTokens(ctx context.Context) (int, error) {
	rows, err := c.q.AuditedRefreshTokenList(ctx, c.realm, c.after, auditedPage)
	for _, row := range rows {
		t := row.RefreshToken
		c.hold("refresh_token", tokenseal.OfRefresh(t, row.TokenFamily), column.Seal(&t.KeyID, t.Seal))
	}
	return len(rows), err
}

func (c *tokenCheck) accessTokens(ctx context.Context) (int, error) {
	rows, err := c.q.AuditedAccessTokenList(ctx, c.realm, c.after, auditedPage)
	for _, row := range rows {
		t := row.AccessToken
		c.hold("access_token", tokenseal.OfAccess(t, row.TokenFamily), column.Seal(&t.KeyID, t.Seal))
	}
	return len(rows), err
}

func (c *tokenCheck) hold(table string, token tokenseal.Issued, seal keyring.Seal) {
	c.realm, c.after = token.Family.Realm, token.Hash
	err := c.keys.Check(seal, token.Fields())
	if err != nil {
		c.unfit = append(c.unfit, UnfitToken{
			Realm: token.Family.Realm, Table: table, Key: hex.EncodeToString(token.Hash), FamilyID: token.Family.FamilyID, Err: err,
		})
	}
}
