package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/store/internal/dbsqlc"
)

// Directories lists the bank directories in force of a realm for display, at most one of a scheme. Error: ErrNoRealm.
func (d *Database) Directories(ctx context.Context, realm string) ([]DirectorySummary, error) {
	var found []DirectorySummary
	err := d.InRealm(ctx, realm, Reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		var err error
		found, err = d.directories(ctx, q, realm)
		return err
	})
	return found, err
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
