package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"countersign/internal/store/internal/dbsqlc"
)

// EnsureServiceLogin makes, as the owner, a login for the service on a server without passwords: a member of the application's role only,
// so that RESET ROLE gains nothing. An existing login is changed to match. The schema, which makes the application's role, must exist.
func EnsureServiceLogin(ctx context.Context, ownerURL, name string) error {
	conn, err := pgx.Connect(ctx, ownerURL)
	if err != nil {
		return fmt.Errorf("open the database as owner: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	login := pgx.Identifier{name}.Sanitize()
	_, err = conn.Exec(ctx, "CREATE ROLE "+login)
	var refused *pgconn.PgError
	if err != nil && (!errors.As(err, &refused) || refused.Code != pgerrcode.DuplicateObject) {
		return fmt.Errorf("make the login %s: %w", name, err)
	}
	_, err = conn.Exec(ctx, "ALTER ROLE "+login+" LOGIN INHERIT NOSUPERUSER NOCREATEROLE NOCREATEDB NOBYPASSRLS NOREPLICATION")
	if err == nil {
		_, err = conn.Exec(ctx, "GRANT "+appRole+" TO "+login)
	}
	if err != nil {
		return fmt.Errorf("make the login %s: %w", name, err)
	}
	return nil
}

// HoldsMessages reports, as the owner, whether any message exists. A lost release key could no longer verify it.
func HoldsMessages(ctx context.Context, ownerURL string) (bool, error) {
	return holds(ctx, ownerURL, (*dbsqlc.Queries).MessagePresent)
}

// HoldsAccounts reports, as the owner, whether any user account exists. A lost token key could no longer verify it.
func HoldsAccounts(ctx context.Context, ownerURL string) (bool, error) {
	return holds(ctx, ownerURL, (*dbsqlc.Queries).AccountPresent)
}

// HoldsCheckpoints reports, as the owner, whether a checkpoint of the audit log exists. A lost audit key could no
// longer verify it.
func HoldsCheckpoints(ctx context.Context, ownerURL string) (bool, error) {
	return holds(ctx, ownerURL, (*dbsqlc.Queries).CheckpointPresent)
}

func holds(ctx context.Context, ownerURL string, present func(*dbsqlc.Queries, context.Context) (bool, error)) (bool, error) {
	conn, err := pgx.Connect(ctx, ownerURL)
	if err != nil {
		return false, fmt.Errorf("open the database as owner: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	held, err := present(dbsqlc.New(conn), ctx)
	return held, wrapped(err, "look at what the database holds")
}
