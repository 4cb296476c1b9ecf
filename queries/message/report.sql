-- The reports of control: what a supervisor asks about the work of makers and checkers in a period. They run with custom plans, as every
-- search does.

-- name: ReportPairList :many
-- For each maker and each checker who approved what they made or changed: how often, and of how many approvals of that maker.
WITH approved AS (
  SELECT DISTINCT d.message_id, d.checker_person, m.maker FROM decision d CROSS JOIN LATERAL unnest(d.makers) AS m (maker)
  WHERE d.realm = @realm AND d.action = 'approve' AND d.decided_at >= @since AND d.decided_at < @until
), paired AS (
  SELECT maker, checker_person, count(*) AS approvals, (sum(count(*)) OVER (PARTITION BY maker))::bigint AS of FROM approved
  GROUP BY maker, checker_person
)
SELECT p.maker::uuid AS maker, p.checker_person, m.display_name AS maker_name, c.display_name AS checker_name, p.approvals, p.of
FROM paired p
JOIN person m ON m.realm = @realm AND m.person_id = p.maker
JOIN person c ON c.realm = @realm AND c.person_id = p.checker_person
WHERE p.approvals >= @least::bigint AND p.approvals * 100 >= p.of * @percent::bigint
ORDER BY p.approvals DESC, m.display_name, c.display_name LIMIT @most::integer;

-- name: ReportApprovalList :many
-- Approvals of a period, newest first: of one pair, faster than reading takes, or out of hours. One through the portal by somebody who never
-- had the page of that version open counts as fast; one through the API has no page.
SELECT d.message_id, g.global_id, d.version, d.decided_at, d.channel, d.client_id, c.display_name AS checker_name,
       coalesce((SELECT string_agg(m.display_name, ', ' ORDER BY m.display_name) FROM person m
                 WHERE m.realm = d.realm AND m.person_id = ANY (d.makers)), '')::text AS maker_names,
       v.amount, v.currency, l.first_at
FROM decision d
JOIN message g ON g.realm = d.realm AND g.message_id = d.message_id
JOIN message_version v ON v.realm = d.realm AND v.message_id = d.message_id AND v.version = d.version
JOIN person c ON c.realm = d.realm AND c.person_id = d.checker_person
LEFT JOIN message_look l ON l.realm = d.realm AND l.message_id = d.message_id AND l.version = d.version AND l.person_id = d.checker_person
WHERE d.realm = @realm AND d.action = 'approve' AND d.decided_at >= @since AND d.decided_at < @until
  AND CASE @report::text
        WHEN 'pairs' THEN d.checker_person = @checker::uuid AND @maker::uuid = ANY (d.makers)
        WHEN 'fast' THEN d.channel = 'portal' AND (l.first_at IS NULL OR d.decided_at < l.first_at + make_interval(secs => @seconds::integer))
        ELSE extract(isodow FROM d.decided_at AT TIME ZONE @zone::text) > 5
             OR extract(hour FROM d.decided_at AT TIME ZONE @zone::text) < @opens::integer
             OR extract(hour FROM d.decided_at AT TIME ZONE @zone::text) >= @closes::integer END
ORDER BY d.decided_at DESC, d.message_id DESC LIMIT @most::integer;

-- name: ReportApprovalCount :one
SELECT count(*) FILTER (WHERE d.channel = 'portal'
         AND (l.first_at IS NULL OR d.decided_at < l.first_at + make_interval(secs => @seconds::integer))) AS fast,
       count(*) FILTER (WHERE extract(isodow FROM d.decided_at AT TIME ZONE @zone::text) > 5
         OR extract(hour FROM d.decided_at AT TIME ZONE @zone::text) < @opens::integer
         OR extract(hour FROM d.decided_at AT TIME ZONE @zone::text) >= @closes::integer) AS out_of_hours,
       count(*) AS approvals
FROM decision d
LEFT JOIN message_look l ON l.realm = d.realm AND l.message_id = d.message_id AND l.version = d.version AND l.person_id = d.checker_person
WHERE d.realm = @realm AND d.action = 'approve' AND d.decided_at >= @since AND d.decided_at < @until;

-- name: ReportRaisedList :many
-- Changes of a period that let people do more, newest first: those that somebody asked for who gains by them, of every kind; and of
-- every asker, limits that were raised or taken away, policies that were retired or ask less than one in force when they were asked for, roles
-- given to an account, new ones too, clients that may decide their own or skip the payee, and second factors
-- that are asked of fewer roles.
SELECT c.change_id, c.kind, c.subject, c.requested_at, r.display_name AS requester_name, coalesce(p.display_name, '')::text AS decider_name,
       coalesce(d.action, 'waits')::text AS outcome, (c.requester_person = c.beneficiary_person)::boolean AS own,
       coalesce(b.display_name, '')::text AS beneficiary_name, c.content
FROM realm_change c
JOIN person r ON r.realm = c.realm AND r.person_id = c.requester_person
LEFT JOIN person b ON b.realm = c.realm AND b.person_id = c.beneficiary_person
LEFT JOIN realm_change_decision d ON d.realm = c.realm AND d.change_id = c.change_id
LEFT JOIN person p ON p.realm = d.realm AND p.person_id = d.decider_person
WHERE c.realm = @realm AND c.requested_at >= @since AND c.requested_at < @until
  AND (c.requester_person = c.beneficiary_person
       OR CASE c.kind
            WHEN 'limit.set' THEN
              (c.content::jsonb #>> '{before,perPayment}')::numeric < coalesce((c.content::jsonb #>> '{after,perPayment}')::numeric, 1e18)
              OR (c.content::jsonb #>> '{before,perDay}')::numeric < coalesce((c.content::jsonb #>> '{after,perDay}')::numeric, 1e18)
            WHEN 'policy.retire' THEN true
            WHEN 'policy.update' THEN
              (c.content::jsonb -> 'before') - '{approvals,stepUp,expiresAfter}'::text[]
                <> (c.content::jsonb -> 'after') - '{approvals,stepUp,expiresAfter}'::text[]
              OR (c.content::jsonb #>> '{before,approvals}')::integer > (c.content::jsonb #>> '{after,approvals}')::integer
              OR c.content::jsonb #>> '{after,stepUp}' IS NULL AND c.content::jsonb #>> '{before,stepUp}' IS NOT NULL
            WHEN 'policy.create' THEN EXISTS (
              SELECT FROM policy o
              WHERE o.realm = c.realm AND o.created_at < c.requested_at AND coalesce(o.retired_at > c.requested_at, true)
                AND (o.approvals_required > (c.content::jsonb #>> '{after,approvals}')::integer
                     OR o.step_up AND c.content::jsonb #>> '{after,stepUp}' IS NULL
                     OR CASE c.content::jsonb #>> '{after,funds}' WHEN 'none' THEN o.funds IS DISTINCT FROM 'none' WHEN 'preferred' THEN o.funds IS NULL ELSE false END
                     OR o.content_hash_required AND c.content::jsonb #>> '{after,contentHashRequired}' IS NULL))
            WHEN 'user.roles' THEN NOT string_to_array(c.content::jsonb #>> '{after,roles}', ', ')
              <@ string_to_array(coalesce(c.content::jsonb #>> '{before,roles}', ''), ', ')
            WHEN 'user.create' THEN true
            WHEN 'client.create' THEN c.content::jsonb #>> '{after,mayDecideOwn}' IS NOT NULL OR c.content::jsonb #>> '{after,payeeWaived}' IS NOT NULL
              OR c.content::jsonb #>> '{after,roles}' IS NOT NULL
            WHEN 'client.roles' THEN c.content::jsonb #>> '{after,roles}' IS NOT NULL
            WHEN 'client.payee' THEN c.content::jsonb #>> '{after,payeeWaived}' IS NOT NULL
            WHEN 'realm.notices' THEN c.content::jsonb #>> '{after,noticeDetails}' IS NOT NULL
            WHEN 'realm.factors' THEN NOT string_to_array(coalesce(c.content::jsonb #>> '{before,secondFactorRoles}', ''), ', ')
              <@ string_to_array(coalesce(c.content::jsonb #>> '{after,secondFactorRoles}', ''), ', ')
            ELSE false END)
ORDER BY c.change_id DESC LIMIT @most::integer;

-- name: ReportEndedList :many
-- What came into a state in a period, the last first, so many at most: what was rejected, what failed, what clearing did not answer in time.
-- A step in which a message stays where it is, such as a further question to clearing, is none of them, and not in the index. The creditor
-- of a return is the debtor of its payment.
SELECT h.message_id, g.global_id, h.at, h.actor_name, coalesce(h.reason, '')::text AS reason, coalesce(g.status_code, '')::text AS status_code,
       coalesce(g.status_text, '')::text AS status_text, g.kind, v.amount, v.currency,
       coalesce(CASE WHEN g.kind = 'return' THEN v.debtor_name ELSE v.creditor_name END, '')::text AS creditor_name
FROM (SELECT x.message_id, x.at, x.actor_name, x.reason FROM message_history x
      WHERE x.realm = @realm AND x.to_state = @state::text AND x.from_state <> x.to_state
        AND x.at >= @since::timestamptz AND x.at < @until::timestamptz
      ORDER BY x.at DESC LIMIT @most::integer) h
JOIN message g ON g.realm = @realm AND g.message_id = h.message_id
JOIN message_version v ON v.realm = @realm AND v.message_id = h.message_id AND v.version = g.version
ORDER BY h.at DESC, h.message_id DESC;

-- name: ReportRejectedCount :many
-- What ReportEndedList lists of rejections, counted by the checker's reason. The index has all of it.
SELECT coalesce(h.reason, '')::text AS reason, count(*) AS messages
FROM (SELECT x.at, x.reason FROM message_history x
      WHERE x.realm = @realm AND x.to_state = 'Rejected' AND x.from_state <> x.to_state
        AND x.at >= @since::timestamptz AND x.at < @until::timestamptz
      ORDER BY x.at DESC LIMIT @most::integer) h
GROUP BY 1 ORDER BY count(*) DESC, max(h.at) DESC;

-- name: ReportFailedCount :many
-- What ReportEndedList lists of failures, counted by clearing's code. What failed stays so: the messages tell the same as their history, and
-- their index has the code.
SELECT coalesce(f.status_code, '')::text AS status_code, count(*) AS messages
FROM (SELECT m.state_since, m.status_code FROM message m
      WHERE m.realm = @realm AND m.state = 'Failed' AND m.state_since >= @since::timestamptz AND m.state_since < @until::timestamptz
      ORDER BY m.state_since DESC LIMIT @most::integer) f
GROUP BY 1 ORDER BY count(*) DESC, max(f.state_since) DESC;

-- name: ReportEndedCount :one
-- How many ReportEndedList lists. Without the order PostgreSQL reads the history from its beginning where it takes most steps for such.
SELECT count(*) FROM (SELECT FROM message_history x
                      WHERE x.realm = @realm AND x.to_state = @state::text AND x.from_state <> x.to_state
                        AND x.at >= @since::timestamptz AND x.at < @until::timestamptz
                      ORDER BY x.at DESC LIMIT @most::integer) h;

-- name: ReportHabitCount :one
-- Of a time that is not over: the approvals faster than reading takes, and those out of hours, among the newest of each checker. It looks
-- at 5,000 at most.
SELECT count(*) FILTER (WHERE d.channel = 'portal'
         AND (l.first_at IS NULL OR d.decided_at < l.first_at + make_interval(secs => @seconds::integer))) AS fast,
       count(*) FILTER (WHERE extract(isodow FROM d.decided_at AT TIME ZONE @zone::text) > 5
         OR extract(hour FROM d.decided_at AT TIME ZONE @zone::text) < @opens::integer
         OR extract(hour FROM d.decided_at AT TIME ZONE @zone::text) >= @closes::integer) AS out_of_hours
FROM (
  SELECT x.* FROM (SELECT DISTINCT u.person_id FROM user_role r JOIN user_account u ON u.realm = r.realm AND u.user_id = r.user_id
                   WHERE r.realm = @realm AND r.role = 'checker') p
  CROSS JOIN LATERAL (SELECT n.message_id, n.version, n.checker_person, n.decided_at, n.channel FROM decision n
                      WHERE n.realm = @realm AND n.checker_person = p.person_id AND n.action = 'approve' AND n.decided_at >= @since::timestamptz
                      ORDER BY n.decided_at DESC LIMIT 1000) x
  LIMIT 5000) d
LEFT JOIN message_look l ON l.realm = @realm AND l.message_id = d.message_id AND l.version = d.version AND l.person_id = d.checker_person;

-- name: AnswerDueList :many
-- The received recalls that wait for an answer whose last day is before a time, the one that is due first first.
SELECT message_id FROM message
WHERE realm = @realm AND state = 'Awaiting Decision' AND kind = 'received recall' AND answer_by < @before::timestamptz
ORDER BY answer_by, message_id LIMIT @most::integer;

-- name: ReportDecisionList :many
-- The decisions of a period, newest first, each with the version that it is about. The creditor of a return is the debtor of its payment.
SELECT d.message_id, g.global_id, g.kind, g.policy_id, d.version, d.ordinal, d.action, d.decided_at, d.channel, d.client_id,
       coalesce(d.reason, d.remark, '')::text AS words, c.display_name AS checker_name,
       coalesce((SELECT string_agg(m.display_name, ', ' ORDER BY m.display_name) FROM person m
                 WHERE m.realm = d.realm AND m.person_id = ANY (d.makers)), '')::text AS maker_names,
       v.created_at AS written_at, v.amount, v.currency, v.remittance, v.end_to_end_id,
       (CASE WHEN g.kind = 'return' THEN v.debtor_name ELSE v.creditor_name END)::text AS creditor_name,
       (CASE WHEN g.kind = 'return' THEN v.debtor_account ELSE v.creditor_account END)::text AS creditor_account
FROM decision d
JOIN message g ON g.realm = d.realm AND g.message_id = d.message_id
JOIN message_version v ON v.realm = d.realm AND v.message_id = d.message_id AND v.version = d.version
JOIN person c ON c.realm = d.realm AND c.person_id = d.checker_person
WHERE d.realm = @realm AND d.decided_at >= @since AND d.decided_at < @until
ORDER BY d.decided_at DESC, d.message_id DESC, d.ordinal DESC LIMIT @most::integer;

-- name: ReportDecisionCount :one
SELECT count(*) FROM (SELECT FROM decision d WHERE d.realm = @realm AND d.decided_at >= @since AND d.decided_at < @until LIMIT @most::integer) AS x;

-- name: AccessList :many
-- The accounts, each with its roles since when, its last sign-in and its second factors.
SELECT u.user_id, u.name, p.display_name, u.status, u.created_at,
       array(SELECT g.role FROM user_role g WHERE g.realm = u.realm AND g.user_id = u.user_id AND g.ended_at IS NULL ORDER BY g.role)::text[] AS roles,
       array(SELECT g.granted_at FROM user_role g WHERE g.realm = u.realm AND g.user_id = u.user_id AND g.ended_at IS NULL ORDER BY g.role)::timestamptz[] AS since,
       l.at AS signed_in_at,
       (SELECT count(*) FROM second_factor f WHERE f.realm = u.realm AND f.user_id = u.user_id AND f.removed_at IS NULL
          AND f.kind <> 'recovery')::integer AS factors
FROM user_account u JOIN person p ON p.realm = u.realm AND p.person_id = u.person_id
LEFT JOIN last_sign_in l ON l.realm = u.realm AND l.user_id = u.user_id
WHERE u.realm = @realm
ORDER BY p.display_name, u.name LIMIT @most::integer;

-- name: AccessClientList :many
-- The clients, each with the newest token that is kept: tokens are dropped soon after their end.
SELECT c.client_id, c.kind, c.roles, c.may_decide_own, c.payee_waived, c.created_at, (c.suppressed_at IS NOT NULL)::boolean AS suppressed,
       coalesce((SELECT max(t.issued_at) FROM token_family f JOIN access_token t ON t.realm = f.realm AND t.family_id = f.family_id
          WHERE f.realm = c.realm AND f.client_id = c.client_id), 'epoch')::timestamptz AS used_at
FROM client c WHERE c.realm = @realm ORDER BY c.client_id LIMIT @most::integer;

-- name: AccessReviewList :many
-- The confirmed access reviews, newest first.
SELECT e.event_id, e.at, e.actor_name FROM audit_event e
WHERE e.realm = @realm AND e.event = 'access.review' ORDER BY e.at DESC LIMIT @most::integer;

-- name: AccessReviewGet :one
SELECT e.at, e.actor_name, e.detail FROM audit_event e
WHERE e.realm = @realm AND e.event_id = @event_id AND e.event = 'access.review';
