package store

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

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

// Start records the start of a session, in the audit trail too. CommitCtx stores the session itself, unless it was ended before. Sign-ins
// of a checker limited to one session run one after the other, so that of two concurrent ones one ends the other.
func (s *Sessions) Start(ctx context.Context, start SessionStart) error {
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	names, checker := s.names(start.Token), start.By.Has(identity.RoleChecker)
	err = s.db.InRealm(ctx, start.By.Realm, Changing, func(q *dbsqlc.Queries) error {
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
		if err == nil {
			err = AppendEvent(ctx, q, s.db.masterData, Event{
				Realm: start.By.Realm, Actor: start.By.Actor(), Name: auditlog.EventSessionStarted,
				Detail: auditlog.SubjectDetail(start.By.UserName, ""), At: start.At,
			})
		}
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
	return AppendEvent(ctx, q, s.db.masterData, Event{
		Realm: e.by.Realm, Actor: e.by.Actor(), Name: auditlog.EventSessionEnded, Detail: auditlog.EndDetail(name, e.why), At: e.at,
	})
}

// EndOne ends one session of the caller from another one. An ended session, or somebody else's, is ignored.
func (s *Sessions) EndOne(ctx context.Context, by identity.Principal, id uuid.UUID, at time.Time) error {
	err := s.db.InRealm(ctx, by.Realm, Changing, func(q *dbsqlc.Queries) error {
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
	rows, err := s.db.In(ask.By.Realm, Reading).UserSessionOpenList(ctx, dbsqlc.UserSessionOpenListParams{
		Realm: ask.By.Realm, UserID: ask.By.UserID, At: ask.At, UsedAfter: ask.UsedAfter,
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
	err := s.db.In(realm, Changing).UserSessionUse(ctx, at, realm, s.names(token))
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

// Sessions stores the portal's sessions in the database, as the session library requires. The library's own store is not used: it lets a
// request in progress restore a session that was ended meanwhile, so that a copied cookie would work after sign-out.
//
// A row is found by the keyed digest of its token, and its data carries a seal over the token, the data and the end of the session:
// somebody who can write rows without the key can end a session, but not make one.
type Sessions struct {
	db   *Database
	now  func() time.Time
	rows SessionKeys
}

// NewSessions makes the store with the keys of tokens. It deletes no rows by itself; Clean does.
func NewSessions(db *Database, keys keyring.Ring, now func() time.Time) (*Sessions, error) {
	if keys.Empty() || now == nil {
		return nil, errors.New("sessions need a key and a clock")
	}
	rows, err := NewSessionKeys(keys)
	if err != nil {
		return nil, err
	}
	return &Sessions{db: db, now: now, rows: rows}, nil
}

// FindCtx returns the data of an open session.
func (s *Sessions) FindCtx(ctx context.Context, token string) (data []byte, found bool, err error) {
	stored, err := s.db.Outside().SessionGet(ctx, s.names(token))
	if err != nil {
		return nil, false, fmt.Errorf("find a session: %w", err)
	}
	opened, ok := s.open(token, stored)
	return opened.Data, ok && opened.Expiry.After(s.now()), nil
}

// LapsedCtx returns the data of a session that expired after the given moment, or was ended after it within the last quarter of an hour. It
// only serves to find the owner of a form that was sent too late.
func (s *Sessions) LapsedCtx(ctx context.Context, token string, after time.Time) (data []byte, found bool, err error) {
	stored, err := s.db.Outside().SessionGetLapsed(ctx, s.names(token), after)
	if err != nil {
		return nil, false, fmt.Errorf("find a session: %w", err)
	}
	opened, ok := s.open(token, stored)
	return opened.Data, ok && opened.Expiry.After(after), nil
}

// CommitCtx stores a new session, or new data of an open one. An ended session stays ended.
func (s *Sessions) CommitCtx(ctx context.Context, token string, data []byte, expiry time.Time) error {
	late, cancel := outliving(ctx)
	defer cancel()
	sealed := s.rows.Close(Session{Token: sha256.Sum256([]byte(token)), Expiry: expiry, Data: data})
	err := s.db.Outside().SessionPutIfOpen(late, s.names(token), sealed, expiry)
	return wrapped(err, "store a session")
}

// SessionEnd is the end of a session by its person.
type SessionEnd struct {
	Token  string
	By     identity.Principal
	Reason string
	At     time.Time
}

// End ends a session with an audit event, so that a restored session is noticed.
func (s *Sessions) End(ctx context.Context, end SessionEnd) error {
	late, cancel := outliving(ctx)
	defer cancel()
	names := s.names(end.Token)
	err := s.db.InRealm(late, end.By.Realm, Changing, func(q *dbsqlc.Queries) error {
		err := q.SessionEnd(late, names)
		if err != nil {
			return err
		}
		err = q.UserSessionEndNamed(late, dbsqlc.UserSessionEndNamedParams{At: &end.At, Why: &end.Reason, Realm: end.By.Realm, Names: names})
		if err != nil {
			return err
		}
		return s.tellEnd(late, q, sessionsEnd{by: end.By, why: end.Reason, at: end.At}, names[0])
	})
	return wrapped(err, "end a session")
}

// DeleteCtx ends a session.
func (s *Sessions) DeleteCtx(ctx context.Context, token string) error {
	late, cancel := outliving(ctx)
	defer cancel()
	err := s.db.Outside().SessionEnd(late, s.names(token))
	return wrapped(err, "end a session")
}

// names returns the possible keys of a token's row.
func (s *Sessions) names(token string) []string { return s.rows.Names(sha256.Sum256([]byte(token))) }

// open reads the row of a token. A row written without the key, for another token, or under a removed key is no session.
func (s *Sessions) open(token string, sealed []byte) (Session, bool) {
	opened, err := s.rows.Open(sealed)
	return opened, err == nil && opened.Token == sha256.Sum256([]byte(token))
}

// outliving returns a context for writes that must complete although the browser is gone.
func outliving(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
}

// errNoRequest reports a call of the session library without the context of a request. The library does not make one for a store with
// context.
var errNoRequest = errors.New("sessions are stored within a request")

// Find belongs to the session library's interface; FindCtx is used.
func (s *Sessions) Find(string) ([]byte, bool, error) { return nil, false, errNoRequest }

// Commit belongs to the session library's interface; CommitCtx is used.
func (s *Sessions) Commit(string, []byte, time.Time) error { return errNoRequest }

// Delete belongs to the session library's interface; DeleteCtx is used.
func (s *Sessions) Delete(string) error { return errNoRequest }

// LapsedFor is the time after a session ran out during which its owner is known: the longest life of a session. For an ended session it is
// a quarter of an hour (in the schema).
const LapsedFor = 12 * time.Hour

// lapsedKept is the time for which a session's row stays after its end.
const lapsedKept = LapsedFor + 30*time.Minute

// Clean drops sessions that are over, in small transactions, and returns the number of rows dropped. Called every few minutes it
// bounds the table.
func (s *Sessions) Clean(ctx context.Context, now time.Time) (int64, error) {
	total, err := DropInBatches(func() (int64, error) {
		return s.db.Outside().SessionDropExpired(ctx, now.Add(-lapsedKept), DropBatch)
	})
	return total, wrapped(err, "clean the sessions")
}
