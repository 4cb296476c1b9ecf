-- What a creditor was paid before, read when a checker opens a payment.

-- name: CreditorAccountPast :one
-- The last 50 payments to an account in a currency that were approved, other than the given one: how many, the largest, and the name used
-- last. It reads the index of accounts.
SELECT count(*) AS payments, coalesce(max(q.amount), 0)::bigint AS most, coalesce((array_agg(q.creditor_name ORDER BY q.message_id DESC))[1], '')::text AS name
FROM (
  SELECT v.message_id, v.amount, v.creditor_name
  FROM message_version v
  JOIN message m ON m.realm = v.realm AND m.message_id = v.message_id AND m.version = v.version
  WHERE v.realm = @realm AND v.creditor_account = @creditor_account AND v.currency = @currency AND v.message_id <> @other_than
    AND m.kind = 'instruction' AND m.state IN ('Approved', 'Processing', 'Settled', 'Unconfirmed')
  ORDER BY v.message_id DESC LIMIT 50
) q;

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
