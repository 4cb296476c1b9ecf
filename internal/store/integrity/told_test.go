package integrity_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"countersign/internal/service/servicetest"
)

// TestAnEventPlantedBesideARunningGatewayIsFound: a superuser plants a copy of a row of every event of the trail while the gateway runs, and
// another in another minute. The seal of the row that was copied does not fit, so each is signed as unverified and named.
func TestAnEventPlantedBesideARunningGatewayIsFound(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	fill(t, h, 2)
	h.Notary.Sweep(ctx)
	conn := h.DB.Connect(t)
	_, err := conn.Exec(ctx, "SET session_replication_role = replica")
	must(t, err)
	rows, err := conn.Query(ctx, `INSERT INTO audit_event (realm, event_id, message_id, sequence, event, outcome, actor_user, actor_person,
		  actor_name, client_id, channel, request_id, source_address, content_hash, detail, at, key_id, seal)
		SELECT a.realm, coalesce(move_event(a.message_id, a.sequence + w.later), gen_random_uuid()), a.message_id, a.sequence + w.later, a.event, a.outcome, a.actor_user, a.actor_person, a.actor_name,
		  a.client_id, a.channel, a.request_id, a.source_address, a.content_hash, a.detail, a.at - (w.later - 100) * interval '1 second', a.key_id, a.seal
		FROM (SELECT DISTINCT ON (event) * FROM audit_event WHERE realm = 'demo' ORDER BY event, event_id) a
		CROSS JOIN (VALUES (100), (161)) AS w (later)
		RETURNING event || ' ' || event_id`)
	must(t, err)
	planted, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	h.Notary.Sweep(ctx)
	unsealed := 0
	must(t, conn.QueryRow(ctx, `SELECT count(*) FROM audit_event a
		WHERE NOT EXISTS (SELECT FROM audit_leaf l WHERE l.row_id = a.event_id)`).Scan(&unsealed))
	if unsealed > 0 {
		t.Fatalf("%d rows were not sealed", unsealed)
	}
	report, missed := audit(t, h, h.DB.OwnerURL), []string{}
	for _, one := range planted {
		place := strings.LastIndex(one, " ")
		event, id := one[:place], one[place+1:]
		if !anyNamed(report, []string{id}) && !slices.Contains(missed, event) {
			missed = append(missed, event)
		}
	}
	if len(planted) < 40 || len(missed) > 0 {
		t.Errorf("of %d planted rows those of %v were not named", len(planted), missed)
	}
}
