-- What a statement of clearing is held against.

-- name: LedgerList :many
-- Messages of a scheme that move money, since a moment, in the order of their keys, from one on. A return is known by the payment it is about.
SELECT m.realm, m.message_id, m.global_id, m.kind, m.direction, m.state, m.created_at, m.accepted_at, m.delivered_at, v.amount, v.currency,
       (r.message_id IS NOT NULL)::boolean AS approved,
       coalesce(CASE WHEN m.kind = 'instruction' THEN m.global_id WHEN o.kind = 'instruction' THEN o.global_id
                     ELSE coalesce(ov.transaction_id, v.transaction_id) END, '')::text AS transaction_id
FROM message m
JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = m.version
LEFT JOIN release r ON r.realm = m.realm AND r.message_id = m.message_id
LEFT JOIN message o ON m.kind = 'return' AND o.realm = m.realm AND o.message_id = m.original_id
LEFT JOIN message_version ov ON ov.realm = o.realm AND ov.message_id = o.message_id AND ov.version = o.version
WHERE m.scheme = @scheme AND m.kind IN ('instruction', 'return', 'payment') AND coalesce(m.accepted_at, m.created_at) >= @since::timestamptz
  AND (m.realm, m.message_id) > (@realm::text, @message_id::uuid)
ORDER BY m.realm, m.message_id
LIMIT @page_size::integer;
