-- name: VolumeByHour :many
-- How many payments were made in each hour since a time, and how much, per scheme; without those closed before release and without
-- incoming ones that were refused, which may be in any currency. It looks at the 10,000 newest, so that a busy realm's dashboard costs no
-- more than a quiet one's. A sum that no column holds can only be planted, and stops at the largest number.
SELECT q.scheme, q.currency, q.hour, count(*) AS payments, least(sum(q.amount), 9223372036854775807)::bigint AS total
FROM (
  SELECT m.scheme, v.currency, v.amount, date_trunc('hour', m.created_at)::timestamptz AS hour
  FROM message m
  JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = m.version
  WHERE m.realm = @realm AND m.created_at >= @since::timestamptz AND m.state NOT IN ('Rejected', 'Withdrawn', 'Expired')
    AND m.kind IN ('instruction', 'payment') AND NOT (m.kind = 'payment' AND m.state = 'Failed')
  ORDER BY m.message_id DESC LIMIT 10000
) q
GROUP BY q.scheme, q.currency, q.hour ORDER BY q.scheme, q.currency, q.hour;
