-- What leaves the database with a month: the archive of it, and the rows that are removed afterwards.

-- name: WaitingPaymentList :many
-- The payments that no archive has yet, although they may have ended: while an answer to clearing is not delivered, while core banking was
-- not told of its end, while a later payment of another bank has its transaction id and did not end, or while a webhook has passed no event
-- after one of it.
SELECT DISTINCT coalesce(m.original_id, m.message_id)::uuid AS payment
FROM (SELECT d.message_id FROM outbox o JOIN document d ON d.realm = @realm::text AND d.direction = 'out' AND d.scheme = o.scheme AND d.reference = o.reference
      WHERE o.delivered_at IS NULL AND o.refused_at IS NULL
      UNION SELECT d.message_id FROM outbox o JOIN document d ON d.realm = o.document_realm AND d.document_id = o.document_id
      WHERE o.document_realm = @realm AND o.delivered_at IS NULL AND o.refused_at IS NULL
      UNION SELECT e.message_id FROM webhook_progress g JOIN audit_event e ON e.realm = g.realm AND e.event_id = g.cursor WHERE g.realm = @realm
      UNION SELECT c.message_id FROM core_booking c WHERE c.realm = @realm AND c.told IS NULL
      UNION SELECT p.message_id FROM incoming_payment later
        JOIN incoming_payment p ON p.scheme = later.scheme AND p.transaction_id = later.transaction_id AND p.bank = later.bank AND p.use < later.use
        WHERE later.use > 0 AND p.realm = @realm AND (later.realm <> p.realm OR EXISTS (
          SELECT FROM message f WHERE f.realm = @realm AND (f.message_id = later.message_id OR f.original_id = later.message_id)
            AND NOT (f.state_since < @before::timestamptz AND (f.state = ANY (@final::text[]) OR f.state = 'Accepted' AND f.kind = 'recall'))))) w
JOIN message m ON m.realm = @realm AND m.message_id = w.message_id;

-- name: EndedMessageList :many
-- The messages of some payments after one that ended before a time, each with its payment and whether all messages about it ended by then,
-- in the order of both.
SELECT p.message_id AS payment, m.message_id,
  bool_and(m.state_since < @before::timestamptz AND (m.state = ANY (@final::text[]) OR m.state = 'Accepted' AND m.kind = 'recall'))
    OVER (PARTITION BY p.message_id)::boolean AS ended
FROM (SELECT x.message_id FROM message x
      WHERE x.realm = @realm::text AND x.message_id > @after::uuid AND x.original_id IS NULL AND x.state_since < @before AND x.state = ANY (@final)
      ORDER BY x.message_id LIMIT @payments::integer) p
CROSS JOIN LATERAL (
  SELECT f.message_id, f.kind, f.state, f.state_since FROM message f WHERE f.realm = @realm AND f.message_id = p.message_id
  UNION ALL SELECT f.message_id, f.kind, f.state, f.state_since FROM message f WHERE f.realm = @realm AND f.original_id = p.message_id) m
ORDER BY p.message_id, m.message_id;

-- name: ApprovedChangeList :many
-- The approved changes of a kind with their decisions, the newest first.
SELECT sqlc.embed(c), sqlc.embed(d) FROM realm_change c
JOIN realm_change_decision d ON d.realm = c.realm AND d.change_id = c.change_id AND d.action = 'approve'
WHERE c.realm = @realm AND c.kind = @kind ORDER BY d.ordinal DESC;

-- name: FamilyLock :many
-- The messages of payments, locked: nothing refers to them anew.
SELECT m.message_id, coalesce(m.original_id, m.message_id)::uuid AS payment FROM message m
WHERE m.realm = @realm AND (m.message_id = ANY (@payments::uuid[]) OR m.original_id = ANY (@payments::uuid[]))
ORDER BY m.message_id FOR UPDATE;

-- name: LeafListOfMessages :many
-- The leaves of messages: of their moves, their refusals and their documents. A row that no leaf has yet has the index -1.
SELECT w.message_id::uuid AS message_id, w.row_id::uuid AS row_id, w.refusal::boolean AS refusal, coalesce(l.kind, w.kind)::text AS kind,
  coalesce(l.leaf_index, -1)::bigint AS leaf_index, l.hash
FROM unnest(@messages::uuid[]) AS i (id)
CROSS JOIN LATERAL (
  SELECT e.message_id, e.event_id AS row_id, e.sequence IS NULL AS refusal, 'event' AS kind FROM audit_event e
  WHERE e.realm = @realm::text AND e.message_id = i.id
  UNION ALL SELECT d.message_id, d.document_id, false, 'document' FROM document d WHERE d.realm = @realm AND d.message_id = i.id
  OFFSET 0) w
LEFT JOIN LATERAL (SELECT * FROM audit_leaf x WHERE x.realm = @realm AND x.row_id = w.row_id OFFSET 0) l ON true
ORDER BY w.message_id, l.leaf_index;

-- name: LeafArchive :execrows
UPDATE audit_leaf l SET kind = n.kind, key_id = @key_id::text, seal = n.seal
FROM (SELECT unnest(@indexes::bigint[]) AS leaf_index, unnest(@kinds::text[]) AS kind, unnest(@seals::bytea[]) AS seal) n
WHERE l.realm = @realm::text AND l.leaf_index = n.leaf_index;

-- name: MessageRemove :one
-- Removes messages with all rows of theirs, but for refusals in the trail and the use of limits. One statement, because the rows refer to
-- each other. Returns the number of rows.
WITH told AS (
  SELECT d.document_id, d.scheme, d.direction, d.reference FROM document d WHERE d.realm = @realm::text AND d.message_id = ANY (@messages::uuid[])
), arrived AS (
  SELECT i.scheme, i.reference FROM told t JOIN inbox i ON i.scheme = t.scheme AND i.reference = t.reference
  WHERE t.direction = 'in' AND i.realm = @realm AND i.document_id = t.document_id
), answered AS (
  SELECT o.scheme, o.reference FROM told t JOIN outbox o ON o.scheme = t.scheme AND o.reference = t.reference WHERE t.direction = 'out'
  UNION SELECT o.scheme, o.reference FROM told t JOIN outbox o ON o.document_realm = @realm AND o.document_id = t.document_id
  UNION SELECT o.scheme, o.reference FROM arrived a JOIN outbox o ON o.scheme = a.scheme AND o.answers = a.reference
), of_outbox AS (
  DELETE FROM outbox o USING answered a
  WHERE o.scheme = a.scheme AND o.reference = a.reference AND (o.delivered_at IS NOT NULL OR o.refused_at IS NOT NULL) RETURNING 1
), of_inbox AS (DELETE FROM inbox i USING arrived a WHERE i.scheme = a.scheme AND i.reference = a.reference RETURNING 1
), of_retry AS (DELETE FROM webhook_retry w WHERE w.realm = @realm AND w.about = ANY (@messages) RETURNING 1
), of_look AS (DELETE FROM message_look w WHERE w.realm = @realm AND w.message_id = ANY (@messages) RETURNING 1
), of_batch AS (DELETE FROM batch_payment w WHERE w.realm = @realm AND w.message_id = ANY (@messages) RETURNING 1
), of_notice AS (DELETE FROM notice w WHERE w.realm = @realm AND w.message_id = ANY (@messages) RETURNING 1
), of_key AS (DELETE FROM creation_key w WHERE w.realm = @realm AND w.message_id = ANY (@messages) RETURNING 1
), of_core AS (DELETE FROM core_booking w WHERE w.realm = @realm AND w.message_id = ANY (@messages) RETURNING 1
), of_incoming AS (
  DELETE FROM incoming_payment w USING message m, message_version v
  WHERE m.realm = @realm AND m.message_id = ANY (@messages) AND v.realm = m.realm AND v.message_id = m.message_id
    AND w.scheme = m.scheme AND w.transaction_id = v.transaction_id AND w.realm = m.realm AND w.message_id = m.message_id RETURNING 1
), of_release AS (DELETE FROM release w WHERE w.realm = @realm AND w.message_id = ANY (@messages) RETURNING 1
), of_decision AS (DELETE FROM decision w WHERE w.realm = @realm AND w.message_id = ANY (@messages) RETURNING 1
), of_event AS (DELETE FROM audit_event w WHERE w.realm = @realm AND w.message_id = ANY (@messages) AND w.sequence IS NOT NULL RETURNING 1
), of_history AS (DELETE FROM message_history w WHERE w.realm = @realm AND w.message_id = ANY (@messages) RETURNING 1
), of_version AS (DELETE FROM message_version w WHERE w.realm = @realm AND w.message_id = ANY (@messages) RETURNING 1
), of_document AS (DELETE FROM document w WHERE w.realm = @realm AND w.message_id = ANY (@messages) RETURNING 1
), of_message AS (DELETE FROM message w WHERE w.realm = @realm AND w.message_id = ANY (@messages) RETURNING 1)
SELECT ((SELECT count(*) FROM of_outbox) + (SELECT count(*) FROM of_inbox) + (SELECT count(*) FROM of_retry) + (SELECT count(*) FROM of_look)
  + (SELECT count(*) FROM of_batch) + (SELECT count(*) FROM of_notice) + (SELECT count(*) FROM of_key) + (SELECT count(*) FROM of_core)
  + (SELECT count(*) FROM of_incoming)
  + (SELECT count(*) FROM of_release) + (SELECT count(*) FROM of_decision) + (SELECT count(*) FROM of_event) + (SELECT count(*) FROM of_history)
  + (SELECT count(*) FROM of_version) + (SELECT count(*) FROM of_document) + (SELECT count(*) FROM of_message))::bigint AS gone;

-- name: LimitUseRemove :execrows
-- Removes the use of limits on days of which every release left with an archive. One statement: each row of a day refers to the one before.
DELETE FROM limit_use u
WHERE u.realm = @realm AND NOT EXISTS (
  SELECT FROM limit_use o
  WHERE o.realm = u.realm AND o.limit_id = u.limit_id AND o.day = u.day
    AND NOT EXISTS (SELECT FROM audit_leaf l WHERE l.realm = o.realm AND l.row_id = move_event(o.message_id, 1) AND l.kind = 'archived event'));

-- name: BatchRemove :execrows
-- Removes the batches that ended and began before a time and of which no payment is in the database, with the payments that were refused.
WITH gone AS (
  DELETE FROM batch b WHERE b.realm = @realm::text AND b.created_at < @before::timestamptz AND b.done_at IS NOT NULL
    AND NOT EXISTS (SELECT FROM batch_payment p WHERE p.realm = b.realm AND p.batch_id = b.batch_id AND p.message_id IS NOT NULL)
  RETURNING b.realm, b.batch_id
)
DELETE FROM batch_payment p USING gone WHERE p.realm = gone.realm AND p.batch_id = gone.batch_id;

-- name: FactorUseRemove :execrows
-- Removes the uses of second factors before a time that no decision in the database names. The newest one of each factor stays, and the one
-- that enrolled it. Those of recovery codes stay: a code has no time, and would count again.
DELETE FROM factor_use u USING second_factor f
WHERE f.realm = u.realm AND f.factor_id = u.factor_id AND f.kind <> 'recovery' AND u.realm = @realm AND u.purpose <> 'enrol' AND u.at < @before::timestamptz
  AND NOT EXISTS (SELECT FROM decision d WHERE d.realm = u.realm AND d.factor_use_id = u.use_id)
  AND EXISTS (SELECT FROM factor_use n WHERE n.realm = u.realm AND n.factor_id = u.factor_id AND (n.at, n.use_id) > (u.at, u.use_id)
                AND coalesce(n.sign_count, 0) >= coalesce(u.sign_count, 0));

-- name: UnmatchedRemove :one
-- Removes the documents of clearing that arrived before a time and belong to no message, with the automatic answers to them. They belong to
-- no realm, so they stay until the month of their arrival left every realm that has messages. Returns the number of rows.
WITH gone AS (
  DELETE FROM inbox i WHERE i.received_at < @before::timestamptz AND (i.outcome IN ('noted', 'quarantined')
    OR i.outcome = 'answered' AND EXISTS (SELECT FROM outbox o WHERE o.scheme = i.scheme AND o.answers = i.reference))
    AND NOT EXISTS (SELECT FROM outbox o WHERE o.scheme = i.scheme AND o.answers = i.reference AND o.delivered_at IS NULL AND o.refused_at IS NULL)
    AND NOT EXISTS (SELECT FROM realm r WHERE EXISTS (SELECT FROM message m WHERE m.realm = r.realm)
                      AND NOT EXISTS (SELECT FROM archived_month a WHERE a.realm = r.realm
                                        AND i.received_at < (to_date(a.month, 'YYYY-MM') + interval '1 month') AT TIME ZONE 'Europe/Zurich'))
  RETURNING i.scheme, i.reference
), answers AS (
  DELETE FROM outbox o USING gone g WHERE o.scheme = g.scheme AND o.answers = g.reference RETURNING 1
)
SELECT ((SELECT count(*) FROM gone) + (SELECT count(*) FROM answers))::bigint AS gone;

-- name: DetachedPut :exec
INSERT INTO archived_month (realm, change_id, month, digest, messages, leaves, at, key_id, seal)
VALUES (@realm, @change_id, @month, @digest, @messages, @leaves, @at, @key_id, @seal)
ON CONFLICT (realm, change_id) DO UPDATE SET messages = excluded.messages, leaves = excluded.leaves, at = excluded.at, key_id = excluded.key_id,
  seal = excluded.seal;

-- name: DetachedList :many
SELECT * FROM archived_month ORDER BY realm, at, change_id;

-- name: ArchivedPaymentAdd :exec
-- Adds the data keys of payments that are archived for the first time.
INSERT INTO archived_payment (realm, payment_id, key, messages, key_id, seal)
SELECT @realm::text, unnest(@payments::uuid[]), unnest(@keys::bytea[]), 0, @key_id::text, unnest(@seals::bytea[])
ON CONFLICT DO NOTHING;

-- name: ArchivedPaymentList :many
SELECT * FROM archived_payment WHERE realm = @realm AND payment_id >= @payment_id ORDER BY payment_id LIMIT @most::integer;

-- name: ArchivedPaymentLock :many
SELECT * FROM archived_payment WHERE realm = @realm AND payment_id = ANY (@payments::uuid[]) ORDER BY payment_id FOR UPDATE;

-- name: ArchivedPaymentLeave :exec
-- Records the payments that leave the database with an archive, with the names of their messages and the transaction id of incoming ones.
UPDATE archived_payment p SET change_id = @change_id, messages = n.messages, key_id = @key_id::text, seal = n.seal, names = ARRAY(
  SELECT m.global_id FROM message m WHERE m.realm = p.realm AND (m.message_id = p.payment_id OR m.original_id = p.payment_id)
  UNION SELECT m.message_id::text FROM message m WHERE m.realm = p.realm AND m.original_id = p.payment_id
  UNION SELECT v.uetr FROM message_version v WHERE v.realm = p.realm AND v.message_id = p.payment_id AND v.uetr IS NOT NULL
  UNION SELECT i.transaction_id FROM incoming_payment i WHERE i.realm = p.realm AND i.message_id = p.payment_id)
FROM (SELECT unnest(@payments::uuid[]) AS payment_id, unnest(@messages::bigint[]) AS messages, unnest(@seals::bytea[]) AS seal) n
WHERE p.realm = @realm AND p.payment_id = n.payment_id;

-- name: ArchivedPaymentErase :execrows
UPDATE archived_payment SET key = NULL, erased_by = @erased_by, key_id = @key_id, seal = @seal
WHERE realm = @realm AND payment_id = @payment_id AND change_id IS NOT NULL AND key IS NOT NULL;

-- name: ArchivedPaymentPage :many
SELECT * FROM archived_payment WHERE (realm, payment_id) > (@realm::text, @payment_id::uuid) ORDER BY realm, payment_id LIMIT @most::integer;

-- name: ErasedPaymentPage :many
SELECT * FROM archived_payment WHERE erased_by IS NOT NULL AND (realm, payment_id) > (@realm::text, @payment_id::uuid)
ORDER BY realm, payment_id LIMIT @most::integer;

-- name: ArchivedMonthOf :one
-- The month of the newest archive with which a payment of some ids, or a message with one of some names, left the database.
SELECT m.month
FROM (SELECT p.change_id FROM archived_payment p WHERE p.realm = @realm::text AND p.payment_id = ANY (@ids::uuid[])
      UNION ALL SELECT p.change_id FROM archived_payment p WHERE p.realm = @realm AND p.names && @names::text[]) p
JOIN archived_month m ON m.realm = @realm AND m.change_id = p.change_id
ORDER BY m.month DESC LIMIT 1;

-- name: ErasedCount :one
SELECT count(*) FROM archived_payment WHERE realm = @realm AND erased_by IS NOT NULL;

-- name: FamilyEndList :many
-- When payments ended that are in the database, with all messages about them.
SELECT coalesce(m.original_id, m.message_id)::uuid AS payment, max(m.state_since)::timestamptz AS since,
  bool_and(m.state = ANY (@final::text[]) OR m.state = 'Accepted' AND m.kind = 'recall')::boolean AS ended
FROM message m WHERE m.realm = @realm AND (m.message_id = ANY (@payments::uuid[]) OR m.original_id = ANY (@payments::uuid[]))
GROUP BY coalesce(m.original_id, m.message_id);
