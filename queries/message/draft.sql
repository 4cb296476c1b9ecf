-- Payments between the form and their submission. The owner stands in each condition: a draft is nobody else's to see.

-- name: DraftInsertOrSaveIfOpen :execrows
-- A new draft; or new answers, where the form it is kept for was sent twice at once. Zero rows: the earlier one is submitted or saved later.
INSERT INTO draft (realm, draft_id, user_id, scheme, answers, file, file_name, amends, amends_version, batch_id, batch_line, form_key,
  file_hash, created_at, saved_at, expires_at)
VALUES (@realm, @draft_id, @user_id, @scheme, @answers, @file, @file_name, sqlc.narg(amends), sqlc.narg(amends_version),
  sqlc.narg(batch_id), sqlc.narg(batch_line), sqlc.narg(form_key), sqlc.narg(file_hash), @saved_at, @saved_at,
  @expires_at)
ON CONFLICT (realm, draft_id) DO UPDATE SET scheme = excluded.scheme, answers = excluded.answers, form_key = excluded.form_key,
  saved_at = excluded.saved_at
WHERE draft.user_id = excluded.user_id AND draft.message_id IS NULL AND draft.saved_at <= excluded.saved_at;

-- name: DraftGet :one
SELECT * FROM draft WHERE realm = @realm AND draft_id = @draft_id AND user_id = @user_id AND expires_at > @now::timestamptz;

-- name: DraftOwner :one
-- The login of the person whose draft it is.
SELECT u.name FROM draft d JOIN user_account u ON u.realm = d.realm AND u.user_id = d.user_id
WHERE d.realm = @realm AND d.draft_id = @draft_id AND d.expires_at > @now::timestamptz;

-- name: DraftBatch :many
-- The drafts of one file, submitted or not, in its order; none of a program's batch.
SELECT * FROM draft d WHERE d.realm = @realm AND d.user_id = @user_id AND d.batch_id = @batch_id::uuid AND d.expires_at > @now::timestamptz
  AND NOT EXISTS (SELECT FROM batch b WHERE b.realm = d.realm AND b.batch_id = d.batch_id)
ORDER BY d.batch_line;

-- name: DraftBatches :many
-- The files of a user of which something waits to be submitted, each with its first draft.
SELECT * FROM (
  SELECT DISTINCT ON (batch_id) batch_id::uuid AS batch_id, draft_id, scheme, file_name, saved_at, expires_at,
    count(*) OVER (PARTITION BY batch_id) AS lines, count(message_id) OVER (PARTITION BY batch_id) AS submitted
  FROM draft d WHERE d.realm = @realm AND d.user_id = @user_id AND d.batch_id IS NOT NULL AND d.expires_at > @now::timestamptz
    AND NOT EXISTS (SELECT FROM batch b WHERE b.realm = d.realm AND b.batch_id = d.batch_id)
  ORDER BY batch_id, batch_line
) AS file WHERE submitted < lines ORDER BY saved_at DESC;

-- name: DraftList :many
-- The open drafts of a user, the last changed first, so many at most; files come without their content, and those of many payments not at
-- all.
SELECT draft_id, scheme, answers, file_name, amends, saved_at, expires_at FROM draft
WHERE realm = @realm AND user_id = @user_id AND message_id IS NULL AND batch_id IS NULL AND expires_at > @now::timestamptz
ORDER BY saved_at DESC LIMIT @page_size::integer;

-- name: DraftCount :one
-- How many open drafts a user has, so many at most; those of files of many payments are not counted.
SELECT count(*) FROM (
  SELECT FROM draft
  WHERE realm = @realm AND user_id = @user_id AND message_id IS NULL AND batch_id IS NULL AND expires_at > @now::timestamptz
  LIMIT @most::integer
) AS open;

-- name: DraftSaveIfOpen :execrows
-- New answers. Zero rows: it is submitted, over, or not this user's; or it was saved later than these answers were sent, where they are kept
-- by the way; or another page wrote it since it was saved as this one showed it.
UPDATE draft SET scheme = @scheme, answers = @answers, form_key = sqlc.narg(form_key), saved_at = @saved_at
WHERE realm = @realm AND draft_id = @draft_id AND user_id = @user_id AND message_id IS NULL AND expires_at > @saved_at
  AND (saved_at <= @saved_at OR NOT @by_the_way::boolean)
  AND (sqlc.narg(form_key)::uuid IS NULL OR form_key = sqlc.narg(form_key)::uuid OR saved_at = @seen::timestamptz);

-- name: DraftSubmitted :exec
-- Notes the message that a draft became, and for a payment of a file that it belongs to the file, whose key is that of the draft where it is the only one.
WITH noted AS (
  UPDATE draft SET message_id = @message_id
  WHERE draft.realm = @realm AND draft_id = @draft_id AND user_id = @user_id AND draft.message_id IS NULL
  RETURNING draft.realm, coalesce(draft.batch_id, draft.draft_id) AS batch_id, coalesce(draft.batch_line, 1) AS batch_line, draft.file_hash,
    draft.batch_id IS NOT NULL OR draft.file_hash IS NOT NULL AS of_file
)
INSERT INTO batch_payment (realm, batch_id, position, message_id, file_name, file_hash)
SELECT n.realm, n.batch_id, n.batch_line, @message_id, @plain_name, n.file_hash FROM noted n WHERE n.of_file
ON CONFLICT DO NOTHING;

-- name: FileBefore :one
-- The upload of the same file before a draft or file: when, by whom, and how many of its payments were submitted. One with submitted payments
-- is told before one without; drafts without are told for a day.
WITH p AS (SELECT @realm::text AS realm, @file_hash::bytea AS file_hash, @self::uuid AS self)
SELECT min(f.at)::timestamptz AS uploaded_at, min(f.display_name)::text AS uploader, count(f.message_id) AS submitted
FROM (
  SELECT b.batch_id, m.created_at AS at, n.display_name, b.message_id
  FROM p JOIN batch_payment b ON b.realm = p.realm AND b.file_hash = p.file_hash AND b.batch_id <> p.self
  JOIN message m ON m.realm = b.realm AND m.message_id = b.message_id
  JOIN person n ON n.realm = m.realm AND n.person_id = m.maker_person
  UNION ALL
  SELECT coalesce(d.batch_id, d.draft_id), d.created_at, n.display_name, NULL
  FROM p JOIN draft d ON d.realm = p.realm AND d.file_hash = p.file_hash AND coalesce(d.batch_id, d.draft_id) < p.self
  JOIN user_account u ON u.realm = d.realm AND u.user_id = d.user_id
  JOIN person n ON n.realm = u.realm AND n.person_id = u.person_id
) f GROUP BY f.batch_id ORDER BY count(f.message_id) > 0 DESC, min(f.at) DESC LIMIT 1;

-- name: BatchPayments :many
-- The payments of a file that were submitted, in its order.
SELECT message_id::uuid AS message_id, file_name FROM batch_payment
WHERE realm = @realm AND batch_id = @batch_id AND message_id IS NOT NULL ORDER BY position;

-- name: BatchLine :many
-- The file that a payment came in, and its number there; no row for a payment of none.
SELECT file_name, position FROM batch_payment WHERE realm = @realm AND message_id = @message_id;

-- name: BatchesWaiting :many
-- The files of which several payments wait for approval, the newest first, among the 5,000 messages that arrived last. Where no file came
-- since the oldest of them, none is looked up.
SELECT b.batch_id, min(b.file_name)::text AS file_name, count(*) AS waiting
FROM (SELECT m.message_id FROM message m WHERE m.realm = @realm AND m.state = 'Approval Pending' ORDER BY m.message_id DESC LIMIT 5000) m
JOIN batch_payment b ON b.realm = @realm AND b.message_id = m.message_id
WHERE EXISTS (SELECT FROM batch_payment x WHERE x.realm = @realm AND x.message_id >= (
  SELECT w.message_id FROM message w WHERE w.realm = @realm AND w.state = 'Approval Pending' ORDER BY w.message_id LIMIT 1))
GROUP BY b.batch_id HAVING count(*) > 1 ORDER BY max(b.message_id::text) DESC LIMIT 10;

-- name: DraftDiscard :execrows
-- Deletes an open draft of a user, the open ones of one of their files, or all without an id. What was submitted stays.
DELETE FROM draft d
WHERE d.realm = @realm AND d.user_id = @user_id AND d.message_id IS NULL
  AND (sqlc.narg(id)::uuid IS NULL OR d.draft_id = sqlc.narg(id)::uuid OR d.batch_id = sqlc.narg(id)::uuid)
  AND NOT EXISTS (SELECT FROM batch b WHERE b.realm = d.realm AND b.batch_id = d.batch_id);

-- name: DraftDropExpired :execrows
DELETE FROM draft WHERE (realm, draft_id) IN (
  SELECT d.realm, d.draft_id FROM draft d WHERE d.realm = @realm AND d.expires_at < @now::timestamptz LIMIT @page_size::integer
);

-- name: BatchInsert :execrows
-- A batch of a program. Zero rows: its client used the externalId before.
INSERT INTO batch (realm, batch_id, client_id, user_id, external_id, fingerprint, payments, sender, created_at)
VALUES (@realm, @batch_id, @client_id, @user_id, @external_id, @fingerprint, @payments, @sender, @created_at)
ON CONFLICT (realm, client_id, external_id) DO NOTHING;

-- name: BatchDraftsInsert :exec
-- The payments of a program's batch.
INSERT INTO draft (realm, draft_id, user_id, scheme, answers, file, file_name, batch_id, batch_line, created_at, saved_at, expires_at)
SELECT @realm, n.draft_id, @user_id, @scheme, n.answers, n.file, '', @batch_id, n.line, @created_at, @created_at, @expires_at
FROM (SELECT unnest(@draft_ids::uuid[]) AS draft_id, unnest(@answers::bytea[]) AS answers, unnest(@files::bytea[]) AS file,
        unnest(@lines::integer[]) AS line) n;

-- name: BatchGet :one
SELECT b.*, (SELECT count(message_id) FROM batch_payment p WHERE p.realm = b.realm AND p.batch_id = b.batch_id) AS accepted,
  (SELECT count(findings) FROM batch_payment p WHERE p.realm = b.realm AND p.batch_id = b.batch_id) AS refused
FROM batch b WHERE b.realm = @realm AND b.batch_id = @batch_id;

-- name: BatchOf :one
-- The batch of a client with an externalId.
SELECT batch_id, fingerprint FROM batch WHERE realm = @realm AND client_id = @client_id AND external_id = @external_id;

-- name: BatchResults :many
-- The results of a batch so far, in its order.
SELECT p.position, p.message_id, p.findings, m.global_id, m.external_id, m.state FROM batch_payment p
LEFT JOIN message m ON m.realm = p.realm AND m.message_id = p.message_id
WHERE p.realm = @realm AND p.batch_id = @batch_id ORDER BY p.position;

-- name: BatchesToDo :many
SELECT batch_id FROM batch WHERE realm = @realm AND done_at IS NULL AND batch_id <> ALL (@held::uuid[])
ORDER BY batch_id LIMIT @page_size::integer;

-- name: BatchDrafts :many
-- The first payments of a batch of which nothing is made.
SELECT draft_id, batch_line::integer AS line, answers, file FROM draft WHERE realm = @realm AND user_id = @user_id AND batch_id = @batch_id::uuid
ORDER BY batch_line LIMIT @page_size::integer;

-- name: BatchResultsPut :exec
-- Notes results in the place of the drafts. A message that was made is always the result, also when another process saw the payment refused.
WITH gone AS (DELETE FROM draft WHERE draft.realm = @realm AND draft_id = ANY (@draft_ids::uuid[]))
INSERT INTO batch_payment (realm, batch_id, position, message_id, findings, file_name)
SELECT @realm, @batch_id, n.position, nullif(n.message_id, '00000000-0000-0000-0000-000000000000'),
  CASE WHEN n.message_id = '00000000-0000-0000-0000-000000000000' THEN n.findings END, @file_name
FROM (SELECT unnest(@positions::integer[]) AS position, unnest(@message_ids::uuid[]) AS message_id, unnest(@findings::bytea[]) AS findings) n
ON CONFLICT (realm, batch_id, position) DO UPDATE SET message_id = excluded.message_id, findings = NULL
WHERE batch_payment.message_id IS NULL AND excluded.message_id IS NOT NULL;

-- name: BatchDone :exec
UPDATE batch SET done_at = @now::timestamptz WHERE batch.realm = @realm AND batch.batch_id = @batch_id::uuid AND done_at IS NULL
  AND NOT EXISTS (SELECT FROM draft d WHERE d.realm = @realm AND d.user_id = batch.user_id AND d.batch_id = @batch_id::uuid);
