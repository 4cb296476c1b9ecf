-- More of what must hold (invariant_move.sql says how such a query answers): what clearing is owed and was sent, tokens, and keys of clients.

-- name: InvariantAnswerGone :many
-- I23: an answer that clearing is owed and that is not in the outbox: to a payment or the money of a recall that came in (a pacs.002), to a
-- Swiss recall (a camt.025), to a payment for nobody here; or one that was kept and never put there.
SELECT d.realm, 'document'::text AS relation, d.document_id::text AS key, ('answers clearing as ' || d.reference || ' and is not in the outbox')::text AS what
FROM document d
WHERE d.direction = 'out' AND d.name IN ('pacs.002.001.10', 'camt.025.001.05')
  AND NOT EXISTS (SELECT FROM outbox o WHERE o.scheme = d.scheme AND split_part(o.reference, '~', 1) = split_part(d.reference, '~', 1))
UNION ALL
SELECT m.realm, 'message'::text, m.message_id::text, 'came in, and no answer to clearing was kept'::text
FROM message m
WHERE m.direction = 'in' AND (m.kind IN ('payment', 'return') OR m.kind = 'received recall' AND m.scheme = 'sic-inst')
  AND NOT EXISTS (SELECT FROM document d WHERE d.realm = m.realm AND d.message_id = m.message_id AND d.direction = 'out'
                    AND d.name = (CASE m.kind WHEN 'received recall' THEN 'camt.025.001.05' ELSE 'pacs.002.001.10' END))
UNION ALL
SELECT ''::text, 'inbox'::text, concat_ws(' ', i.scheme, i.reference)::text, 'was answered, and the answer is not in the outbox'::text
FROM inbox i
WHERE i.outcome = 'answered'
  AND NOT EXISTS (SELECT FROM outbox o WHERE o.scheme = i.scheme AND (o.answers = i.reference OR split_part(o.reference, '~', 1) = 'P2' || left(encode(i.content_hash, 'hex'), 16)))
UNION ALL
SELECT coalesce(o.realm, '')::text, 'outbox'::text, concat_ws(' ', o.scheme, o.reference)::text,
       'says it is of another realm or time than the document it delivers'::text
FROM outbox o
JOIN document d ON d.scheme = o.scheme AND d.reference = o.reference AND d.direction = 'out'
WHERE o.content IS NOT NULL AND d.content_hash = sha256(o.content) AND (o.realm IS DISTINCT FROM d.realm OR o.created_at IS DISTINCT FROM d.created_at);

-- name: InvariantTokenChain :many
-- I24: a sign-in whose refresh tokens are not one chain, each spent by the next: a token was brought back that had been spent; or one that
-- was ended otherwise than the audit trail says.
SELECT f.realm, 'token_family'::text AS relation, f.family_id::text AS key,
       ('has ' || count(t.token_hash) || ' refresh tokens that follow from none: one was spent before, or was planted')::text AS what
FROM token_family f
LEFT JOIN refresh_token t ON t.realm = f.realm AND t.family_id = f.family_id
  AND NOT EXISTS (SELECT FROM refresh_token p WHERE p.realm = t.realm AND p.successor_hash = t.token_hash)
GROUP BY f.realm, f.family_id
HAVING count(t.token_hash) <> CASE WHEN f.user_id IS NULL THEN 0 ELSE 1 END -- a client alone has none
UNION ALL
SELECT t.realm, 'refresh_token'::text, encode(t.token_hash, 'hex')::text, ('of sign-in ' || t.family_id || ': was spent at another time than its successor was given')::text
FROM refresh_token t
LEFT JOIN refresh_token s ON s.realm = t.realm AND s.token_hash = t.successor_hash
WHERE s.issued_at IS DISTINCT FROM t.spent_at
UNION ALL
SELECT f.realm, 'token_family'::text, f.family_id::text,
       ('was ended by ' || coalesce(f.revoked_for, 'nobody') || ' at ' || coalesce(f.revoked_at::text, 'no time')
        || ', and by the audit trail by ' || coalesce(a.detail::jsonb ->> 'reason', 'nobody') || ' at ' || coalesce(a.at::text, 'no time'))::text
FROM token_family f
LEFT JOIN audit_event a ON a.realm = f.realm AND a.event = 'sign-in.ended' AND a.detail::jsonb ->> 'ended' = f.family_id::text
WHERE (f.revoked_at, f.revoked_for) IS DISTINCT FROM (a.at, a.detail::jsonb ->> 'reason');

-- name: InvariantSentTwice :many
-- I4: a message that went to clearing under more than one business id.
SELECT d.realm, 'message'::text AS relation, d.message_id::text AS key, (count(*) || ' documents of ' || d.name || ' were made')::text AS what
FROM document d
WHERE d.direction = 'out' AND d.message_id IS NOT NULL AND d.name IN ('pacs.008.001.08', 'pacs.004.001.09', 'camt.056.001.08', 'camt.029.001.09')
  AND EXISTS (SELECT FROM message m WHERE m.realm = d.realm AND m.message_id = d.message_id AND m.direction = 'out')
GROUP BY d.realm, d.message_id, d.name
HAVING count(*) > 1;

-- name: InvariantInDoubtTooLong :many
-- I6: released, yet neither ended nor marked unconfirmed a minute after the time of the scheme.
SELECT m.realm, 'message'::text AS relation, m.message_id::text AS key, ('is ' || m.state || ' since ' || m.state_since)::text AS what
FROM message m
WHERE m.kind IN ('instruction', 'return') AND m.state IN ('Approved', 'Processing') AND m.accepted_at < @accepted_before::timestamptz;

-- name: InvariantClosedYetSent :many
-- I7: rejected, withdrawn, expired or still pending, and yet released or written for clearing.
SELECT m.realm, 'message'::text AS relation, m.message_id::text AS key, ('is ' || m.state || ' and yet on its way')::text AS what
FROM message m
WHERE m.state IN ('Approval Pending', 'Question', 'Scheduled', 'Rejected', 'Withdrawn', 'Expired')
  AND (EXISTS (SELECT FROM release r WHERE r.realm = m.realm AND r.message_id = m.message_id)
       OR EXISTS (SELECT FROM document d WHERE d.realm = m.realm AND d.message_id = m.message_id AND d.direction = 'out' AND d.name <> 'pain.002.001.10'));

-- name: InvariantExternalIDTwice :many
-- I8: an externalId that is not the creation key its client used for the message; a version, the first or an amendment, whose message id is
-- no key; an Idempotency-Key that the audit trail tells of and that is gone. The seals of the keys that are there prove them (I28).
SELECT m.realm, 'message'::text AS relation, m.message_id::text AS key,
       ('externalId ' || m.external_id || ' is no creation key of its client for it')::text AS what
FROM message m
WHERE m.external_id IS NOT NULL
  AND NOT EXISTS (SELECT FROM creation_key k WHERE k.realm = m.realm AND k.client_id = m.client_id AND k.scope = 'external-id'
                    AND k.key = m.external_id AND k.message_id = m.message_id)
UNION ALL
SELECT m.realm, 'message'::text, m.message_id::text,
       ('the message id ' || d.reference || ' of its version ' || v.version || ' is no creation key of the client that wrote it')::text
FROM message m
JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id
JOIN document d ON d.realm = v.realm AND d.document_id = v.document_id
LEFT JOIN message_version p ON v.version > 1 AND p.realm = v.realm AND p.message_id = v.message_id AND p.version = v.version - 1
LEFT JOIN document before ON before.realm = p.realm AND before.document_id = p.document_id
LEFT JOIN message_history h ON v.version > 1 AND h.realm = v.realm AND h.message_id = v.message_id AND h.version = v.version AND h.action = 'amend'
WHERE d.name LIKE 'pain.001.%' AND d.reference IS DISTINCT FROM before.reference -- an amendment that keeps the id keeps its key too
  AND NOT EXISTS (SELECT FROM creation_key k WHERE k.realm = m.realm AND k.message_id = m.message_id
                    AND k.client_id = coalesce(h.client_id, m.client_id) AND k.scope = 'message-id' AND split_part(k.key, '#', 1) = d.reference)
UNION ALL
SELECT a.realm, 'message'::text, a.message_id::text, 'its Idempotency-Key is no creation key of its client for it'::text
FROM audit_event a
WHERE a.sequence = 1 AND a.message_id IS NOT NULL AND jsonb_exists(a.detail::jsonb, 'requestKey')
  AND NOT EXISTS (SELECT FROM creation_key k WHERE k.realm = a.realm AND k.message_id = a.message_id AND k.client_id = a.client_id
                    AND k.scope = 'idempotency-key' AND encode(sha256(convert_to(k.key, 'UTF8')), 'hex') = a.detail::jsonb ->> 'requestKey');
