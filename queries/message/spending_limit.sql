-- How much may be paid: the limits of a realm, and what released payments took of them. Every statement runs in a transaction of its realm.

-- name: LimitLock :many
-- The limits that bind a payment, locked until the transaction ends: payments that take of the same limit take turns. Always in the same
-- order, so that no two wait for each other.
SELECT * FROM spending_limit l
WHERE l.realm = @realm AND (l.per_payment IS NOT NULL OR l.per_day IS NOT NULL)
  AND (l.limit_of = 'client' AND l.holder = @client_id::text OR l.limit_of = 'account' AND l.holder = @account::text
       OR l.limit_of = 'person' AND l.holder = ANY (@people::text[]))
ORDER BY l.limit_id FOR UPDATE;

-- name: LimitList :many
-- The limits that bind a payment, without a lock: for pages and for requests that release nothing.
SELECT * FROM spending_limit l
WHERE l.realm = @realm AND (l.per_payment IS NOT NULL OR l.per_day IS NOT NULL)
  AND (l.limit_of = 'client' AND l.holder = @client_id::text OR l.limit_of = 'account' AND l.holder = @account::text
       OR l.limit_of = 'person' AND l.holder = ANY (@people::text[]))
ORDER BY l.limit_id;

-- name: LimitUsed :many
-- How much of each limit is used on a day. Read after the limits are locked, by a statement of its own: that of the lock looks at the rows
-- of before its wait.
SELECT u.limit_id, max(u.used_after)::bigint AS used FROM limit_use u
WHERE u.realm = @realm AND u.limit_id = ANY (@limit_ids::uuid[]) AND u.day = to_date(@day::text, 'YYYY-MM-DD')
GROUP BY u.limit_id;

-- name: LimitPlanned :many
-- How much is scheduled under each limit for a day, beside one payment.
SELECT l.limit_id, sum(v.amount)::bigint AS planned
FROM message m
JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = m.version
JOIN spending_limit l ON l.realm = m.realm AND l.limit_id = ANY (@limit_ids::uuid[]) AND l.currency = v.currency
  AND (l.limit_of = 'client' AND l.holder = m.client_id OR l.limit_of = 'account' AND l.holder = v.debtor_account
       OR l.limit_of = 'person' AND (l.holder = ANY (v.makers::text[]) OR EXISTS (
         SELECT FROM decision d WHERE d.realm = m.realm AND d.message_id = m.message_id AND d.version = m.version AND d.checker_person::text = l.holder)))
WHERE m.realm = @realm AND m.state = 'Scheduled' AND m.execution_day = @execution_day AND m.message_id <> @other_than
GROUP BY l.limit_id;

-- name: LimitTold :one
-- How much of a limit is used on a day by what the audit trail tells. @use is the beginning of such a use in a detail, as a regular expression.
SELECT coalesce(max(substring(a.detail FROM @use::text || '([0-9]{1,18})')::bigint +
  substring(a.detail FROM @use::text || '[0-9]{1,18},"amount":([0-9]{1,18})')::bigint), 0)::bigint AS used
FROM audit_event a WHERE a.realm = @realm AND a.detail LIKE '%"limits":[%' AND a.at >= to_date(@day::text, 'YYYY-MM-DD') - 1;

-- name: LimitUseInsert :exec
INSERT INTO limit_use (realm, message_id, limit_id, limit_of, holder, currency, day, used_before, amount, used_after, allowed, previous_used)
VALUES (@realm, @message_id, @limit_id, @limit_of, @holder, @currency, to_date(@day::text, 'YYYY-MM-DD'), @used_before, @amount, @used_after, @allowed,
        sqlc.narg(previous_used));

-- name: LimitSubjectList :many
-- The limits of a realm with what is used of them on a day; one of them, by its id or by whom it binds, or all.
SELECT sqlc.embed(l), coalesce((SELECT max(u.used_after) FROM limit_use u
                                WHERE u.realm = l.realm AND u.limit_id = l.limit_id AND u.day = to_date(@day::text, 'YYYY-MM-DD')), 0)::bigint AS used,
       coalesce((SELECT p.display_name FROM person p
                 WHERE l.limit_of = 'person' AND p.realm = l.realm AND p.person_id::text = l.holder), '')::text AS person_name
FROM spending_limit l
WHERE l.realm = @realm AND (sqlc.narg(limit_id)::uuid IS NULL OR l.limit_id = sqlc.narg(limit_id)::uuid)
  AND (sqlc.narg(limit_of)::text IS NULL OR l.limit_of = sqlc.narg(limit_of)::text AND l.holder = @holder::text AND l.currency = @currency::text)
ORDER BY l.limit_of, l.holder, l.currency;

-- name: LimitInsert :exec
INSERT INTO spending_limit (realm, limit_id, limit_of, holder, currency, per_payment, per_day, per_day_since, set_at)
VALUES (@realm, @limit_id, @limit_of, @holder, @currency, sqlc.narg(per_payment), sqlc.narg(per_day), sqlc.narg(per_day_since), @set_at);

-- name: LimitPut :execrows
UPDATE spending_limit SET per_payment = sqlc.narg(per_payment), per_day = sqlc.narg(per_day), per_day_since = sqlc.narg(per_day_since),
  set_at = @set_at
WHERE realm = @realm AND limit_id = @limit_id;

-- name: LimitListAll :many
SELECT * FROM spending_limit WHERE @of_realm::text IN ('', realm) ORDER BY realm, limit_id;
