-- Reads for lists and searches. The view message_listed has the columns of all of them, so one Go mapping serves all.

-- name: TransactionList :many
-- Newest first, or oldest first, from a key on, narrowed by any of the filters. Runs with custom plans: a generic one would scan, and sort
-- where the plan made for one order reads an index. keys: only these, which a search or a walk found.
SELECT * FROM message_listed m
WHERE m.realm = @realm
  AND (sqlc.narg(keys)::uuid[] IS NULL OR m.message_id = ANY (sqlc.narg(keys)::uuid[]))
  AND (sqlc.narg(from_key)::uuid IS NULL
       OR CASE WHEN @oldest_first::boolean THEN m.message_id > sqlc.narg(from_key)::uuid ELSE m.message_id < sqlc.narg(from_key)::uuid END)
  AND (sqlc.narg(from_key)::uuid IS NULL
       OR CASE WHEN @oldest_first::boolean THEN m.version_key > sqlc.narg(from_key)::uuid ELSE m.version_key < sqlc.narg(from_key)::uuid END)
  AND (sqlc.narg(changed_since)::timestamptz IS NULL OR m.state_since >= sqlc.narg(changed_since)::timestamptz)
  AND (sqlc.narg(internal_id)::uuid IS NULL OR m.message_id = sqlc.narg(internal_id)::uuid)
  AND (sqlc.narg(global_id)::text IS NULL OR m.global_id = sqlc.narg(global_id)::text)
  AND (sqlc.narg(external_ids)::text[] IS NULL OR m.external_id = ANY (sqlc.narg(external_ids)::text[]) AND m.message_id = ANY (array(
       SELECT x.message_id FROM client c JOIN creation_key x ON x.realm = c.realm AND x.client_id = c.client_id AND x.scope = 'external-id'
         AND x.key = ANY (sqlc.narg(external_ids)::text[])
       WHERE c.realm = @realm)))
  AND (sqlc.narg(kinds)::text[] IS NULL OR m.kind = ANY (sqlc.narg(kinds)::text[]))
  AND (sqlc.narg(direction)::text IS NULL OR m.direction = sqlc.narg(direction)::text)
  AND (NOT @approved::boolean OR m.accepted_at IS NOT NULL AND m.approvals_required > 0)
  AND (sqlc.narg(original_id)::uuid IS NULL OR m.original_id = sqlc.narg(original_id)::uuid)
  AND (sqlc.narg(credit_id)::uuid IS NULL OR m.message_id = ANY (array(
       SELECT c.message_id FROM message c WHERE c.realm = @realm AND c.message_id = sqlc.narg(credit_id)::uuid AND c.kind = 'payment'
       UNION ALL
       SELECT a.message_id FROM message a WHERE a.realm = @realm AND a.original_id = sqlc.narg(credit_id)::uuid
         AND (a.kind = 'received recall' OR a.kind IN ('return', 'resolution') AND a.direction = 'out'))))
  AND (sqlc.narg(recall_states)::text[] IS NULL OR m.message_id IN (
       SELECT r.original_id FROM message r WHERE r.realm = @realm AND r.kind = 'recall' AND r.state = ANY (sqlc.narg(recall_states)::text[])))
  AND (sqlc.narg(uetr)::text IS NULL OR m.uetr = sqlc.narg(uetr)::text)
  AND (sqlc.narg(scheme)::text IS NULL OR m.scheme = sqlc.narg(scheme)::text)
  AND (sqlc.narg(states)::text[] IS NULL OR m.state = ANY (sqlc.narg(states)::text[]))
  AND (sqlc.narg(created_from)::timestamptz IS NULL OR m.created_at >= sqlc.narg(created_from)::timestamptz)
  AND (sqlc.narg(created_to)::timestamptz IS NULL OR m.created_at <= sqlc.narg(created_to)::timestamptz)
  AND (sqlc.narg(maker_login)::text IS NULL OR m.maker_login = sqlc.narg(maker_login)::text)
  AND (sqlc.narg(maker_user)::uuid IS NULL OR m.maker_user = sqlc.narg(maker_user)::uuid)
  AND (sqlc.narg(instruction_id)::text IS NULL OR m.instruction_id = sqlc.narg(instruction_id)::text)
  AND (sqlc.narg(end_to_end_ids)::text[] IS NULL OR m.end_to_end_id = ANY (sqlc.narg(end_to_end_ids)::text[]))
  AND (sqlc.narg(debtor_account)::text IS NULL OR m.debtor_account = sqlc.narg(debtor_account)::text)
  AND (sqlc.narg(debtor_agent)::text IS NULL OR m.debtor_agent = sqlc.narg(debtor_agent)::text)
  AND (sqlc.narg(debtor_name)::text IS NULL OR position(lower(sqlc.narg(debtor_name)::text) IN lower(m.debtor_name)) > 0)
  AND (sqlc.narg(creditor_account)::text IS NULL OR m.creditor_account = sqlc.narg(creditor_account)::text)
  AND (sqlc.narg(creditor_agent)::text IS NULL OR m.creditor_agent = sqlc.narg(creditor_agent)::text)
  AND (sqlc.narg(creditor_name)::text IS NULL OR position(lower(sqlc.narg(creditor_name)::text) IN lower(m.creditor_name)) > 0)
  AND (sqlc.narg(currency)::text IS NULL OR m.currency = sqlc.narg(currency)::text)
  AND (sqlc.narg(amount_from)::bigint IS NULL OR m.amount >= sqlc.narg(amount_from)::bigint)
  AND (sqlc.narg(amount_to)::bigint IS NULL OR m.amount <= sqlc.narg(amount_to)::bigint)
ORDER BY CASE WHEN @oldest_first::boolean THEN m.message_id END, m.message_id DESC
LIMIT @page_size::integer;

-- name: DecidedList :many
-- What a person decided since a time, newest first, from behind a decision, where one is given. Of the decisions of one message, which was
-- amended between them, the last one is marked; to leave out the others here would read on through the whole day.
SELECT d.message_id, d.action, d.decided_at, d.reason,
  (d.decided_at = (SELECT max(n.decided_at) FROM decision n
    WHERE n.realm = d.realm AND n.message_id = d.message_id AND n.checker_person = d.checker_person))::boolean AS last
FROM decision d
WHERE d.realm = @realm AND d.checker_person = @person AND d.decided_at >= @since
  AND (d.decided_at, d.message_id) < (coalesce(sqlc.narg(behind_at)::timestamptz, 'infinity'), @behind_id::uuid)
ORDER BY d.decided_at DESC, d.message_id DESC LIMIT @page_size::integer;

-- name: DecidedCount :one
-- How many messages a person decided since a time, up to so many, by the newest 1,000 decisions.
SELECT count(*) FROM (
  SELECT DISTINCT newest.message_id FROM (
    SELECT d.message_id FROM decision d WHERE d.realm = @realm AND d.checker_person = @person AND d.decided_at >= @since
    ORDER BY d.decided_at DESC, d.message_id DESC LIMIT 1000
  ) newest LIMIT @most::integer
) message;

-- name: DuplicateList :many
-- Payments to the same account of the same amount since a time, other than the given one.
SELECT m.message_id, m.global_id, m.state, m.created_at, m.maker_person, coalesce(p.display_name, '')::text AS maker_name
FROM message_version v
JOIN message m ON m.realm = v.realm AND m.message_id = v.message_id AND m.version = v.version
LEFT JOIN user_account u ON u.realm = m.realm AND u.user_id = m.maker_user
LEFT JOIN person p ON p.realm = u.realm AND p.person_id = u.person_id
WHERE v.realm = @realm AND v.creditor_account = @creditor_account AND v.amount = @amount AND v.currency = @currency
  AND m.kind = 'instruction' AND v.created_at >= @since AND m.state NOT IN ('Rejected', 'Withdrawn', 'Expired', 'Failed')
  AND v.message_id <> @other_than
ORDER BY v.message_id DESC LIMIT 10;

-- name: DuplicateTurn :exec
-- Entries that are compared with each other take turns in a realm until their transactions end. DuplicateList sees the one before only as a
-- statement after this one.
SELECT realm FROM realm WHERE realm = @realm FOR NO KEY UPDATE;

-- name: DuplicateCounts :many
-- Of payments (lists of equal length), how many payments DuplicateList would list: to the same account of the same amount since a time, other
-- than the given one. It reads the newest 11 of each account and amount, as a payment itself may be among them.
WITH asked AS (
  SELECT unnest(@items::integer[]) AS item, unnest(@accounts::text[]) AS account, unnest(@amounts::bigint[]) AS amount,
         unnest(@currencies::text[]) AS currency, unnest(@sinces::timestamptz[]) AS since, unnest(@others::uuid[]) AS other
), paid AS MATERIALIZED (
  SELECT a.account, a.amount, a.currency, q.message_id, q.created_at
  FROM (SELECT account, amount, currency, min(since) AS since FROM asked GROUP BY account, amount, currency) a
  CROSS JOIN LATERAL (
    SELECT v.message_id, v.created_at
    FROM message_version v
    WHERE v.realm = @realm AND v.creditor_account = a.account AND v.amount = a.amount AND v.currency = a.currency AND v.created_at >= a.since
      AND EXISTS (SELECT FROM message m WHERE m.realm = v.realm AND m.message_id = v.message_id AND m.version = v.version
        AND m.kind = 'instruction' AND m.state NOT IN ('Rejected', 'Withdrawn', 'Expired', 'Failed') OFFSET 0) -- as in creditor.sql
    ORDER BY v.created_at DESC LIMIT 11
  ) q
)
SELECT a.item::integer AS item, least(count(q.message_id), 10)::bigint AS payments
FROM asked a
LEFT JOIN paid q ON q.account = a.account AND q.amount = a.amount AND q.currency = a.currency AND q.created_at >= a.since
  AND q.message_id <> a.other
GROUP BY a.item;

-- name: HistoryList :many
-- The steps of messages in order, with the names of the accounts behind them, and the key and values of a reason that the gateway gave.
SELECT h.*, u.name AS actor_login, coalesce(a.detail::jsonb ->> 'text', '')::text AS reason_text
FROM message_history h
LEFT JOIN user_account u ON u.realm = h.realm AND u.user_id = h.actor_user
LEFT JOIN audit_event a ON h.actor_person IS NULL AND h.reason IS NOT NULL
  AND a.realm = h.realm AND a.message_id = h.message_id AND a.sequence = h.sequence
WHERE h.realm = @realm AND h.message_id = ANY(@messages::uuid[]) ORDER BY h.message_id, h.sequence;

-- name: VersionList :many
-- Every version of a message with its editor, oldest first.
SELECT v.realm, v.message_id, v.version, v.document_id, v.content_hash, v.maker_user, v.maker_person, v.makers, v.previous_version,
  v.previous_makers, v.first_maker, v.approvals_required, v.created_at, v.amount, v.currency, v.instruction_id, v.end_to_end_id,
  v.transaction_id, v.uetr, v.debtor_name, v.debtor_account, v.debtor_agent, v.creditor_name, v.creditor_account, v.creditor_agent,
  v.remittance, v.key_id, v.seal, v.ordered_debtor_name, v.maker_role, v.maker_grant_id, v.maker_granted_at, v.clients, v.payee_result,
  v.payee_name, v.payee_at, p.display_name AS editor_name
FROM message_version v
JOIN person p ON p.realm = v.realm AND p.person_id = v.maker_person
WHERE v.realm = @realm AND v.message_id = @message_id ORDER BY v.version;

-- name: BookedKeys :many
-- The messages behind a key that debited or credited an account with us and settled in a period, so many at most, in the order of their keys.
SELECT m.message_id FROM message m
JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = m.version
WHERE m.realm = @realm AND m.state_since >= @since::timestamptz AND m.state_since < @until::timestamptz AND m.message_id > @after::uuid
  AND m.state IN ('Settled', 'Booked') AND m.kind IN ('instruction', 'return', 'payment')
  AND @account::text = CASE WHEN m.kind = 'payment' OR m.kind = 'return' AND m.direction = 'out' THEN v.creditor_account
                            ELSE v.debtor_account END
ORDER BY m.message_id LIMIT @page_size::integer;

-- name: AccountList :many
SELECT * FROM debtor_account WHERE realm = @realm ORDER BY scheme, iban;

-- name: AccountGet :one
SELECT * FROM debtor_account WHERE realm = @realm AND iban = @iban;
