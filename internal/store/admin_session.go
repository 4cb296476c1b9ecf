package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/identity"
	"countersign/internal/keyring"
	"countersign/internal/store/internal/dbsqlc"
)

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
	err := s.db.InRealm(late, end.By.Realm, Changing, func(_ pgx.Tx, q *dbsqlc.Queries) error {
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
