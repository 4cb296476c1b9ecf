-- More of what must hold (invariant_move.sql says how such a query answers): policies, second factors, changes of administration and limits.

-- name: InvariantPolicyAsked :many
-- I22: a version whose message was given fewer approvals than the policies of that time asked for it.
SELECT v.realm, 'message_version'::text AS relation, concat_ws(' ', v.message_id, v.version)::text AS key,
       ('needs ' || v.approvals_required || ' approvals, and the policy of its time asked for ' || asked.approvals)::text AS what
FROM message_version v, approvals_asked(v.realm, v.message_id, v.version) AS asked (approvals)
WHERE asked.approvals > v.approvals_required;

-- name: InvariantStepUp :many
-- I31: every approval of a message whose policy asks for a second factor names the use of one, and no decision names one that was
-- shown for something else.
SELECT d.realm, 'decision'::text AS relation, concat_ws(' ', d.message_id, d.version, d.ordinal)::text AS key,
       'approved without the second factor that the policy asks for'::text AS what
FROM decision d
JOIN message m ON m.realm = d.realm AND m.message_id = d.message_id
JOIN policy p ON p.realm = m.realm AND p.policy_id = m.policy_id
WHERE p.step_up AND d.action = 'approve' AND d.factor_use_id IS NULL
UNION ALL
SELECT d.realm, 'decision'::text, concat_ws(' ', d.message_id, d.version, d.ordinal)::text,
       'names a second factor that was shown for something else'::text
FROM decision d
JOIN factor_use u ON u.realm = d.realm AND u.use_id = d.factor_use_id
WHERE (u.user_id, u.message_id, u.version, u.content_hash, u.action) IS DISTINCT FROM
      (d.checker_user, d.message_id, d.version, d.content_hash, d.action);

-- name: InvariantChangeDecided :many
-- I27: changes of administration were decided by somebody else, about the content that was asked for, one after the other.
SELECT d.realm, 'realm_change_decision'::text AS relation, d.change_id::text AS key,
       CASE WHEN d.decider_person IN (d.requester_person, d.beneficiary_person) THEN 'was decided by who asked for it or whom it is about'
            WHEN d.requester_person <> c.requester_person OR d.beneficiary_person <> c.beneficiary_person THEN 'names other people than its change'
            WHEN d.content_hash <> sha256(convert_to(c.content, 'UTF8')) THEN 'is about other content than its change has'
            ELSE 'leaves a gap before it' END::text AS what
FROM realm_change_decision d
JOIN realm_change c ON c.realm = d.realm AND c.change_id = d.change_id
WHERE d.decider_person IN (d.requester_person, d.beneficiary_person)
   OR d.requester_person <> c.requester_person OR d.beneficiary_person <> c.beneficiary_person
   OR d.content_hash <> sha256(convert_to(c.content, 'UTF8'))
   OR d.ordinal > 1 AND NOT EXISTS (SELECT FROM realm_change_decision b WHERE b.realm = d.realm AND b.ordinal = d.ordinal - 1)
UNION ALL
SELECT a.realm, 'realm_administration'::text, a.realm::text, 'counts decisions that are not there'::text
FROM realm_administration a
WHERE a.decided <> (SELECT count(*) FROM realm_change_decision d WHERE d.realm = a.realm)
UNION ALL
SELECT d.realm, 'realm_administration'::text, d.realm::text, ('is gone, and ' || count(*) || ' changes were decided')::text
FROM realm_change_decision d
WHERE NOT EXISTS (SELECT FROM realm_administration a WHERE a.realm = d.realm)
GROUP BY d.realm
ORDER BY 1, 2, 3;

-- name: InvariantLimitHeld :many
-- I32: what a release took of a limit that is not what its audit row says, is not the amount that was released, or is above what was allowed;
-- a release under a daily limit that took nothing of it, later than a minute after the limit was set; a limit that is not as the last change
-- of two administrators left it.
SELECT u.realm, 'limit_use'::text AS relation, concat_ws(' ', u.message_id, u.limit_id)::text AS key,
       ('takes ' || u.amount || ' of a limit from ' || u.used_before || ' on ' || u.day || ', with ' || u.allowed
        || ' allowed: its release, its audit row or its limit says otherwise')::text AS what
FROM limit_use u
LEFT JOIN release r ON r.realm = u.realm AND r.message_id = u.message_id
LEFT JOIN message_version v ON v.realm = r.realm AND v.message_id = r.message_id AND v.version = r.version
LEFT JOIN spending_limit l ON l.realm = u.realm AND l.limit_id = u.limit_id
WHERE (r.message_id IS NOT NULL
       OR NOT EXISTS (SELECT FROM audit_leaf l WHERE l.realm = u.realm AND l.row_id = move_event(u.message_id, 1) AND l.kind = 'archived event'))
  AND (v.amount IS DISTINCT FROM u.amount OR v.currency IS DISTINCT FROM u.currency OR u.used_after IS DISTINCT FROM u.used_before + u.amount
   OR u.used_after > u.allowed OR u.previous_used IS DISTINCT FROM nullif(u.used_before, 0)
   OR l.limit_of IS DISTINCT FROM u.limit_of OR l.holder IS DISTINCT FROM u.holder OR l.currency IS DISTINCT FROM u.currency
   OR NOT EXISTS (
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
  AND NOT EXISTS (SELECT FROM limit_use u WHERE u.realm = r.realm AND u.message_id = r.message_id AND u.limit_id = l.limit_id)
UNION ALL
SELECT c.realm, 'spending_limit'::text, c.subject::text,
       ('is ' || coalesce(l.per_payment::text, 'nothing') || ' at a time and ' || coalesce(l.per_day::text, 'nothing')
        || ' a day, or is not there; two administrators set it otherwise')::text
FROM realm_change c
JOIN realm_change_decision d ON d.realm = c.realm AND d.change_id = c.change_id AND d.action = 'approve'
LEFT JOIN spending_limit l ON l.realm = c.realm AND l.limit_id::text = c.subject
WHERE c.kind = 'limit.set'
  AND NOT EXISTS (SELECT FROM realm_change x JOIN realm_change_decision y ON y.realm = x.realm AND y.change_id = x.change_id AND y.action = 'approve'
                  WHERE x.realm = c.realm AND x.kind = c.kind AND x.subject = c.subject AND y.ordinal > d.ordinal)
  AND (l.limit_id IS NULL OR l.limit_of IS DISTINCT FROM c.content::jsonb #>> '{after,limitOf}'
       OR l.holder IS DISTINCT FROM c.content::jsonb #>> '{after,holder}' OR l.currency IS DISTINCT FROM c.content::jsonb #>> '{after,currency}'
       OR l.per_payment IS DISTINCT FROM (100 * (c.content::jsonb #>> '{after,perPayment}')::numeric)::bigint
       OR l.per_day IS DISTINCT FROM (100 * (c.content::jsonb #>> '{after,perDay}')::numeric)::bigint);
