-- Sessions of the portal, by the keyed digests of their token. The service has no rights on the table but these functions (00010).

-- name: SessionGet :one
SELECT coalesce(session_get(@tokens::text[]), ''::bytea)::bytea AS data;

-- name: SessionGetLapsed :one
-- A session whose time ran out after the given moment, or that was ended after it, in the last quarter of an hour.
SELECT coalesce(session_get_lapsed(@tokens::text[], @lapsed_after::timestamptz), ''::bytea)::bytea AS data;

-- name: SessionPutIfOpen :exec
-- A new session, or new data of one that is open. A request under way cannot bring a session back that was ended meanwhile.
SELECT session_put_if_open(@tokens::text[], @data::bytea, @expiry::timestamptz);

-- name: SessionEnd :exec
-- The row stays until it is dropped, so that nothing can write it again; what it held stands where no session is read. A session that is not
-- stored yet leaves a row too.
SELECT session_end(@tokens::text[]);

-- name: SessionDropExpired :one
SELECT session_drop_expired(@expired_before::timestamptz, @page_size::integer)::bigint AS dropped;

-- name: UserSessionInsert :exec
WITH signed AS (
  INSERT INTO last_sign_in AS l (realm, user_id, at) VALUES (@realm, @user_id, @started_at)
  ON CONFLICT (realm, user_id) DO UPDATE SET at = greatest(l.at, excluded.at)
)
INSERT INTO user_session (realm, session_id, user_id, name, device, address, checker, started_at, last_used_at, ends_at)
VALUES (@realm, @session_id, @user_id, @name, @device, @address, @checker, @started_at, @started_at, @ends_at);

-- name: UserSessionUse :exec
UPDATE user_session SET last_used_at = @at WHERE realm = @realm AND name = ANY (@names::text[]) AND ended_at IS NULL AND last_used_at < @at;

-- name: UserSessionOpenList :many
-- Sessions of a user that can still be used, the newest first: used after a time, and not before everything was ended at once.
SELECT s.* FROM user_session s
JOIN user_account u ON u.realm = s.realm AND u.user_id = s.user_id
WHERE s.realm = @realm AND s.user_id = @user_id AND s.ended_at IS NULL AND s.ends_at > @at AND s.last_used_at > @used_after
  AND (u.signed_out_at IS NULL OR s.started_at > u.signed_out_at)
ORDER BY s.started_at DESC, s.session_id
LIMIT 100;

-- name: UserSessionEnd :many
-- Ends one session of a user, or all those of a checker but the one that has one of the names. It returns the names of the ended ones.
UPDATE user_session s SET ended_at = @at, ended_why = @why
WHERE s.realm = @realm AND s.user_id = @user_id AND s.ended_at IS NULL
  AND (sqlc.narg(session_id)::uuid IS NULL AND s.checker OR s.session_id = sqlc.narg(session_id)::uuid)
  AND s.name <> ALL (@but::text[])
RETURNING s.name;

-- name: UserSessionEndNamed :exec
UPDATE user_session SET ended_at = @at, ended_why = @why WHERE realm = @realm AND name = ANY (@names::text[]) AND ended_at IS NULL;

-- name: UserSessionDropOver :execrows
DELETE FROM user_session d WHERE d.realm = @realm AND d.session_id IN (
  SELECT s.session_id FROM user_session s WHERE s.realm = @realm AND s.ends_at < @before ORDER BY s.ends_at LIMIT @batch::integer);

-- name: SessionEndedWhy :one
-- Why a session ended that somebody comes back with; "" when nobody ended it.
SELECT coalesce(session_ended_why(@names::text[]), '')::text AS why;
