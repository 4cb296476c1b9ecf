-- More of what must hold (invariant_move.sql says how such a query answers): the trail, who acted, and what came in.

-- name: InvariantAuditUnlikeHistory :many
-- I11: a move without the one audit row that says the same, or an audit row of a move that is not in the history.
SELECT h.realm, 'message_history'::text AS relation, concat_ws(' ', h.message_id, h.sequence)::text AS key,
       ('has ' || CASE WHEN a.event_id IS NULL THEN 'no audit row' ELSE 'the audit row ' || a.event_id || ', which says something else' END)::text AS what
FROM message_history h
LEFT JOIN audit_event a ON a.realm = h.realm AND a.message_id = h.message_id AND a.sequence = h.sequence
LEFT JOIN message_version v ON v.realm = h.realm AND v.message_id = h.message_id AND v.version = h.version
WHERE a.event_id IS NULL OR a.outcome <> 'done' OR a.event <> h.kind || '.' || replace(h.action, ' ', '-')
   OR a.actor_user IS DISTINCT FROM h.actor_user OR a.actor_person IS DISTINCT FROM h.actor_person OR a.actor_name <> h.actor_name
   OR a.client_id IS DISTINCT FROM h.client_id OR a.channel <> h.channel OR a.at <> h.at
   OR a.content_hash IS DISTINCT FROM v.content_hash
   OR a.detail::jsonb ->> 'from' IS DISTINCT FROM h.from_state OR a.detail::jsonb ->> 'to' IS DISTINCT FROM h.to_state
   OR (h.sequence > 1 OR jsonb_exists(a.detail::jsonb, 'reason')) AND coalesce(a.detail::jsonb ->> 'reason', '') <> coalesce(h.reason, '')
UNION ALL
SELECT a.realm, 'audit_event'::text, a.event_id::text, ('tells of move ' || a.sequence || ' of message ' || coalesce(a.message_id::text, 'none') || ', which its history lacks')::text
FROM audit_event a
WHERE a.sequence IS NOT NULL
  AND NOT EXISTS (SELECT FROM message_history h WHERE h.realm = a.realm AND h.message_id = a.message_id AND h.sequence = a.sequence);

-- name: InvariantOriginalUsedTwice :many
-- I12: two open recalls, returns or answers of one payment, or more sent back than was paid.
SELECT m.realm, 'message'::text AS relation, m.about::text AS key, (count(*) || ' open messages of kind ' || m.kind || ' are about it')::text AS what
FROM (SELECT x.realm, x.state, x.kind, x.original_id AS about FROM message x WHERE x.kind IN ('recall', 'return')
      UNION ALL SELECT x.realm, x.state, 'answer', x.answers_id FROM message x WHERE x.answers_id IS NOT NULL) m
WHERE m.state NOT IN ('Rejected', 'Withdrawn', 'Expired', 'Failed')
GROUP BY m.realm, m.about, m.kind HAVING count(*) > 1
UNION ALL
SELECT m.realm, 'message'::text, m.message_id::text, ('came in as the answer to a recall that is ' || coalesce(r.state, 'of another payment'))::text
FROM message m
LEFT JOIN message r ON r.realm = m.realm AND r.message_id = m.answers_id AND r.original_id = m.original_id AND r.kind = 'recall'
WHERE m.kind IN ('return', 'resolution') AND m.direction = 'in' AND (m.kind = 'resolution' OR m.answers_id IS NOT NULL)
  AND r.state IS DISTINCT FROM CASE m.kind WHEN 'return' THEN 'Accepted' ELSE 'Refused' END
UNION ALL
SELECT m.realm, 'message'::text, m.message_id::text, 'came in as the return of what is no settled payment of ours'::text
FROM message m
LEFT JOIN message o ON o.realm = m.realm AND o.message_id = m.original_id AND o.kind = 'instruction' AND o.scheme = m.scheme AND o.state = 'Settled'
WHERE m.kind = 'return' AND m.direction = 'in' AND o.message_id IS NULL
UNION ALL
SELECT m.realm, 'message'::text, m.message_id::text, 'returns more than was paid'::text
FROM message m
JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = m.version
JOIN message original ON original.realm = m.realm AND original.message_id = m.original_id
JOIN message_version o ON o.realm = m.realm AND o.message_id = m.original_id AND o.version = original.version
WHERE m.kind = 'return' AND v.amount > o.amount;

-- name: InvariantWhoActed :many
-- I13: a message of another maker than its first version, content or a decision after the end of the grant of its role, or a move by somebody
-- who could not make it. Foreign keys and rules of the tables hold that accounts, people, makers and grants are of each other.
SELECT m.realm, 'message'::text AS relation, m.message_id::text AS key, 'its maker is not that of its first version'::text AS what
FROM message m
LEFT JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = 1
WHERE (v.maker_user, v.maker_person) IS DISTINCT FROM (m.maker_user, m.maker_person)
UNION ALL
SELECT v.realm, 'message_version'::text, concat_ws(' ', v.message_id, v.version)::text, 'the grant of its maker had ended when it was made'::text
FROM message_version v
JOIN user_role g ON g.realm = v.realm AND g.grant_id = v.maker_grant_id AND g.ended_at < v.created_at
UNION ALL
SELECT d.realm, 'decision'::text, concat_ws(' ', d.message_id, d.version, d.ordinal)::text, 'the grant of its checker had ended when it was made'::text
FROM decision d
JOIN user_role g ON g.realm = d.realm AND g.grant_id = d.grant_id AND g.ended_at < d.decided_at
UNION ALL
SELECT h.realm, 'message_history'::text, concat_ws(' ', h.message_id, h.sequence)::text,
       (h.action || ' by an account that is not the person''s, or by somebody who does not make such moves')::text
FROM message_history h
LEFT JOIN user_account u ON u.realm = h.realm AND u.user_id = h.actor_user
LEFT JOIN message_version v ON v.realm = h.realm AND v.message_id = h.message_id AND v.version = h.version
LEFT JOIN message m ON m.realm = h.realm AND m.message_id = h.message_id
WHERE h.actor_user IS NOT NULL AND u.person_id IS DISTINCT FROM h.actor_person
   OR (h.actor_user IS NOT NULL) <> (h.action IN ('submit', 'amend', 'withdraw', 'approve', 'reject', 'ask')
       OR h.action = 'answer' AND h.from_state = 'Question')
   OR (h.channel IN ('api', 'portal')) <> (h.action IN ('submit', 'amend', 'withdraw', 'approve', 'reject', 'ask')
       OR h.action = 'answer' AND h.from_state = 'Question')
   OR h.action = 'submit' AND (h.actor_user IS DISTINCT FROM m.maker_user OR h.client_id IS DISTINCT FROM m.client_id OR h.channel IS DISTINCT FROM m.channel)
   OR h.action = 'amend' AND h.actor_user IS DISTINCT FROM v.maker_user
   OR (h.action = 'withdraw' AND h.from_state <> 'Scheduled' OR h.action = 'answer' AND h.from_state = 'Question') AND h.actor_person <> ALL (v.makers)
   OR h.action = 'ask' AND h.actor_person = ANY (v.makers);

-- name: InvariantInboxUnlikeMessages :many
-- I14: what clearing sent: an inbox row whose document or message is gone, a document of clearing that the inbox does not know, an incoming
-- payment without its message or the reverse, or a state that clearing alone can bring about without the document that says so.
SELECT coalesce(i.realm, '')::text AS realm, 'inbox'::text AS relation, concat_ws(' ', i.scheme, i.reference)::text AS key,
       'what it became is not there or has another content, or it says that it waited or why it was put aside'::text AS what
FROM inbox i
LEFT JOIN document d ON d.realm = i.realm AND d.document_id = i.document_id AND d.direction = 'in' AND d.scheme = i.scheme
  AND d.reference = i.reference AND d.name = i.name
LEFT JOIN message m ON m.realm = d.realm AND m.message_id = d.message_id
WHERE i.outcome = 'matched' AND (m.message_id IS NULL OR d.content_hash IS DISTINCT FROM i.content_hash
      OR i.reason <> '' OR i.content IS NULL AND i.waits_for IS NOT NULL)
   OR i.content IS NOT NULL AND sha256(i.content) <> i.content_hash
UNION ALL
SELECT d.realm, 'document'::text, d.document_id::text, ('of message ' || coalesce(d.message_id::text, 'none') || ': is the content of none of its versions')::text
FROM document d
WHERE (d.direction = 'draft' OR d.direction = 'in' AND d.name LIKE 'pain.%')
  AND NOT EXISTS (SELECT FROM message_version v WHERE v.realm = d.realm AND v.message_id = d.message_id AND v.document_id = d.document_id)
UNION ALL
SELECT d.realm, 'document'::text, d.document_id::text, ('of clearing, of message ' || coalesce(d.message_id::text, 'none') || ': the inbox does not know it')::text
FROM document d
WHERE d.direction = 'in' AND d.name NOT LIKE 'pain.%'
  AND NOT EXISTS (SELECT FROM inbox i WHERE i.scheme = d.scheme AND i.reference = d.reference AND i.outcome = 'matched' AND i.realm = d.realm
                    AND i.document_id = d.document_id)
UNION ALL
SELECT p.realm, 'incoming_payment'::text, concat_ws(' ', p.scheme, p.transaction_id, p.bank)::text,
       ('message ' || p.message_id || ' is not the payment it names, its time or its number of uses is another, or there are two')::text
FROM incoming_payment p
LEFT JOIN message m ON m.realm = p.realm AND m.message_id = p.message_id AND m.scheme = p.scheme AND m.kind = 'payment'
LEFT JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = m.version
WHERE v.transaction_id IS DISTINCT FROM p.transaction_id OR p.received_at <> m.created_at
  OR p.use <> (SELECT count(*) FROM incoming_payment b WHERE b.scheme = p.scheme AND b.transaction_id = p.transaction_id AND b.bank = p.bank AND b.use < p.use)
  OR EXISTS (SELECT FROM incoming_payment b WHERE b.realm = p.realm AND b.message_id = p.message_id AND (b.bank, b.use) <> (p.bank, p.use))
UNION ALL
SELECT m.realm, 'message'::text, m.message_id::text, 'came in, and no transaction id leads to it'::text
FROM message m
WHERE m.kind = 'payment' AND NOT EXISTS (SELECT FROM incoming_payment p WHERE p.realm = m.realm AND p.message_id = m.message_id)
UNION ALL
SELECT h.realm, 'message'::text, h.message_id::text, ('its move ' || h.sequence || ', ' || h.action || ', has no document of clearing that says so')::text
FROM message_history h
JOIN message m ON m.realm = h.realm AND m.message_id = h.message_id AND m.direction = 'out'
WHERE h.action IN ('settle', 'accept', 'decline', 'acknowledge') AND h.channel = 'clearing'
  AND NOT EXISTS (SELECT FROM document d WHERE d.realm = h.realm AND d.message_id = h.message_id AND d.direction = 'in' AND d.name NOT LIKE 'pain.%')
  AND NOT EXISTS (SELECT FROM message a WHERE a.realm = h.realm AND a.answers_id = h.message_id AND a.direction = 'in')
UNION ALL
SELECT m.realm, 'incoming_account'::text, v.creditor_account::text, ('is not there or of another realm, and message ' || min(m.message_id::text) || ' was booked on it')::text
FROM message m
JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = m.version
WHERE m.kind = 'payment' AND m.state = 'Booked'
  AND NOT EXISTS (SELECT FROM incoming_account a WHERE a.realm = m.realm AND a.iban = v.creditor_account)
GROUP BY m.realm, v.creditor_account;

-- name: InvariantDangling :many
-- I15: a row that refers to something that is not there, or breaks a rule, where the schema has no foreign key or rule to hold it.
SELECT d.realm, 'document'::text AS relation, d.document_id::text AS key, ('of message ' || coalesce(d.message_id::text, 'none') || ', which is not there or of another scheme')::text AS what
FROM document d
LEFT JOIN message m ON m.realm = d.realm AND m.message_id = d.message_id AND m.scheme = d.scheme
WHERE m.message_id IS NULL
UNION ALL
SELECT m.realm, 'message'::text, m.message_id::text, ('has a version ' || v.version || ', which is newer than its own')::text
FROM message m
JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version > m.version
UNION ALL
SELECT v.realm, 'message_version'::text, concat_ws(' ', v.message_id, v.version)::text, 'names a payee whom no verification named'::text
FROM message_version v
WHERE v.payee_name IS NOT NULL AND v.payee_result IS DISTINCT FROM 'CMTC';
