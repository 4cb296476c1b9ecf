package integrity_test

import (
	"testing"

	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
)

const (
	// A row of the trail that tells of no move: nothing but the tree knows of it. One in four for each tampering. Those of the beginning,
	// which tell of rights, are left to the tamperings of leaves: a row whose leaf is gone too has no name.
	trailQuarters = `SELECT event_id, row_number() OVER (ORDER BY md5(event_id || ':m')) % 4 AS quarter FROM audit_event WHERE
		realm = 'demo' AND sequence IS NULL AND event <> 'user.rights'`
	trailEdited  = `SELECT event_id::text FROM (` + trailQuarters + `) q WHERE quarter = 0 ORDER BY event_id LIMIT 1`
	trailDeleted = `SELECT event_id::text FROM (` + trailQuarters + `) q WHERE quarter = 1 ORDER BY event_id LIMIT 1`
	trailTaken   = `SELECT event_id::text FROM (` + trailQuarters + `) q WHERE quarter = 2 ORDER BY event_id LIMIT 1`
	trailCopied  = `SELECT event_id::text FROM (` + trailQuarters + `) q WHERE quarter = 3 ORDER BY event_id LIMIT 1`

	leafTenths = `SELECT leaf_index, row_number() OVER (ORDER BY md5(leaf_index || ':m')) % 10 AS tenth FROM audit_leaf WHERE
		realm = 'demo' AND kind = 'document'` // the rows above must keep their leaves, or nothing but the gap tells of them
	aLeaf      = `SELECT leaf_index::text FROM (` + leafTenths + `) l WHERE tenth = `
	first      = ` ORDER BY leaf_index LIMIT 1`
	theFirstOf = `SELECT event_id::text FROM audit_event WHERE message_id = ':m' AND sequence = `
	aCount     = `SELECT concat_ws(' ', event, minute) FROM refusal_count ORDER BY 1 LIMIT 1`
	aNote      = `SELECT min(size)::text FROM audit_checkpoint WHERE realm = 'demo'`
	lastNote   = `SELECT max(size)::text FROM audit_checkpoint WHERE realm = 'demo'`
)

// ofAgreeing are the tamperings that strike a message and agree in every table.
var ofAgreeing = []tampering{
	{"words changed in history and trail alike", "settled", "I30", "audit_event", theFirstOf + `2`, `
		UPDATE message_history SET reason = 'Seen.' WHERE message_id = ':m' AND sequence = 2;
		UPDATE decision SET remark = 'Seen.' WHERE message_id = ':m';
		UPDATE audit_event SET detail = (detail::jsonb || '{"reason":"Seen."}')::text WHERE message_id = ':m' AND sequence = 2`},
	{"another one settled it, in history and trail alike", "settled", "I30", "audit_event", theFirstOf + `3`, `
		UPDATE message_history SET actor_name = 'Somebody' WHERE message_id = ':m' AND sequence = 3;
		UPDATE audit_event SET actor_name = 'Somebody' WHERE message_id = ':m' AND sequence = 3`},
	{"address of a decision changed", "settled", "I30", "audit_event", theFirstOf + `2`, `UPDATE audit_event SET source_address
		= '192.0.2.7' WHERE message_id = ':m' AND sequence = 2`},
	{"request id of a step changed", "settled", "I30", "audit_event", theFirstOf + `1`, `UPDATE audit_event SET request_id =
		'another' WHERE message_id = ':m' AND sequence = 1`},
	{"a rejected message deleted whole, its trail too", "rejected", "I30", "audit_event", theFirstOf + `1`, `
		DELETE FROM message WHERE message_id = ':m';
		DELETE FROM message_version WHERE message_id = ':m';
		DELETE FROM document WHERE message_id = ':m';
		DELETE FROM decision WHERE message_id = ':m'; DELETE FROM message_history WHERE message_id = ':m';
		DELETE FROM audit_event WHERE message_id = ':m'; DELETE FROM creation_key WHERE message_id = ':m'`},
}

// ofTrail are the tamperings of rows that tell of no move, and of the tree itself.
var ofTrail = []tampering{
	{"a row of the trail edited", "", "I30", "audit_event", trailEdited, `UPDATE audit_event SET detail = '{}' WHERE
		event_id::text = (` + trailEdited + `)`},
	{"a row of the trail deleted", "", "I30", "audit_event", trailDeleted, `DELETE FROM audit_event WHERE event_id::text =
		(` + trailDeleted + `)`},
	{"a row of the trail sealed away, its leaf deleted", "", "I30", "audit_event", trailTaken, `DELETE FROM audit_leaf WHERE
		row_id::text = (` + trailTaken + `)`},
	{"a row of the trail planted", "", "I30", "audit_event", thePlanted, `INSERT INTO audit_event (realm, event_id, event,
		actor_name, channel, detail, at, key_id, seal)
		SELECT realm, md5(':m')::uuid, event, actor_name, channel, detail, at, key_id, seal FROM audit_event WHERE event_id::text = (` +
		trailCopied + `)`},
	{"a count of refusals raised", "", "I34", "refusal_count", aCount, `UPDATE refusal_count SET refused = refused + 1
		WHERE concat_ws(' ', event, minute) = (` + aCount + `)`},
	{"note of a broken glass copied", "", "I34", "break_glass", thePlanted, `INSERT INTO break_glass (realm, break_glass_id, user_id,
		reason, at) SELECT realm, md5(':m')::uuid, user_id, reason, at FROM break_glass LIMIT 1`},
	{"a row of the trail planted for the future", "", "I21", "audit_event", thePlanted, `INSERT INTO audit_event (realm,
		event_id, event, actor_name, channel, detail, at, written_in, key_id, seal)
		SELECT realm, md5(':m')::uuid, event, actor_name, channel, detail, at + interval '100 years',
		'9999999999', key_id, seal FROM audit_event WHERE event_id::text = (` + trailCopied + `)`},
	{"hash of a leaf changed", "", "I30", "audit_leaf", aLeaf + `0` + first, `UPDATE audit_leaf SET hash = sha256('x') WHERE
		realm = 'demo' AND leaf_index::text = (` + aLeaf + `0` + first + `)`},
	{"leaf deleted", "", "I30", "audit_leaf", aLeaf + `1` + first, `DELETE FROM audit_leaf WHERE realm = 'demo' AND
		leaf_index::text = (` + aLeaf + `1` + first + `)`},
	{"leaf moved to another row", "", "I30", "audit_leaf", aLeaf + `2` + first, `UPDATE audit_leaf SET row_id = md5(':m')::uuid
		WHERE realm = 'demo' AND leaf_index::text = (` + aLeaf + `2` + first + `)`},
	{"seal of a leaf changed", "", "I30", "audit_leaf", aLeaf + `3` + first, `UPDATE audit_leaf SET seal = sha256('x') WHERE
		realm = 'demo' AND leaf_index::text = (` + aLeaf + `3` + first + `)`},
	{"two leaves changed places", "", "I30", "audit_leaf", aLeaf + `4` + first, `
		UPDATE audit_leaf l SET row_id = o.row_id, kind = o.kind, hash = o.hash, seal = o.seal FROM (
		  SELECT a.leaf_index AS place, b.row_id, b.kind, b.hash, b.seal FROM audit_leaf a JOIN audit_leaf b ON b.realm = a.realm
		  WHERE a.realm = 'demo' AND (a.leaf_index::text, b.leaf_index::text) IN (((` + aLeaf + `4` + first + `), (` + aLeaf +
		`5` + first + `)), ((` + aLeaf + `5` + first + `), (` + aLeaf + `4` + first + `)))) o
		WHERE l.realm = 'demo' AND l.leaf_index = o.place`},
	{"leaf added", "", "I30", "audit_leaf", `SELECT (max(leaf_index) + 1)::text FROM audit_leaf WHERE realm = 'demo'`, `
		INSERT INTO audit_leaf SELECT realm, leaf_index + 1, kind, md5(':m')::uuid, hash, key_id,
		seal FROM audit_leaf WHERE realm = 'demo' ORDER BY leaf_index DESC LIMIT 1`},
	{"checkpoint changed", "", "I30", "audit_checkpoint", aNote, `UPDATE audit_checkpoint SET note = replace(note,
		'countersign/demo', 'countersign/demo2') WHERE realm = 'demo' AND size::text = (` + aNote + `)`},
	{"newest checkpoint deleted", "", "I30", "audit_tree", `SELECT 'demo'`, `DELETE FROM audit_checkpoint WHERE realm = 'demo'
		AND size::text = (` + lastNote + `)`},
	{"node changed", "", "I30", "audit_node", `SELECT level || ' ' || node_index FROM audit_node WHERE realm = 'demo' ORDER BY
		md5(node_index || ':m') LIMIT 1`, `
		UPDATE audit_node SET hash = sha256('x') WHERE realm = 'demo' AND level || ' ' || node_index = (
		SELECT level || ' ' || node_index FROM audit_node WHERE realm = 'demo' ORDER BY md5(node_index || ':m') LIMIT 1)`},
}

// A row that no query can read does not blind the auditor: the others are looked at, and the tree names it.
func TestARowThatCannotBeReadIsNamed(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	h.Notary.Sweep(ctx)
	d := newDrill(t, h, 901)
	var event string
	must(t, d.conn.QueryRow(ctx,
		"UPDATE audit_event SET detail = 'no json' WHERE message_id = $1 RETURNING event_id::text", m.InternalID).Scan(&event))
	report := audit(t, h, d.url)
	if !named(report, tampering{id: "I30", table: "audit_event", names: event}) {
		t.Error("the tree does not name the row")
	}
	if !named(report, tampering{id: "I11", table: "database", names: "-"}) {
		t.Error("an invariant that could not be looked at is said to hold")
	}
}
