-- name: FamilyStart :exec
-- A family with its first tokens. That of a client that acts by itself has no user and no refresh token.
WITH signed AS (
  INSERT INTO last_sign_in AS l (realm, user_id, at)
  SELECT @realm, sqlc.narg(user_id)::uuid, @at WHERE sqlc.narg(user_id)::uuid IS NOT NULL
  ON CONFLICT (realm, user_id) DO UPDATE SET at = greatest(l.at, excluded.at)
), family AS (
  INSERT INTO token_family (realm, family_id, user_id, client_id, scope, started_at, ends_at, as_of)
  VALUES (@realm, @family_id, sqlc.narg(user_id)::uuid, @client_id, @scope, @at, @ends_at, sqlc.narg(as_of))
), refresh AS (
  INSERT INTO refresh_token (realm, token_hash, family_id, issued_at, expires_at, key_id, seal)
  SELECT @realm, @refresh_hash, @family_id, @at, @refresh_expires_at, @refresh_key_id, @refresh_seal WHERE sqlc.narg(user_id)::uuid IS NOT NULL
)
INSERT INTO access_token (realm, token_hash, family_id, issued_at, expires_at, key_id, seal)
VALUES (@realm, @access_hash, @family_id, @at, @access_expires_at, @access_key_id, @access_seal);

-- name: FamilyLockByRefreshToken :one
-- Takes the family of a refresh token, so that the second transaction sees what the first one did. A token is looked up by its digests
-- under all keys in force, here and below.
SELECT f.family_id
FROM refresh_token t
JOIN token_family f ON f.realm = t.realm AND f.family_id = t.family_id
WHERE t.realm = @realm AND t.token_hash = ANY (@token_hashes::bytea[])
FOR NO KEY UPDATE OF f;

-- name: RefreshTokenGet :one
-- A refresh token with its family, its user and, once it is spent, whether its successor is still unspent.
SELECT sqlc.embed(t), sqlc.embed(f), u.signed_out_at, u.status,
       s.expires_at AS successor_expires_at, s.spent_at AS successor_spent_at
FROM refresh_token t
JOIN token_family f ON f.realm = t.realm AND f.family_id = t.family_id
JOIN user_account u ON u.realm = f.realm AND u.user_id = f.user_id
LEFT JOIN refresh_token s ON s.realm = t.realm AND s.token_hash = t.successor_hash
WHERE t.realm = @realm AND t.token_hash = ANY (@token_hashes::bytea[]);

-- name: RefreshTokenRotateUnspent :execrows
-- The insertions read from the update, so they come after it, and not at all when the token was spent before.
WITH spent AS (
  UPDATE refresh_token t SET spent_at = @at, successor_hash = @successor_hash
  WHERE t.realm = @realm AND t.token_hash = @token_hash AND t.spent_at IS NULL
  RETURNING t.realm, t.family_id
), successor AS (
  INSERT INTO refresh_token (realm, token_hash, family_id, issued_at, expires_at, key_id, seal)
  SELECT spent.realm, @successor_hash, spent.family_id, @at, @refresh_expires_at, @refresh_key_id, @refresh_seal FROM spent
)
INSERT INTO access_token (realm, token_hash, family_id, issued_at, expires_at, key_id, seal)
SELECT spent.realm, @access_hash, spent.family_id, @at, @access_expires_at, @access_key_id, @access_seal FROM spent;

-- name: FamilyRevoke :many
-- The first reason stays: a family that was revoked before returns no row.
WITH revoked AS (
  UPDATE token_family d SET revoked_at = @at, revoked_for = @reason
  WHERE d.realm = @realm AND d.family_id = @family_id AND d.revoked_at IS NULL
  RETURNING d.realm, d.user_id, d.client_id
)
SELECT u.user_id, u.person_id, coalesce(p.display_name, revoked.client_id)::text AS name, revoked.client_id
FROM revoked
LEFT JOIN user_account u ON u.realm = revoked.realm AND u.user_id = revoked.user_id
LEFT JOIN person p ON p.realm = u.realm AND p.person_id = u.person_id;

-- name: FamilyByToken :one
-- The family of a refresh token, or of an access token where that counts too.
SELECT f.family_id, f.client_id
FROM token_family f
WHERE f.realm = @realm AND f.family_id IN (
  SELECT r.family_id FROM refresh_token r WHERE r.realm = @realm AND r.token_hash = ANY (@token_hashes::bytea[])
  UNION ALL
  SELECT a.family_id FROM access_token a WHERE @access::boolean AND a.realm = @realm AND a.token_hash = ANY (@token_hashes::bytea[]));

-- name: AccessTokenPrincipalGet :one
-- Whom a live access token stands for, with the roles of this moment, and the head of the realm.
SELECT sqlc.embed(t), sqlc.embed(f), sqlc.embed(u), sqlc.embed(p), sqlc.embed(c), sqlc.embed(h),
       ARRAY(SELECT r.role FROM user_role r WHERE r.realm = u.realm AND r.user_id = u.user_id AND r.ended_at IS NULL ORDER BY r.role)::text[] AS roles,
       ARRAY(SELECT r.grant_id FROM user_role r WHERE r.realm = u.realm AND r.user_id = u.user_id AND r.ended_at IS NULL ORDER BY r.role)::uuid[] AS grant_ids,
       ARRAY(SELECT r.granted_at FROM user_role r WHERE r.realm = u.realm AND r.user_id = u.user_id AND r.ended_at IS NULL ORDER BY r.role)::timestamptz[] AS granted
FROM access_token t
JOIN token_family f ON f.realm = t.realm AND f.family_id = t.family_id
JOIN user_account u ON u.realm = f.realm AND u.user_id = f.user_id
JOIN person p ON p.realm = u.realm AND p.person_id = u.person_id
JOIN client c ON c.realm = f.realm AND c.client_id = f.client_id
JOIN realm_head h ON h.realm = u.realm
WHERE t.realm = @realm AND t.token_hash = ANY (@token_hashes::bytea[]) AND t.expires_at > @at
  AND f.revoked_at IS NULL AND f.ends_at > @at AND u.status = 'active' AND f.started_at > coalesce(u.signed_out_at, '-infinity')
  AND (f.as_of IS NULL OR f.as_of = coalesce(u.signed_out_at, 'epoch'));

-- name: AccessTokenClientGet :one
-- The client that a live access token without a user stands for, and the head of the realm.
SELECT sqlc.embed(t), sqlc.embed(f), sqlc.embed(c), sqlc.embed(h)
FROM access_token t
JOIN token_family f ON f.realm = t.realm AND f.family_id = t.family_id
JOIN client c ON c.realm = f.realm AND c.client_id = f.client_id
JOIN realm_head h ON h.realm = f.realm
WHERE t.realm = @realm AND t.token_hash = ANY (@token_hashes::bytea[]) AND t.expires_at > @at
  AND f.user_id IS NULL AND f.revoked_at IS NULL AND f.ends_at > @at;

-- name: ThrottleReserveUnlocked :execrows
-- Counts a try before its password is checked; a success clears the count. The fifth locks for 1 minute, the following for 2, 4, 8
-- and then always 15. Zero rows: the name is locked. Failures older than a time are forgotten.
INSERT INTO login_throttle (realm, name_hash, failures, last_try_at, locked_until)
VALUES (@realm, @name_hash, 1, @at, @at)
ON CONFLICT (realm, name_hash) DO UPDATE SET
  failures = CASE WHEN login_throttle.last_try_at < @forget_before THEN 1 ELSE login_throttle.failures + 1 END,
  last_try_at = excluded.last_try_at,
  locked_until = excluded.last_try_at + CASE
    WHEN login_throttle.last_try_at < @forget_before OR login_throttle.failures < 4 THEN interval '0'
    WHEN login_throttle.failures = 4 THEN interval '1 minute'
    WHEN login_throttle.failures = 5 THEN interval '2 minutes'
    WHEN login_throttle.failures = 6 THEN interval '4 minutes'
    WHEN login_throttle.failures = 7 THEN interval '8 minutes'
    ELSE interval '15 minutes' END
WHERE login_throttle.locked_until <= excluded.last_try_at;

-- name: ThrottleLockedUntil :one
SELECT locked_until FROM login_throttle WHERE realm = @realm AND name_hash = @name_hash;

-- name: ThrottleClear :exec
DELETE FROM login_throttle WHERE realm = @realm AND name_hash = @name_hash;

-- name: FamilyDropEnded :execrows
DELETE FROM token_family d WHERE d.realm = @realm AND d.family_id IN (
  SELECT f.family_id FROM token_family f WHERE f.realm = @realm AND f.ends_at < @before ORDER BY f.ends_at LIMIT @batch::integer);

-- name: AccessTokenDropExpired :execrows
DELETE FROM access_token d WHERE d.realm = @realm AND d.token_hash IN (
  SELECT t.token_hash FROM access_token t WHERE t.realm = @realm AND t.expires_at < @before ORDER BY t.expires_at LIMIT @batch::integer);

-- name: ThrottleDropForgotten :execrows
DELETE FROM login_throttle d WHERE d.realm = @realm AND d.name_hash IN (
  SELECT t.name_hash FROM login_throttle t WHERE t.realm = @realm AND t.last_try_at < @before ORDER BY t.last_try_at LIMIT @batch::integer);
