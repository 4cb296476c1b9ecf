-- Reads of what waits for a decision. They run with custom plans: what an address does not narrow by falls out of the plan.

-- name: QueueList :many
-- Pending messages in the order asked for, from a place on; without those a person made or decided when they are excluded. The orders
-- of age, expiry and amount come off indexes of what waits; what has no approval yet is not looked up among decisions, and of what was
-- never changed the maker alone tells whose it is. keys: only these, which a text found.
SELECT * FROM message_listed m
WHERE m.realm = @realm AND m.state = 'Approval Pending'
  AND (sqlc.narg(after)::uuid IS NULL OR CASE @sort::text
       WHEN 'newest' THEN m.message_id < sqlc.narg(after)::uuid
       WHEN 'smallest' THEN (m.listed_amount, m.message_id) > (sqlc.arg(after_key)::bigint, sqlc.narg(after)::uuid)
       WHEN 'largest' THEN (m.listed_amount, m.message_id) < (sqlc.arg(after_key)::bigint, sqlc.narg(after)::uuid)
       WHEN 'expiry' THEN (CASE WHEN m.expires_at IS NULL THEN 'infinity'::timestamptz ELSE m.expires_at END, m.message_id)
         > (coalesce(sqlc.narg(after_end)::timestamptz, 'infinity'), sqlc.narg(after)::uuid)
       ELSE m.message_id > sqlc.narg(after)::uuid END)
  AND (sqlc.narg(kind)::text IS NULL OR m.kind = sqlc.narg(kind)::text)
  AND (sqlc.narg(scheme)::text IS NULL OR m.scheme = sqlc.narg(scheme)::text)
  AND (sqlc.narg(maker_user)::uuid IS NULL OR m.maker_user = sqlc.narg(maker_user)::uuid)
  AND (sqlc.narg(amount_from)::bigint IS NULL OR m.listed_amount >= sqlc.narg(amount_from)::bigint)
  AND (sqlc.narg(amount_to)::bigint IS NULL OR m.listed_amount <= sqlc.narg(amount_to)::bigint)
  AND (sqlc.narg(created_from)::timestamptz IS NULL OR m.created_at >= sqlc.narg(created_from)::timestamptz)
  AND (sqlc.narg(created_before)::timestamptz IS NULL OR m.created_at < sqlc.narg(created_before)::timestamptz)
  AND (sqlc.narg(expires_before)::timestamptz IS NULL
       OR CASE WHEN m.expires_at IS NULL THEN 'infinity'::timestamptz ELSE m.expires_at END < sqlc.narg(expires_before)::timestamptz)
  AND (NOT @amended::boolean OR m.version > 1)
  AND (NOT @begun::boolean OR m.approvals > 0)
  AND (sqlc.narg(payees)::text[] IS NULL OR m.payee_result = ANY (sqlc.narg(payees)::text[]))
  AND (sqlc.narg(keys)::uuid[] IS NULL OR m.message_id = ANY (sqlc.narg(keys)::uuid[]))
  AND (sqlc.narg(exclude_person)::uuid IS NULL OR (m.maker_person IS DISTINCT FROM sqlc.narg(exclude_person)::uuid
       AND sqlc.narg(exclude_person)::uuid <> ALL (m.makers)
       AND (m.approvals = 0 OR NOT EXISTS (SELECT FROM decision d WHERE d.realm = m.realm AND d.message_id = m.message_id AND d.version = m.version
                         AND d.checker_person = sqlc.narg(exclude_person)::uuid))))
  AND (sqlc.narg(only_person)::uuid IS NULL OR ((m.maker_person = sqlc.narg(only_person)::uuid OR m.version > 1)
       AND sqlc.narg(only_person)::uuid = ANY (m.makers)))
ORDER BY CASE WHEN @sort::text = 'smallest' THEN m.listed_amount END, CASE WHEN @sort::text = 'largest' THEN m.listed_amount END DESC,
  CASE WHEN @sort::text = 'expiry' THEN CASE WHEN m.expires_at IS NULL THEN 'infinity'::timestamptz ELSE m.expires_at END END,
  CASE WHEN @sort::text IN ('newest', 'largest') THEN m.message_id END DESC,
  m.message_id
LIMIT @page_size::integer;

-- name: QueueKeys :many
-- The keys, kinds, ages and amounts of what QueueList lists, of all pages together, so many at most, the oldest first, from behind a key on; and
-- whether the person who looks made each, or decided it already. As in QueueShares, the message itself tells all of a payment that was never
-- changed.
SELECT m.message_id, m.kind, m.created_at, m.scheme, m.listed_amount AS amount, m.version, m.approvals,
       CASE WHEN m.version = 1 THEN m.maker_person IS NOT DISTINCT FROM @person::uuid
         ELSE EXISTS (SELECT FROM message_version v WHERE v.realm = m.realm AND v.message_id = m.message_id AND v.version = m.version
           AND @person::uuid = ANY (v.makers)) END::boolean AS own,
       (m.approvals > 0 AND EXISTS (SELECT FROM decision x WHERE x.realm = m.realm AND x.message_id = m.message_id AND x.version = m.version
                 AND x.checker_person = @person::uuid))::boolean AS decided
FROM message m
WHERE m.realm = @realm AND m.state = 'Approval Pending'
  AND (sqlc.narg(after)::uuid IS NULL OR m.message_id > sqlc.narg(after)::uuid)
  AND (sqlc.narg(kind)::text IS NULL OR m.kind = sqlc.narg(kind)::text)
  AND (sqlc.narg(scheme)::text IS NULL OR m.scheme = sqlc.narg(scheme)::text)
  AND (sqlc.narg(maker_user)::uuid IS NULL OR m.maker_user = sqlc.narg(maker_user)::uuid)
  AND (sqlc.narg(amount_from)::bigint IS NULL OR m.listed_amount >= sqlc.narg(amount_from)::bigint)
  AND (sqlc.narg(amount_to)::bigint IS NULL OR m.listed_amount <= sqlc.narg(amount_to)::bigint)
  AND (sqlc.narg(created_from)::timestamptz IS NULL OR m.created_at >= sqlc.narg(created_from)::timestamptz)
  AND (sqlc.narg(created_before)::timestamptz IS NULL OR m.created_at < sqlc.narg(created_before)::timestamptz)
  AND (sqlc.narg(expires_before)::timestamptz IS NULL
       OR CASE WHEN m.expires_at IS NULL THEN 'infinity'::timestamptz ELSE m.expires_at END < sqlc.narg(expires_before)::timestamptz)
  AND (NOT @amended::boolean OR m.version > 1)
  AND (NOT @begun::boolean OR m.approvals > 0)
  AND (sqlc.narg(payees)::text[] IS NULL OR EXISTS (SELECT FROM message_version v WHERE v.realm = m.realm
       AND v.message_id = m.message_id AND v.version = m.version AND v.payee_result = ANY (sqlc.narg(payees)::text[])))
  AND (sqlc.narg(keys)::uuid[] IS NULL OR m.message_id = ANY (sqlc.narg(keys)::uuid[]))
  AND (sqlc.narg(exclude_person)::uuid IS NULL OR (m.maker_person IS DISTINCT FROM sqlc.narg(exclude_person)::uuid
       AND (m.version = 1 OR NOT EXISTS (SELECT FROM message_version v WHERE v.realm = m.realm AND v.message_id = m.message_id
         AND v.version = m.version AND sqlc.narg(exclude_person)::uuid = ANY (v.makers)))
       AND (m.approvals = 0 OR NOT EXISTS (SELECT FROM decision d WHERE d.realm = m.realm AND d.message_id = m.message_id AND d.version = m.version
                         AND d.checker_person = sqlc.narg(exclude_person)::uuid))))
  AND (sqlc.narg(only_person)::uuid IS NULL OR CASE WHEN m.version = 1 THEN m.maker_person = sqlc.narg(only_person)::uuid
       ELSE EXISTS (SELECT FROM message_version v WHERE v.realm = m.realm AND v.message_id = m.message_id AND v.version = m.version
         AND sqlc.narg(only_person)::uuid = ANY (v.makers)) END)
ORDER BY m.message_id
LIMIT @page_size::integer;

-- name: QueueOldest :many
-- The keys of the messages that wait longest of what the filters leave, so many at most: a text is looked for among them.
SELECT w.message_id FROM message w
WHERE w.realm = @realm AND w.state = 'Approval Pending'
  AND (sqlc.narg(kind)::text IS NULL OR w.kind = sqlc.narg(kind)::text)
  AND (sqlc.narg(scheme)::text IS NULL OR w.scheme = sqlc.narg(scheme)::text)
  AND (sqlc.narg(created_from)::timestamptz IS NULL OR w.created_at >= sqlc.narg(created_from)::timestamptz)
  AND (sqlc.narg(created_before)::timestamptz IS NULL OR w.created_at < sqlc.narg(created_before)::timestamptz)
ORDER BY w.message_id LIMIT @most::integer;

-- name: QueueCount :many
-- How many wait, since when, and how much in each currency; for everybody but the excluded person, of those made since a time. Counts the
-- given number of the oldest at most. A sum that no column holds can only be planted: it stops at the largest number, and the rows behind it
-- are withheld.
SELECT q.currency, count(*) AS waiting, least(sum(q.amount), 9223372036854775807)::bigint AS total, min(q.created_at)::timestamptz AS oldest
FROM (
  SELECT v.currency, v.amount, m.created_at
  FROM message m
  JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = m.version
  WHERE m.realm = @realm AND m.state = 'Approval Pending'
    AND (sqlc.narg(since)::timestamptz IS NULL OR m.created_at >= sqlc.narg(since)::timestamptz)
    AND (sqlc.narg(exclude_person)::uuid IS NULL OR (m.maker_person IS DISTINCT FROM sqlc.narg(exclude_person)::uuid
         AND sqlc.narg(exclude_person)::uuid <> ALL (v.makers)
         AND (m.approvals = 0 OR NOT EXISTS (SELECT FROM decision d WHERE d.realm = m.realm AND d.message_id = m.message_id AND d.version = m.version
                           AND d.checker_person = sqlc.narg(exclude_person)::uuid))))
  ORDER BY m.message_id LIMIT @most::integer
) q
GROUP BY q.currency ORDER BY q.currency;

-- name: QueueShares :many
-- The given number of the messages that wait longest, counted by scheme and by the people to whom each is their own, who made, changed or
-- approved it: what QueueCount tells each of them can be told from it, as a scheme has one currency. Of what was never changed the message
-- itself tells all; reading 1,500 versions beside it took six times as long.
SELECT q.scheme, q.people::uuid[] AS people, count(*) AS waiting, least(sum(q.amount), 9223372036854775807)::bigint AS total,
       min(q.created_at)::timestamptz AS oldest
FROM (
  SELECT m.scheme, m.listed_amount AS amount, m.created_at,
         CASE WHEN m.version = 1 THEN ARRAY[m.maker_person] ELSE (
           SELECT v.makers FROM message_version v WHERE v.realm = m.realm AND v.message_id = m.message_id AND v.version = m.version) END
         || CASE WHEN m.approvals > 0 THEN array(
           SELECT d.checker_person FROM decision d WHERE d.realm = m.realm AND d.message_id = m.message_id AND d.version = m.version
           ORDER BY d.checker_person) END AS people
  FROM message m
  WHERE m.realm = @realm AND m.state = 'Approval Pending'
  ORDER BY m.message_id LIMIT @most::integer
) q
GROUP BY q.scheme, q.people ORDER BY q.scheme;
