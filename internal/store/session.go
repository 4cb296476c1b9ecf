package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/store/internal/dbsqlc"
)

// SessionStore keeps the portal's sessions in the database, as the session library asks for it. The library that comes with the
// session library is not used: with it a request under way writes a session back that was ended meanwhile, and a copied cookie would
// live on after sign-out. Whoever uses the store must have tokens hashed.
type SessionStore struct {
	db *Database
}

// NewSessionStore makes the store. It drops nothing by itself: CleanPortal does.
func NewSessionStore(db *Database) *SessionStore { return &SessionStore{db: db} }

// FindCtx returns the data of an open session.
func (s *SessionStore) FindCtx(ctx context.Context, token string) (data []byte, found bool, err error) {
	return oneSession(dbsqlc.New(s.db.pool).SessionGet(ctx, token))
}

// LapsedCtx returns the data of a session that nobody ended, but whose time ran out after the given moment. It is good for knowing
// whose form came too late, and for nothing else.
func (s *SessionStore) LapsedCtx(ctx context.Context, token string, after time.Time) (data []byte, found bool, err error) {
	return oneSession(dbsqlc.New(s.db.pool).SessionGetLapsed(ctx, token, after))
}

func oneSession(data []byte, err error) ([]byte, bool, error) {
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("find a session: %w", err)
	}
	return data, true, nil
}

// CommitCtx stores a new session, or new data of an open one. One that was ended stays ended.
func (s *SessionStore) CommitCtx(ctx context.Context, token string, data []byte, expiry time.Time) error {
	late, cancel := outliving(ctx)
	defer cancel()
	err := dbsqlc.New(s.db.pool).SessionPutIfOpen(late, token, data, expiry)
	if err != nil {
		return fmt.Errorf("store a session: %w", err)
	}
	return nil
}

// DeleteCtx ends a session.
func (s *SessionStore) DeleteCtx(ctx context.Context, token string) error {
	late, cancel := outliving(ctx)
	defer cancel()
	err := dbsqlc.New(s.db.pool).SessionEnd(late, token)
	if err != nil {
		return fmt.Errorf("end a session: %w", err)
	}
	return nil
}

// outliving is a context for what must be stored although the browser is gone.
func outliving(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
}

// errNoRequest: the session library asked without the context of a request, which it does of no store that takes one.
var errNoRequest = errors.New("sessions are stored within a request")

// Find belongs to the session library's interface; FindCtx is used.
func (s *SessionStore) Find(string) ([]byte, bool, error) { return nil, false, errNoRequest }

// Commit belongs to the session library's interface; CommitCtx is used.
func (s *SessionStore) Commit(string, []byte, time.Time) error { return errNoRequest }

// Delete belongs to the session library's interface; DeleteCtx is used.
func (s *SessionStore) Delete(string) error { return errNoRequest }

// lapsedKept is how long a session's row stays after its end: longer than any request takes.
const lapsedKept = 30 * time.Minute

// CleanPortal drops sessions and drafts that are over, in small transactions, and returns the number of rows dropped. Called every few
// minutes it bounds both tables.
func (d *Database) CleanPortal(ctx context.Context, now time.Time) (int64, error) {
	total, err := inBatches(func() (int64, error) {
		return dbsqlc.New(d.pool).SessionDropExpired(ctx, now.Add(-lapsedKept), cleanupBatch)
	})
	if err != nil {
		return total, fmt.Errorf("clean the sessions: %w", err)
	}
	realms, err := dbsqlc.New(d.pool).RealmList(ctx)
	if err != nil {
		return total, fmt.Errorf("list the realms: %w", err)
	}
	for _, realm := range realms {
		dropped, err := inBatches(func() (int64, error) { return d.dropDrafts(ctx, realm.Realm, now) })
		total += dropped
		if err != nil {
			return total, fmt.Errorf("clean the drafts of %s: %w", realm.Realm, err)
		}
	}
	return total, nil
}

func (d *Database) dropDrafts(ctx context.Context, realm string, now time.Time) (int64, error) {
	var dropped int64
	err := d.inRealm(ctx, realm, changing, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		var err error
		dropped, err = q.DraftDropExpired(ctx, realm, now, cleanupBatch)
		return err
	})
	return dropped, err
}

// inBatches repeats a deletion until it finds less than a full batch.
func inBatches(drop func() (int64, error)) (int64, error) {
	var total int64
	for {
		dropped, err := drop()
		total += dropped
		if err != nil || dropped < cleanupBatch {
			return total, err
		}
	}
}
