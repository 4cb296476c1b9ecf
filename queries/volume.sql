-- name: VolumeByHour :many
-- How many payments were made in each hour since a time, and how much, per scheme and state. It looks at the 10,000 newest messages, so that a
-- busy realm's dashboard costs no more than a quiet one's. A sum that no column holds can only be planted, and stops at the largest number.
SELECT m.scheme, m.hour::timestamptz AS hour, m.state, count(*) AS payments, least(sum(m.listed_amount), 9223372036854775807)::bigint AS total
FROM (SELECT x.scheme, x.state, x.kind, x.created_at, x.listed_amount, date_bin('1 hour', x.created_at, '2000-01-01 00:00:00+00'::timestamptz) AS hour
      FROM message x WHERE x.realm = @realm
      ORDER BY x.message_id DESC LIMIT 10000) m
WHERE m.created_at >= @since::timestamptz AND m.kind IN ('instruction', 'payment')
GROUP BY m.hour, m.scheme, m.state ORDER BY m.scheme, m.hour;

-- name: Turnaround :one
-- How long the payments made since a time took from their making to their last approval, and from there to clearing's yes, in milliseconds:
-- the half that was fastest, and 95 of 100. It looks at the 10,000 newest messages.
SELECT count(*) AS approved,
       coalesce(percentile_disc(0.5) WITHIN GROUP (ORDER BY q.waited), 0)::bigint AS waited_half,
       coalesce(percentile_disc(0.95) WITHIN GROUP (ORDER BY q.waited), 0)::bigint AS waited_most,
       count(q.cleared) AS settled,
       coalesce(percentile_disc(0.5) WITHIN GROUP (ORDER BY q.cleared), 0)::bigint AS cleared_half,
       coalesce(percentile_disc(0.95) WITHIN GROUP (ORDER BY q.cleared), 0)::bigint AS cleared_most
FROM (
  SELECT (extract(epoch FROM m.accepted_at - m.created_at) * 1000)::bigint AS waited,
         (extract(epoch FROM m.settled_at - m.accepted_at) * 1000)::bigint AS cleared
  FROM (SELECT x.accepted_at, x.created_at, x.settled_at, x.kind, x.approvals_required FROM message x WHERE x.realm = @realm
        ORDER BY x.message_id DESC LIMIT 10000) m
  WHERE m.created_at >= @since::timestamptz AND m.kind = 'instruction' AND m.accepted_at IS NOT NULL AND m.approvals_required > 0
) q;
