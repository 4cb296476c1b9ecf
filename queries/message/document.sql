-- name: DocumentInsert :many
-- Documents. An outbound one of a reference that exists already is left as it is, and not returned.
INSERT INTO document (realm, document_id, message_id, scheme, direction, name, reference, content, content_hash, created_at, key_id, mac)
SELECT @realm::text, document_id, message_id, scheme, direction, name, reference, content, content_hash, created_at, key_id, mac
FROM (SELECT unnest(@document_ids::uuid[]) AS document_id, unnest(@message_ids::uuid[]) AS message_id, unnest(@schemes::text[]) AS scheme,
  unnest(@directions::text[]) AS direction, unnest(@names::text[]) AS name, unnest(@refs::text[]) AS reference,
  unnest(@contents::bytea[]) AS content, unnest(@content_hashes::bytea[]) AS content_hash, unnest(@created_ats::timestamptz[]) AS created_at,
  unnest(@key_ids::text[]) AS key_id, unnest(@macs::bytea[]) AS mac) AS item
ON CONFLICT (realm, reference) WHERE direction = 'out' DO NOTHING
RETURNING document_id;

-- name: DocumentGetOutbound :one
SELECT * FROM document WHERE realm = @realm AND reference = @reference AND direction = 'out';

-- name: DocumentGet :one
-- delivered: clearing has it, which a report to our client (pain.002) never is.
SELECT sqlc.embed(d),
       (d.name <> 'pain.002.001.10' AND CASE WHEN o.reference IS NULL THEN m.delivered_at IS NOT NULL ELSE o.delivered_at IS NOT NULL END)::boolean AS delivered,
       o.delivered_at AS marked_at, o.delivery_key_id AS mark_key_id, o.delivery_mac AS mark_mac
FROM document d
LEFT JOIN message m ON m.realm = d.realm AND m.message_id = d.message_id
LEFT JOIN outbox o ON d.direction = 'out' AND o.scheme = d.scheme AND o.reference = d.reference
WHERE d.realm = @realm AND d.document_id = @document_id;

-- name: DocumentList :many
-- Newest first, or oldest first, from a key on, narrowed by the document and by the message it belongs to. Of one message, when it is given,
-- also the draft that its checkers approve and, of a recall of ours, what came in as its answer.
SELECT d.document_id, d.message_id, d.scheme, d.direction, d.name, d.reference, length(d.content)::integer AS size, d.created_at,
       d.content_hash, d.key_id, d.mac, d.source_type, sha256(coalesce(d.source, ''))::bytea AS source_hash,
       (d.name <> 'pain.002.001.10' AND CASE WHEN o.reference IS NULL THEN m.delivered_at IS NOT NULL ELSE o.delivered_at IS NOT NULL END)::boolean AS delivered,
       o.delivered_at AS marked_at, o.delivery_key_id AS mark_key_id, o.delivery_mac AS mark_mac
FROM document d
LEFT JOIN message m ON m.realm = d.realm AND m.message_id = d.message_id
LEFT JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = m.version
LEFT JOIN outbox o ON d.direction = 'out' AND o.scheme = d.scheme AND o.reference = d.reference
WHERE d.realm = @realm AND (d.direction <> 'draft' OR sqlc.narg(message_id)::uuid IS NOT NULL)
  AND (sqlc.narg(message_id)::uuid IS NULL OR d.message_id = sqlc.narg(message_id)::uuid
       OR d.message_id = (SELECT a.message_id FROM message a
                          WHERE a.realm = @realm AND a.answers_id = sqlc.narg(message_id)::uuid AND a.direction = 'in'
                            AND a.state NOT IN ('Rejected', 'Withdrawn', 'Expired', 'Failed')))
  AND (sqlc.narg(from_key)::uuid IS NULL
       OR CASE WHEN @oldest_first::boolean THEN d.document_id > sqlc.narg(from_key)::uuid ELSE d.document_id < sqlc.narg(from_key)::uuid END)
  AND (sqlc.narg(changed_since)::timestamptz IS NULL OR d.created_at >= sqlc.narg(changed_since)::timestamptz
       OR m.state_since >= sqlc.narg(changed_since)::timestamptz)
  AND (sqlc.narg(name)::text IS NULL OR d.name = sqlc.narg(name)::text)
  AND (sqlc.narg(direction)::text IS NULL OR d.direction = sqlc.narg(direction)::text)
  AND (sqlc.narg(scheme)::text IS NULL OR d.scheme = sqlc.narg(scheme)::text)
  AND (sqlc.narg(created_from)::timestamptz IS NULL OR d.created_at >= sqlc.narg(created_from)::timestamptz)
  AND (sqlc.narg(created_to)::timestamptz IS NULL OR d.created_at <= sqlc.narg(created_to)::timestamptz)
  AND (sqlc.narg(global_id)::text IS NULL OR m.global_id = sqlc.narg(global_id)::text)
  AND (sqlc.narg(external_id)::text IS NULL OR m.external_id = sqlc.narg(external_id)::text AND m.message_id = ANY (array(
       SELECT x.message_id FROM client c JOIN creation_key x ON x.realm = c.realm AND x.client_id = c.client_id AND x.scope = 'external-id'
         AND x.key = sqlc.narg(external_id)::text
       WHERE c.realm = @realm)))
  AND (sqlc.narg(instruction_id)::text IS NULL OR v.instruction_id = sqlc.narg(instruction_id)::text)
  AND (sqlc.narg(end_to_end_id)::text IS NULL OR v.end_to_end_id = sqlc.narg(end_to_end_id)::text)
  AND (sqlc.narg(debtor_account)::text IS NULL OR v.debtor_account = sqlc.narg(debtor_account)::text)
  AND (sqlc.narg(debtor_agent)::text IS NULL OR v.debtor_agent = sqlc.narg(debtor_agent)::text)
  AND (sqlc.narg(debtor_name)::text IS NULL OR position(lower(sqlc.narg(debtor_name)::text) IN lower(v.debtor_name)) > 0)
  AND (sqlc.narg(creditor_account)::text IS NULL OR v.creditor_account = sqlc.narg(creditor_account)::text)
  AND (sqlc.narg(creditor_agent)::text IS NULL OR v.creditor_agent = sqlc.narg(creditor_agent)::text)
  AND (sqlc.narg(creditor_name)::text IS NULL OR position(lower(sqlc.narg(creditor_name)::text) IN lower(v.creditor_name)) > 0)
ORDER BY CASE WHEN @oldest_first::boolean THEN d.document_id END, d.document_id DESC LIMIT @page_size::integer;

-- name: InboxGet :one
SELECT content_hash, content, realm, document_id, received_at FROM inbox WHERE scheme = @scheme AND reference = @reference;

-- name: InboxInsert :execrows
INSERT INTO inbox (scheme, reference, name, content_hash, outcome, reason, realm, document_id, content, waits_for, wait_until, received_at,
  key_id, seal)
VALUES (@scheme, @reference, @name, @content_hash, @outcome, @reason, sqlc.narg(realm), sqlc.narg(document_id), sqlc.narg(content),
  sqlc.narg(waits_for), sqlc.narg(wait_until), @received_at, sqlc.narg(key_id), sqlc.narg(seal))
ON CONFLICT DO NOTHING;

-- name: InboxListWaiting :many
-- Documents that wait for the given payment.
SELECT * FROM inbox
WHERE scheme = @scheme AND waits_for = @waits_for::text AND outcome = 'waiting' ORDER BY received_at;

-- name: InboxListOverdue :many
-- Documents that waited in vain, without those held.
SELECT * FROM inbox
WHERE outcome = 'waiting' AND wait_until <= @due::timestamptz AND scheme || ' ' || reference <> ALL (@held::text[]) ORDER BY wait_until LIMIT @page_size;

-- name: InboxSettleIf :one
-- A waiting document that found what it belongs to, or gave up. A realm cannot see it before.
SELECT inbox_settle(@scheme::text, @reference::text, @outcome::text, @reason::text, sqlc.narg(realm)::text, sqlc.narg(document_id)::uuid)::bigint AS settled;

-- name: OutboxInsert :execrows
-- An answer with a content of its own, of the realm whose transaction this is (the column's default), or a document to be sent again.
INSERT INTO outbox (scheme, reference, name, content, document_realm, document_id, answers, created_at, key_id, mac)
VALUES (@scheme, @reference, @name, sqlc.narg(content), sqlc.narg(document_realm), sqlc.narg(document_id), sqlc.narg(answers), @created_at,
  @key_id::text, @mac::bytea)
ON CONFLICT DO NOTHING;

-- name: OutboxGet :one
SELECT * FROM outbox WHERE scheme = @scheme AND reference = @reference;

-- name: OutboxDelivered :exec
-- A mark that somebody else made, which does not count, is written over.
UPDATE outbox SET delivered_at = @at::timestamptz, delivery_key_id = @key_id::text, delivery_mac = @mac::bytea
WHERE scheme = @scheme AND reference = @reference;

-- name: OutboxRefuse :one
-- An answer that does not fit its seal: it is never delivered.
UPDATE outbox SET refused_at = @at::timestamptz
WHERE scheme = @scheme AND reference = @reference AND refused_at IS NULL AND delivered_at IS NULL
RETURNING coalesce(realm, '')::text AS realm;

-- name: OutboxListUndelivered :many
-- A scheme's answers to deliver: sealed with one of the given keys, or to refuse because they name none. The others wait for
-- their key, and those held were tried a moment ago.
SELECT reference FROM outbox
WHERE scheme = @scheme AND delivered_at IS NULL AND refused_at IS NULL AND created_at <= @created_before::timestamptz
  AND (key_id = '' OR key_id = ANY (@key_ids::text[])) AND reference <> ALL (@held::text[])
ORDER BY created_at LIMIT @page_size;

-- name: OutboxListHeld :many
-- The keys that undelivered answers wait for.
SELECT DISTINCT key_id::text AS key_id FROM outbox
WHERE delivered_at IS NULL AND refused_at IS NULL AND key_id <> '' AND key_id <> ALL (@key_ids::text[])
LIMIT 20;

-- name: IncomingAccountGet :one
SELECT * FROM incoming_account WHERE iban = @iban;

-- name: IncomingPaymentList :many
-- The payments with a transaction id: those of the given bank first, newest first.
SELECT realm, message_id, bank, use, received_at FROM incoming_payment WHERE scheme = @scheme AND transaction_id = @transaction_id
ORDER BY (bank = @bank) DESC, received_at DESC, use DESC LIMIT @page_size;

-- name: IncomingPaymentInsert :execrows
INSERT INTO incoming_payment (scheme, transaction_id, bank, use, received_at, realm, message_id)
VALUES (@scheme, @transaction_id, @bank, @use, @received_at, @realm, @message_id)
ON CONFLICT DO NOTHING;

-- name: InboxListQuarantined :many
SELECT * FROM inbox
WHERE outcome = 'quarantined' ORDER BY received_at DESC LIMIT @page_size;

-- name: InboxCountQuarantined :one
-- How many are in quarantine, so many at most.
SELECT count(*) FROM (SELECT FROM inbox WHERE outcome = 'quarantined' LIMIT @most::integer) q;

-- name: InboxGetQuarantined :one
SELECT * FROM inbox
WHERE scheme = @scheme AND reference = @reference AND outcome = 'quarantined';

-- name: RealmList :many
SELECT realm, mark, made_by FROM realm ORDER BY realm;

-- name: RealmMark :one
SELECT mark FROM realm WHERE realm = @realm;

-- name: RealmByMark :one
SELECT realm FROM realm WHERE mark = @mark;

-- name: DocumentContent :one
SELECT content FROM document WHERE realm = @realm AND document_id = @document_id;

-- name: DocumentGetByID :one
SELECT * FROM document WHERE realm = @realm AND document_id = @document_id AND direction = 'out';
