-- The identity provider of a realm, who is who there, and the sign-ins that came back from it.

-- name: ProviderInForce :many
SELECT i.* FROM identity_provider i WHERE i.realm = @realm AND i.retired_at IS NULL;

-- name: ProviderInsert :exec
INSERT INTO identity_provider (realm, provider_id, issuer, client_id, secret, portal_address, passwords, sign_in_age_seconds, made_at,
  retired_at)
VALUES (@realm, @provider_id, @issuer, @client_id, sqlc.narg(secret), @portal_address, @passwords, @sign_in_age_seconds, @made_at,
  sqlc.narg(retired_at));

-- name: ProviderRetire :execrows
UPDATE identity_provider SET retired_at = @retired_at
WHERE realm = @realm AND provider_id = @provider_id AND retired_at IS NULL;

-- name: OuterIdentityOfUser :many
SELECT * FROM outer_identity WHERE realm = @realm AND user_id = @user_id AND ended_at IS NULL;

-- name: OuterIdentityBySubject :many
SELECT * FROM outer_identity WHERE realm = @realm AND issuer = @issuer AND subject = @subject AND ended_at IS NULL;

-- name: OuterAccountBySubject :many
-- The link of a subject, and the account as it was at the same moment.
SELECT sqlc.embed(o), u.signed_out_at
FROM outer_identity o
JOIN user_account u ON u.realm = o.realm AND u.user_id = o.user_id
WHERE o.realm = @realm AND o.issuer = @issuer AND o.subject = @subject AND o.ended_at IS NULL;

-- name: OuterIdentityInForceList :many
SELECT * FROM outer_identity WHERE realm = @realm AND ended_at IS NULL ORDER BY link_id;

-- name: OuterIdentityInsert :exec
INSERT INTO outer_identity (realm, link_id, user_id, issuer, subject, linked_at, ended_at)
VALUES (@realm, @link_id, @user_id, @issuer, @subject, @linked_at, sqlc.narg(ended_at));

-- name: OuterIdentityEnd :execrows
UPDATE outer_identity SET ended_at = @ended_at WHERE realm = @realm AND link_id = @link_id AND ended_at IS NULL;

-- name: OuterSignInInsert :execrows
-- Zero rows: the state came before.
INSERT INTO outer_sign_in (realm, state_hash, came_at) VALUES (@realm, @state_hash, @came_at) ON CONFLICT DO NOTHING;

-- name: OuterSignInDropOver :execrows
DELETE FROM outer_sign_in d WHERE d.realm = @realm AND d.state_hash IN (
  SELECT o.state_hash FROM outer_sign_in o WHERE o.realm = @realm AND o.came_at < @before ORDER BY o.came_at LIMIT @batch::integer);

-- name: ProviderListAll :many
SELECT * FROM identity_provider WHERE @of_realm::text IN ('', realm) ORDER BY realm, provider_id;

-- name: OuterIdentityListAll :many
SELECT * FROM outer_identity WHERE @of_realm::text IN ('', realm) ORDER BY realm, link_id;
