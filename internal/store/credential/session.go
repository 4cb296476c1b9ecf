package credential

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"countersign/internal/keyring"
	"countersign/internal/store"
)

// Sessions keeps the portal's sessions in the database, as the session library asks for it. The library that comes with the
// session library is not used: with it a request under way writes a session back that was ended meanwhile, and a copied cookie would
// live on after sign-out.
//
// A row is found by the keyed digest of its token, and its data carries a seal over the token, the data and the end of the session:
// whoever can write rows, but has not the key, can end a session and nothing else.
type Sessions struct {
	db      *store.Database
	now     func() time.Time
	lookups keyring.Ring
	seals   keyring.Ring
}

// NewSessions makes the store with the keys of tokens. It drops nothing by itself: Clean does.
func NewSessions(db *store.Database, keys keyring.Ring, now func() time.Time) (*Sessions, error) {
	if keys.Empty() || now == nil {
		return nil, errors.New("sessions need a key and a clock")
	}
	lookups, err := keys.Derive("session lookup")
	if err != nil {
		return nil, err
	}
	seals, err := keys.Derive("session data")
	if err != nil {
		return nil, err
	}
	return &Sessions{db: db, now: now, lookups: lookups, seals: seals}, nil
}

// FindCtx returns the data of an open session.
func (s *Sessions) FindCtx(ctx context.Context, token string) (data []byte, found bool, err error) {
	stored, err := s.db.Outside().SessionGet(ctx, s.digests(token))
	if err != nil {
		return nil, false, fmt.Errorf("find a session: %w", err)
	}
	opened, ok := s.open(token, stored)
	return opened.data, ok && opened.expiry.After(s.now()), nil
}

// LapsedCtx returns the data of a session that nobody ended, but whose time ran out after the given moment. It is good for knowing
// whose form came too late, and for nothing else.
func (s *Sessions) LapsedCtx(ctx context.Context, token string, after time.Time) (data []byte, found bool, err error) {
	stored, err := s.db.Outside().SessionGetLapsed(ctx, s.digests(token), after)
	if err != nil {
		return nil, false, fmt.Errorf("find a session: %w", err)
	}
	opened, ok := s.open(token, stored)
	return opened.data, ok && opened.expiry.After(after), nil
}

// CommitCtx stores a new session, or new data of an open one. One that was ended stays ended.
func (s *Sessions) CommitCtx(ctx context.Context, token string, data []byte, expiry time.Time) error {
	late, cancel := outliving(ctx)
	defer cancel()
	sealed := s.close(token, sessionContent{data: data, expiry: expiry})
	err := s.db.Outside().SessionPutIfOpen(late, s.digests(token), sealed, expiry)
	if err != nil {
		return fmt.Errorf("store a session: %w", err)
	}
	return nil
}

// DeleteCtx ends a session.
func (s *Sessions) DeleteCtx(ctx context.Context, token string) error {
	late, cancel := outliving(ctx)
	defer cancel()
	err := s.db.Outside().SessionEnd(late, s.digests(token))
	if err != nil {
		return fmt.Errorf("end a session: %w", err)
	}
	return nil
}

// digests are what the row of a token may be called: one for each key, the first key's first.
func (s *Sessions) digests(token string) []string {
	digests := s.lookups.Digests([]byte(token))
	names := make([]string, len(digests))
	for i, digest := range digests {
		names[i] = base64.RawURLEncoding.EncodeToString(digest[:])
	}
	return names
}

// sessionContent is what a session's row says under its seal. The expiry in the row beside it may end a session earlier, never later.
type sessionContent struct {
	data   []byte
	expiry time.Time
}

// close writes the content of a session with its seal: the key's id with its length, the MAC, the expiry in microseconds, the data.
func (s *Sessions) close(token string, c sessionContent) []byte {
	expiry := binary.BigEndian.AppendUint64(nil, uint64(c.expiry.UnixMicro()))
	seal := s.seals.Seal([]byte(token), expiry, c.data)
	sealed := append([]byte{byte(len(seal.KeyID))}, seal.KeyID...) //nolint:gosec // an id has at most 32 characters
	sealed = append(sealed, seal.MAC[:]...)
	return append(append(sealed, expiry...), c.data...)
}

// open reads what close wrote. What was written by anybody else, or under a key that is gone, is no session.
func (s *Sessions) open(token string, sealed []byte) (sessionContent, bool) {
	var seal keyring.Seal
	if len(sealed) == 0 {
		return sessionContent{}, false
	}
	name := int(sealed[0])
	head := 1 + name + len(seal.MAC)
	if len(sealed) < head+8 {
		return sessionContent{}, false
	}
	seal.KeyID = string(sealed[1 : 1+name])
	copy(seal.MAC[:], sealed[1+name:])
	expiry, data := sealed[head:head+8], sealed[head+8:]
	err := s.seals.Verify(seal, []byte(token), expiry, data)
	if err != nil {
		return sessionContent{}, false
	}
	return sessionContent{data: data, expiry: time.UnixMicro(int64(binary.BigEndian.Uint64(expiry)))}, true //nolint:gosec // as it was written
}

// outliving is a context for what must be stored although the browser is gone.
func outliving(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
}

// errNoRequest: the session library asked without the context of a request, which it does of no store that takes one.
var errNoRequest = errors.New("sessions are stored within a request")

// Find belongs to the session library's interface; FindCtx is used.
func (s *Sessions) Find(string) ([]byte, bool, error) { return nil, false, errNoRequest }

// Commit belongs to the session library's interface; CommitCtx is used.
func (s *Sessions) Commit(string, []byte, time.Time) error { return errNoRequest }

// Delete belongs to the session library's interface; DeleteCtx is used.
func (s *Sessions) Delete(string) error { return errNoRequest }

// lapsedKept is how long a session's row stays after its end: longer than any request takes.
const lapsedKept = 30 * time.Minute

// Clean drops sessions that are over, in small transactions, and returns the number of rows dropped. Called every few minutes it
// bounds the table.
func (s *Sessions) Clean(ctx context.Context, now time.Time) (int64, error) {
	total, err := store.DropInBatches(func() (int64, error) {
		return s.db.Outside().SessionDropExpired(ctx, now.Add(-lapsedKept), store.DropBatch)
	})
	if err != nil {
		return total, fmt.Errorf("clean the sessions: %w", err)
	}
	return total, nil
}
