-- Webhooks, and how far they have delivered the events of their realm.

-- name: WebhookListAll :many
SELECT * FROM webhook WHERE @of_realm::text IN ('', realm) ORDER BY realm, webhook_id;

-- name: WebhookGet :one
-- A webhook with the head of its realm.
SELECT sqlc.embed(w), sqlc.embed(h) FROM webhook w JOIN realm_head h ON h.realm = w.realm WHERE w.realm = @realm AND w.webhook_id = @webhook_id;

-- name: WebhookInsert :exec
INSERT INTO webhook (realm, webhook_id, url, events, secret, old_secret, old_until, made_at, retired_at)
VALUES (@realm, @webhook_id, @url, @events, @secret, sqlc.narg(old_secret), sqlc.narg(old_until), @made_at, sqlc.narg(retired_at));

-- name: WebhookPut :execrows
UPDATE webhook SET secret = @secret, old_secret = sqlc.narg(old_secret), old_until = sqlc.narg(old_until), retired_at = sqlc.narg(retired_at)
WHERE realm = @realm AND webhook_id = @webhook_id AND retired_at IS NULL;

-- name: WebhooksToDo :many
-- The webhooks in force that nobody works on: with an event behind their cursor, or a delivery that is due.
SELECT w.webhook_id FROM webhook w LEFT JOIN webhook_progress p ON p.realm = w.realm AND p.webhook_id = w.webhook_id
WHERE w.realm = @realm AND w.retired_at IS NULL AND w.webhook_id <> ALL (@held::uuid[]) AND coalesce(p.held_until <= @now::timestamptz, true)
ORDER BY w.webhook_id LIMIT @page_size::integer;

-- name: WebhookHold :execrows
-- Zero rows: another process works on it.
INSERT INTO webhook_progress (realm, webhook_id, cursor, held_until)
VALUES (@realm, @webhook_id, sqlc.narg(cursor), @until::timestamptz)
ON CONFLICT (realm, webhook_id) DO UPDATE SET held_until = excluded.held_until WHERE webhook_progress.held_until <= @now::timestamptz;

-- name: WebhookCursor :one
SELECT cursor FROM webhook_progress WHERE realm = @realm AND webhook_id = @webhook_id;

-- name: WebhookPass :execrows
-- Moves the cursor, and holds the webhook on, or frees it. Zero rows: another process took it over.
UPDATE webhook_progress SET cursor = sqlc.narg(cursor), held_until = @until::timestamptz
WHERE realm = @realm AND webhook_id = @webhook_id AND held_until = @held::timestamptz;

-- name: WebhookRetries :many
SELECT * FROM webhook_retry WHERE realm = @realm AND webhook_id = @webhook_id ORDER BY next_at;

-- name: WebhookRetryPut :exec
INSERT INTO webhook_retry (realm, webhook_id, about, event_id, failed, since, next_at)
VALUES (@realm, @webhook_id, @about, @event_id, @failed, @since, @next_at)
ON CONFLICT (realm, webhook_id, about) DO UPDATE SET event_id = excluded.event_id, failed = excluded.failed, since = excluded.since,
  next_at = excluded.next_at;

-- name: WebhookRetryDrop :exec
DELETE FROM webhook_retry WHERE realm = @realm AND webhook_id = @webhook_id AND about = @about;

-- name: WebhookAttemptsInsert :exec
INSERT INTO webhook_attempt (realm, attempt_id, webhook_id, event_id, event_type, at, status, failure)
SELECT @realm, n.attempt_id, @webhook_id, n.event_id, n.event_type, n.at, n.status, n.failure
FROM (SELECT unnest(@attempt_ids::uuid[]) AS attempt_id, unnest(@event_ids::uuid[]) AS event_id, unnest(@event_types::text[]) AS event_type,
        unnest(@ats::timestamptz[]) AS at, unnest(@statuses::integer[]) AS status, unnest(@failures::text[]) AS failure) n;

-- name: WebhookAttempts :many
SELECT * FROM webhook_attempt WHERE realm = @realm AND webhook_id = @webhook_id ORDER BY at DESC, attempt_id DESC LIMIT @page_size::integer;

-- name: WebhookAttemptsDrop :execrows
DELETE FROM webhook_attempt WHERE (realm, attempt_id) IN (
  SELECT a.realm, a.attempt_id FROM webhook_attempt a WHERE a.realm = @realm AND a.at < @before::timestamptz LIMIT @page_size::integer);
