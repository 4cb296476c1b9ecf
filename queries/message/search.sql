-- Where a search and a narrowed list look. What a text may mean is asked branch by branch, each off an index and with a bound, so that what is
-- found, or is not there, costs the same in a small house and a large one. They run with custom plans: a branch that is not meant falls out.

-- name: SearchKeys :many
-- The newest messages behind a key that a text may mean, so many of each meaning at most, and so many of the newest, which are looked
-- through for any part of any text. The caller compares.
(SELECT 'end-to-end id' AS meaning, v.message_id FROM message_version v
 WHERE v.realm = @realm AND v.end_to_end_id = sqlc.narg(whole)::text AND v.message_id < @before::uuid
 ORDER BY v.message_id DESC LIMIT @most::integer)
UNION ALL
(SELECT 'external id', k.message_id FROM client c
 JOIN creation_key k ON k.realm = c.realm AND k.client_id = c.client_id AND k.scope = 'external-id' AND k.key = sqlc.narg(whole)::text
 WHERE c.realm = @realm AND k.message_id < @before::uuid
 ORDER BY k.message_id DESC LIMIT @most::integer)
UNION ALL
(SELECT 'global id', m.message_id FROM message m
 WHERE m.realm = @realm AND m.message_id < @before::uuid
   AND m.global_id >= sqlc.narg(compact)::text AND m.global_id <= sqlc.narg(compact)::text || 'ZZZZZZZZZZZZZZZZ' -- begins with it
   AND length(sqlc.narg(compact)::text) >= 4
 ORDER BY m.global_id LIMIT @most::integer)
UNION ALL
(SELECT 'amount', x.message_id FROM generate_series(sqlc.narg(search_from)::bigint, sqlc.narg(search_to)::bigint) a (amount)
 CROSS JOIN LATERAL (SELECT v.message_id FROM message_version v WHERE v.amount = a.amount AND v.realm = @realm AND v.message_id < @before::uuid
                     ORDER BY v.message_id DESC LIMIT @most::integer) x
 WHERE sqlc.narg(search_to)::bigint > 0
 ORDER BY x.message_id DESC LIMIT @most::integer)
UNION ALL
(SELECT 'day', x.message_id FROM (
   SELECT v.message_id FROM message_version v
   WHERE v.realm = @realm AND v.version = 1 AND v.created_at >= sqlc.narg(search_since)::timestamptz
     AND v.created_at < least(sqlc.narg(search_until)::timestamptz, (SELECT b.created_at FROM message b
                              WHERE b.realm = @realm AND b.message_id = @before::uuid) + interval '1 minute')
   ORDER BY v.created_at DESC LIMIT 500) x
 WHERE x.message_id < @before::uuid
 ORDER BY x.message_id DESC LIMIT @most::integer)
UNION ALL
(SELECT 'kind', m.message_id FROM message m
 WHERE m.realm = @realm AND m.kind = sqlc.narg(search_kind)::text AND m.message_id < @before::uuid
 ORDER BY m.message_id DESC LIMIT @most::integer)
UNION ALL
(SELECT 'scheme', x.message_id FROM (
   SELECT m.message_id, m.scheme FROM message m WHERE m.realm = @realm AND m.message_id < @before::uuid
     AND sqlc.narg(search_scheme)::text IS NOT NULL ORDER BY m.message_id DESC LIMIT 5000) x
 WHERE x.scheme = sqlc.narg(search_scheme)::text
 ORDER BY x.message_id DESC LIMIT @most::integer)
UNION ALL
(SELECT 'maker', x.message_id FROM (
   SELECT u.user_id FROM user_account u JOIN person p ON p.realm = u.realm AND p.person_id = u.person_id
   WHERE u.realm = @realm AND search_hit(sqlc.narg(search)::text, NULL, p.display_name || ' ' || u.name, NULL)
   LIMIT 20) u
 CROSS JOIN LATERAL (SELECT m.message_id FROM message m WHERE m.maker_user = u.user_id AND m.realm = @realm AND m.message_id < @before::uuid
                     ORDER BY m.message_id DESC LIMIT @most::integer) x
 ORDER BY x.message_id DESC LIMIT @most::integer)
UNION ALL
(SELECT 'part', n.message_id FROM message n WHERE n.realm = @realm AND n.message_id < @before::uuid
 ORDER BY n.message_id DESC LIMIT @parts::integer);

-- name: StateKeys :many
-- The newest messages of a state behind a key, so many at most. One state is asked for at a time: of several, given as a list, no index has
-- the newest.
SELECT m.message_id FROM message m
WHERE m.realm = @realm AND m.state = @state AND m.message_id < @before::uuid
ORDER BY m.message_id DESC LIMIT @most::integer;

-- name: MarkedKeys :many
-- The newest payments before a key whose recall, or whose return, is in one of these states, among so many at most that are looked at. Not
-- counted are recalls and returns that left nothing behind, so that a payment has one, and an index has them in the order of the payments.
-- place says how many were looked at up to each; the last of them need not be meant.
SELECT k.message_id, k.place, k.marked FROM (
  SELECT m.original_id::uuid AS message_id, (m.direction = 'out' AND m.state = ANY (@states::text[]))::boolean AS marked,
         row_number() OVER (ORDER BY m.original_id DESC) AS place
  FROM message m
  WHERE m.realm = @realm AND m.kind = @kind::text AND m.original_id < @before::uuid
    AND m.state NOT IN ('Rejected', 'Withdrawn', 'Expired', 'Failed')
  ORDER BY m.original_id DESC LIMIT @look::integer) k
WHERE k.marked OR k.place = @look::integer
ORDER BY k.place LIMIT @most::integer;

-- name: ReasonKeys :many
-- The newest messages of a kind before a key that were made for one of these reasons, among so many at most that are looked at. place says how
-- many were looked at up to each.
SELECT k.message_id, k.place FROM (
  SELECT m.message_id, m.reason, row_number() OVER (ORDER BY m.message_id DESC) AS place
  FROM message m
  WHERE m.realm = @realm AND m.kind = @kind::text AND m.message_id < @before::uuid
  ORDER BY m.message_id DESC LIMIT @look::integer) k
WHERE k.reason = ANY (@reasons::text[]) OR k.place = @look::integer
ORDER BY k.place LIMIT @most::integer;

-- name: MessageTexts :many
-- What these messages say and show that a text is compared with.
SELECT m.message_id, m.created_at, m.state, m.scheme, m.kind, m.amount, m.currency, m.global_id, m.external_id, m.client_id, m.reason,
       m.creditor_name, m.debtor_name, m.ordered_debtor_name, m.remittance, m.end_to_end_id, m.creditor_account, m.debtor_account, m.maker_name,
       m.maker_login
FROM message_listed m
WHERE m.realm = @realm AND m.message_id = ANY (@keys::uuid[]);

-- name: WordWalk :many
-- The newest messages before a key with these words, among so many at most that are looked at off the key. place says how many were looked
-- at up to each, stored about how many are stored in all realms.
SELECT k.message_id, k.place, (SELECT c.reltuples FROM pg_catalog.pg_class c WHERE c.oid = 'message_version'::regclass)::bigint AS stored FROM (
  SELECT v.message_id, v.words, row_number() OVER (ORDER BY v.message_id DESC, v.version DESC) AS place
  FROM message_version v
  WHERE v.realm = @realm AND v.message_id < @before::uuid
  ORDER BY v.message_id DESC, v.version DESC LIMIT @look::integer) k
WHERE k.words @@ (sqlc.arg(asked)::text)::tsquery OR k.place = @look::integer
ORDER BY k.message_id DESC
LIMIT @most::integer;

-- name: WordKeys :many
-- The messages before a key with these words, if they are few: so many at most, in no order, each as often as it has versions with them.
SELECT w::uuid AS message_id FROM word_messages(sqlc.arg(asked)::text, @before::uuid, @most::integer) AS w;

-- name: WalkKeys :many
-- The newest messages before a key that a list is narrowed to, or with up the oldest behind it. It looks at so many at most, in the order of the
-- list, off the index of what leads: a state, a kind, a maker, what came in, or else all. place says how many were looked at up to each. The
-- amount is asked of each by its key, where one is meant: a join is made by a walk over all versions.
SELECT k.message_id, k.place FROM (
  SELECT m.message_id, m.version, m.kind, m.scheme, m.state, m.direction, m.created_at, m.state_since, m.maker_user,
         m.accepted_at, m.approvals_required, row_number() OVER (ORDER BY CASE WHEN @up::boolean THEN m.message_id END, m.message_id DESC) AS place
  FROM message m
  WHERE m.realm = @realm AND CASE WHEN @up::boolean THEN m.message_id > @before::uuid ELSE m.message_id < @before::uuid END
    AND (@led_by::text <> 'state' OR m.state = @state::text) AND (@led_by::text <> 'kind' OR m.kind = @kind::text)
    AND (@led_by::text <> 'maker' OR m.maker_user = @maker::uuid) AND (@led_by::text <> 'incoming' OR m.direction = 'in')
  ORDER BY CASE WHEN @up::boolean THEN m.message_id END, m.message_id DESC LIMIT @look::integer) k
WHERE k.place = @look::integer OR (
      (sqlc.narg(changed_since)::timestamptz IS NULL OR k.state_since >= sqlc.narg(changed_since)::timestamptz)
  AND (NOT @approved::boolean OR k.accepted_at IS NOT NULL AND k.approvals_required > 0)
  AND (sqlc.narg(kinds)::text[] IS NULL OR k.kind = ANY (sqlc.narg(kinds)::text[]))
  AND (sqlc.narg(direction)::text IS NULL OR k.direction = sqlc.narg(direction)::text)
  AND (sqlc.narg(scheme)::text IS NULL OR k.scheme = sqlc.narg(scheme)::text)
  AND (sqlc.narg(states)::text[] IS NULL OR k.state = ANY (sqlc.narg(states)::text[]))
  AND (sqlc.narg(created_from)::timestamptz IS NULL OR k.created_at >= sqlc.narg(created_from)::timestamptz)
  AND (sqlc.narg(created_to)::timestamptz IS NULL OR k.created_at <= sqlc.narg(created_to)::timestamptz)
  AND (sqlc.narg(maker_user)::uuid IS NULL OR k.maker_user = sqlc.narg(maker_user)::uuid)
  AND (sqlc.narg(amount_from)::bigint IS NULL AND sqlc.narg(amount_to)::bigint IS NULL
    OR int8range(sqlc.narg(amount_from)::bigint, sqlc.narg(amount_to)::bigint, '[]')
       @> (SELECT v.amount FROM message_version v WHERE v.realm = @realm AND v.message_id = k.message_id AND v.version = k.version)))
ORDER BY k.place
LIMIT @page_size::integer;

-- name: AmountKeys :many
-- The messages behind an amount and a key that a list is narrowed to, the largest amounts first, or with up the smallest. It looks at so many
-- at most, in that order, off the index of amounts, where what an amendment replaced does not count. place says how many were looked at up to
-- each. Each message is asked for by its key: a join may be made by a walk over all messages.
SELECT k.message_id, k.amount, k.place FROM (
  SELECT v.message_id, v.version, v.amount, row_number() OVER (ORDER BY CASE WHEN @up::boolean THEN v.amount END,
         CASE WHEN @up::boolean THEN v.message_id END, v.amount DESC, v.message_id DESC) AS place
  FROM message_version v
  WHERE v.realm = @realm
    AND CASE WHEN @up::boolean THEN (v.amount, v.message_id) > (@amount::bigint, @after::uuid) ELSE (v.amount, v.message_id) < (@amount::bigint, @after::uuid) END
    AND (sqlc.narg(amount_from)::bigint IS NULL OR v.amount >= sqlc.narg(amount_from)::bigint)
    AND (sqlc.narg(amount_to)::bigint IS NULL OR v.amount <= sqlc.narg(amount_to)::bigint)
  ORDER BY CASE WHEN @up::boolean THEN v.amount END, CASE WHEN @up::boolean THEN v.message_id END, v.amount DESC, v.message_id DESC
  LIMIT @look::integer) k
LEFT JOIN LATERAL (
  SELECT x.message_id, x.state_since, x.accepted_at, x.approvals_required, x.kind, x.direction, x.scheme, x.state, x.created_at, x.maker_user
  FROM message x WHERE x.realm = @realm AND x.message_id = k.message_id AND x.version = k.version OFFSET 0) m ON true
WHERE k.place = @look::integer OR (m.message_id IS NOT NULL
  AND (sqlc.narg(changed_since)::timestamptz IS NULL OR m.state_since >= sqlc.narg(changed_since)::timestamptz)
  AND (NOT @approved::boolean OR m.accepted_at IS NOT NULL AND m.approvals_required > 0)
  AND (sqlc.narg(kinds)::text[] IS NULL OR m.kind = ANY (sqlc.narg(kinds)::text[]))
  AND (sqlc.narg(direction)::text IS NULL OR m.direction = sqlc.narg(direction)::text)
  AND (sqlc.narg(scheme)::text IS NULL OR m.scheme = sqlc.narg(scheme)::text)
  AND (sqlc.narg(states)::text[] IS NULL OR m.state = ANY (sqlc.narg(states)::text[]))
  AND (sqlc.narg(created_from)::timestamptz IS NULL OR m.created_at >= sqlc.narg(created_from)::timestamptz)
  AND (sqlc.narg(created_to)::timestamptz IS NULL OR m.created_at <= sqlc.narg(created_to)::timestamptz)
  AND (sqlc.narg(maker_user)::uuid IS NULL OR m.maker_user = sqlc.narg(maker_user)::uuid))
ORDER BY k.place
LIMIT @page_size::integer;

-- name: FewByAmount :many
-- The messages of these amounts, if they are few: so many at most, in no order.
SELECT v.message_id FROM message_version v
WHERE v.realm = @realm AND v.amount BETWEEN @amount_from::bigint AND @amount_to::bigint LIMIT @most::integer;

-- name: FewChanged :many
-- The messages that entered their state since a time, the last first, so many at most.
SELECT m.message_id FROM message m WHERE m.realm = @realm AND m.state_since >= @since::timestamptz
ORDER BY m.state_since DESC, m.message_id DESC LIMIT @most::integer;

-- name: FewEnded :many
-- The messages that ended otherwise than most payments do, in one state since a time, the last first, so many at most.
SELECT m.message_id FROM message m
WHERE m.realm = @realm AND m.state = @state::text AND m.state_since >= @since::timestamptz
  AND m.state NOT IN ('Approval Pending', 'Approved', 'Processing', 'Settled', 'Booked')
ORDER BY m.state_since DESC LIMIT @most::integer;

-- name: FewMade :many
-- The messages made in a time, the last first, so many at most.
SELECT v.message_id FROM message_version v
WHERE v.realm = @realm AND v.version = 1 AND v.created_at >= @made_from::timestamptz AND v.created_at <= @made_to::timestamptz
ORDER BY v.created_at DESC LIMIT @most::integer;

-- name: MakerByLogin :one
SELECT user_id FROM user_account WHERE realm = @realm AND name = @name;
