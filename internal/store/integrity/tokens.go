package integrity

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"countersign/internal/keyring"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// sessionLife is longer than any session lasts: an older end cannot belong to an open session.
const sessionLife = 48 * time.Hour

// tokens checks the seal of each token of every realm, and of each open session of the portal; of a session also its name, and its end in
// the audit trail.
func (a *audit) tokens(ctx context.Context) ([]Violation, error) {
	keys, err := store.TokenSealKeys(a.cfg.Tokens)
	if err != nil {
		return nil, err
	}
	a.report.Tokens = 0
	unfit := func(table string, token store.Issued, seal keyring.Seal) Violation {
		a.report.Tokens++
		covered := "its life, its use, or the sign-in " + token.Family.FamilyID.String() + " it belongs to"
		what := sealUnfit("", keys.Verify(seal, token.Fields()), covered)
		return Violation{Realm: token.Family.Realm, Table: table, Key: hex.EncodeToString(token.Hash), What: what}
	}
	ofRefresh := func(ctx context.Context) ([]Violation, error) {
		page := func(last dbsqlc.AuditedRefreshTokenListRow) ([]dbsqlc.AuditedRefreshTokenListRow, error) {
			return a.snapshot.q.AuditedRefreshTokenList(ctx, last.RefreshToken.Realm, last.RefreshToken.TokenHash, auditedPage)
		}
		return unfitRows(ctx, "check the tokens", page, func(row dbsqlc.AuditedRefreshTokenListRow) Violation {
			t := row.RefreshToken
			return unfit("refresh_token", store.OfRefresh(t, row.TokenFamily), store.Seal(t.KeyID, t.Seal))
		})
	}
	ofAccess := func(ctx context.Context) ([]Violation, error) {
		page := func(last dbsqlc.AuditedAccessTokenListRow) ([]dbsqlc.AuditedAccessTokenListRow, error) {
			return a.snapshot.q.AuditedAccessTokenList(ctx, last.AccessToken.Realm, last.AccessToken.TokenHash, auditedPage)
		}
		return unfitRows(ctx, "check the tokens", page, func(row dbsqlc.AuditedAccessTokenListRow) Violation {
			t := row.AccessToken
			return unfit("access_token", store.OfAccess(t, row.TokenFamily), store.Seal(t.KeyID, t.Seal))
		})
	}
	return all(a.sessions, ofRefresh, ofAccess)(ctx)
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
	page := func(last dbsqlc.AuditedSessionListRow) ([]dbsqlc.AuditedSessionListRow, error) {
		return a.snapshot.q.AuditedSessionList(ctx, last.Token, auditedPage)
	}
	return unfitRows(ctx, "check the sessions", page, func(row dbsqlc.AuditedSessionListRow) Violation {
		a.report.Tokens++
		session, err := keys.Open(row.Data)
		names := keys.Names(session.Token)
		if err == nil && (!slices.Contains(names, row.Token) || !session.Expiry.Equal(row.Expiry)) {
			err = keyring.ErrForged
		}
		what := sealUnfit("", err, "its life, its name, or its person")
		if err == nil && slices.ContainsFunc(names, func(name string) bool { return slices.Contains(ends, name) }) {
			what = "is open again, and the audit trail has its end"
		}
		return Violation{Table: "sessions", Key: row.Token, What: what}
	})
}
