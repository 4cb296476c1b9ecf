package integrity

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/keyring"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// UnfitToken is a row of a token that does not fit its seal.
type UnfitToken struct {
	Realm, Table string
	Key          string // the digest of the token
	FamilyID     uuid.UUID
	Err          error // keyring.ErrForged or keyring.ErrUnknownKey
}

// UnfitSession is a row of a session of the portal that is not as the gateway left it.
type UnfitSession struct {
	Name string
	Err  error // keyring.ErrForged, keyring.ErrUnknownKey, or ErrEnded
}

// ErrEnded says that the audit trail tells of the end of a session that is open.
var ErrEnded = errors.New("it was ended")

// sessionLife is longer than any session lasts: an older end cannot belong to an open session.
const sessionLife = 48 * time.Hour

// Sessions holds every session of the portal that is not ended, in pages, against its name and its seal, and against the ends that the
// audit trail tells of. It returns the rows that do not fit, with how many it looked at. The keys are those of tokens.
func (s *Snapshot) Sessions(ctx context.Context, tokens keyring.Ring, now time.Time) (unfit []UnfitSession, looked int, err error) {
	rows, err := store.NewSessionKeys(tokens)
	if err != nil {
		return nil, 0, err
	}
	ends, err := s.q.SessionEndList(ctx, now.Add(-sessionLife))
	if err != nil {
		return nil, 0, fmt.Errorf("read the ends of sessions: %w", err)
	}
	after := ""
	for read := auditedPage; read == auditedPage; looked += read {
		page, err := s.q.AuditedSessionList(ctx, after, auditedPage)
		if err != nil {
			return nil, 0, fmt.Errorf("check the sessions: %w", err)
		}
		for _, row := range page {
			after = row.Token
			err = sessionUnfit(rows, row, ends)
			if err != nil {
				unfit = append(unfit, UnfitSession{Name: row.Token, Err: err})
			}
		}
		read = len(page)
	}
	return unfit, looked, nil
}

func sessionUnfit(rows store.SessionKeys, row dbsqlc.AuditedSessionListRow, ends []string) error {
	session, err := rows.Open(row.Data)
	if err != nil {
		return err
	}
	names := rows.Names(session.Token)
	if !slices.Contains(names, row.Token) || !session.Expiry.Equal(row.Expiry) {
		return keyring.ErrForged
	}
	if slices.ContainsFunc(names, func(name string) bool { return slices.Contains(ends, name) }) {
		return ErrEnded
	}
	return nil
}

// Tokens holds every token of every realm, in pages, against its seal, and returns the rows that do not fit, with how many it looked at.
// The keys are those of tokens.
func (s *Snapshot) Tokens(ctx context.Context, tokens keyring.Ring) (unfit []UnfitToken, looked int, err error) {
	keys, err := store.TokenSealKeys(tokens)
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
		c.hold("refresh_token", store.OfRefresh(t, row.TokenFamily), store.Seal(t.KeyID, t.Seal))
	}
	return len(rows), err
}

func (c *tokenCheck) accessTokens(ctx context.Context) (int, error) {
	rows, err := c.q.AuditedAccessTokenList(ctx, c.realm, c.after, auditedPage)
	for _, row := range rows {
		t := row.AccessToken
		c.hold("access_token", store.OfAccess(t, row.TokenFamily), store.Seal(t.KeyID, t.Seal))
	}
	return len(rows), err
}

func (c *tokenCheck) hold(table string, token store.Issued, seal keyring.Seal) {
	c.realm, c.after = token.Family.Realm, token.Hash
	err := c.keys.Verify(seal, token.Fields())
	if err != nil {
		c.unfit = append(c.unfit, UnfitToken{
			Realm: token.Family.Realm, Table: table, Key: hex.EncodeToString(token.Hash), FamilyID: token.Family.FamilyID, Err: err,
		})
	}
}
