-- Second factors and their uses.

-- name: FactorOfUserList :many
-- What a user may show beside the password, and what was removed, the oldest first, with how often and when last each was used; the time
-- it was made where it never was; and what a passkey counted last.
SELECT sqlc.embed(f),
       (SELECT count(*) FROM factor_use u WHERE u.realm = f.realm AND u.factor_id = f.factor_id AND u.purpose <> 'enrol') AS uses,
       coalesce((SELECT max(u.at) FROM factor_use u WHERE u.realm = f.realm AND u.factor_id = f.factor_id AND u.purpose <> 'enrol'),
                f.made_at)::timestamptz AS last_used_at,
       coalesce((SELECT max(u.sign_count) FROM factor_use u WHERE u.realm = f.realm AND u.factor_id = f.factor_id), 0)::bigint AS sign_count
FROM second_factor f
WHERE f.realm = @realm AND f.user_id = @user_id
ORDER BY f.made_at, f.factor_id;

-- name: AccountLock :exec
-- One change of an account's factors at a time, or one sign-in of a checker: who comes second sees what the first one did.
SELECT u.user_id FROM user_account u WHERE u.realm = @realm AND u.user_id = @user_id FOR NO KEY UPDATE;

-- name: FactorInsert :exec
INSERT INTO second_factor (realm, factor_id, user_id, kind, name, secret, credential_id, made_at, removed_at)
VALUES (@realm, @factor_id, @user_id, @kind, @name, @secret, sqlc.narg(credential_id), @made_at, sqlc.narg(removed_at));

-- name: FactorRemove :execrows
-- Zero rows: the factor is not as it was read.
UPDATE second_factor SET removed_at = @removed_at
WHERE realm = @realm AND factor_id = @factor_id;

-- name: FactorUseInsert :execrows
-- Zero rows: the same was shown before, or a passkey that counts did not count on.
INSERT INTO factor_use (realm, use_id, factor_id, user_id, token, purpose, at, message_id, version, content_hash, action, key_id, seal, sign_count)
SELECT @realm, @use_id, @factor_id, @user_id, @token, @purpose, @at, sqlc.narg(message_id), sqlc.narg(version), sqlc.narg(content_hash),
       sqlc.narg(action), @key_id, @seal, sqlc.narg(sign_count)
WHERE NOT EXISTS (SELECT FROM factor_use u WHERE u.realm = @realm AND u.factor_id = @factor_id AND u.sign_count >= sqlc.narg(sign_count)::bigint)
ON CONFLICT DO NOTHING;

-- name: FactorListAll :many
SELECT * FROM second_factor WHERE @of_realm::text IN ('', realm) ORDER BY realm, factor_id;

-- name: FactorUseListAll :many
SELECT * FROM factor_use ORDER BY realm, use_id;

-- name: PolicyGet :one
-- The policy a message was made under.
SELECT * FROM policy WHERE realm = @realm AND policy_id = @policy_id;

-- name: CheckerList :many
-- Who holds the role checker in an active account.
SELECT u.user_id, u.person_id, u.name, p.display_name, g.grant_id, g.granted_at
FROM user_role g
JOIN user_account u ON u.realm = g.realm AND u.user_id = g.user_id
JOIN person p ON p.realm = u.realm AND p.person_id = u.person_id
WHERE g.realm = @realm AND g.role = 'checker' AND g.ended_at IS NULL AND u.status = 'active'
ORDER BY p.display_name, u.name
LIMIT @most;

-- name: RealmFactorsPut :execrows
-- Zero rows: the realm is not as it was read.
UPDATE realm SET second_factor_roles = @second_factor_roles, notice_details = @notice_details
WHERE realm = @realm;

-- name: UserUnprovenList :many
-- The accounts, or the one that is named, that can be signed in with one of some roles, and have no second factor to show beside the password.
SELECT u.* FROM user_account u
WHERE u.realm = @realm AND u.status = 'active' AND (sqlc.narg(user_id)::uuid IS NULL OR u.user_id = sqlc.narg(user_id))
  AND EXISTS (SELECT FROM user_role g
              WHERE g.realm = u.realm AND g.user_id = u.user_id AND g.ended_at IS NULL AND g.role = ANY (@roles::text[]))
  AND NOT EXISTS (SELECT FROM second_factor f
                  WHERE f.realm = u.realm AND f.user_id = u.user_id AND f.removed_at IS NULL AND f.kind <> 'recovery')
ORDER BY u.user_id;
