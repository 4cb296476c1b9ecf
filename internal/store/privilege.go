package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"countersign/internal/store/internal/dbsqlc"
)

// PrivilegeError reports a login that bypasses the rules of the schema. Its text gives the remedy.
type PrivilegeError struct {
	Login string
	// Role is the role that is too powerful: the login itself, or one it can become with SET ROLE.
	Role string
	// Danger is why, as it follows the role's name: "is a superuser".
	Danger string
}

func (e *PrivilegeError) Error() string {
	who := "the database login " + e.Login
	if e.Role != e.Login {
		who += " can become " + e.Role + ", which"
	}
	return who + " " + e.Danger + ": the service needs a login that is a member of " + appRole +
		" and of nothing else (see docs/operations.md)"
}

// dangers are the texts for the results of LoginDangerList.
var dangers = map[string]string{ //nolint:gosec // words about logins, no credentials
	"superuser":          "is a superuser, for whom no rule of the schema holds",
	"bypasses":           "has BYPASSRLS and sees every realm",
	"makes roles":        "has CREATEROLE and can give itself any role",
	"gives roles":        "has ADMIN OPTION on a role and can give it to others",
	"reads all":          "reads the rows of every realm",
	"owns":               "owns the database, the schema or a table of it and can change its rules",
	"reaches the server": "can reach the files or programs of the database server",
}

// checkWithin limits one check of the service's login.
const checkWithin = 5 * time.Second

// CheckLogin checks the service's login and the schema before the service starts: the login must be able to work as the application's role
// and as no role above the schema's rules, and the schema must be this program's. Errors: *PrivilegeError, ErrSchemaMissing,
// ErrSchemaOlder, ErrSchemaNewer, ErrUnavailable for a database that cannot be reached or does not answer.
func CheckLogin(ctx context.Context, url string) error {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return fmt.Errorf("read the database URL: %w", err)
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe // also through a pooler
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectWithin
	}
	ctx, cancel := context.WithTimeout(ctx, checkWithin)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		var refused *pgconn.PgError
		if !errors.As(err, &refused) || unreachable(refused) {
			err = fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		return fmt.Errorf("open the database (is it running, and is COUNTERSIGN_DATABASE_URL right?): %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var readOnly string
	err = conn.QueryRow(ctx, "SHOW transaction_read_only").Scan(&readOnly)
	if err == nil && readOnly == "on" {
		err = fmt.Errorf("%w: it takes no writes: it is a standby, or default_transaction_read_only is on", ErrUnavailable)
	}
	q := dbsqlc.New(conn)
	var found []dbsqlc.LoginDangerListRow
	if err == nil {
		found, err = q.LoginDangerList(ctx)
	}
	if err != nil {
		if unreachable(err) || errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		return fmt.Errorf("look at the database login: %w", err)
	}
	if len(found) > 0 {
		return &PrivilegeError{Login: found[0].Login, Role: found[0].Role, Danger: dangers[found[0].Danger]}
	}
	may, err := q.LoginMember(ctx, appRole)
	if err != nil {
		return fmt.Errorf("look at the database login: %w", err)
	}
	switch {
	case !may.Present:
		return ErrSchemaMissing
	case !may.Member:
		return fmt.Errorf("the database login %s may not work as %s: run GRANT %s TO %q as the owner",
			config.User, appRole, appRole, config.User)
	}
	// The versions are readable only by the service's role.
	_, err = conn.Exec(ctx, "SET ROLE "+appRole)
	if err != nil {
		return fmt.Errorf("work as %s: %w", appRole, err)
	}
	state, err := schemaState(ctx, q)
	if err != nil {
		return err
	}
	return state.Err()
}

// EnsureServiceLogin makes, as the owner, a login for the service on a server without passwords: a member of the application's role only,
// so that RESET ROLE gains nothing. An existing login is changed to match. The schema, which makes the application's role, must exist.
func EnsureServiceLogin(ctx context.Context, ownerURL, name string) error {
	conn, done, err := asOwner(ctx, ownerURL)
	if err != nil {
		return err
	}
	defer done()
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
	return ofOwner(ctx, ownerURL, (*dbsqlc.Queries).MessagePresent)
}

// HoldsAccounts reports, as the owner, whether any user account exists. A lost token key could no longer verify it.
func HoldsAccounts(ctx context.Context, ownerURL string) (bool, error) {
	return ofOwner(ctx, ownerURL, (*dbsqlc.Queries).AccountPresent)
}

// HoldsCheckpoints reports, as the owner, whether a checkpoint of the audit log exists. A lost audit key could no
// longer verify it.
func HoldsCheckpoints(ctx context.Context, ownerURL string) (bool, error) {
	return ofOwner(ctx, ownerURL, (*dbsqlc.Queries).CheckpointPresent)
}
