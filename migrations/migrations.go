// Package migrations embeds the goose migrations of the schema. internal/store runs them, and sqlc reads the same files.
package migrations

import "embed"

// FS holds the migration files in the order of their numbers.
//
//go:embed *.sql
var FS embed.FS
