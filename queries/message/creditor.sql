-- What a creditor was paid before: for the check page of a payment, for rows of the queue, and for the form of a maker.
-- OFFSET 0 keeps the look-up of a message by its key apart from the scan of versions: in tables that were never analysed the planner would
-- join them by the realm alone. Of an account the newest 500 versions are looked at: thousands of payments to it may wait.

-- name: CreditorAccountPast :one
-- The last 50 payments to an account in a currency that were approved, other than the given one: how many, the largest, and the name used
-- last. It reads the index of accounts.
SELECT count(*) AS payments, coalesce(max(q.amount), 0)::bigint AS most, coalesce((array_agg(q.creditor_name ORDER BY q.message_id DESC))[1], '')::text AS name
FROM (
  SELECT v.message_id, v.amount, v.creditor_name FROM (
    SELECT * FROM message_version x
    WHERE x.realm = @realm AND x.creditor_account = @creditor_account AND x.currency = @currency AND x.message_id <> @other_than
    ORDER BY x.message_id DESC LIMIT 500) v
  WHERE EXISTS (SELECT FROM message m WHERE m.realm = v.realm AND m.message_id = v.message_id AND m.version = v.version
      AND m.kind = 'instruction' AND m.state IN ('Approved', 'Processing', 'Settled', 'Unconfirmed') OFFSET 0)
  ORDER BY v.message_id DESC LIMIT 50
) q;

-- name: CreditorAccountsPast :many
-- CreditorAccountPast of several payments (lists of equal length), by item. It reads the index of each account once. A payment that was
-- approved itself counts among the 50, and is left out.
WITH asked AS (
  SELECT unnest(@items::integer[]) AS item, unnest(@accounts::text[]) AS account, unnest(@currencies::text[]) AS currency,
         unnest(@others::uuid[]) AS other
), paid AS MATERIALIZED (
  SELECT a.account, a.currency, q.message_id, q.amount, q.creditor_name FROM (SELECT DISTINCT account, currency FROM asked) a
  CROSS JOIN LATERAL (
    SELECT v.message_id, v.amount, v.creditor_name FROM (
      SELECT * FROM message_version x WHERE x.realm = @realm AND x.creditor_account = a.account AND x.currency = a.currency
      ORDER BY x.message_id DESC LIMIT 500) v
    WHERE EXISTS (SELECT FROM message m WHERE m.realm = v.realm AND m.message_id = v.message_id AND m.version = v.version
        AND m.kind = 'instruction' AND m.state IN ('Approved', 'Processing', 'Settled', 'Unconfirmed') OFFSET 0)
    ORDER BY v.message_id DESC LIMIT 50
  ) q
)
SELECT a.item::integer AS item, count(q.message_id) AS payments, coalesce(max(q.amount), 0)::bigint AS most,
       coalesce((array_agg(q.creditor_name ORDER BY q.message_id DESC))[1], '')::text AS name
FROM asked a LEFT JOIN paid q ON q.account = a.account AND q.currency = a.currency AND q.message_id <> a.other
GROUP BY a.item;

-- name: CreditorNamePast :one
-- Among the last 1,000 messages of the realm: the approved payments to this name at other accounts, with the account used last.
SELECT count(*) AS payments, coalesce(max(q.amount), 0)::bigint AS most,
       coalesce((array_agg(q.creditor_account ORDER BY q.message_id DESC))[1], '')::text AS account
FROM (
  SELECT v.message_id, v.amount, v.creditor_account
  FROM message_version v
  JOIN message m ON m.realm = v.realm AND m.message_id = v.message_id AND m.version = v.version
  WHERE v.realm = @realm AND v.message_id IN (SELECT x.message_id FROM message x WHERE x.realm = @realm ORDER BY x.message_id DESC LIMIT 1000)
    AND m.kind = 'instruction' AND m.state IN ('Approved', 'Processing', 'Settled', 'Unconfirmed') AND v.message_id <> @other_than
    AND v.currency = @currency AND lower(v.creditor_name) = lower(@creditor_name::text) AND v.creditor_account <> @creditor_account
) q;

-- name: CreditorFirst :many
-- Of payments (three lists of equal length), those to whose account nothing was approved before, and whether among the last 1,000 messages
-- of the realm the same name was paid at another account. It reads the index of each account once, from its newest
-- message to the second that was approved.
WITH asked AS (
  SELECT unnest(@message_ids::uuid[]) AS message_id, unnest(@accounts::text[]) AS account, unnest(@names::text[]) AS name
), paid AS MATERIALIZED (
  SELECT a.account, p.message_id FROM (SELECT DISTINCT account FROM asked) a
  CROSS JOIN LATERAL (
    SELECT v.message_id FROM (
      SELECT * FROM message_version x WHERE x.realm = @realm AND x.creditor_account = a.account ORDER BY x.message_id DESC LIMIT 500) v
    WHERE EXISTS (SELECT FROM message m WHERE m.realm = v.realm AND m.message_id = v.message_id AND m.version = v.version
        AND m.kind = 'instruction' AND m.state IN ('Approved', 'Processing', 'Settled', 'Unconfirmed') OFFSET 0)
    ORDER BY v.message_id DESC LIMIT 2) p -- the newest, which are at hand; a payment itself is none
), first_paid AS (
  SELECT a.message_id, a.account, a.name FROM asked a
  WHERE NOT EXISTS (SELECT FROM paid p WHERE p.account = a.account AND p.message_id <> a.message_id)
), past AS MATERIALIZED (
  SELECT lower(v.creditor_name) AS name, v.creditor_account AS account
  FROM (SELECT x.realm, x.message_id, x.version, x.kind, x.state FROM message x WHERE x.realm = @realm ORDER BY x.message_id DESC LIMIT 1000) m
  JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = m.version
  WHERE m.kind = 'instruction' AND m.state IN ('Approved', 'Processing', 'Settled', 'Unconfirmed')
    AND lower(v.creditor_name) IN (SELECT lower(f.name) FROM first_paid f)
    AND EXISTS (SELECT FROM first_paid)
)
SELECT f.message_id::uuid AS message_id,
       EXISTS (SELECT FROM past p WHERE p.name = lower(f.name) AND p.account <> f.account)::boolean AS other_account
FROM first_paid f;

-- name: CreditorRecent :many
-- The creditors that a person paid last, each account once, of their last 100 payments in a scheme.
SELECT q.message_id, q.creditor_name, q.creditor_account FROM (
  SELECT DISTINCT ON (p.creditor_account) p.message_id, p.creditor_name, p.creditor_account FROM (
    SELECT m.message_id, v.creditor_name, v.creditor_account
    FROM message m
    JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = m.version
    WHERE m.realm = @realm AND m.maker_user = @user_id AND m.kind = 'instruction' AND m.scheme = @scheme
    ORDER BY m.message_id DESC LIMIT 100
  ) p
  ORDER BY p.creditor_account, p.message_id DESC
) q
ORDER BY q.message_id DESC LIMIT @most::integer;

-- name: CreditorLastPaid :many
-- The last payment to each of these accounts that was approved. It reads the index of each account once.
SELECT q.creditor_account, q.amount, q.currency, coalesce(m.settled_at, m.created_at)::timestamptz AS paid_at
FROM (SELECT DISTINCT unnest(@accounts::text[]) AS account) a
CROSS JOIN LATERAL (
  SELECT v.realm, v.message_id, v.creditor_account, v.amount, v.currency FROM message_version v
  WHERE v.realm = @realm AND v.creditor_account = a.account
    AND EXISTS (SELECT FROM message m WHERE m.realm = v.realm AND m.message_id = v.message_id AND m.version = v.version
      AND m.kind = 'instruction' AND m.state IN ('Approved', 'Processing', 'Settled', 'Unconfirmed') OFFSET 0)
  ORDER BY v.message_id DESC LIMIT 1) q
JOIN message m ON m.realm = q.realm AND m.message_id = q.message_id;
