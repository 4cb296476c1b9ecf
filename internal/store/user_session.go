package store

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/auditlog"
	"countersign/internal/identity"
	"countersign/internal/keyring"
	"countersign/internal/store/internal/dbsqlc"
)

// The reasons of ended sessions, shown to a browser that comes back with one.
const (
	EndedBySignOut   = "sign-out"
	EndedBySignIn    = "sign-in"   // somebody signed in with the same browser
	EndedByOwner     = "ended"     // from another session
	EndedByElsewhere = "elsewhere" // a checker signed in elsewhere
)

// SessionStart is a session that begins.
type SessionStart struct {
	Token  string
	By     identity.Principal
	Device string // as its owner knows it again
	At     time.Time
	EndsAt time.Time // whatever happens
	// Alone ends the other sessions of a checker.
	Alone bool
}

// OpenSession is a session in the list of its owner.
type OpenSession struct {
	ID         uuid.UUID
	Device     string
	Address    string
	StartedAt  time.Time
	LastUsedAt time.Time
	Current    bool // the one that asks
}

// Start records the start of a session. CommitCtx stores the session itself, unless it was ended before. Sign-ins of a checker limited to
// one session run one after the other, so that of two concurrent ones one ends the other.
func (s *Sessions) Start(ctx context.Context, start SessionStart) error {
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	names, checker := s.names(start.Token), start.By.Has(identity.RoleChecker)
	err = s.db.InRealm(ctx, start.By.Realm, Changing, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		alone := start.Alone && checker
		if alone {
			err := q.AccountLock(ctx, start.By.Realm, start.By.UserID)
			if err != nil {
				return err
			}
		}
		err := q.UserSessionInsert(ctx, dbsqlc.UserSessionInsertParams{
			Realm: start.By.Realm, SessionID: id, UserID: start.By.UserID, Name: names[0], Device: start.Device,
			Address: start.By.SourceAddress, Checker: checker, StartedAt: start.At, EndsAt: start.EndsAt,
		})
		if err != nil || !alone {
			return err
		}
		return s.endOthers(ctx, q, sessionsEnd{by: start.By, but: names, why: EndedByElsewhere, at: start.At})
	})
	return wrapped(err, "note a session")
}

// sessionsEnd selects the sessions of a person to end.
type sessionsEnd struct {
	by  identity.Principal
	id  uuid.UUID // one; zero for all of a checker
	but []string  // never this one
	why string
	at  time.Time
}

func (s *Sessions) endOthers(ctx context.Context, q *dbsqlc.Queries, e sessionsEnd) error {
	ended, err := q.UserSessionEnd(ctx, dbsqlc.UserSessionEndParams{
		At: &e.at, Why: &e.why, Realm: e.by.Realm, UserID: e.by.UserID, SessionID: OrNull(e.id), But: e.but,
	})
	if err != nil {
		return err
	}
	for _, name := range ended {
		err = q.SessionEnd(ctx, []string{name})
		if err == nil {
			err = s.tellEnd(ctx, q, e, name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Sessions) tellEnd(ctx context.Context, q *dbsqlc.Queries, e sessionsEnd, name string) error {
	return AppendEvent(ctx, q, s.db.MasterDataKeys(), Event{
		Realm: e.by.Realm, Actor: e.by.Actor(), Name: auditlog.EventSessionEnded, Detail: auditlog.EndDetail(name, e.why), At: e.at,
	})
}

// EndOne ends one session of the caller from another one. An ended session, or somebody else's, is ignored.
func (s *Sessions) EndOne(ctx context.Context, by identity.Principal, id uuid.UUID, at time.Time) error {
	err := s.db.InRealm(ctx, by.Realm, Changing, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		return s.endOthers(ctx, q, sessionsEnd{by: by, id: id, but: []string{}, why: EndedByOwner, at: at})
	})
	return wrapped(err, "end a session")
}

// SessionAsk selects the sessions of a person for one of them.
type SessionAsk struct {
	By        identity.Principal
	Token     string // of the session that asks
	At        time.Time
	UsedAfter time.Time
}

// List returns the usable sessions of a person, the newest first, at most 100.
func (s *Sessions) List(ctx context.Context, ask SessionAsk) ([]OpenSession, error) {
	rows, err := Read(ctx, s.db, ask.By.Realm, func(q *dbsqlc.Queries) ([]dbsqlc.UserSession, error) {
		return q.UserSessionOpenList(ctx, dbsqlc.UserSessionOpenListParams{
			Realm: ask.By.Realm, UserID: ask.By.UserID, At: ask.At, UsedAfter: ask.UsedAfter,
		})
	})
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	list := make([]OpenSession, len(rows))
	for i, row := range rows {
		list[i] = OpenSession{
			ID: row.SessionID, Device: row.Device, Address: row.Address, StartedAt: row.StartedAt.UTC(), LastUsedAt: row.LastUsedAt.UTC(),
		}
		for _, name := range s.names(ask.Token) {
			list[i].Current = list[i].Current || row.Name == name
		}
	}
	return list, nil
}

// Use records the use of a session.
func (s *Sessions) Use(ctx context.Context, realm, token string, at time.Time) error {
	err := s.db.InRealm(ctx, realm, Changing, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		return q.UserSessionUse(ctx, at, realm, s.names(token))
	})
	return wrapped(err, "note the use of a session")
}

// EndedWhy returns the reason for which a session was ended; "" when it expired or never existed.
func (s *Sessions) EndedWhy(ctx context.Context, token string) (string, error) {
	why, err := s.db.Outside().SessionEndedWhy(ctx, s.names(token))
	return why, wrapped(err, "ask why a session ended")
}

// Session holds the sealed fields of a session's row. The expiry column may end a session earlier, never later.
type Session struct {
	Token  [sha256.Size]byte // the digest of the token
	Expiry time.Time
	Data   []byte
}

// SessionKeys derives the names of session rows and seals their content. The row holds the token's digest. With the
// keys, an auditor can check a row; the row alone does not reveal the token.
type SessionKeys struct {
	lookups, seals keyring.Ring
}

// NewSessionKeys derives the keys of sessions from those of tokens.
func NewSessionKeys(tokens keyring.Ring) (SessionKeys, error) {
	lookups, err := tokens.Derive("session lookup")
	if err != nil {
		return SessionKeys{}, err
	}
	seals, err := tokens.Derive("session data")
	if err != nil {
		return SessionKeys{}, err
	}
	return SessionKeys{lookups: lookups, seals: seals}, nil
}

// Names returns the possible row names of a token: one per key, the first key's first.
func (s SessionKeys) Names(token [sha256.Size]byte) []string {
	digests := s.lookups.Digests(token[:])
	names := make([]string, len(digests))
	for i, digest := range digests {
		names[i] = base64.RawURLEncoding.EncodeToString(digest[:])
	}
	return names
}

// Close writes a session with its seal: the key's id with its length, the MAC, the expiry in microseconds, the digest of the token, the
// data.
func (s SessionKeys) Close(c Session) []byte {
	expiry := binary.BigEndian.AppendUint64(nil, uint64(c.Expiry.UnixMicro()))
	seal := s.seals.Seal(c.Token[:], expiry, c.Data)
	sealed := append([]byte{byte(len(seal.KeyID))}, seal.KeyID...) //nolint:gosec // an id has at most 32 characters
	return slices.Concat(sealed, seal.MAC[:], expiry, c.Token[:], c.Data)
}

// Open reads the output of Close. Errors: keyring.ErrForged for a forged row, keyring.ErrUnknownKey for a missing
// key.
func (s SessionKeys) Open(sealed []byte) (Session, error) {
	var seal keyring.Seal
	var c Session
	if len(sealed) == 0 {
		return c, keyring.ErrForged
	}
	name := int(sealed[0])
	head := 1 + name + len(seal.MAC)
	if len(sealed) < head+8+len(c.Token) {
		return c, keyring.ErrForged
	}
	seal.KeyID = string(sealed[1 : 1+name])
	copy(seal.MAC[:], sealed[1+name:])
	expiry, rest := sealed[head:head+8], sealed[head+8:]
	copy(c.Token[:], rest)
	c.Data = rest[len(c.Token):]
	err := s.seals.Verify(seal, c.Token[:], expiry, c.Data)
	if err != nil {
		return Session{}, fmt.Errorf("open a session: %w", err)
	}
	c.Expiry = time.UnixMicro(int64(binary.BigEndian.Uint64(expiry))) //nolint:gosec // as it was written
	return c, nil
}
