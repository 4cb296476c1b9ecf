package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"github.com/pressly/goose/v3"

	"countersign/internal/store/internal/dbsqlc"
	"countersign/migrations"
)

// SchemaState is the state of a database's schema relative to the program's migrations.
type SchemaState string

// The states of a schema. The program works only with a current one.
const (
	SchemaCurrent SchemaState = "current"
	SchemaMissing SchemaState = "missing" // the database is empty
	SchemaOlder   SchemaState = "older"   // a migration of this program was not applied
	SchemaNewer   SchemaState = "newer"   // a migration was applied that needs a newer program
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
// show a gap. A migration that the program does not know leaves the schema current, unless it needs a newer program.
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
	least, err := q.SchemaCompatibleFrom(ctx)
	if err != nil {
		return "", fmt.Errorf("read from which version on programs are compatible: %w", err)
	}
	known, err := ownMigrations()
	switch {
	case err != nil:
		return "", err
	case known[len(known)-1].version < least:
		return SchemaNewer, nil
	case slices.ContainsFunc(known, func(m migration) bool { return !slices.Contains(applied, m.version) }):
		return SchemaOlder, nil
	default:
		return SchemaCurrent, nil
	}
}

// migration is a file of the schema. A contract names the newest migration that a program must know to work after it.
type migration struct {
	version, compatibleFrom int64 // compatibleFrom is 0 for a migration that only adds
}

var compatibleFrom = regexp.MustCompile(`(?m)^-- compatible from ([0-9]{1,9})$`)

// ownMigrations are the program's migrations, in the order of their numbers.
var ownMigrations = sync.OnceValues(func() ([]migration, error) {
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		return nil, fmt.Errorf("list the migrations: %w", err)
	}
	own := make([]migration, len(names))
	for i, name := range names {
		own[i].version, err = goose.NumericComponent(name)
		if err != nil {
			return nil, fmt.Errorf("read the number of the migration %s: %w", name, err)
		}
		text, err := migrations.FS.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read the migration: %w", err)
		}
		if line := compatibleFrom.FindSubmatch(text); line != nil {
			own[i].compatibleFrom, _ = strconv.ParseInt(string(line[1]), 10, 64) // nine digits
		}
	}
	return own, nil
})

// programName names the connections of this program, so that a contract can wait for those of older ones to end.
func programName() (string, error) {
	own, err := ownMigrations()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("countersign/%d", own[len(own)-1].version), nil
}
