-- What a creditor was paid before: for the check page of a payment, for rows of the queue, and for the form of a maker.
-- OFFSET 0 keeps the look-up of a message by its key apart from the scan of versions: in tables that were never analysed the planner would
-- join them by the realm alone. Of an account the newest 500 versions are looked at: thousands of payments to it may wait.

-- name: CreditorPast :many
-- Of payments that are not approved (lists of equal length), by item: the last 50 approved payments to the account in the currency, how many,
-- the largest, and the name used last. Of a payment whose account got none, the same of the approved payments to its name at other accounts,
-- among the last 1,000 of the realm, and the account used last. It reads the index of each account once.
WITH asked AS (
  SELECT unnest(@items::integer[]) AS item, unnest(@accounts::text[]) AS account, unnest(@currencies::text[]) AS currency,
         lower(unnest(@names::text[])) AS name
), here AS MATERIALIZED (
  SELECT a.account, a.currency, q.* FROM (SELECT DISTINCT account, currency FROM asked) a
  CROSS JOIN LATERAL (
    SELECT count(*) AS payments, max(p.amount) AS most, (array_agg(p.creditor_name ORDER BY p.message_id DESC))[1] AS last_name FROM (
      SELECT v.message_id, v.amount, v.creditor_name FROM (
        SELECT x.realm, x.message_id, x.version, x.amount, x.creditor_name FROM message_version x
        WHERE x.realm = @realm AND x.creditor_account = a.account AND x.currency = a.currency
        ORDER BY x.message_id DESC LIMIT 500) v
      WHERE EXISTS (SELECT FROM message m WHERE m.realm = v.realm AND m.message_id = v.message_id AND m.version = v.version
          AND m.kind = 'instruction' AND m.state IN ('Approved', 'Processing', 'Settled', 'Unconfirmed') OFFSET 0)
      ORDER BY v.message_id DESC LIMIT 50) p
  ) q
), unpaid AS MATERIALIZED (
  SELECT a.* FROM asked a JOIN here h ON h.account = a.account AND h.currency = a.currency WHERE h.payments = 0
), past AS MATERIALIZED (
  SELECT v.message_id, lower(v.creditor_name) AS name, v.creditor_account AS account, v.currency, v.amount
  FROM (SELECT x.realm, x.message_id, x.version FROM release x WHERE x.realm = @realm ORDER BY x.message_id DESC LIMIT 1000) r
  JOIN message_version v ON v.realm = r.realm AND v.message_id = r.message_id AND v.version = r.version
  WHERE EXISTS (SELECT FROM unpaid) AND lower(v.creditor_name) IN (SELECT name FROM unpaid)
    AND EXISTS (SELECT FROM message m WHERE m.realm = v.realm AND m.message_id = v.message_id
      AND m.kind = 'instruction' AND m.state IN ('Approved', 'Processing', 'Settled', 'Unconfirmed') OFFSET 0)
), elsewhere AS (
  SELECT f.item, count(*) AS payments, max(p.amount) AS most, (array_agg(p.account ORDER BY p.message_id DESC))[1] AS account
  FROM unpaid f JOIN past p ON p.name = f.name AND p.currency = f.currency AND p.account <> f.account GROUP BY f.item
)
SELECT a.item::integer AS item, h.payments::bigint AS payments, coalesce(h.most, 0)::bigint AS most, coalesce(h.last_name, '')::text AS name,
       coalesce(e.payments, 0)::bigint AS elsewhere, coalesce(e.most, 0)::bigint AS most_elsewhere,
       coalesce(e.account, '')::text AS other_account
FROM asked a JOIN here h ON h.account = a.account AND h.currency = a.currency LEFT JOIN elsewhere e ON e.item = a.item;

-- name: CreditorRecent :many
-- The creditors that a person paid last, each account once, of the settled ones of their last 100 payments in a scheme.
SELECT q.message_id, q.creditor_name, q.creditor_account FROM (
  SELECT DISTINCT ON (p.creditor_account) p.message_id, p.creditor_name, p.creditor_account FROM (
    SELECT m.message_id, m.state, v.creditor_name, v.creditor_account
    FROM message m
    JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = m.version
    WHERE m.realm = @realm AND m.maker_user = @user_id AND m.kind = 'instruction' AND m.scheme = @scheme
    ORDER BY m.message_id DESC LIMIT 100
  ) p
  WHERE p.state = 'Settled'
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
