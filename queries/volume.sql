-- name: VolumeByHour :many
-- How many payments were made in each hour since a time, and how much, per scheme and outcome; without those closed before release. It looks
-- at the 10,000 newest messages, so that a busy realm's dashboard costs no more than a quiet one's, and reads their versions as a row beside
-- them (with room for a thousand amendments), not one by one. A sum that no column holds can only be planted,
-- and stops at the largest number.
SELECT q.scheme, q.currency, q.hour, q.outcome::text AS outcome, count(*) AS payments, least(sum(q.amount), 9223372036854775807)::bigint AS total
FROM (
  SELECT m.scheme, v.currency, v.amount, date_trunc('hour', m.created_at)::timestamptz AS hour,
         CASE WHEN m.state IN ('Settled', 'Booked') THEN 'settled' WHEN m.state = 'Failed' THEN 'failed' ELSE 'open' END AS outcome
  FROM (SELECT x.realm, x.message_id, x.version, x.scheme, x.state, x.kind, x.created_at FROM message x WHERE x.realm = @realm
        ORDER BY x.message_id DESC LIMIT 10000) m
  JOIN (SELECT y.message_id, y.version, y.currency, y.amount FROM message_version y WHERE y.realm = @realm
        ORDER BY y.message_id DESC, y.version DESC LIMIT 11000) v ON v.message_id = m.message_id AND v.version = m.version
  WHERE m.created_at >= @since::timestamptz AND m.state NOT IN ('Rejected', 'Withdrawn', 'Expired') AND m.kind IN ('instruction', 'payment')
) q
GROUP BY q.scheme, q.currency, q.hour, q.outcome ORDER BY q.scheme, q.currency, q.hour, q.outcome;

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
