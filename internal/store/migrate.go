package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"countersign/migrations"
)

// Migrate brings the schema up to date as the owner. It is safe to run from several processes at once; they take turns.
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
	return narrow(ctx, pool)
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
