package store

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"sync"

	"github.com/google/uuid"

	"countersign/internal/account"
	"countersign/internal/store/internal/dbsqlc"
)

// directories caches the bank directories in force. Editions are immutable, so an entry stays valid until another
// edition is in force.
type directories struct {
	db *Database
	mu sync.Mutex
	// of a realm and scheme at most a few, because old ones are dropped when they pile up
	known map[directoryKey]*account.Directory
}

// directoryKey names an edition.
type directoryKey struct {
	Realm string
	ID    uuid.UUID
}

// maxDirectories bounds the cache. It exceeds the number of realms and schemes, with yesterday's editions.
const maxDirectories = 64

func newDirectories(db *Database) *directories {
	return &directories{db: db, known: map[directoryKey]*account.Directory{}}
}

// inForce returns the directory of a key; nil without an id. A directory that fails its check (Directory.IsBroken) is
// not cached: an operator may restore its key.
func (d *directories) inForce(ctx context.Context, q *dbsqlc.Queries, key directoryKey) (*account.Directory, error) {
	if key.ID == uuid.Nil {
		return &account.Directory{}, nil
	}
	d.mu.Lock()
	known := d.known[key]
	d.mu.Unlock()
	if known != nil {
		return known, nil
	}
	row, err := q.DirectoryContentGet(ctx, key.Realm, key.ID)
	if err != nil {
		return nil, fmt.Errorf("read the directory of banks: %w", err)
	}
	digest := sha256.Sum256(row.Content)
	guard := d.db.Guard(q)
	fits := guard.Fits(ctx, Directory(dbsqlc.DirectoryNewestListRow{
		Realm: row.Realm, DirectoryID: row.DirectoryID, Scheme: row.Scheme, Edition: row.Edition, Source: row.Source, Entries: row.Entries,
		ContentHash: digest[:], LoadedAt: row.LoadedAt,
	}))
	if !fits {
		return account.Broken(), nil
	}
	read, err := account.ParseDirectory(row.Content)
	if err != nil {
		d.db.Log().ErrorContext(
			ctx, "the stored directory of banks cannot be read", slog.Bool("alarm", true), "directory", key.ID, "error", err.Error(),
		)
		return account.Broken(), nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.known) >= maxDirectories {
		clear(d.known)
	}
	d.known[key] = read
	return read, nil
}
