package main

import (
	"context"
	"fmt"
	"log/slog"

	"countersign/internal/store"
)

// loginSQL makes the two logins of an installation. The owner needs CREATEROLE for the first migration alone, which makes the two roles
// that the service and readers work as.
const loginSQL = `-- Run as an administrator of the database server; choose names and passwords of your own.
CREATE ROLE countersign_owner LOGIN PASSWORD '…' CREATEROLE;
-- It migrates; after the first migration: ALTER ROLE countersign_owner NOCREATEROLE
CREATE DATABASE countersign OWNER countersign_owner;
-- After the first migration, as countersign_owner or an administrator:
CREATE ROLE countersign_service LOGIN PASSWORD '…' NOSUPERUSER NOCREATEROLE NOCREATEDB NOBYPASSRLS;
GRANT countersign_app TO countersign_service;                  -- and to nothing else: serve refuses a login that can do more
`

type migrateCommand struct {
	PrintLogins bool   `help:"Print the SQL that creates the database and the two logins, and exit."`
	DatabaseURL string `help:"PostgreSQL URL of the schema's owner." env:"COUNTERSIGN_DATABASE_OWNER_URL,COUNTERSIGN_DATABASE_URL"`
}

// Run migrates and ends.
func (c *migrateCommand) Run(ctx context.Context, log *slog.Logger) error {
	if c.PrintLogins {
		fmt.Fprint(stdout, loginSQL)
		return nil
	}
	if c.DatabaseURL == "" {
		return &unusableError{"missing flags: --database-url=STRING (COUNTERSIGN_DATABASE_OWNER_URL): the login of the schema's owner, " +
			"which may make roles at the first migration (countersign migrate --print-logins prints the SQL for the logins)"}
	}
	err := store.MayMigrate(ctx, c.DatabaseURL)
	if err != nil {
		return err
	}
	err = store.Migrate(ctx, c.DatabaseURL)
	if err == nil {
		log.Info("the schema is up to date")
	}
	return err
}
