-- The audit trail.

-- name: AuditList :many
-- The trail of one message. What happened in one instant stands in the order of the message's moves.
SELECT e.*, u.name AS actor_login
FROM audit_event e
LEFT JOIN user_account u ON u.realm = e.realm AND u.user_id = e.actor_user
WHERE e.realm = @realm AND e.message_id = @message_id ORDER BY e.at, e.sequence NULLS LAST, e.event_id;

-- name: AuditSearch :many
-- The trail of a realm, newest first or oldest first, from a place on. An actor is named by the account or as shown to people. Runs with
-- custom plans, as every search does.
SELECT e.*, u.name AS actor_login
FROM audit_event e
LEFT JOIN user_account u ON u.realm = e.realm AND u.user_id = e.actor_user
WHERE e.realm = @realm
  AND (sqlc.narg(from_at)::timestamptz IS NULL
       OR CASE WHEN @oldest_first::boolean THEN (e.at, e.event_id) > (sqlc.narg(from_at)::timestamptz, @from_key::uuid)
               ELSE (e.at, e.event_id) < (sqlc.narg(from_at)::timestamptz, @from_key::uuid) END)
  AND (sqlc.narg(at_from)::timestamptz IS NULL OR e.at >= sqlc.narg(at_from)::timestamptz)
  AND (sqlc.narg(at_to)::timestamptz IS NULL OR e.at <= sqlc.narg(at_to)::timestamptz)
  AND (sqlc.narg(actor)::text IS NULL OR u.name = sqlc.narg(actor)::text OR e.actor_name = sqlc.narg(actor)::text)
  AND (sqlc.narg(event)::text IS NULL OR e.event = sqlc.narg(event)::text)
  AND (sqlc.narg(message_id)::uuid IS NULL OR e.message_id = sqlc.narg(message_id)::uuid)
ORDER BY CASE WHEN @oldest_first::boolean THEN e.at END, CASE WHEN @oldest_first::boolean THEN e.event_id END, e.at DESC, e.event_id DESC
LIMIT @page_size::integer;

-- name: AuditRefusalInsert :execrows
-- Counts a refusal, and keeps it as a row while the minute has few of its event and account: a flood of unknown names hides no known one.
WITH counted AS (
  INSERT INTO refusal_count AS c (realm, event, minute, refused)
  VALUES (@realm, concat_ws('/', @event::text, sqlc.narg(actor_user)::uuid), date_trunc('minute', @at::timestamptz), 1)
  ON CONFLICT (realm, event, minute) DO UPDATE SET refused = c.refused + 1
  RETURNING refused
)
INSERT INTO audit_event (realm, event_id, message_id, event, actor_user, actor_person, actor_name, client_id, channel, request_id,
  source_address, detail, outcome, at, key_id, seal)
SELECT @realm::text, @event_id::uuid, sqlc.narg(message_id)::uuid, @event::text, sqlc.narg(actor_user)::uuid, sqlc.narg(actor_person)::uuid,
  @actor_name::text, sqlc.narg(client_id)::text, @channel::text, sqlc.narg(request_id)::text, sqlc.narg(source_address)::text,
  @detail::text, 'refused', @at::timestamptz, @key_id::text, @seal::bytea
FROM counted WHERE refused <= @most::bigint;

-- name: AuditWalk :many
-- The newest events behind a place that a page of the trail is narrowed to, among so many at most that are looked at, off the index of time.
-- The last that was looked at is told too, whether it is meant or not: the next page begins there.
SELECT q.event_id, q.meant, q.place FROM (
  SELECT k.event_id, k.place,
         ((sqlc.narg(event)::text IS NULL OR k.event = sqlc.narg(event)::text)
          AND (sqlc.narg(actor)::text IS NULL OR k.actor_name = sqlc.narg(actor)::text OR coalesce(k.actor_user = (
                 SELECT u.user_id FROM user_account u WHERE u.realm = @realm AND u.name = sqlc.narg(actor)::text), false)))::boolean AS meant
  FROM (SELECT e.event_id, e.event, e.actor_user, e.actor_name, row_number() OVER (ORDER BY e.at DESC, e.event_id DESC) AS place
        FROM audit_event e
        WHERE e.realm = @realm AND (e.at, e.event_id) < (@before_at::timestamptz, @before::uuid)
          AND (sqlc.narg(at_from)::timestamptz IS NULL OR e.at >= sqlc.narg(at_from)::timestamptz)
        ORDER BY e.at DESC, e.event_id DESC LIMIT @look::integer) k) q
WHERE q.meant OR q.place = @look::integer
ORDER BY q.place
LIMIT @page_size::integer;

-- name: AuditOf :many
-- These events, newest first.
SELECT e.*, u.name AS actor_login
FROM audit_event e
LEFT JOIN user_account u ON u.realm = e.realm AND u.user_id = e.actor_user
WHERE e.realm = @realm AND e.event_id = ANY (@ids::uuid[])
ORDER BY e.at DESC, e.event_id DESC;

-- name: AuditTime :one
-- When an event happened.
SELECT at FROM audit_event WHERE realm = @realm AND event_id = @event_id;
