package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"countersign/internal/store/internal/dbsqlc"
)

// MigrateRightError says which right a login lacks to migrate, and the SQL that gives it.
type MigrateRightError struct {
	Login, Lacks, SQL string
}

// Error is a sentence for the operator.
func (e *MigrateRightError) Error() string {
	return fmt.Sprintf("the database login %s %s: run as an administrator of the server: %s", e.Login, e.Lacks, e.SQL)
}

// MayMigrate checks, before anything is changed, whether a login can migrate: it must own the database, may make tables in the schema
// public, and may make roles unless both exist. Error: *MigrateRightError.
func MayMigrate(ctx context.Context, ownerURL string) error {
	conn, err := pgx.Connect(ctx, ownerURL)
	if err != nil {
		return fmt.Errorf("open the database as owner: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	may, err := dbsqlc.New(conn).LoginMigrates(ctx)
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
