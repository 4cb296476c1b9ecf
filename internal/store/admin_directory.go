package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/account"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

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
	err = p.q.DirectoryInsert(ctx, dbsqlc.DirectoryInsertParams{
		Realm: stored.Realm, DirectoryID: id, Scheme: stored.Scheme, Edition: edition, Source: stored.Source, Entries: stored.Entries,
		Content: content, ContentHash: digest[:], LoadedAt: p.at,
	})
	if err != nil {
		return false, err
	}
	return true, p.ledger.Put(Directory(stored))
}
