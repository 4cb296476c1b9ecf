-- Rows that are sealed after they were stored, by the operator as the schema's owner. Each statement finds a row only as long as it has no
-- seal and is older than a time.

-- name: LateDocumentGet :one
SELECT * FROM document WHERE realm = @realm AND document_id = @document_id AND mac IS NULL AND created_at < @before FOR UPDATE;

-- name: LateDocumentSeal :exec
UPDATE document SET key_id = @key_id, mac = @mac WHERE realm = @realm AND document_id = @document_id;

-- name: LateDecisionGet :one
-- A decision about a message that still waits is left out: it would count again, and nobody can prove who gave it.
SELECT d.* FROM decision d JOIN message m ON m.realm = d.realm AND m.message_id = d.message_id
WHERE d.realm = @realm AND d.message_id = @message_id AND d.version = @version AND d.ordinal = @ordinal AND d.seal IS NULL
  AND d.decided_at < @before AND m.state <> 'Approval Pending' FOR UPDATE OF d;

-- name: LateDecisionSeal :exec
UPDATE decision SET key_id = @key_id, seal = @seal
WHERE realm = @realm AND message_id = @message_id AND version = @version AND ordinal = @ordinal;

-- name: LateDeliveryGet :one
SELECT * FROM outbox
WHERE scheme = @scheme AND reference = @reference AND delivery_mac IS NULL AND delivered_at < @before::timestamptz AND mac IS NOT NULL FOR UPDATE;

-- name: LateDeliverySeal :exec
UPDATE outbox SET delivery_key_id = @key_id, delivery_mac = @mac WHERE scheme = @scheme AND reference = @reference;

-- name: LateRequestKeyGet :one
SELECT * FROM creation_key
WHERE realm = @realm AND client_id = @client_id AND scope = @scope AND key = @key AND seal IS NULL AND created_at < @before FOR UPDATE;

-- name: LateRequestKeySeal :exec
UPDATE creation_key SET key_id = @key_id, seal = @seal WHERE realm = @realm AND client_id = @client_id AND scope = @scope AND key = @key;

-- name: LateReleaseGet :one
-- A release has its seal; what is noted is that its document would be written otherwise today.
SELECT message_id FROM release WHERE realm = @realm AND message_id = @message_id AND accepted_at < @before FOR UPDATE;

-- name: LateSealInsert :exec
INSERT INTO late_seal (realm, relation, key, run_id, sealed_by, reason, before, at, key_id, seal)
VALUES (@realm, @relation, @key, @run_id, @sealed_by, @reason, @before, @at, @key_id, @seal);

-- name: LateSealList :many
SELECT * FROM late_seal ORDER BY at, run_id, realm, relation, key;

-- name: LateSealToldList :many
-- What the audit trails say of rows that were sealed afterwards.
SELECT a.realm, a.event_id, coalesce(a.detail::jsonb ->> 'run', '')::text AS run, coalesce((a.detail::jsonb ->> 'rows')::integer, 0)::integer AS rows
FROM audit_event a WHERE a.event = 'realm.sealed-afterwards' AND a.outcome = 'done';
