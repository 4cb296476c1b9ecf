-- What must hold after everything that can happen: each query lists what breaks one invariant, so an empty answer is the good one. Each
-- row names itself: its realm (empty where the table has none), its table, its key there, and what does not fit. They run over all realms,
-- as a login that sees every row; `countersign check` prints them. The numbers are those of docs/operations.md. What needs a key or a
-- look into a document is in internal/store/integrity.

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
   OR r.message_id IS NOT NULL AND r.accepted_at IS DISTINCT FROM coalesce(
        (SELECT h.at FROM message_history h WHERE h.realm = m.realm AND h.message_id = m.message_id AND h.action = 'release'),
        CASE WHEN r.approvals_required = 0 THEN m.created_at ELSE d.decided_at END)
UNION ALL
SELECT m.realm, 'message'::text, m.message_id::text, ('is ' || m.state || ' without a release')::text
FROM message m
WHERE m.direction = 'out' AND m.state NOT IN ('Approval Pending', 'Question', 'Scheduled', 'Rejected', 'Withdrawn', 'Expired')
  AND NOT EXISTS (SELECT FROM release r WHERE r.realm = m.realm AND r.message_id = m.message_id AND r.version = m.version)
  AND NOT EXISTS (SELECT FROM message_history h WHERE h.realm = m.realm AND h.message_id = m.message_id AND h.action = 'cancel');

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
-- I3: a message whose state is not the end of its history, that has another kind than its moves, whose times are not those of its moves, or
-- that began in the other direction. Foreign keys hold that moves are legal and without a gap.
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
       (h.action || ' at ' || h.at || ' of a message of kind ' || h.kind || ': the message has another kind, direction or time')::text
FROM message_history h
LEFT JOIN message m ON m.realm = h.realm AND m.message_id = h.message_id
WHERE h.kind IS DISTINCT FROM m.kind
   OR h.sequence = 1 AND ((h.action = 'submit') IS DISTINCT FROM (m.direction = 'out') OR h.at IS DISTINCT FROM m.created_at)
UNION ALL
SELECT m.realm, 'message'::text, m.message_id::text,
       ('delivered at ' || coalesce(m.delivered_at::text, 'no time') || ', settled at ' || coalesce(m.settled_at::text, 'no time')
        || ': its history has no move of that time, or one of another')::text
FROM message m
CROSS JOIN LATERAL (
  SELECT array_agg(h.at) FILTER (WHERE h.action IN ('deliver', 'settle', 'refuse', 'acknowledge', 'accept', 'decline', 'withhold', 'stop')) AS delivered,
         array_agg(h.at) FILTER (WHERE h.action IN ('settle', 'accept', 'book') OR h.action = 'receive' AND h.kind = 'return') AS settled
  FROM message_history h WHERE h.realm = m.realm AND h.message_id = m.message_id) h
WHERE (m.direction = 'out' OR m.delivered_at IS NOT NULL) AND (m.delivered_at IS NULL) <> (h.delivered IS NULL) OR m.delivered_at <> ALL (h.delivered)
   OR (m.settled_at IS NULL) <> (m.state = 'Failed' OR h.settled IS NULL) OR m.settled_at <> ALL (h.settled);

-- name: InvariantWrongClock :many
-- I3 as well: what the clock acts by. A message that expires at another time than its policy says; one that is asked about more or less
-- often than its history tells, or much later than the longest pause between two questions (15 minutes, of a recall a day); a recall of
-- ours whose answer is due without a delivery, before it, on another day than the history of its delivery says, or, where that says none,
-- more than 92 days after it.
SELECT m.realm, 'message'::text AS relation, m.message_id::text AS key,
       ('expires at ' || coalesce(m.expires_at::text, 'no time') || ', asked about ' || m.inquiries || ' times and next at '
        || coalesce(m.inquire_at::text, 'no time') || ', to be answered by ' || coalesce(m.answer_by::text, 'no time')
        || ': its policy or its history says otherwise')::text AS what
FROM message m
LEFT JOIN policy p ON p.realm = m.realm AND p.policy_id = m.policy_id
LEFT JOIN LATERAL (
  SELECT count(*) FILTER (WHERE h.action = 'inquire') AS inquiries, (array_agg(h.at ORDER BY h.sequence DESC) FILTER (WHERE h.action IN ('time out', 'fall due', 'inquire')))[1] AS asked,
         min(h.at) FILTER (WHERE h.action IN ('deliver', 'acknowledge')) AS delivered,
         min(h.reason) FILTER (WHERE h.action IN ('deliver', 'acknowledge')) AS due
  FROM message_history h WHERE h.realm = m.realm AND h.message_id = m.message_id) h ON true
WHERE m.expires_at IS DISTINCT FROM (CASE WHEN m.approvals_required > 0 THEN m.created_at + p.pending_seconds * interval '1 second' END)
   OR m.inquiries <> h.inquiries OR (m.inquire_at IS NULL) <> (h.asked IS NULL)
   OR m.inquire_at NOT BETWEEN h.asked AND h.asked + (CASE m.kind WHEN 'recall' THEN interval '1 day' ELSE interval '15 minutes' END)
   OR m.kind = 'recall' AND (m.answer_by IS NULL) <> (h.delivered IS NULL)
   OR m.kind = 'recall' AND m.answer_by NOT BETWEEN h.delivered - interval '1 day' AND h.delivered + interval '92 days'
   OR m.kind = 'recall' AND to_char(m.answer_by AT TIME ZONE 'UTC', '"An answer is due by "YYYY-MM-DD.') <> h.due
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
  AND (m.listed_amount <> 0 OR m.state IN ('Approval Pending', 'Question') OR m.created_at > now() - interval '25 hours')
UNION ALL
SELECT m.realm, 'message'::text, m.message_id::text,
       ('gives the code ' || coalesce(m.status_code, 'none') || ' and the words "' || coalesce(m.status_text, '') || '" for its end: its history has none '
        || 'or "' || coalesce(h.words, '') || '", or no document of it says so')::text
FROM message m
CROSS JOIN LATERAL (
  SELECT (array_agg(h.reason ORDER BY h.sequence DESC) FILTER (WHERE h.reason IS NOT NULL))[1] AS words,
         (array_agg(h.action ORDER BY h.sequence DESC) FILTER (WHERE h.action NOT IN ('receive', 'book')))[1] AS action
  FROM message_history h
  WHERE h.realm = m.realm AND h.message_id = m.message_id
    AND (h.action IN ('refuse', 'withhold', 'stop', 'cancel', 'decline', 'receive', 'book') OR h.action = 'report' AND
         (m.state NOT IN ('Settled', 'Booked', 'Accepted', 'Communicated') OR m.kind = 'payment' AND m.state = 'Accepted'))) h
WHERE coalesce(m.status_text, '') <> coalesce(h.words, '') OR (h.action IS NULL) <> (m.status_code IS NULL)
   OR h.action = 'withhold' AND m.status_code <> 'DS0H'
   OR h.action = 'stop' AND NOT EXISTS (
        SELECT FROM core_booking c WHERE c.realm = m.realm AND c.message_id = m.message_id AND c.code = m.status_code)
   -- Only of what has a code are documents read: without one, what follows would be unknown, and not false, until they were.
   OR m.status_code IS NOT NULL AND h.action NOT IN ('withhold', 'stop', 'cancel') AND m.status_code NOT IN ('NARR', 'MS03') AND m.status_code ~ '^[ -~]+$'
   AND NOT (m.status_code = 'FF01' AND EXISTS (SELECT FROM inbox i WHERE i.scheme = m.scheme AND i.outcome = 'quarantined' AND i.name LIKE 'admi.002.%'
              AND position(m.global_id IN encode(i.content, 'escape')) > 0))
   AND NOT EXISTS ( -- NARR and MS03 also stand for none
        SELECT FROM (SELECT m.message_id UNION ALL -- what refused a recall is a message of its own
                      SELECT a.message_id FROM message a
                      WHERE m.kind = 'recall' AND a.realm = m.realm AND a.original_id = m.original_id AND a.answers_id = m.message_id AND a.direction = 'in') x
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
