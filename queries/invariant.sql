-- What must hold after everything that can happen: each query lists what breaks one invariant, so an empty answer is the good one. Each
-- row names itself: its realm (empty where the table has none), its table, its key there, and what does not fit. They run over all realms,
-- as a login that sees every row; `countersign check` prints them. The numbers are those of docs/operations.md. What needs a key or a
-- look into a document is in internal/auditor.

-- name: HiddenTableList :many
-- The tables of which this login does not see every row: because row-level security holds for it, or because it may not read them.
SELECT c.relname::text AS name
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'public' AND c.relkind = 'r' AND (row_security_active(c.oid) OR NOT has_table_privilege(c.oid, 'SELECT'))
ORDER BY c.relname LIMIT 3;

-- name: InvariantReleaseWithoutApprovals :many
-- I1: a release that lacks an approval of the same content by somebody who did not make it, whose time is not that of the last approval,
-- or that is missing though the message went on.
SELECT r.realm, 'release'::text AS relation, r.message_id::text AS key,
       ('released with ' || count(d.ordinal) || ' of ' || r.approvals_required || ' approvals of its content by others than its makers')::text AS what
FROM release r
LEFT JOIN decision d ON d.realm = r.realm AND d.message_id = r.message_id AND d.version = r.version AND d.action = 'approve'
  AND d.content_hash = r.content_hash AND d.checker_person <> ALL (r.makers)
GROUP BY r.realm, r.message_id, r.approvals_required
HAVING count(DISTINCT d.checker_person) < r.approvals_required
UNION ALL
SELECT m.realm, 'message'::text, m.message_id::text,
       ('accepted at ' || coalesce(m.accepted_at::text, 'no time') || ', its release says ' || coalesce(r.accepted_at::text, 'no time')
        || ', its last approval ' || coalesce(d.decided_at::text, 'no time'))::text
FROM message m
LEFT JOIN release r ON r.realm = m.realm AND r.message_id = m.message_id
LEFT JOIN decision d ON d.realm = r.realm AND d.message_id = r.message_id AND d.version = r.version AND d.ordinal = r.last_ordinal
WHERE m.accepted_at IS DISTINCT FROM r.accepted_at
   OR r.message_id IS NOT NULL AND r.accepted_at IS DISTINCT FROM (CASE WHEN r.approvals_required = 0 THEN m.created_at ELSE d.decided_at END)
UNION ALL
SELECT m.realm, 'message'::text, m.message_id::text, ('is ' || m.state || ' without a release')::text
FROM message m
WHERE m.direction = 'out' AND m.state NOT IN ('Approval Pending', 'Rejected', 'Withdrawn', 'Expired')
  AND NOT EXISTS (SELECT FROM release r WHERE r.realm = m.realm AND r.message_id = m.message_id AND r.version = m.version);

-- name: InvariantDecisionWithoutTrail :many
-- I2: a decision without the history row of the same person, door, time and reason, or a decided move without its decision.
SELECT d.realm, 'decision'::text AS relation, concat_ws(' ', d.message_id, d.version, d.ordinal)::text AS key,
       'has no history row of the same person, client, channel, time and reason'::text AS what
FROM decision d
WHERE NOT EXISTS (SELECT FROM message_history h
                  WHERE h.realm = d.realm AND h.message_id = d.message_id AND h.version = d.version AND h.action = d.action
                    AND h.actor_user = d.checker_user AND h.actor_person = d.checker_person AND h.client_id = d.client_id
                    AND h.channel = d.channel AND h.at = d.decided_at AND h.reason IS NOT DISTINCT FROM coalesce(d.reason, d.remark))
UNION ALL
SELECT h.realm, 'message_history'::text, concat_ws(' ', h.message_id, h.sequence)::text, (h.action || ' has no decision')::text
FROM message_history h
WHERE h.action IN ('approve', 'reject')
  AND NOT EXISTS (SELECT FROM decision d
                  WHERE d.realm = h.realm AND d.message_id = h.message_id AND d.version = h.version AND d.action = h.action
                    AND d.checker_user = h.actor_user AND d.checker_person = h.actor_person AND d.decided_at = h.at);

-- name: InvariantStateWithoutHistory :many
-- I3: a message whose state is not the end of its history, whose history has a gap or an illegal move, whose times are not those of its
-- moves, or that began in the other direction; one that expires at another time than its policy says; one that is asked about more or less
-- often than its history tells, or much later than the longest pause between two questions (15 minutes, of a recall a day); a recall of ours
-- whose answer is due without a delivery, before it, on another day than the history of its delivery says, or, where that says none, more
-- than 92 days after it.
SELECT m.realm, 'message'::text AS relation, m.message_id::text AS key,
       ('is ' || m.state || ' since ' || m.state_since || ' after ' || m.state_sequence || ' moves; its history has ' || coalesce(t.moves, 0)
        || ' and ends ' || coalesce(h.to_state || ' at ' || h.at, 'earlier'))::text AS what
FROM message m
LEFT JOIN (SELECT realm, message_id, count(*) AS moves FROM message_history GROUP BY realm, message_id) t
  ON t.realm = m.realm AND t.message_id = m.message_id
LEFT JOIN message_history h ON h.realm = m.realm AND h.message_id = m.message_id AND h.sequence = m.state_sequence
WHERE h.to_state IS DISTINCT FROM m.state OR h.at IS DISTINCT FROM m.state_since OR t.moves IS DISTINCT FROM m.state_sequence
   OR h.version IS DISTINCT FROM m.version
UNION ALL
SELECT h.realm, 'message_history'::text, concat_ws(' ', h.message_id, h.sequence)::text,
       ('goes from ' || h.from_state || ' to ' || h.to_state || ' by ' || h.action || ', after ' || coalesce(p.to_state, 'nothing'))::text
FROM message_history h
LEFT JOIN message_history p ON p.realm = h.realm AND p.message_id = h.message_id AND p.sequence = h.sequence - 1
LEFT JOIN message m ON m.realm = h.realm AND m.message_id = h.message_id
LEFT JOIN legal_move l ON l.kind = h.kind AND l.from_state = h.from_state AND l.action = h.action AND l.to_state = h.to_state
WHERE h.from_state <> coalesce(p.to_state, 'None') OR l.kind IS NULL OR h.kind IS DISTINCT FROM m.kind
   OR h.sequence = 1 AND ((h.action = 'submit') IS DISTINCT FROM (m.direction = 'out') OR h.at IS DISTINCT FROM m.created_at)
UNION ALL
SELECT m.realm, 'message'::text, m.message_id::text,
       ('delivered at ' || coalesce(m.delivered_at::text, 'no time') || ', settled at ' || coalesce(m.settled_at::text, 'no time')
        || ': its history has no move of that time, or one of another')::text
FROM message m
WHERE m.direction = 'out' AND (m.delivered_at IS NOT NULL) <> EXISTS (
        SELECT FROM message_history h WHERE h.realm = m.realm AND h.message_id = m.message_id
          AND h.action IN ('deliver', 'settle', 'refuse', 'acknowledge', 'accept', 'decline', 'withhold'))
   OR m.delivered_at IS NOT NULL AND NOT EXISTS (
        SELECT FROM message_history h WHERE h.realm = m.realm AND h.message_id = m.message_id AND h.at = m.delivered_at
          AND h.action IN ('deliver', 'settle', 'refuse', 'acknowledge', 'accept', 'decline', 'withhold'))
   OR (m.settled_at IS NOT NULL) <> EXISTS (
        SELECT FROM message_history h WHERE h.realm = m.realm AND h.message_id = m.message_id
          AND (h.action IN ('settle', 'accept', 'book') OR h.action = 'receive' AND h.kind = 'return'))
   OR m.settled_at IS NOT NULL AND NOT EXISTS (
        SELECT FROM message_history h WHERE h.realm = m.realm AND h.message_id = m.message_id AND h.at = m.settled_at
          AND (h.action IN ('settle', 'accept', 'book') OR h.action = 'receive' AND h.kind = 'return'));

-- name: InvariantWrongClock :many
-- I3 as well: what the clock acts by.
SELECT m.realm, 'message'::text AS relation, m.message_id::text AS key,
       ('expires at ' || coalesce(m.expires_at::text, 'no time') || ', asked about ' || m.inquiries || ' times and next at '
        || coalesce(m.inquire_at::text, 'no time') || ', to be answered by ' || coalesce(m.answer_by::text, 'no time')
        || ': its policy or its history says otherwise')::text AS what
FROM message m
LEFT JOIN policy p ON p.realm = m.realm AND p.policy_id = m.policy_id
LEFT JOIN LATERAL (
  SELECT count(*) FILTER (WHERE h.action = 'inquire') AS inquiries, (array_agg(h.at ORDER BY h.sequence DESC) FILTER (WHERE h.action IN ('time out', 'fall due', 'inquire')))[1] AS asked,
         min(h.at) FILTER (WHERE h.action IN ('deliver', 'acknowledge')) AS delivered,
         min(substring(h.reason FROM '^An answer is due by (\d{4}-\d{2}-\d{2})\.$')) FILTER (WHERE h.action IN ('deliver', 'acknowledge')) AS due
  FROM message_history h WHERE h.realm = m.realm AND h.message_id = m.message_id) h ON true
WHERE m.expires_at IS DISTINCT FROM (CASE WHEN m.approvals_required > 0 THEN m.created_at + p.pending_seconds * interval '1 second' END)
   OR m.inquiries <> h.inquiries OR (m.inquire_at IS NULL) <> (h.asked IS NULL)
   OR m.inquire_at NOT BETWEEN h.asked AND h.asked + (CASE m.kind WHEN 'recall' THEN interval '1 day' ELSE interval '15 minutes' END)
   OR m.kind = 'recall' AND (m.answer_by IS NULL) <> (h.delivered IS NULL)
   OR m.kind = 'recall' AND m.answer_by NOT BETWEEN h.delivered - interval '1 day' AND h.delivered + interval '92 days'
   OR m.kind = 'recall' AND to_char(m.answer_by AT TIME ZONE 'UTC', 'YYYY-MM-DD') <> h.due
   OR m.kind NOT IN ('recall', 'received recall') AND m.answer_by IS NOT NULL;

-- name: InvariantRetoldOtherwise :many
-- I3 as well: what a message repeats of its decisions, its history, its version and what clearing said of it, and when a version was written.
-- The amount it is listed by is zero where it ended before there was such a column; nothing reads it of what is older than a day.
SELECT m.realm, 'message'::text AS relation, m.message_id::text AS key,
       ('counts ' || m.approvals || ' approvals of its version, and has ' || d.approvals)::text AS what
FROM message m
CROSS JOIN LATERAL (SELECT count(*) AS approvals FROM decision d
                    WHERE d.realm = m.realm AND d.message_id = m.message_id AND d.version = m.version AND d.action = 'approve') d
WHERE m.approvals <> d.approvals
UNION ALL
SELECT m.realm, 'message'::text, m.message_id::text, ('is listed by ' || m.listed_amount || ' minor units, and its version says ' || v.amount)::text
FROM message m
JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = m.version
WHERE m.listed_amount <> v.amount
  AND (m.listed_amount <> 0 OR m.state = 'Approval Pending' OR m.created_at > now() - interval '25 hours')
UNION ALL
SELECT m.realm, 'message'::text, m.message_id::text,
       ('gives the words "' || coalesce(m.status_text, '') || '" for its end, and its history "' || coalesce(h.words[1], '') || '"')::text
FROM message m
CROSS JOIN LATERAL (
  SELECT array_agg(h.reason ORDER BY h.sequence DESC) FILTER (WHERE h.reason IS NOT NULL) AS words, count(*) AS told FROM message_history h
  WHERE h.realm = m.realm AND h.message_id = m.message_id
    AND h.action IN ('refuse', 'withhold', 'decline', 'receive', 'book')) h
WHERE coalesce(m.status_text, '') <> coalesce(h.words[1], '')
UNION ALL
SELECT m.realm, 'message'::text, m.message_id::text,
       ('gives the code ' || coalesce(m.status_code, 'none') || ' for its end: its history has none, or no document of it says so')::text
FROM message m
LEFT JOIN LATERAL (
  SELECT h.action FROM message_history h
  WHERE h.realm = m.realm AND h.message_id = m.message_id AND h.action IN ('refuse', 'withhold', 'decline')
  ORDER BY h.sequence DESC LIMIT 1) h ON true
WHERE (h.action IS NULL) <> (m.status_code IS NULL)
   OR h.action = 'withhold' AND m.status_code <> 'DS0H'
   OR h.action <> 'withhold' AND m.status_code <> 'NARR' AND m.status_code ~ '^[ -~]+$' AND NOT EXISTS ( -- NARR also stands for none
        SELECT FROM (SELECT m.message_id UNION ALL -- what refused a recall is a message of its own
                      SELECT a.message_id FROM message a WHERE a.realm = m.realm AND a.answers_id = m.message_id AND a.direction = 'in') x
        JOIN document d ON d.realm = m.realm AND d.message_id = x.message_id
        WHERE d.name NOT LIKE 'pain.%'
          AND position(replace(replace(replace(m.status_code, '&', '&amp;'), '<', '&lt;'), '>', '&gt;') IN encode(d.content, 'escape')) > 0)
UNION ALL
SELECT v.realm, 'message_version'::text, concat_ws(' ', v.message_id, v.version)::text,
       ('was written at ' || v.created_at || ': its history has no such move')::text
FROM message_version v
WHERE NOT EXISTS (SELECT FROM message_history h
                  WHERE h.realm = v.realm AND h.message_id = v.message_id AND h.version = v.version AND h.at = v.created_at
                    AND (h.sequence = 1 OR h.action = 'amend'));

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
  AND NOT EXISTS (SELECT FROM outbox o WHERE o.scheme = i.scheme AND split_part(o.reference, '~', 1) = 'P2' || left(encode(i.content_hash, 'hex'), 16))
UNION ALL
SELECT coalesce(o.realm, '')::text, 'outbox'::text, concat_ws(' ', o.scheme, o.reference)::text,
       'says it is of another realm or time than the document it delivers'::text
FROM outbox o
JOIN document d ON d.scheme = o.scheme AND d.reference = o.reference AND d.direction = 'out'
WHERE o.content IS NOT NULL AND d.content_hash = sha256(o.content) AND (o.realm IS DISTINCT FROM d.realm OR o.created_at IS DISTINCT FROM d.created_at);

-- name: InvariantTokenChain :many
-- I24: a sign-in whose refresh tokens are not one chain, each spent by the next: a token was brought back that had been spent; or one that
-- the audit trail says was ended, and that is not.
SELECT f.realm, 'token_family'::text AS relation, f.family_id::text AS key,
       ('has ' || count(t.token_hash) || ' refresh tokens that follow from none: one was spent before, or was planted')::text AS what
FROM token_family f
LEFT JOIN refresh_token t ON t.realm = f.realm AND t.family_id = f.family_id
  AND NOT EXISTS (SELECT FROM refresh_token p WHERE p.realm = t.realm AND p.successor_hash = t.token_hash)
GROUP BY f.realm, f.family_id
HAVING count(t.token_hash) <> 1
UNION ALL
SELECT t.realm, 'refresh_token'::text, encode(t.token_hash, 'hex')::text, ('of sign-in ' || t.family_id || ': was spent at another time than its successor was given')::text
FROM refresh_token t
LEFT JOIN refresh_token s ON s.realm = t.realm AND s.token_hash = t.successor_hash
WHERE s.issued_at IS DISTINCT FROM t.spent_at
UNION ALL
SELECT f.realm, 'token_family'::text, f.family_id::text, ('was ended by ' || coalesce(a.detail::jsonb ->> 'reason', 'nobody') || ' at ' || a.at || ' and is open again')::text
FROM token_family f
JOIN audit_event a ON a.realm = f.realm AND a.event = 'sign-in.ended' AND a.detail::jsonb ->> 'ended' = f.family_id::text
WHERE f.revoked_at IS NULL
UNION ALL
SELECT f.realm, 'token_family'::text, f.family_id::text, ('says it was ended by ' || coalesce(f.revoked_for, 'nobody') || ' at ' || coalesce(f.revoked_at::text, 'no time') || ', and the audit trail does not')::text
FROM token_family f
WHERE (f.revoked_at IS NOT NULL OR f.revoked_for IS NOT NULL)
  AND NOT EXISTS (SELECT FROM audit_event a WHERE a.realm = f.realm AND a.event = 'sign-in.ended' AND a.detail::jsonb ->> 'ended' = f.family_id::text
                    AND a.at = f.revoked_at AND a.detail::jsonb ->> 'reason' = f.revoked_for);

-- name: InvariantSentTwice :many
-- I4: a message that went to clearing under more than one business id.
SELECT d.realm, 'message'::text AS relation, d.message_id::text AS key, (count(*) || ' documents of ' || d.name || ' were made')::text AS what
FROM document d
WHERE d.direction = 'out' AND d.message_id IS NOT NULL AND d.name IN ('pacs.008.001.08', 'pacs.004.001.09', 'camt.056.001.08', 'camt.029.001.09')
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
WHERE m.state IN ('Approval Pending', 'Rejected', 'Withdrawn', 'Expired')
  AND (EXISTS (SELECT FROM release r WHERE r.realm = m.realm AND r.message_id = m.message_id)
       OR EXISTS (SELECT FROM document d WHERE d.realm = m.realm AND d.message_id = m.message_id AND d.direction = 'out' AND d.name <> 'pain.002.001.10'));

-- name: InvariantExternalIDTwice :many
-- I8: one externalId of a client on two messages, or one that is not the creation key the client used; a key of another client than its
-- message's, one that names a message id that no version of it has, or one whose request is not that of the other keys; a version, the first or
-- an amendment, whose message id is no key; an Idempotency-Key that the audit trail tells of and that is gone.
SELECT m.realm, 'message'::text AS relation, (array_agg(m.message_id))[1]::text AS key,
       ('externalId ' || m.external_id || ' stands on ' || count(*) || ' messages')::text AS what
FROM message m
WHERE m.external_id IS NOT NULL
GROUP BY m.realm, m.client_id, m.external_id
HAVING count(*) > 1
UNION ALL
SELECT m.realm, 'message'::text, m.message_id::text, ('externalId ' || m.external_id || ' is no creation key of its client for it')::text
FROM message m
WHERE m.external_id IS NOT NULL
  AND NOT EXISTS (SELECT FROM creation_key k WHERE k.realm = m.realm AND k.client_id = m.client_id AND k.scope = 'external-id'
                    AND k.key = m.external_id AND k.message_id = m.message_id)
UNION ALL
SELECT k.realm, 'creation_key'::text, concat_ws(' ', k.client_id, k.scope, k.key)::text, ('is not the externalId of message ' || k.message_id)::text
FROM creation_key k
WHERE k.scope = 'external-id'
  AND NOT EXISTS (SELECT FROM message m WHERE m.realm = k.realm AND m.message_id = k.message_id AND m.client_id = k.client_id
                    AND m.external_id = k.key)
UNION ALL
SELECT k.realm, 'creation_key'::text, concat_ws(' ', k.client_id, k.scope, k.key)::text,
       ('is not what its client sent of message ' || k.message_id || ', or of another request')::text
FROM creation_key k
LEFT JOIN message m ON m.realm = k.realm AND m.message_id = k.message_id
LEFT JOIN LATERAL (
  SELECT min(v.version) AS version, (array_agg(v.content_hash ORDER BY v.version))[1] AS content_hash
  FROM message_version v JOIN document d ON d.realm = v.realm AND d.document_id = v.document_id
  WHERE v.realm = k.realm AND v.message_id = k.message_id AND d.reference = k.key) named ON k.scope = 'message-id'
LEFT JOIN LATERAL (
  SELECT d.reference FROM message_version v JOIN document d ON d.realm = v.realm AND d.document_id = v.document_id
  WHERE v.realm = k.realm AND v.message_id = k.message_id AND v.version = 1) first ON true
WHERE k.scope = 'message-id' AND named.version IS NULL
   OR named.version > 1 AND k.fingerprint IS DISTINCT FROM named.content_hash
   OR (k.scope <> 'message-id' OR named.version = 1) AND EXISTS (
        SELECT FROM creation_key o WHERE o.realm = k.realm AND o.message_id = k.message_id AND o.fingerprint <> k.fingerprint
          AND (o.scope <> 'message-id' OR o.key = first.reference))
   OR k.scope <> 'message-id' AND (m.client_id IS DISTINCT FROM k.client_id OR m.created_at IS DISTINCT FROM k.created_at)
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
                    AND k.client_id = coalesce(h.client_id, m.client_id) AND k.scope = 'message-id' AND k.key = d.reference)
UNION ALL
SELECT a.realm, 'message'::text, a.message_id::text, 'its Idempotency-Key is no creation key of its client for it'::text
FROM audit_event a
WHERE a.sequence = 1 AND a.message_id IS NOT NULL AND jsonb_exists(a.detail::jsonb, 'requestKey')
  AND NOT EXISTS (SELECT FROM creation_key k WHERE k.realm = a.realm AND k.message_id = a.message_id AND k.client_id = a.client_id
                    AND k.scope = 'idempotency-key' AND encode(sha256(convert_to(k.key, 'UTF8')), 'hex') = a.detail::jsonb ->> 'requestKey');

-- name: InvariantOtherAmountSent :many
-- I9: the payment written for clearing has another amount than the approved one.
SELECT m.realm, 'document'::text AS relation, d.document_id::text AS key,
       ('was sent for message ' || m.message_id || ', approved ' || v.amount || ' minor units, and says another amount')::text AS what
FROM message m
JOIN release r ON r.realm = m.realm AND r.message_id = m.message_id
JOIN message_version v ON v.realm = r.realm AND v.message_id = r.message_id AND v.version = r.version
JOIN document d ON d.realm = m.realm AND d.message_id = m.message_id AND d.direction = 'out' AND d.name = 'pacs.008.001.08'
WHERE position('Ccy="' || v.currency || '">' || to_char(v.amount / 100.0, 'FM9999999999990.00') || '</IntrBkSttlmAmt>' IN encode(d.content, 'escape')) = 0;

-- name: InvariantDigest :many
-- I10: a document whose digest is not that of its bytes, or a version, decision, release or inbox row with another digest than its document.
SELECT d.realm, 'document'::text AS relation, d.document_id::text AS key, 'its digest is not that of its content'::text AS what
FROM document d
WHERE d.content_hash IS DISTINCT FROM sha256(d.content)
UNION ALL
SELECT v.realm, 'message_version'::text, concat_ws(' ', v.message_id, v.version)::text, 'its digest is not that of its document'::text
FROM message_version v
LEFT JOIN document d ON d.realm = v.realm AND d.document_id = v.document_id AND d.message_id = v.message_id
WHERE d.content_hash IS DISTINCT FROM v.content_hash
UNION ALL
SELECT x.realm, 'decision'::text, concat_ws(' ', x.message_id, x.version, x.ordinal)::text, 'its digest, makers or approvals are not those of its version'::text
FROM decision x
LEFT JOIN message_version v ON v.realm = x.realm AND v.message_id = x.message_id AND v.version = x.version
WHERE v.content_hash IS DISTINCT FROM x.content_hash OR v.makers IS DISTINCT FROM x.makers OR v.approvals_required IS DISTINCT FROM x.approvals_required
UNION ALL
SELECT x.realm, 'decision'::text, concat_ws(' ', x.message_id, x.version, x.ordinal)::text, 'names another decision before it than its ordinal says'::text
FROM decision x
WHERE x.previous_ordinal IS DISTINCT FROM nullif(x.ordinal - 1, 0)
   OR x.previous_action IS DISTINCT FROM CASE WHEN x.ordinal > 1 THEN 'approve' END
UNION ALL
SELECT v.realm, 'message_version'::text, concat_ws(' ', v.message_id, v.version)::text, 'tells of a payee more, or less, than a verification does'::text
FROM message_version v
WHERE (v.payee_result IS NULL) <> (v.payee_at IS NULL) OR v.payee_name IS NOT NULL AND v.payee_result IS DISTINCT FROM 'CMTC'
UNION ALL
SELECT r.realm, 'release'::text, r.message_id::text, 'its digest, makers or approvals are not those of its version'::text
FROM release r
LEFT JOIN message_version v ON v.realm = r.realm AND v.message_id = r.message_id AND v.version = r.version
WHERE v.content_hash IS DISTINCT FROM r.content_hash OR v.makers IS DISTINCT FROM r.makers OR v.approvals_required IS DISTINCT FROM r.approvals_required
UNION ALL
SELECT v.realm, 'message_version'::text, concat_ws(' ', v.message_id, v.version)::text, 'its approvals are not those of its message, or its policy asks for others'::text
FROM message_version v
LEFT JOIN message m ON m.realm = v.realm AND m.message_id = v.message_id
LEFT JOIN policy p ON p.realm = m.realm AND p.policy_id = m.policy_id
WHERE m.approvals_required IS DISTINCT FROM v.approvals_required OR m.policy_id IS NOT NULL AND p.approvals_required IS DISTINCT FROM v.approvals_required;

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
SELECT m.realm, 'message'::text AS relation, m.original_id::text AS key, (count(*) || ' open messages of kind ' || m.kind || ' are about it')::text AS what
FROM message m
WHERE m.kind IN ('recall', 'return') AND m.state NOT IN ('Rejected', 'Withdrawn', 'Expired', 'Failed')
GROUP BY m.realm, m.original_id, m.kind
HAVING count(*) > 1
UNION ALL
SELECT m.realm, 'message'::text, m.answers_id::text, (count(*) || ' answers to one recall')::text
FROM message m
WHERE m.answers_id IS NOT NULL AND m.state NOT IN ('Rejected', 'Withdrawn', 'Expired', 'Failed')
GROUP BY m.realm, m.answers_id
HAVING count(*) > 1
UNION ALL
SELECT m.realm, 'message'::text, m.message_id::text, ('came in as the answer to a recall that is ' || coalesce(r.state, 'of another payment'))::text
FROM message m
LEFT JOIN message r ON r.realm = m.realm AND r.message_id = m.answers_id AND r.original_id = m.original_id AND r.kind = 'recall'
WHERE m.kind IN ('return', 'resolution') AND m.direction = 'in'
  AND r.state IS DISTINCT FROM CASE m.kind WHEN 'return' THEN 'Accepted' ELSE 'Refused' END
UNION ALL
SELECT m.realm, 'message'::text, m.message_id::text, 'returns more than was paid'::text
FROM message m
JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = m.version
JOIN message original ON original.realm = m.realm AND original.message_id = m.original_id
JOIN message_version o ON o.realm = m.realm AND o.message_id = m.original_id AND o.version = original.version
WHERE m.kind = 'return' AND v.amount > o.amount;

-- name: InvariantWhoActed :many
-- I13: a person who is not the account's, content or a decision that does not fit the grant of its role, or a move by somebody who could
-- not make it.
SELECT m.realm, 'message'::text AS relation, m.message_id::text AS key, 'its maker is not the person of the account, or not the first maker of its version'::text AS what
FROM message m
LEFT JOIN user_account u ON u.realm = m.realm AND u.user_id = m.maker_user
LEFT JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = 1
WHERE m.maker_user IS NOT NULL AND (u.person_id IS DISTINCT FROM m.maker_person OR v.maker_user IS DISTINCT FROM m.maker_user
      OR v.makers IS DISTINCT FROM ARRAY[m.maker_person])
UNION ALL
SELECT v.realm, 'message_version'::text, concat_ws(' ', v.message_id, v.version)::text, 'its maker is not the person of the account, or its makers are not those before and its own'::text
FROM message_version v
LEFT JOIN user_account u ON u.realm = v.realm AND u.user_id = v.maker_user
LEFT JOIN message_version p ON p.realm = v.realm AND p.message_id = v.message_id AND p.version = v.version - 1
WHERE v.maker_user IS NOT NULL AND (u.person_id IS DISTINCT FROM v.maker_person
      OR v.makers IS DISTINCT FROM array_append(coalesce(p.makers, '{}'), v.maker_person))
UNION ALL
SELECT v.realm, 'message_version'::text, concat_ws(' ', v.message_id, v.version)::text, 'its maker had no grant of the role maker when it was made'::text
FROM message_version v
LEFT JOIN user_role g ON g.realm = v.realm AND g.grant_id = v.maker_grant_id AND g.user_id = v.maker_user AND g.role = 'maker'
WHERE v.maker_grant_id IS NOT NULL AND (g.granted_at IS DISTINCT FROM v.maker_granted_at OR g.granted_at > v.created_at OR g.ended_at < v.created_at)
UNION ALL
SELECT d.realm, 'decision'::text, concat_ws(' ', d.message_id, d.version, d.ordinal)::text,
       'its checker is not the person of the account, made the content, or had no grant of the role checker when it was made'::text
FROM decision d
LEFT JOIN user_account u ON u.realm = d.realm AND u.user_id = d.checker_user
LEFT JOIN user_role g ON g.realm = d.realm AND g.grant_id = d.grant_id AND g.user_id = d.checker_user AND g.role = 'checker'
LEFT JOIN message m ON m.realm = d.realm AND m.message_id = d.message_id
WHERE u.person_id IS DISTINCT FROM d.checker_person OR d.checker_person = ANY (d.makers)
   OR d.grant_id IS NOT NULL AND (g.granted_at IS DISTINCT FROM d.granted_at OR g.granted_at > m.created_at OR g.ended_at < d.decided_at
      OR m.created_at IS DISTINCT FROM d.message_created_at)
UNION ALL
SELECT h.realm, 'message_history'::text, concat_ws(' ', h.message_id, h.sequence)::text,
       (h.action || ' by an account that is not the person''s, or by somebody who does not make such moves')::text
FROM message_history h
LEFT JOIN user_account u ON u.realm = h.realm AND u.user_id = h.actor_user
LEFT JOIN message_version v ON v.realm = h.realm AND v.message_id = h.message_id AND v.version = h.version
LEFT JOIN message m ON m.realm = h.realm AND m.message_id = h.message_id
WHERE h.actor_user IS NOT NULL AND u.person_id IS DISTINCT FROM h.actor_person
   OR (h.actor_user IS NOT NULL) <> (h.action IN ('submit', 'amend', 'withdraw', 'approve', 'reject'))
   OR (h.channel IN ('api', 'portal')) <> (h.action IN ('submit', 'amend', 'withdraw', 'approve', 'reject'))
   OR h.action = 'submit' AND (h.actor_user IS DISTINCT FROM m.maker_user OR h.client_id IS DISTINCT FROM m.client_id OR h.channel IS DISTINCT FROM m.channel)
   OR h.action = 'amend' AND h.actor_user IS DISTINCT FROM v.maker_user
   OR h.action = 'withdraw' AND h.actor_person <> ALL (v.makers);

-- name: InvariantInboxUnlikeMessages :many
-- I14: what clearing sent: an inbox row whose document or message is gone, a document of clearing that the inbox does not know, an incoming
-- payment without its message or the reverse, or a state that clearing alone can bring about without the document that says so.
SELECT coalesce(i.realm, '')::text AS realm, 'inbox'::text AS relation, concat_ws(' ', i.scheme, i.reference)::text AS key,
       'what it became is not there or has another content'::text AS what
FROM inbox i
LEFT JOIN document d ON d.realm = i.realm AND d.document_id = i.document_id AND d.direction = 'in' AND d.scheme = i.scheme
  AND d.reference = i.reference AND d.name = i.name
LEFT JOIN message m ON m.realm = d.realm AND m.message_id = d.message_id
WHERE i.outcome = 'matched' AND (m.message_id IS NULL OR d.content_hash IS DISTINCT FROM i.content_hash)
   OR i.content IS NOT NULL AND sha256(i.content) <> i.content_hash
UNION ALL
SELECT coalesce(i.realm, '')::text, 'inbox'::text, concat_ws(' ', i.scheme, i.reference)::text,
       'says that it waited, or why it was put aside, and was neither'::text
FROM inbox i
JOIN document d ON d.realm = i.realm AND d.document_id = i.document_id
WHERE i.outcome = 'matched' AND (i.reason <> '' OR i.content IS NULL AND i.waits_for IS NOT NULL)
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
SELECT p.realm, 'incoming_payment'::text, concat_ws(' ', p.scheme, p.transaction_id)::text, ('message ' || p.message_id || ' is not the payment it names')::text
FROM incoming_payment p
LEFT JOIN message m ON m.realm = p.realm AND m.message_id = p.message_id AND m.scheme = p.scheme AND m.kind = 'payment'
LEFT JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = m.version
WHERE v.transaction_id IS DISTINCT FROM p.transaction_id
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
-- I15: a row that refers to something that is not there, where the schema has no foreign key to hold it.
SELECT d.realm, 'document'::text AS relation, d.document_id::text AS key, ('of message ' || coalesce(d.message_id::text, 'none') || ', which is not there or of another scheme')::text AS what
FROM document d
LEFT JOIN message m ON m.realm = d.realm AND m.message_id = d.message_id AND m.scheme = d.scheme
WHERE m.message_id IS NULL
UNION ALL
SELECT m.realm, 'message'::text, m.message_id::text, 'has not one version for each of its numbers'::text
FROM message m
LEFT JOIN (SELECT realm, message_id, count(*) AS versions, max(version) AS newest FROM message_version GROUP BY realm, message_id) v
  ON v.realm = m.realm AND v.message_id = m.message_id
WHERE v.versions IS DISTINCT FROM m.version OR v.newest IS DISTINCT FROM m.version;

-- name: InvariantPolicyAsked :many
-- I22: a version whose message was given fewer approvals than the policies of that time asked for it.
SELECT v.realm, 'message_version'::text AS relation, concat_ws(' ', v.message_id, v.version)::text AS key,
       ('needs ' || v.approvals_required || ' approvals, and the policy of its time asked for ' || asked.approvals)::text AS what
FROM message_version v, approvals_asked(v.realm, v.message_id, v.version) AS asked (approvals)
WHERE asked.approvals > v.approvals_required;

-- name: InvariantStepUp :many
-- I31: every approval of a message whose policy asks for a second factor names the use of one, and every use that approved something is
-- that of a decision.
SELECT d.realm, 'decision'::text AS relation, concat_ws(' ', d.message_id, d.version, d.ordinal)::text AS key,
       'approved without the second factor that the policy asks for'::text AS what
FROM decision d
JOIN message m ON m.realm = d.realm AND m.message_id = d.message_id
JOIN policy p ON p.realm = m.realm AND p.policy_id = m.policy_id
WHERE p.step_up AND d.action = 'approve' AND d.factor_use_id IS NULL
UNION ALL
SELECT d.realm, 'decision'::text, concat_ws(' ', d.message_id, d.version, d.ordinal)::text,
       'names a second factor that was shown for something else'::text
FROM decision d
JOIN factor_use u ON u.realm = d.realm AND u.use_id = d.factor_use_id
WHERE (u.user_id, u.message_id, u.version, u.content_hash, u.action) IS DISTINCT FROM
      (d.checker_user, d.message_id, d.version, d.content_hash, d.action);

-- name: InvariantChangeDecided :many
-- I27: changes of administration were decided by somebody else, about the content that was asked for, one after the other.
SELECT d.realm, 'realm_change_decision'::text AS relation, d.change_id::text AS key,
       CASE WHEN d.decider_person IN (d.requester_person, d.beneficiary_person) THEN 'was decided by who asked for it or whom it is about'
            WHEN d.requester_person <> c.requester_person OR d.beneficiary_person <> c.beneficiary_person THEN 'names other people than its change'
            WHEN d.content_hash <> sha256(convert_to(c.content, 'UTF8')) THEN 'is about other content than its change has'
            ELSE 'leaves a gap before it' END::text AS what
FROM realm_change_decision d
JOIN realm_change c ON c.realm = d.realm AND c.change_id = d.change_id
WHERE d.decider_person IN (d.requester_person, d.beneficiary_person)
   OR d.requester_person <> c.requester_person OR d.beneficiary_person <> c.beneficiary_person
   OR d.content_hash <> sha256(convert_to(c.content, 'UTF8'))
   OR d.ordinal > 1 AND NOT EXISTS (SELECT FROM realm_change_decision b WHERE b.realm = d.realm AND b.ordinal = d.ordinal - 1)
UNION ALL
SELECT a.realm, 'realm_administration'::text, a.realm::text, 'counts decisions that are not there'::text
FROM realm_administration a
WHERE a.decided <> (SELECT count(*) FROM realm_change_decision d WHERE d.realm = a.realm)
UNION ALL
SELECT d.realm, 'realm_administration'::text, d.realm::text, ('is gone, and ' || count(*) || ' changes were decided')::text
FROM realm_change_decision d
WHERE NOT EXISTS (SELECT FROM realm_administration a WHERE a.realm = d.realm)
GROUP BY d.realm
ORDER BY 1, 2, 3;

-- name: InvariantLimitHeld :many
-- I32: what a release took of a limit that is not what its audit row says, is not the amount that was released, or is above what was allowed;
-- a release under a daily limit that took nothing of it, later than a minute after the limit was set; a limit that is not as the last change
-- of two administrators left it.
SELECT u.realm, 'limit_use'::text AS relation, concat_ws(' ', u.message_id, u.limit_id)::text AS key,
       ('takes ' || u.amount || ' of a limit from ' || u.used_before || ' on ' || u.day || ', with ' || u.allowed
        || ' allowed: its release, its audit row or its limit says otherwise')::text AS what
FROM limit_use u
LEFT JOIN release r ON r.realm = u.realm AND r.message_id = u.message_id
LEFT JOIN message_version v ON v.realm = r.realm AND v.message_id = r.message_id AND v.version = r.version
LEFT JOIN spending_limit l ON l.realm = u.realm AND l.limit_id = u.limit_id
WHERE v.amount IS DISTINCT FROM u.amount OR v.currency IS DISTINCT FROM u.currency OR u.used_after IS DISTINCT FROM u.used_before + u.amount
   OR u.used_after > u.allowed OR u.previous_used IS DISTINCT FROM nullif(u.used_before, 0)
   OR l.limit_of IS DISTINCT FROM u.limit_of OR l.holder IS DISTINCT FROM u.holder OR l.currency IS DISTINCT FROM u.currency
   OR NOT EXISTS (
        SELECT FROM audit_event a CROSS JOIN LATERAL jsonb_array_elements(coalesce(a.detail::jsonb -> 'limits', '[]')) AS t (taken)
        WHERE a.realm = u.realm AND a.message_id = u.message_id AND t.taken = jsonb_build_object(
          'limit', u.limit_id, 'day', to_char(u.day, 'YYYY-MM-DD'), 'before', u.used_before, 'amount', u.amount, 'allowed', u.allowed))
UNION ALL
SELECT a.realm, 'audit_event'::text, a.event_id::text, ('tells of a limit that was taken of, and of ' || (t.taken ->> 'limit') || ' nothing was')::text
FROM audit_event a CROSS JOIN LATERAL jsonb_array_elements(coalesce(a.detail::jsonb -> 'limits', '[]')) AS t (taken)
WHERE a.message_id IS NOT NULL AND a.detail LIKE '%"limits"%' AND NOT EXISTS (
  SELECT FROM limit_use u WHERE u.realm = a.realm AND u.message_id = a.message_id AND u.limit_id::text = t.taken ->> 'limit')
UNION ALL
SELECT r.realm, 'release'::text, r.message_id::text, ('took nothing of the limit ' || l.limit_id || ' that binds it')::text
FROM spending_limit l
JOIN release r ON r.realm = l.realm AND r.accepted_at > l.per_day_since + interval '1 minute'
JOIN message m ON m.realm = r.realm AND m.message_id = r.message_id AND m.kind IN ('instruction', 'return')
JOIN message_version v ON v.realm = r.realm AND v.message_id = r.message_id AND v.version = r.version AND v.currency = l.currency
WHERE CASE l.limit_of
        WHEN 'client' THEN m.client_id = l.holder
        WHEN 'account' THEN CASE WHEN m.kind = 'return' THEN v.creditor_account ELSE v.debtor_account END = l.holder
        ELSE l.holder = ANY (r.makers::text[]) OR EXISTS (
               SELECT FROM decision d WHERE d.realm = r.realm AND d.message_id = r.message_id AND d.version = r.version
                 AND d.action = 'approve' AND d.checker_person::text = l.holder) END
  AND NOT EXISTS (SELECT FROM limit_use u WHERE u.realm = r.realm AND u.message_id = r.message_id AND u.limit_id = l.limit_id)
UNION ALL
SELECT c.realm, 'spending_limit'::text, c.subject::text,
       ('is ' || coalesce(l.per_payment::text, 'nothing') || ' at a time and ' || coalesce(l.per_day::text, 'nothing')
        || ' a day, or is not there; two administrators set it otherwise')::text
FROM realm_change c
JOIN realm_change_decision d ON d.realm = c.realm AND d.change_id = c.change_id AND d.action = 'approve'
LEFT JOIN spending_limit l ON l.realm = c.realm AND l.limit_id::text = c.subject
WHERE c.kind = 'limit.set'
  AND NOT EXISTS (SELECT FROM realm_change x JOIN realm_change_decision y ON y.realm = x.realm AND y.change_id = x.change_id AND y.action = 'approve'
                  WHERE x.realm = c.realm AND x.kind = c.kind AND x.subject = c.subject AND y.ordinal > d.ordinal)
  AND (l.limit_id IS NULL OR l.limit_of IS DISTINCT FROM c.content::jsonb #>> '{after,limitOf}'
       OR l.holder IS DISTINCT FROM c.content::jsonb #>> '{after,holder}' OR l.currency IS DISTINCT FROM c.content::jsonb #>> '{after,currency}'
       OR l.per_payment IS DISTINCT FROM (100 * (c.content::jsonb #>> '{after,perPayment}')::numeric)::bigint
       OR l.per_day IS DISTINCT FROM (100 * (c.content::jsonb #>> '{after,perDay}')::numeric)::bigint);

-- name: InvariantRoster :many
-- I33: a row of master data that the audit trail was told of and that is gone, or was made at another time; or that the roster has and the
-- trail was never told of.
WITH told AS (
  SELECT a.realm, coalesce(t.one ->> 'in', '') AS relation, coalesce(t.one ->> 'key', '') AS key, t.one ->> 'since' AS since
  FROM audit_event a CROSS JOIN LATERAL jsonb_array_elements(a.detail::jsonb -> 'rows') AS t (one)
  WHERE a.event = 'realm.rows'
)
SELECT t.realm, t.relation::text AS relation, t.key::text AS key,
       CASE WHEN r.key IS NULL THEN 'is gone: the audit trail was told of it'
            ELSE 'says it was made at another time than the audit trail was told' END::text AS what
FROM told t
LEFT JOIN master_row r ON r.realm = t.realm AND r.relation = t.relation AND r.key = t.key
WHERE r.key IS NULL OR to_char(r.made_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') IS DISTINCT FROM t.since
UNION ALL
SELECT o.realm, 'roster'::text, concat_ws(' ', o.relation, o.key)::text, 'was never told to the audit trail, or as another'::text
FROM roster o
WHERE NOT EXISTS (SELECT FROM told t WHERE t.realm = o.realm AND t.relation = o.relation AND t.key = o.key
                    AND t.since IS NOT DISTINCT FROM to_char(o.made_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'));

-- name: ForeignKeyStatementList :many
-- I15 as well: for every foreign key of the schema the statement that lists the rows which break it, for triggers can be switched off.
SELECT c.conname::text AS name,
       format('SELECT %s AS realm, %L::text AS relation, concat_ws('' '', %s)::text AS key, (%L || concat_ws('' '', %s))::text AS what FROM %I.%I c WHERE %s AND NOT EXISTS (SELECT FROM %I.%I p WHERE %s)',
              CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.conrelid AND a.attname = 'realm')
                   THEN 'coalesce(c.realm, '''')' ELSE '''''::text' END,
              t.relname,
              coalesce((SELECT string_agg(format('c.%I', a.attname), ', ' ORDER BY array_position(k.conkey, a.attnum))
               FROM pg_catalog.pg_constraint k
               JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey)
               WHERE k.conrelid = c.conrelid AND k.contype = 'p' AND a.attname <> 'realm'), 'c.realm'),
              'does not fit any row of ' || f.relname || ' (' || c.conname || '): ',
              coalesce((SELECT string_agg(format('c.%I', a.attname), ', ' ORDER BY array_position(c.conkey, a.attnum))
               FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey) AND a.attname <> 'realm'), 'c.realm'),
              n.nspname, t.relname,
              (SELECT string_agg(format('c.%I IS NOT NULL', a.attname), ' AND ')
               FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)),
              n.nspname, f.relname,
              (SELECT string_agg(format('p.%I = c.%I', b.attname, a.attname), ' AND ')
               FROM generate_subscripts(c.conkey, 1) i
               JOIN pg_catalog.pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[i]
               JOIN pg_catalog.pg_attribute b ON b.attrelid = c.confrelid AND b.attnum = c.confkey[i]))::text AS statement
FROM pg_catalog.pg_constraint c
JOIN pg_catalog.pg_class t ON t.oid = c.conrelid
JOIN pg_catalog.pg_class f ON f.oid = c.confrelid
JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
WHERE c.contype = 'f' AND n.nspname = 'public'
ORDER BY t.relname, c.conname;

-- name: RuleStatementList :many
-- I15 as well: for every table the statement that lists the rows which break one of the rules that are given, by the conditions that hold for
-- such a row, for rules can be taken away. A row of which part of the key is empty is named by its place in the table too.
SELECT t.relname::text AS name,
       format('SELECT %s AS realm, %L::text AS relation, concat_ws('' '', %s)::text AS key, (''breaks a rule of its table: '' || concat_ws('', '', %s))::text AS what FROM %I.%I WHERE %s',
              CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_attribute a WHERE a.attrelid = t.oid AND a.attname = 'realm')
                   THEN 'coalesce(realm, '''')' ELSE '''''::text' END,
              t.relname,
              (SELECT coalesce(string_agg(quote_ident(a.attname), ', ' ORDER BY array_position(k.conkey, a.attnum)) FILTER (WHERE a.attname <> 'realm'), 'realm')
                || format(', CASE WHEN num_nulls(%s) > 0 THEN ''at '' || ctid END', coalesce(string_agg(quote_ident(a.attname), ', '), 'ctid'))
               FROM pg_catalog.pg_constraint k
               JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey)
               WHERE k.conrelid = t.oid AND k.contype = 'p'),
              string_agg(format('CASE WHEN %s THEN %L END', r.broken, r.rule), ', ' ORDER BY r.rule),
              n.nspname, t.relname,
              string_agg('(' || r.broken || ')', ' OR ' ORDER BY r.rule))::text AS statement
FROM (SELECT unnest(@tables::text[]) AS relation, unnest(@rules::text[]) AS rule, unnest(@broken::text[]) AS broken) r
JOIN pg_catalog.pg_class t ON t.relname = r.relation
JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
WHERE n.nspname = 'public'
GROUP BY t.oid, t.relname, n.nspname
ORDER BY t.relname;

-- name: AuditedVersionList :many
-- Versions with what their seals cover, in the order of their keys, from one on: the message, the content, the account it debits, and the
-- release and the document that was sent for it.
SELECT sqlc.embed(m), sqlc.embed(v), coalesce(d.content, '')::bytea AS content, coalesce(tsvector_to_array(v.words), '{}')::text[] AS found_by,
       a.iban AS account_iban, a.scheme AS account_scheme, a.currency AS account_currency, a.holder_name, a.holder_street, a.holder_building,
       a.holder_postcode, a.holder_town, a.holder_country, a.agent_bic, a.agent_iid, a.open AS account_open,
       (r.message_id IS NOT NULL)::boolean AS released, coalesce(r.version, 0)::integer AS release_version,
       coalesce(r.makers, '{}')::uuid[] AS release_makers, r.content_hash AS release_hash, r.accepted_at AS release_accepted_at,
       r.key_id AS release_key_id, r.mac AS release_mac, r.account_digest,
       array(SELECT x.checker_person FROM decision x
             WHERE x.realm = v.realm AND x.message_id = v.message_id AND x.version = v.version AND x.action = 'approve'
             ORDER BY x.ordinal)::uuid[] AS approvers,
       array(SELECT s.content FROM document s
             WHERE s.realm = v.realm AND s.message_id = v.message_id AND s.direction = 'out'
               AND s.name IN ('pacs.008.001.08', 'pacs.004.001.09', 'camt.056.001.08', 'camt.029.001.09'))::bytea[] AS sent
FROM message_version v
JOIN message m ON m.realm = v.realm AND m.message_id = v.message_id
LEFT JOIN document d ON d.realm = v.realm AND d.document_id = v.document_id
LEFT JOIN debtor_account a ON m.kind = 'instruction' AND a.realm = v.realm AND a.iban = v.debtor_account
LEFT JOIN release r ON r.realm = v.realm AND r.message_id = v.message_id AND r.version = v.version
WHERE (v.realm, v.message_id, v.version) > (@realm::text, @message_id::uuid, @version::integer)
ORDER BY v.realm, v.message_id, v.version
LIMIT @page_size::integer;

-- name: WordsOfMigration :one
-- Whether a version is found by the words that the migration cut for what was stored before there were words.
SELECT coalesce(v.words = array_to_tsvector(ARRAY(SELECT search_tag(v.realm) || w.word FROM search_words(
         concat_ws(' ', CASE WHEN m.kind <> 'payment' THEN v.creditor_name END, CASE WHEN m.kind <> 'instruction' THEN v.debtor_name END, v.remittance),
         ARRAY[CASE WHEN m.kind <> 'payment' THEN v.creditor_account ELSE '' END, CASE WHEN m.kind <> 'instruction' THEN v.debtor_account ELSE '' END]
       ) AS w (word))), false)::boolean AS same
FROM message_version v JOIN message m ON m.realm = v.realm AND m.message_id = v.message_id
WHERE v.realm = @realm::text AND v.message_id = @message_id::uuid AND v.version = @version::integer;

-- name: AuditedDecisionList :many
-- Decisions in the order of their keys, from one on.
SELECT * FROM decision d
WHERE (d.realm, d.message_id, d.version, d.ordinal) > (@realm::text, @message_id::uuid, @version::integer, @ordinal::integer)
ORDER BY d.realm, d.message_id, d.version, d.ordinal
LIMIT @page_size::integer;

-- name: AuditedDocumentList :many
-- Documents in the order of their keys, from one on.
SELECT * FROM document d
WHERE (d.realm, d.document_id) > (@realm::text, @document_id::uuid)
ORDER BY d.realm, d.document_id
LIMIT @page_size::integer;

-- name: AuditedOutboxList :many
-- Rows of the outbox in the order of their keys, from one on, with the document that a row sends again.
SELECT sqlc.embed(o), d.name AS document_name, d.scheme AS document_scheme
FROM outbox o
LEFT JOIN document d ON d.realm = o.document_realm AND d.document_id = o.document_id AND d.direction = 'out'
WHERE (o.scheme, o.reference) > (@scheme::text, @reference::text)
ORDER BY o.scheme, o.reference
LIMIT @page_size::integer;

-- name: AuditedRefreshTokenList :many
-- Refresh tokens in the order of their keys, from one on, with the sign-in they belong to.
SELECT sqlc.embed(t), sqlc.embed(f)
FROM refresh_token t
JOIN token_family f ON f.realm = t.realm AND f.family_id = t.family_id
WHERE (t.realm, t.token_hash) > (@realm::text, coalesce(@token_hash::bytea, ''))
ORDER BY t.realm, t.token_hash
LIMIT @page_size::integer;

-- name: AuditedAccessTokenList :many
-- Access tokens in the order of their keys, from one on, with the sign-in they belong to.
SELECT sqlc.embed(t), sqlc.embed(f)
FROM access_token t
JOIN token_family f ON f.realm = t.realm AND f.family_id = t.family_id
WHERE (t.realm, t.token_hash) > (@realm::text, coalesce(@token_hash::bytea, ''))
ORDER BY t.realm, t.token_hash
LIMIT @page_size::integer;

-- name: AuditedRequestKeyList :many
-- Keys of requests in the order of their keys, from one on.
SELECT * FROM creation_key k
WHERE (k.realm, k.client_id, k.scope, k.key) > (@realm::text, @client_id::text, @scope::text, @key::text)
ORDER BY k.realm, k.client_id, k.scope, k.key
LIMIT @page_size::integer;

-- name: AuditedSessionList :many
-- Sessions that are not ended, in the order of their names, from one on.
SELECT s.token, s.data, s.expiry FROM sessions s
WHERE s.token > @token::text AND s.data <> ''::bytea
ORDER BY s.token
LIMIT @page_size::integer;

-- name: SessionEndList :many
-- The sessions that the audit trail says were ended since a time.
SELECT coalesce(a.detail::jsonb ->> 'ended', '')::text AS name FROM audit_event a WHERE a.event = 'session.ended' AND a.at > @since::timestamptz;
