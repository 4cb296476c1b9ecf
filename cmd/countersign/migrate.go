package main

import (
	"context"
	"log/slog"

	"countersign/internal/store"
)

type migrateCommand struct {
	DatabaseURL string `help:"PostgreSQL URL of the schema's owner." required:"" env:"COUNTERSIGN_DATABASE_OWNER_URL,COUNTERSIGN_DATABASE_URL"`
}

// Run migrates and ends.
func (c *migrateCommand) Run(ctx context.Context, log *slog.Logger) error {
	err := store.Migrate(ctx, c.DatabaseURL)
	if err == nil {
		log.Info("the schema is up to date")
	}
	return err
}
