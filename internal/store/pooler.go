package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// ErrPoolerLogin reports that the login lacks the settings that the service otherwise sets on its own connections.
var ErrPoolerLogin = errors.New("through a pooler the settings of a connection come from its login: as the owner of the role, run " +
	"ALTER ROLE login SET role = '" + appRole + "' and ALTER ROLE login SET countersign.realm = '" + gatewayStep +
	"', then RECONNECT at the pooler (docs/operations.md, Behind pgbouncer)")

// throughPooler lets connections work where each transaction may get another connection of the server: no prepared statement outlives its
// transaction, nothing is set for a connection, and no parameter is sent at the start that a pooler refuses.
func throughPooler(cc *pgx.ConnConfig) {
	cc.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	cc.StatementCacheCapacity = 0
	cc.RuntimeParams = map[string]string{"application_name": cc.RuntimeParams["application_name"], "timezone": "UTC"}
}

// localSettings returns the statements that begin a transaction through a pooler, with the settings of a direct
// connection of the same use.
func localSettings(use Use) string {
	return "; set local role " + appRole +
		"; set local lock_timeout = '" + lockTimeout(use) + "'; set local statement_timeout = '" + statementTimeout + "'; set local jit = off" +
		"; set local idle_in_transaction_session_timeout = '" + idleTimeout(use) + "'" + planning(use)
}

// checkPooler checks that the login sets its role and the realm of statements outside a transaction.
func (d *Database) checkPooler(ctx context.Context) error {
	standing, err := d.Outside().SessionStanding(ctx)
	if err != nil {
		return fmt.Errorf("look at the settings of the login: %w", err)
	}
	if standing.Role != appRole || standing.Realm != gatewayStep {
		return ErrPoolerLogin
	}
	return nil
}
