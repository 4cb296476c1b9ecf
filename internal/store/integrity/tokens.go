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
func (a *audit) tokens(ctx context.Context) ([]Violation, error) {
	keys, err := store.TokenSealKeys(a.cfg.Tokens)
	if err != nil {
		return nil, err
	}
	a.report.Tokens = 0
	var realm string
	var after []byte
	unfit := func(table string, token store.Issued, seal keyring.Seal) Violation {
		realm, after = token.Family.Realm, token.Hash
		a.report.Tokens++
		return Violation{Realm: realm, Table: table, Key: hex.EncodeToString(token.Hash), What: sealUnfit("", keys.Verify(seal, token.Fields()),
			"its life, its use, or the sign-in "+token.Family.FamilyID.String()+" it belongs to")}
	}
	ofRefresh := func(ctx context.Context) ([]Violation, error) {
		page := func() ([]dbsqlc.AuditedRefreshTokenListRow, error) {
			return a.snapshot.q.AuditedRefreshTokenList(ctx, realm, after, auditedPage)
		}
		return unfitRows(ctx, "check the tokens", page, func(row dbsqlc.AuditedRefreshTokenListRow) Violation {
			t := row.RefreshToken
			return unfit("refresh_token", store.OfRefresh(t, row.TokenFamily), store.Seal(t.KeyID, t.Seal))
		})
	}
	ofAccess := func(ctx context.Context) ([]Violation, error) {
		realm, after = "", nil
		page := func() ([]dbsqlc.AuditedAccessTokenListRow, error) {
			return a.snapshot.q.AuditedAccessTokenList(ctx, realm, after, auditedPage)
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
	after := ""
	page := func() ([]dbsqlc.AuditedSessionListRow, error) {
		return a.snapshot.q.AuditedSessionList(ctx, after, auditedPage)
	}
	return unfitRows(ctx, "check the sessions", page, func(row dbsqlc.AuditedSessionListRow) Violation {
		after = row.Token
		a.report.Tokens++
		err := sessionUnfit(keys, row, ends)
		what := sealUnfit("", err, "its life, its name, or its person")
		if errors.Is(err, errEnded) {
			what = "is open again, and the audit trail has its end"
		}
		return Violation{Table: "sessions", Key: row.Token, What: what}
	})
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
