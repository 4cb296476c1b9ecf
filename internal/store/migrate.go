package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"countersign/migrations"
)

// riverSchema keeps the job tables apart from the record of payments.
const riverSchema = "river"

// Migrate brings the schema up to date as the owner: the tables of this project and those of the job queue. It is safe to run from
// several processes at once; they take turns.
func Migrate(ctx context.Context, ownerURL string) error {
	pool, err := pgxpool.New(ctx, ownerURL)
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
	_, err = provider.Up(ctx)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	err = narrow(ctx, pool)
	if err != nil {
		return err
	}
	return migrateJobs(ctx, pool)
}

// narrow takes from everybody but the owner what nobody needs to work on the rows: making tables, which could stand in the way of ours
// under their names, whether for good or for a session. It is asked at each migration, because a database that was copied or restored has
// the server's defaults again.
func narrow(ctx context.Context, pool *pgxpool.Pool) error {
	_, err := pool.Exec(
		ctx,
		`DO $$ BEGIN EXECUTE format('REVOKE CREATE, TEMPORARY ON DATABASE %I FROM PUBLIC, countersign_app, countersign_reader',
  current_database()); END $$; REVOKE CREATE ON SCHEMA public FROM PUBLIC, countersign_app, countersign_reader`,
	)
	if err != nil {
		return fmt.Errorf("take away the making of tables: %w", err)
	}
	return nil
}

// migrateJobs takes a lock of its own while it works: the job queue migrates in several transactions.
func migrateJobs(ctx context.Context, pool *pgxpool.Pool) (err error) {
	const jobsLock = 7236513
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("open the database as owner: %w", err)
	}
	defer conn.Release()
	_, err = conn.Exec(ctx, "SELECT pg_advisory_lock($1)", jobsLock)
	if err != nil {
		return fmt.Errorf("lock the job tables: %w", err)
	}
	defer func() {
		_, unlockErr := conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", jobsLock)
		err = errors.Join(err, unlockErr)
	}()
	_, err = conn.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+riverSchema)
	if err != nil {
		return fmt.Errorf("make the job schema: %w", err)
	}
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Schema: riverSchema, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return fmt.Errorf("prepare the job tables: %w", err)
	}
	_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	if err != nil {
		return fmt.Errorf("migrate the job tables: %w", err)
	}
	_, err = conn.Exec(ctx, "GRANT USAGE ON SCHEMA "+riverSchema+" TO "+appRole+
		"; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "+riverSchema+" TO "+appRole+
		"; GRANT USAGE ON ALL SEQUENCES IN SCHEMA "+riverSchema+" TO "+appRole)
	if err != nil {
		return fmt.Errorf("grant the job tables: %w", err)
	}
	return nil
}
