-- Events of the audit trail whose rows elsewhere are gone, and rows without their event. The seal of an event shows that the gateway wrote
-- it, and the head of a realm that its master data are whole.

-- name: InvariantToldUndone :many
-- I34: a change, a decision of one, a set-up, the use of a second factor or a broken glass that an event tells of and that is not there, was
-- made by somebody else or at another time; or one that no event tells of.
SELECT a.realm, 'audit_event'::text AS relation, a.event_id::text AS key,
       ('tells of ' || a.event || ' of change ' || coalesce(a.detail::jsonb ->> 'change', 'none') || ', and nobody did it then')::text AS what
FROM audit_event a
LEFT JOIN realm_change c ON c.realm = a.realm AND c.change_id::text = a.detail::jsonb ->> 'change'
LEFT JOIN realm_change_decision d ON d.realm = c.realm AND d.change_id = c.change_id AND 'change.' || d.action = a.event
WHERE a.event IN ('change.request', 'change.approve', 'change.reject')
  AND (CASE a.event WHEN 'change.request' THEN c.requested_at ELSE d.decided_at END IS DISTINCT FROM a.at
       OR CASE a.event WHEN 'change.request' THEN c.requester_user ELSE d.decider_user END IS DISTINCT FROM a.actor_user)
UNION ALL
SELECT coalesce(a.realm, s.realm), CASE WHEN s.realm IS NULL THEN 'audit_event' ELSE 'user_setup_use' END::text, coalesce(s.setup_id, a.event_id)::text,
       ('link and code were used, and the audit trail does not tell of it, or the reverse: ' || concat_ws(' ', a.actor_user, a.at))::text
FROM user_setup_use s
FULL JOIN (SELECT * FROM audit_event WHERE event = 'user.set-up') a ON a.realm = s.realm AND a.actor_user = s.user_id AND a.at = s.at
WHERE a.realm IS NULL OR s.realm IS NULL
UNION ALL
SELECT coalesce(a.realm, u.realm), CASE WHEN u.realm IS NULL THEN 'audit_event' ELSE 'factor_use' END::text, coalesce(u.use_id, a.event_id)::text,
       ('a second factor was shown, and the audit trail does not tell of it, or the reverse: ' || concat_ws(' ', a.actor_user, a.at))::text
FROM (SELECT x.*, f.kind, f.name FROM factor_use x LEFT JOIN second_factor f ON f.realm = x.realm AND f.factor_id = x.factor_id) u
FULL JOIN (SELECT * FROM audit_event WHERE event IN ('second-factor.enrol', 'second-factor.use')) a
  ON a.realm = u.realm AND a.actor_user = u.user_id AND a.at = u.at AND a.detail::jsonb ->> 'factor' = u.kind AND a.detail::jsonb ->> 'name' = u.name
    AND coalesce(a.detail::jsonb ->> 'purpose', 'enrol') = u.purpose AND coalesce(a.detail::jsonb ->> 'message', '') = coalesce(u.message_id::text, '')
WHERE a.realm IS NULL OR u.realm IS NULL AND (a.event = 'second-factor.enrol' OR NOT EXISTS (
  SELECT FROM archived_month m -- older uses leave with it, but for the newest of a factor and those of recovery codes
  JOIN second_factor f ON f.realm = m.realm AND f.user_id = a.actor_user AND f.name = a.detail::jsonb ->> 'name'
    AND f.kind = a.detail::jsonb ->> 'factor' AND f.kind <> 'recovery'
  JOIN factor_use n ON n.realm = f.realm AND n.factor_id = f.factor_id AND n.at >= a.at AND n.purpose <> 'enrol'
  WHERE m.realm = a.realm AND a.at < (to_date(m.month, 'YYYY-MM') + interval '1 month') AT TIME ZONE 'Europe/Zurich'))
UNION ALL
SELECT coalesce(a.realm, b.realm), CASE WHEN b.realm IS NULL THEN 'audit_event' ELSE 'break_glass' END::text,
       coalesce(b.break_glass_id, a.event_id)::text, 'the operator broke the glass, and the audit trail does not tell of it once, or the reverse'::text
FROM (SELECT x.*, u.name FROM break_glass x LEFT JOIN user_account u ON u.realm = x.realm AND u.user_id = x.user_id) b
FULL JOIN (SELECT * FROM audit_event WHERE event = 'realm.break-glass') a
  ON a.realm = b.realm AND a.at = b.at AND a.detail::jsonb ->> 'reason' = b.reason AND a.detail::jsonb ->> 'subject' = b.name
WHERE a.realm IS NULL OR b.realm IS NULL
   OR EXISTS (SELECT FROM break_glass o WHERE o.realm = b.realm AND o.user_id = b.user_id AND o.at = b.at AND o.break_glass_id <> b.break_glass_id);

-- name: InvariantRefusalsCounted :many
-- I34 as well: a minute that has other refusals than were counted in the same transactions: each of the first hundred of an event and account
-- has a row. Earlier versions counted all accounts of an event together, so the sums of a minute are compared too.
SELECT q.realm::text AS realm, 'refusal_count'::text AS relation, concat_ws(' ', q.event, q.minute)::text AS key,
       ('counts ' || q.refused || ' refusals, and the audit trail tells of ' || q.told || ': '
        || coalesce(array_to_string(q.rows, ', '), 'none'))::text AS what
FROM (
  SELECT x.*, sum(x.told) OVER w AS all_told, sum(least(x.refused, 100)) OVER w AS all_kept
  FROM (
    SELECT coalesce(c.realm, r.realm) AS realm, coalesce(c.event, r.event) AS event, coalesce(c.minute, r.minute) AS minute,
           coalesce(c.refused, 0) AS refused, coalesce(r.told, 0) AS told, r.rows
    FROM refusal_count c
    FULL JOIN (
      SELECT a.realm, concat_ws('/', a.event, a.actor_user) AS event, date_trunc('minute', a.at) AS minute, count(*) AS told,
             (array_agg(a.event_id::text ORDER BY a.event_id))[1:100] AS rows
      FROM audit_event a WHERE a.outcome = 'refused' GROUP BY a.realm, concat_ws('/', a.event, a.actor_user), date_trunc('minute', a.at)) r
      ON r.realm = c.realm AND r.event = c.event AND r.minute = c.minute) x
  WINDOW w AS (PARTITION BY x.realm, split_part(x.event, '/', 1), x.minute)) q
WHERE q.told <> least(q.refused, 100) AND q.all_told <> q.all_kept;
