package servicetest

import (
	"context"
	"strings"
	"testing"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/service"
	"countersign/internal/store/storetest"
)

// versionColumns are the searched columns of a version.
var versionColumns = []string{
	"amount", "currency", "instruction_id", "end_to_end_id", "transaction_id", "uetr", "debtor_name", "ordered_debtor_name", "debtor_account",
	"debtor_agent", "creditor_name", "creditor_account", "creditor_agent", "remittance",
}

// Forge inserts a copy of a pending message, in its first version, with the document of that message but with other searched columns: the
// attack of somebody who can write as the application's role and wants a checker to approve unseen content. changed gives the columns in
// SQL.
func Forge(t testing.TB, db *storetest.DB, m payment.Message, changed map[string]string) uuid.UUID {
	t.Helper()
	said := make([]string, len(versionColumns))
	for i, column := range versionColumns {
		said[i] = column
		if value, other := changed[column]; other {
			said[i] = value
		}
	}
	id := service.NewID()
	_, err := db.ConnectAsApplication(t, m.Realm).Exec(context.Background(), `
WITH forged AS (
  INSERT INTO message (realm, message_id, global_id, kind, scheme, direction, channel, client_id, maker_user, maker_person, policy_id,
    approvals_required, expires_at, original_id, answers_id, answer_by, deadline, reason, created_at, version, approvals, state,
    state_sequence, state_since, execution_day)
  SELECT realm, $2, translate(global_id, '0123456789', '1234567890'), kind, scheme, direction, channel, client_id, maker_user, maker_person,
    policy_id, approvals_required, expires_at, original_id, answers_id, answer_by, deadline, reason, created_at, 1, 0,
    'Approval Pending', 1, created_at, execution_day FROM message WHERE message_id = $1
), doc AS (
  INSERT INTO document (key_id, mac, realm, document_id, message_id, scheme, direction, name, reference, content, content_hash, created_at)
  SELECT 'test', sha256(''), d.realm, $2, $2, d.scheme, d.direction, d.name, d.reference, d.content, d.content_hash, d.created_at
  FROM document d JOIN message_version v ON v.document_id = d.document_id WHERE v.message_id = $1 AND v.version = 1
), written AS (
  INSERT INTO message_version (realm, message_id, version, document_id, content_hash, maker_user, maker_person, makers, first_maker,
    approvals_required, created_at, key_id, seal, maker_role, maker_grant_id, maker_granted_at, clients,
    `+strings.Join(versionColumns, ", ")+`)
  SELECT realm, $2, 1, $2, content_hash, maker_user, maker_person, makers, first_maker, approvals_required, created_at, key_id, seal,
    maker_role, maker_grant_id, maker_granted_at, clients, `+
		strings.Join(said, ", ")+`
  FROM message_version WHERE message_id = $1 AND version = 1
)
INSERT INTO message_history (realm, message_id, sequence, kind, from_state, action, to_state, version, actor_user, actor_person,
  actor_name, client_id, channel, at)
SELECT realm, $2, 1, kind, from_state, action, to_state, 1, actor_user, actor_person, actor_name, client_id, channel, at
FROM message_history WHERE message_id = $1 AND sequence = 1`, m.InternalID, id)
	if err != nil {
		t.Fatalf("forge a message: %v", err)
	}
	return id
}
