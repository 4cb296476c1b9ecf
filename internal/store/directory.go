package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/internal/account"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// Directories lists the bank directories in force of a realm, at most one of a scheme. Error: ErrNoRealm.
func (r *Reader) Directories(ctx context.Context, realm string) ([]DirectorySummary, error) {
	return Read(ctx, r.db, realm, func(q *dbsqlc.Queries) ([]DirectorySummary, error) { return r.db.directories(ctx, q, realm) })
}

func (d *Database) directories(ctx context.Context, q *dbsqlc.Queries, realm string) ([]DirectorySummary, error) {
	rows, err := q.DirectoryNewestList(ctx, realm)
	if err != nil {
		return nil, fmt.Errorf("read the directories of banks: %w", err)
	}
	guard := d.Guard(q)
	found := make([]DirectorySummary, 0, len(rows))
	for _, row := range rows {
		edition, err := time.Parse(time.DateOnly, row.Edition)
		fits := err == nil && guard.Fits(ctx, Directory(row)) &&
			guard.Newest(ctx, realm, "routing_directory", row.Scheme, row.DirectoryID.String())
		found = append(found, DirectorySummary{
			Realm: row.Realm, Scheme: row.Scheme, Edition: edition, Entries: int(row.Entries), Source: row.Source, LoadedAt: row.LoadedAt,
			Broken: !fits,
		})
	}
	return found, nil
}

// Directory returns the bank directory in force of a scheme, to show the names of banks; an empty one if none is loaded.
func (r *Reader) Directory(ctx context.Context, realm string, scheme rulebook.Scheme) (found *account.Directory, err error) {
	err = r.read(ctx, realm, Reading, func(q *dbsqlc.Queries) error {
		newest, err := q.DirectoryNewestList(ctx, realm)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(newest, func(d dbsqlc.DirectoryNewestListRow) bool { return d.Scheme == string(scheme) })
		if at < 0 {
			found = &account.Directory{}
			return nil
		}
		found, err = r.banks.inForce(ctx, q, directoryKey{Realm: realm, ID: newest[at].DirectoryID})
		return err
	})
	return found, err
}

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

// ErrOlderDirectory says that the directory is of an earlier day than the one in force.
var ErrOlderDirectory = errors.New("the directory in force is of a later day; --older puts the earlier one in force all the same")

// DirectoryImport is an edition of the bank directory of a scheme to be imported into a realm.
type DirectoryImport struct {
	Realm     string
	Scheme    rulebook.Scheme
	Directory *account.Directory
	Source    string // the file it comes from, as people will read it
	Older     bool   // put it in force though the one in force is of a later day
}

// ImportDirectory puts a directory in force, as the owner. It returns false when the same directory is already in force. Errors:
// ErrOlderDirectory, ErrUnknownRealm.
func ImportDirectory(ctx context.Context, by Provisioner, in DirectoryImport) (changed bool, err error) {
	err = by.run(ctx, in.Realm, func(p provision) error {
		changed, err = p.directory(ctx, in)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("import the directory of %s into the realm %s: %w", in.Scheme, in.Realm, err)
	}
	return changed, nil
}

func (p provision) directory(ctx context.Context, in DirectoryImport) (changed bool, err error) {
	err = p.lock(ctx)
	if err != nil {
		return false, fmt.Errorf("lock the realm: %w", err)
	}
	newest, err := p.q.DirectoryNewestList(ctx, p.realm)
	if err != nil {
		return false, fmt.Errorf("read those in force: %w", err)
	}
	id, err := uuid.NewV7()
	if err != nil {
		return false, err
	}
	content := in.Directory.Content()
	digest := sha256.Sum256(content)
	edition := in.Directory.Edition().Format(time.DateOnly)
	for _, row := range newest {
		fits := p.ledger.Has(Directory(row))
		switch {
		case row.Scheme != string(in.Scheme):
		case [sha256.Size]byte(row.ContentHash) == digest && row.Source == in.Source && fits:
			return false, nil
		case row.Edition > edition && fits && !in.Older:
			return false, fmt.Errorf("edition %s, in force %s: %w", edition, row.Edition, ErrOlderDirectory)
		case row.DirectoryID.String() >= id.String():
			return false, errors.New("the clock of this machine is behind that of the last import: set it right")
		}
	}
	stored := dbsqlc.DirectoryNewestListRow{
		Realm: p.realm, DirectoryID: id, Scheme: string(in.Scheme), Edition: edition, Source: in.Source,
		Entries: int32(in.Directory.Len()), ContentHash: digest[:], LoadedAt: p.at, //nolint:gosec // directory.MaxEntries bounds it
	}
	return true, p.ledger.Put(Directory(stored), p.q.DirectoryInsert(ctx, dbsqlc.DirectoryInsertParams{
		Realm: stored.Realm, DirectoryID: id, Scheme: stored.Scheme, Edition: edition, Source: stored.Source, Entries: stored.Entries,
		Content: content, ContentHash: digest[:], LoadedAt: p.at,
	}))
}
