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
SELECT a.realm, 'audit_event'::text, a.event_id::text, ('tells that a password was set by link and code, and none was used: ' || concat_ws(' ', a.actor_user, a.at))::text
FROM audit_event a
WHERE a.event = 'user.set-up'
  AND NOT EXISTS (SELECT FROM user_setup_use s WHERE s.realm = a.realm AND s.user_id = a.actor_user AND s.at = a.at)
UNION ALL
SELECT s.realm, 'user_setup_use'::text, s.setup_id::text, 'link and code were used, and the audit trail does not tell of it'::text
FROM user_setup_use s
WHERE NOT EXISTS (SELECT FROM audit_event a WHERE a.realm = s.realm AND a.event = 'user.set-up' AND a.actor_user = s.user_id AND a.at = s.at)
UNION ALL
SELECT a.realm, 'audit_event'::text, a.event_id::text, ('tells of ' || a.event || ', and there is no such second factor of that time, or it was never shown: ' || concat_ws(' ', a.actor_user, a.at))::text
FROM audit_event a
WHERE a.event IN ('second-factor.enrol', 'second-factor.remove')
  AND NOT EXISTS (SELECT FROM second_factor f WHERE f.realm = a.realm AND f.user_id = a.actor_user AND f.kind = a.detail::jsonb ->> 'factor'
                    AND f.name = a.detail::jsonb ->> 'name' AND CASE a.event WHEN 'second-factor.enrol' THEN f.made_at ELSE f.removed_at END = a.at
                    AND (a.event = 'second-factor.remove' OR EXISTS (SELECT FROM factor_use u WHERE u.realm = f.realm AND u.factor_id = f.factor_id
                                                                       AND u.at = f.made_at AND u.purpose = 'enrol')))
UNION ALL
SELECT a.realm, 'audit_event'::text, a.event_id::text, ('tells of a second factor that was shown, and none was: ' || concat_ws(' ', a.actor_user, a.at))::text
FROM audit_event a
WHERE a.event = 'second-factor.use'
  AND NOT EXISTS (SELECT FROM archived_month m WHERE m.realm = a.realm -- older uses leave with it
                    AND a.at < (to_date(m.month, 'YYYY-MM') + interval '1 month') AT TIME ZONE 'Europe/Zurich')
  AND NOT EXISTS (SELECT FROM factor_use u WHERE u.realm = a.realm AND u.user_id = a.actor_user AND u.at = a.at
                    AND u.purpose = a.detail::jsonb ->> 'purpose' AND coalesce(u.message_id::text, '') = coalesce(a.detail::jsonb ->> 'message', ''))
UNION ALL
SELECT u.realm, 'factor_use'::text, u.use_id::text, 'was shown, and the audit trail does not tell of it'::text
FROM factor_use u
WHERE NOT EXISTS (SELECT FROM audit_event a
                  WHERE a.realm = u.realm AND a.actor_user = u.user_id AND a.at = u.at
                    AND a.event = CASE u.purpose WHEN 'enrol' THEN 'second-factor.enrol' ELSE 'second-factor.use' END)
UNION ALL
SELECT a.realm, 'audit_event'::text, a.event_id::text, 'tells that the operator broke the glass, and nothing was noted of it'::text
FROM audit_event a
WHERE a.event = 'realm.break-glass'
  AND NOT EXISTS (SELECT FROM break_glass b WHERE b.realm = a.realm AND b.at = a.at AND b.reason = a.detail::jsonb ->> 'reason')
UNION ALL
SELECT b.realm, 'break_glass'::text, b.break_glass_id::text, 'the audit trail tells of no such reason at that time'::text
FROM break_glass b
JOIN user_account u ON u.realm = b.realm AND u.user_id = b.user_id
WHERE NOT EXISTS (SELECT FROM audit_event a WHERE a.realm = b.realm AND a.event = 'realm.break-glass' AND a.at = b.at
                    AND a.detail::jsonb ->> 'reason' = b.reason AND a.detail::jsonb ->> 'subject' = u.name)
   OR EXISTS (SELECT FROM break_glass o WHERE o.realm = b.realm AND o.user_id = b.user_id AND o.at = b.at AND o.break_glass_id <> b.break_glass_id);

-- name: InvariantRefusalsCounted :many
-- I34 as well: a minute that has other refusals than were counted in the same transactions: each of the first hundred of an event has a row.
SELECT coalesce(c.realm, r.realm)::text AS realm, 'refusal_count'::text AS relation,
       concat_ws(' ', coalesce(c.event, r.event), coalesce(c.minute, r.minute))::text AS key,
       ('counts ' || coalesce(c.refused, 0) || ' refusals, and the audit trail tells of ' || coalesce(r.told, 0) || ': '
        || coalesce(array_to_string(r.rows, ', '), 'none'))::text AS what
FROM refusal_count c
FULL JOIN (
  SELECT a.realm, a.event, date_trunc('minute', a.at) AS minute, count(*) AS told, (array_agg(a.event_id::text ORDER BY a.event_id))[1:100] AS rows
  FROM audit_event a WHERE a.outcome = 'refused' GROUP BY a.realm, a.event, date_trunc('minute', a.at)) r
  ON r.realm = c.realm AND r.event = c.event AND r.minute = c.minute
WHERE coalesce(r.told, 0) <> least(coalesce(c.refused, 0), 100);
