package storetest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"countersign/internal/store"
	"countersign/migrations"
)

// At makes a database whose schema is that of an older version: the last migration it has. Upgrade brings it to the newest.
func At(t testing.TB, version int64) *DB {
	t.Helper()
	db := create(t, "template1")
	pool, err := pgxpool.New(context.Background(), db.OwnerURL)
	must(t, err)
	defer pool.Close()
	connection := stdlib.OpenDBFromPool(pool)
	defer func() { _ = connection.Close() }()
	provider, err := goose.NewProvider(goose.DialectPostgres, connection, migrations.FS)
	must(t, err)
	_, err = provider.UpTo(context.Background(), version)
	must(t, err)
	return db
}

// Upgrade brings the schema to the newest version, as countersign migrate does, and opens the database.
func (d *DB) Upgrade(t testing.TB) {
	t.Helper()
	must(t, store.Migrate(context.Background(), d.OwnerURL))
	d.Database = d.Open(t, d.Seal)
}
