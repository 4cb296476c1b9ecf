-- Sessions of the portal, by the digest of their token.

-- name: SessionGet :one
SELECT data FROM sessions WHERE token = @token AND expiry > now();

-- name: SessionGetLapsed :one
-- A session that nobody ended, but whose time ran out after the given moment.
SELECT data FROM sessions
WHERE token = @token AND expiry <= now() AND expiry > @lapsed_after::timestamptz AND data <> ''::bytea;

-- name: SessionPutIfOpen :exec
-- A new session, or new data of one that is open. A request under way cannot bring a session back that was ended meanwhile.
INSERT INTO sessions (token, data, expiry) VALUES (@token, @data, @expiry)
ON CONFLICT (token) DO UPDATE SET data = excluded.data, expiry = excluded.expiry
WHERE sessions.expiry > now() AND sessions.data <> ''::bytea;

-- name: SessionEnd :exec
-- The row stays without data until it is dropped, so that nothing can write it again.
UPDATE sessions SET data = ''::bytea, expiry = now() WHERE token = @token;

-- name: SessionDropExpired :execrows
DELETE FROM sessions WHERE token IN (
  SELECT s.token FROM sessions s WHERE s.expiry < @expired_before::timestamptz LIMIT @page_size::integer
);
