-- What must hold after everything that can happen: each query lists what breaks one invariant, so an empty answer is the good one.
-- They run as the owner, over all realms; `countersign check` prints them. The numbers are those of docs/operations.md.

-- name: InvariantReleaseWithoutApprovals :many
-- I1: a release that lacks an approval of the same content by somebody who did not make it.
SELECT r.realm, r.message_id, ('released with ' || count(d.ordinal) || ' of ' || r.approvals_required || ' approvals')::text AS what
FROM release r
LEFT JOIN decision d ON d.realm = r.realm AND d.message_id = r.message_id AND d.version = r.version AND d.action = 'approve'
  AND d.content_hash = r.content_hash AND d.checker_person <> ALL (r.makers)
GROUP BY r.realm, r.message_id, r.approvals_required
HAVING count(DISTINCT d.checker_person) < r.approvals_required;

-- name: InvariantDecisionWithoutTrail :many
-- I2: a decision that has not exactly one history row and one audit row, or a decided move without its decision.
SELECT h.realm, h.message_id, (h.action || ' as number ' || h.sequence || ' has ' || count(DISTINCT d.ordinal) || ' decisions and '
       || count(DISTINCT a.event_id) || ' audit rows')::text AS what
FROM message_history h
LEFT JOIN decision d ON d.realm = h.realm AND d.message_id = h.message_id AND d.version = h.version AND d.checker_person = h.actor_person
  AND d.action = h.action
LEFT JOIN audit_event a ON a.realm = h.realm AND a.message_id = h.message_id AND a.sequence = h.sequence
WHERE h.action IN ('approve', 'reject')
GROUP BY h.realm, h.message_id, h.sequence, h.action
HAVING count(DISTINCT d.ordinal) <> 1 OR count(DISTINCT a.event_id) <> 1
UNION ALL
SELECT d.realm, d.message_id, ('decision ' || d.ordinal || ' has no history row')::text AS what
FROM decision d
WHERE NOT EXISTS (SELECT FROM message_history h WHERE h.realm = d.realm AND h.message_id = d.message_id AND h.version = d.version
                    AND h.actor_person = d.checker_person AND h.action = d.action);

-- name: InvariantStateWithoutHistory :many
-- I3: a message whose state is not the end of its history, whose history has a gap or an illegal move, a move without an audit row, or a
-- beginning of the other direction.
SELECT m.realm, m.message_id, ('is ' || m.state || ' after ' || m.state_sequence || ' moves, history says '
       || coalesce((SELECT h.to_state FROM message_history h WHERE h.realm = m.realm AND h.message_id = m.message_id ORDER BY h.sequence DESC LIMIT 1), 'nothing'))::text AS what
FROM message m
WHERE NOT EXISTS (SELECT FROM message_history h WHERE h.realm = m.realm AND h.message_id = m.message_id
                    AND h.sequence = m.state_sequence AND h.to_state = m.state)
   OR (SELECT count(*) FROM message_history h WHERE h.realm = m.realm AND h.message_id = m.message_id) <> m.state_sequence
   OR EXISTS (SELECT FROM message_history h
              LEFT JOIN message_history p ON p.realm = h.realm AND p.message_id = h.message_id AND p.sequence = h.sequence - 1
              WHERE h.realm = m.realm AND h.message_id = m.message_id AND h.from_state <> coalesce(p.to_state, 'None'))
   OR EXISTS (SELECT FROM message_history h
              WHERE h.realm = m.realm AND h.message_id = m.message_id
                AND NOT EXISTS (SELECT FROM legal_move l WHERE l.kind = h.kind AND l.from_state = h.from_state AND l.action = h.action AND l.to_state = h.to_state))
   OR (SELECT count(*) FROM audit_event a WHERE a.realm = m.realm AND a.message_id = m.message_id AND a.sequence IS NOT NULL) <> m.state_sequence
   OR EXISTS (SELECT FROM message_history h WHERE h.realm = m.realm AND h.message_id = m.message_id AND h.sequence = 1
                AND (h.action = 'submit') <> (m.direction = 'out'));

-- name: InvariantSentTwice :many
-- I4: a message that went to clearing under more than one business id.
SELECT d.realm, d.message_id::uuid AS message_id, (count(*) || ' documents of ' || d.name || ' were made')::text AS what
FROM document d
WHERE d.direction = 'out' AND d.message_id IS NOT NULL AND d.name IN ('pacs.008.001.08', 'pacs.004.001.09', 'camt.056.001.08', 'camt.029.001.09')
GROUP BY d.realm, d.message_id, d.name
HAVING count(*) > 1;

-- name: InvariantInDoubtTooLong :many
-- I6: released, yet neither ended nor marked unconfirmed a minute after the time of the scheme.
SELECT m.realm, m.message_id, ('is ' || m.state || ' since ' || m.state_since)::text AS what
FROM message m
WHERE m.kind IN ('instruction', 'return') AND m.state IN ('Approved', 'Processing') AND m.accepted_at < @accepted_before::timestamptz;

-- name: InvariantClosedYetSent :many
-- I7: rejected, withdrawn, expired or still pending, and yet released or written for clearing.
SELECT m.realm, m.message_id, ('is ' || m.state || ' and yet on its way')::text AS what
FROM message m
WHERE m.state IN ('Approval Pending', 'Rejected', 'Withdrawn', 'Expired')
  AND (EXISTS (SELECT FROM release r WHERE r.realm = m.realm AND r.message_id = m.message_id)
       OR EXISTS (SELECT FROM document d WHERE d.realm = m.realm AND d.message_id = m.message_id AND d.direction = 'out' AND d.name <> 'pain.002.001.10'));

-- name: InvariantExternalIDTwice :many
-- I8: one externalId of a client on two messages.
SELECT m.realm, (array_agg(m.message_id))[1]::uuid AS message_id, ('externalId ' || m.external_id || ' stands on ' || count(*) || ' messages')::text AS what
FROM message m
WHERE m.external_id IS NOT NULL
GROUP BY m.realm, m.client_id, m.external_id
HAVING count(*) > 1;

-- name: InvariantOtherAmountSent :many
-- I9: the payment written for clearing has another amount than the approved one.
SELECT m.realm, m.message_id, ('approved ' || v.amount || ' minor units, the document has another amount')::text AS what
FROM message m
JOIN release r ON r.realm = m.realm AND r.message_id = m.message_id
JOIN message_version v ON v.realm = r.realm AND v.message_id = r.message_id AND v.version = r.version
JOIN document d ON d.realm = m.realm AND d.message_id = m.message_id AND d.direction = 'out' AND d.name = 'pacs.008.001.08'
WHERE position('Ccy="' || v.currency || '">' || to_char(v.amount / 100.0, 'FM9999999999990.00') || '</IntrBkSttlmAmt>' IN convert_from(d.content, 'UTF8')) = 0;

-- name: InvariantOriginalUsedTwice :many
-- I12: two open recalls, returns or answers of one payment, or more sent back than came in.
SELECT m.realm, m.original_id::uuid AS message_id, (count(*) || ' open messages of kind ' || m.kind)::text AS what
FROM message m
WHERE m.kind IN ('recall', 'return') AND m.state NOT IN ('Rejected', 'Withdrawn', 'Expired', 'Failed')
GROUP BY m.realm, m.original_id, m.kind
HAVING count(*) > 1
UNION ALL
SELECT m.realm, m.answers_id::uuid AS message_id, (count(*) || ' answers to one recall')::text AS what
FROM message m
WHERE m.answers_id IS NOT NULL AND m.state NOT IN ('Rejected', 'Withdrawn', 'Expired', 'Failed')
GROUP BY m.realm, m.answers_id
HAVING count(*) > 1
UNION ALL
SELECT m.realm, m.message_id, ('came in as the answer to a recall that is ' || coalesce(r.state, 'of another payment'))::text AS what
FROM message m
LEFT JOIN message r ON r.realm = m.realm AND r.message_id = m.answers_id AND r.original_id = m.original_id AND r.kind = 'recall'
WHERE m.kind IN ('return', 'resolution') AND m.direction = 'in'
  AND r.state IS DISTINCT FROM CASE m.kind WHEN 'return' THEN 'Accepted' ELSE 'Refused' END
UNION ALL
SELECT m.realm, m.message_id, 'returns more than came in'::text AS what
FROM message m
JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = m.version
JOIN message_version o ON o.realm = m.realm AND o.message_id = m.original_id AND o.version = 1
WHERE m.kind = 'return' AND v.amount > o.amount;
