-- More of what must hold (invariant_move.sql says how such a query answers): policies, second factors, changes of administration and limits.

-- name: InvariantPolicyAsked :many
-- I22: a version whose message was given fewer approvals than the policies of that time asked for it.
SELECT v.realm, 'message_version'::text AS relation, concat_ws(' ', v.message_id, v.version)::text AS key,
       ('needs ' || v.approvals_required || ' approvals, and the policy of its time asked for ' || asked.approvals)::text AS what
FROM message_version v, approvals_asked(v.realm, v.message_id, v.version) AS asked (approvals)
WHERE asked.approvals > v.approvals_required;

-- name: InvariantStepUp :many
-- I31: every approval of a message whose policy asks for a second factor names the use of one. A foreign key holds that it was shown for it.
SELECT d.realm, 'decision'::text AS relation, concat_ws(' ', d.message_id, d.version, d.ordinal)::text AS key,
       'approved without the second factor that the policy asks for'::text AS what
FROM decision d
JOIN message m ON m.realm = d.realm AND m.message_id = d.message_id
JOIN policy p ON p.realm = m.realm AND p.policy_id = m.policy_id
WHERE p.step_up AND d.action = 'approve' AND d.factor_use_id IS NULL;

-- name: InvariantChangeDecided :many
-- I27: changes of administration were decided one after the other. Foreign keys and rules of the tables hold that another person decided
-- each, about the content that was asked for.
SELECT d.realm, 'realm_change_decision'::text AS relation, d.change_id::text AS key, 'leaves a gap before it'::text AS what
FROM realm_change_decision d
WHERE d.ordinal > 1 AND NOT EXISTS (SELECT FROM realm_change_decision b WHERE b.realm = d.realm AND b.ordinal = d.ordinal - 1)
UNION ALL
SELECT realm, 'realm_administration'::text, realm::text,
       ('counts ' || coalesce(a.decided::text, 'no') || ' decided changes, and there are ' || coalesce(d.decisions, 0))::text
FROM realm_administration a FULL JOIN (SELECT realm, count(*) AS decisions FROM realm_change_decision GROUP BY realm) d USING (realm)
WHERE a.decided IS DISTINCT FROM d.decisions;

-- name: InvariantLimitHeld :many
-- I32: what a release took of a limit that is not what its audit row says, or not the amount that was released; a release under a daily
-- limit that took nothing of it, later than a minute after the limit was set. Rules of the table bound each use by the allowed amount.
SELECT u.realm, 'limit_use'::text AS relation, concat_ws(' ', u.message_id, u.limit_id)::text AS key,
       ('takes ' || u.amount || ' of a limit from ' || u.used_before || ' on ' || u.day || ', with ' || u.allowed
        || ' allowed: its release or its audit row says otherwise')::text AS what
FROM limit_use u
LEFT JOIN release r ON r.realm = u.realm AND r.message_id = u.message_id
LEFT JOIN message_version v ON v.realm = r.realm AND v.message_id = r.message_id AND v.version = r.version
WHERE (r.message_id IS NOT NULL
       OR NOT EXISTS (SELECT FROM audit_leaf l WHERE l.realm = u.realm AND l.row_id = move_event(u.message_id, 1) AND l.kind = 'archived event'))
  AND (v.amount IS DISTINCT FROM u.amount OR v.currency IS DISTINCT FROM u.currency OR NOT EXISTS (
        SELECT FROM audit_event a CROSS JOIN LATERAL jsonb_array_elements(coalesce(a.detail::jsonb -> 'limits', '[]')) AS t (taken)
        WHERE a.realm = u.realm AND a.message_id = u.message_id AND t.taken = jsonb_build_object(
          'limit', u.limit_id, 'day', to_char(u.day, 'YYYY-MM-DD'), 'before', u.used_before, 'amount', u.amount, 'allowed', u.allowed)))
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
        WHEN 'account' THEN CASE WHEN m.kind = 'return' THEN coalesce((SELECT i.account FROM incoming_account i WHERE i.realm = m.realm AND i.iban = v.creditor_account), v.creditor_account) ELSE v.debtor_account END = l.holder
        ELSE l.holder = ANY (r.makers::text[]) OR EXISTS (
               SELECT FROM decision d WHERE d.realm = r.realm AND d.message_id = r.message_id AND d.version = r.version
                 AND d.action = 'approve' AND d.checker_person::text = l.holder) END
  AND NOT EXISTS (SELECT FROM limit_use u WHERE u.realm = r.realm AND u.message_id = r.message_id AND u.limit_id = l.limit_id);
