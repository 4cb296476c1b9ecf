package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"

	"countersign/internal/store/internal/dbsqlc"
	"countersign/migrations"
)

// SchemaState is the state of a database's schema relative to the program's migrations.
type SchemaState string

// The states of a schema. Only a current one is worked on.
const (
	SchemaCurrent SchemaState = "current"
	SchemaMissing SchemaState = "missing" // the database is empty
	SchemaOlder   SchemaState = "older"   // a migration of this program was not applied
	SchemaNewer   SchemaState = "newer"   // a migration was applied after which this program may not work
)

// The errors of a schema that is not current, as sentences that say what to do.
var (
	ErrSchemaMissing = errors.New("the database has no schema yet: run countersign migrate first")
	ErrSchemaOlder   = errors.New("the schema is older than this program: run countersign migrate")
	ErrSchemaNewer   = errors.New("the schema is newer than this program: start a program of the version that migrated it, or a newer one")
)

// Err is nil for a current schema, else one of ErrSchemaMissing, ErrSchemaOlder and ErrSchemaNewer.
func (s SchemaState) Err() error {
	switch s {
	case SchemaCurrent:
		return nil
	case SchemaOlder:
		return ErrSchemaOlder
	case SchemaNewer:
		return ErrSchemaNewer
	default:
		return ErrSchemaMissing
	}
}

// schemaState compares the applied migrations with those of the program, one by one: the highest number would not
// show a gap. A migration that the program does not know leaves the schema current, unless it is a contract.
func schemaState(ctx context.Context, q *dbsqlc.Queries) (SchemaState, error) {
	present, err := q.SchemaPresent(ctx)
	if err != nil {
		return "", fmt.Errorf("look for the schema: %w", err)
	}
	switch {
	case !present.Present:
		return SchemaMissing, nil
	case !present.Told:
		return SchemaOlder, nil
	}
	applied, err := q.SchemaVersionList(ctx)
	if err != nil {
		return "", fmt.Errorf("read the version of the schema: %w", err)
	}
	own, err := ownVersions()
	if err != nil {
		return "", err
	}
	newer := false
	for _, migration := range applied {
		newer = newer || !own[migration.Version] && migration.Contracts
		delete(own, migration.Version)
	}
	switch {
	case newer:
		return SchemaNewer, nil
	case len(own) > 0:
		return SchemaOlder, nil
	default:
		return SchemaCurrent, nil
	}
}

// ownVersions are the numbers of the program's migrations, as goose reads them from the names of the files.
func ownVersions() (map[int64]bool, error) {
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		return nil, fmt.Errorf("list the migrations: %w", err)
	}
	own := make(map[int64]bool, len(names))
	for _, name := range names {
		version, err := goose.NumericComponent(name)
		if err != nil {
			return nil, fmt.Errorf("read the number of the migration %s: %w", name, err)
		}
		own[version] = true
	}
	return own, nil
}
