package integrity

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"countersign/internal/keyring"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// errEnded reports an open session whose end is in the audit trail.
var errEnded = errors.New("it was ended")

// sessionLife is longer than any session lasts: an older end cannot belong to an open session.
const sessionLife = 48 * time.Hour

// tokens checks the seal of each token of every realm, and of each open session of the portal; of a session also its name, and its end in
// the audit trail.
func (a *audit) tokens(ctx context.Context) error {
	if a.cfg.Tokens.Empty() {
		a.skip("I26", tokenSealed, tokenKeys)
		return nil
	}
	keys, err := store.TokenSealKeys(a.cfg.Tokens)
	if err != nil {
		return err
	}
	a.report.Tokens = 0
	found, err := a.sessions(ctx)
	if err != nil {
		return err
	}
	var realm string
	var after []byte
	hold := func(table string, token store.Issued, seal keyring.Seal) {
		realm, after = token.Family.Realm, token.Hash
		a.report.Tokens++
		what := sealUnfit("", keys.Verify(seal, token.Fields()),
			"its life, its use, or the sign-in "+token.Family.FamilyID.String()+" it belongs to")
		if what != "" {
			found = append(found, Violation{Realm: realm, Table: table, Key: hex.EncodeToString(token.Hash), What: what})
		}
	}
	err = eachRow(ctx, "check the tokens",
		func() ([]dbsqlc.AuditedRefreshTokenListRow, error) {
			return a.snapshot.q.AuditedRefreshTokenList(ctx, realm, after, auditedPage)
		},
		func(row dbsqlc.AuditedRefreshTokenListRow) error {
			t := row.RefreshToken
			hold("refresh_token", store.OfRefresh(t, row.TokenFamily), store.Seal(t.KeyID, t.Seal))
			return nil
		})
	if err != nil {
		return err
	}
	realm, after = "", nil
	err = eachRow(ctx, "check the tokens",
		func() ([]dbsqlc.AuditedAccessTokenListRow, error) {
			return a.snapshot.q.AuditedAccessTokenList(ctx, realm, after, auditedPage)
		},
		func(row dbsqlc.AuditedAccessTokenListRow) error {
			t := row.AccessToken
			hold("access_token", store.OfAccess(t, row.TokenFamily), store.Seal(t.KeyID, t.Seal))
			return nil
		})
	if err == nil {
		a.conclude("I26", tokenSealed, found)
	}
	return err
}

// sessions finds the sessions that differ from those the gateway wrote.
func (a *audit) sessions(ctx context.Context) ([]Violation, error) {
	keys, err := store.NewSessionKeys(a.cfg.Tokens)
	if err != nil {
		return nil, err
	}
	ends, err := a.snapshot.q.SessionEndList(ctx, a.cfg.Now.Add(-sessionLife))
	if err != nil {
		return nil, fmt.Errorf("read the ends of sessions: %w", err)
	}
	var found []Violation
	after := ""
	page := func() ([]dbsqlc.AuditedSessionListRow, error) {
		return a.snapshot.q.AuditedSessionList(ctx, after, auditedPage)
	}
	err = eachRow(ctx, "check the sessions", page, func(row dbsqlc.AuditedSessionListRow) error {
		after = row.Token
		a.report.Tokens++
		err := sessionUnfit(keys, row, ends)
		what := sealUnfit("", err, "its life, its name, or its person")
		if errors.Is(err, errEnded) {
			what = "is open again, and the audit trail has its end"
		}
		if err != nil {
			found = append(found, Violation{Table: "sessions", Key: row.Token, What: what})
		}
		return nil
	})
	return found, err
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
		return errEnded
	}
	return nil
}
