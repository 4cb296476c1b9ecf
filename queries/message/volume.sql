-- name: VolumeByHour :many
-- How many payment orders were made in each hour from that of a time on, and how much, per scheme and state. It looks at the 10,000 newest messages, so
-- that a busy realm's dashboard costs no more than a quiet one's. A sum that no column holds can only be planted, and stops at the largest number.
-- Hours are compared and not times: of times the planner believes that few are left, and sorts ten thousand rows where it could hash them.
SELECT m.scheme, m.hour::timestamptz AS hour, m.state, count(*) AS payments, least(sum(m.listed_amount), 9223372036854775807)::bigint AS total
FROM (SELECT x.scheme, x.state, x.kind, x.created_at, x.listed_amount, date_bin('1 hour', x.created_at, '2000-01-01 00:00:00+00'::timestamptz) AS hour
      FROM message x WHERE x.realm = @realm
      ORDER BY x.message_id DESC LIMIT 10000) m
WHERE m.hour >= date_bin('1 hour', @since::timestamptz, '2000-01-01 00:00:00+00'::timestamptz) AND m.kind = 'instruction'
GROUP BY m.hour, m.scheme, m.state ORDER BY m.scheme, m.hour;

-- name: Turnaround :one
-- How long the payments made since a time took from their making to their last approval, and from there to clearing's yes, in milliseconds:
-- how long half of them took at most, and 95 of 100. It looks at the 10,000 newest messages. The first span leaves out those prepared for a later
-- day, whose midnight is at most 2 hours later in UTC than in the bank's zone.
-- Each share of both spans comes from one sort, of the spans as they are: an interval is compared sooner than it is a number.
SELECT t.approved, t.settled,
       (coalesce(extract(epoch FROM t.waited[1]), 0) * 1000)::bigint AS waited_half, (coalesce(extract(epoch FROM t.waited[2]), 0) * 1000)::bigint AS waited_most,
       (coalesce(extract(epoch FROM t.cleared[1]), 0) * 1000)::bigint AS cleared_half, (coalesce(extract(epoch FROM t.cleared[2]), 0) * 1000)::bigint AS cleared_most
FROM (
  SELECT count(*) AS approved, count(m.settled_at) AS settled,
         percentile_disc(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY m.accepted_at - m.created_at) FILTER (WHERE NOT m.prepared) AS waited,
         percentile_disc(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY m.settled_at - m.accepted_at) AS cleared
  FROM (SELECT x.accepted_at, x.created_at, x.settled_at, x.kind, x.approvals_required,
          coalesce(x.execution_day > x.created_at + interval '2 hours', false) AS prepared FROM message x WHERE x.realm = @realm
        ORDER BY x.message_id DESC LIMIT 10000) m
  WHERE m.created_at >= @since::timestamptz AND m.kind = 'instruction' AND m.accepted_at IS NOT NULL AND m.approvals_required > 0
) t;
