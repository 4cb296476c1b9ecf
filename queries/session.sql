-- Sessions of the portal, by the keyed digests of their token. The service has no rights on the table but these functions (00010).

-- name: SessionGet :one
SELECT coalesce(session_get(@tokens::text[]), ''::bytea)::bytea AS data;

-- name: SessionGetLapsed :one
-- A session that nobody ended, but whose time ran out after the given moment.
SELECT coalesce(session_get_lapsed(@tokens::text[], @lapsed_after::timestamptz), ''::bytea)::bytea AS data;

-- name: SessionPutIfOpen :exec
-- A new session, or new data of one that is open. A request under way cannot bring a session back that was ended meanwhile.
SELECT session_put_if_open(@tokens::text[], @data::bytea, @expiry::timestamptz);

-- name: SessionEnd :exec
-- The row stays without data until it is dropped, so that nothing can write it again.
SELECT session_end(@tokens::text[]);

-- name: SessionDropExpired :one
SELECT session_drop_expired(@expired_before::timestamptz, @page_size::integer)::bigint AS dropped;
