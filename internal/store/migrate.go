package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"countersign/internal/store/internal/dbsqlc"
	"countersign/migrations"
)

// migrateLockTimeout bounds the wait of a migration for the lock of a table: calls queue behind it. migrateTries limits the attempts of a
// migration whose lock is not free, a second apart.
const (
	migrateLockTimeout = "200ms"
	migrateTries       = 120
)

// OlderProgramError says that a migration waits, because programs that it would break are connected.
type OlderProgramError struct {
	Version, CompatibleFrom int64
	Programs                []string
}

func (e *OlderProgramError) Error() string {
	return fmt.Sprintf("migration %d waits, and those before it are applied: it needs programs that know migration %d, and older ones are "+
		"connected: %s: replace or stop them, then run countersign migrate again", e.Version, e.CompatibleFrom, strings.Join(e.Programs, ", "))
}

// Migrate brings the schema up to date as the owner. It is safe to run from several processes at once; they take turns. It stops before a
// migration that would break a connected program. Error: *OlderProgramError.
func Migrate(ctx context.Context, ownerURL string) error {
	config, err := pgxpool.ParseConfig(ownerURL)
	if err != nil {
		return fmt.Errorf("read the database URL: %w", err)
	}
	config.ConnConfig.RuntimeParams["lock_timeout"] = migrateLockTimeout
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("open the database as owner: %w", err)
	}
	defer pool.Close()
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return fmt.Errorf("prepare the migration lock: %w", err)
	}
	db := stdlib.OpenDBFromPool(pool)
	defer func() { _ = db.Close() }()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations.FS, goose.WithSessionLocker(locker))
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	own, err := ownMigrations()
	if err != nil {
		return err
	}
	at, err := provider.GetDBVersion(ctx)
	for _, m := range own {
		if err == nil && m.version > at && m.compatibleFrom > 0 {
			err = contract(ctx, pool, provider, m)
		}
	}
	if err == nil {
		err = up(ctx, provider, own[len(own)-1].version)
	}
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return narrow(ctx, pool)
}

// contract applies the migrations before one that takes something away, looks for programs that it would break, and applies it: from then
// on they refuse to work.
func contract(ctx context.Context, pool *pgxpool.Pool, provider *goose.Provider, m migration) error {
	err := up(ctx, provider, m.version-1)
	if err != nil {
		return err
	}
	q := dbsqlc.New(pool)
	older, err := q.ProgramOlderList(ctx, m.compatibleFrom)
	if err != nil {
		return fmt.Errorf("look for older programs: %w", err)
	}
	if len(older) > 0 {
		refused := &OlderProgramError{Version: m.version, CompatibleFrom: m.compatibleFrom}
		for _, program := range older {
			refused.Programs = append(refused.Programs, fmt.Sprintf("%s (%d connections)", program.Name, program.Connections))
		}
		return refused
	}
	return q.SchemaContractInsert(ctx, m.version, m.compatibleFrom)
}

// up applies the migrations up to one. It tries again when a table is in use, so that no call queues long behind a waiting migration.
func up(ctx context.Context, provider *goose.Provider, version int64) error {
	for try := 1; ; try++ {
		_, err := provider.UpTo(ctx, version)
		var refused *pgconn.PgError
		if !errors.As(err, &refused) || refused.Code != pgerrcode.LockNotAvailable || try == migrateTries {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// narrow revokes rights that only the owner needs: making tables, permanent or temporary, which could hide ours under the same names. It
// runs at each migration, because a copied or restored database has the server's defaults again.
func narrow(ctx context.Context, pool *pgxpool.Pool) error {
	_, err := pool.Exec(
		ctx,
		`DO $$ BEGIN EXECUTE format('REVOKE CREATE, TEMPORARY ON DATABASE %I FROM PUBLIC, countersign_app, countersign_reader',
  current_database()); END $$; REVOKE CREATE ON SCHEMA public FROM PUBLIC, countersign_app, countersign_reader`,
	)
	return wrapped(err, "take away the making of tables")
}

// MigrateRightError says which right a login lacks to migrate, and the SQL that gives it.
type MigrateRightError struct {
	Login, Lacks, SQL string
}

func (e *MigrateRightError) Error() string {
	return fmt.Sprintf("the database login %s %s: run as an administrator of the server: %s", e.Login, e.Lacks, e.SQL)
}

// MayMigrate checks, before anything is changed, whether a login can migrate: it must own the database, may make tables in the schema
// public, and may make roles unless both exist. Error: *MigrateRightError.
func MayMigrate(ctx context.Context, ownerURL string) error {
	may, err := ofOwner(ctx, ownerURL, (*dbsqlc.Queries).LoginMigrates)
	if err != nil {
		return fmt.Errorf("look at the database login: %w", err)
	}
	login, database := pgx.Identifier{may.Login}.Sanitize(), pgx.Identifier{may.Database}.Sanitize()
	switch {
	case !may.Owns || !may.MakesSchemas:
		return &MigrateRightError{
			Login: may.Login, Lacks: "does not own the database", SQL: "ALTER DATABASE " + database + " OWNER TO " + login,
		}
	case !may.HasRoles && !may.MakesRoles:
		return &MigrateRightError{
			Login: may.Login, Lacks: "may not make the roles countersign_app and countersign_reader", SQL: "ALTER ROLE " + login + " CREATEROLE " +
				"(and NOCREATEROLE after the first migration)",
		}
	case !may.MakesTables:
		return &MigrateRightError{
			Login: may.Login, Lacks: "may not make tables in the schema public", SQL: "GRANT CREATE ON SCHEMA public TO " + login,
		}
	}
	return nil
}
