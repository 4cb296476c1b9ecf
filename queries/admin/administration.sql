-- What a realm is made of, and how the operator brings it in.

-- name: RealmGet :one
SELECT * FROM realm WHERE realm = @realm;

-- name: RealmLock :one
-- As the owner: changes of a realm's administrators take turns.
SELECT realm FROM realm WHERE realm = @realm FOR UPDATE;

-- name: RealmInsertAbsent :one
-- Zero rows: there is a realm of this name or with this mark.
INSERT INTO realm (realm, name, mark, made_by, access_token_seconds, refresh_token_seconds, refresh_absolute_seconds,
  second_factor_roles, notice_details, created_at)
VALUES (@realm, @name, @mark, @made_by, @access_token_seconds, @refresh_token_seconds, @refresh_absolute_seconds, @second_factor_roles,
  @notice_details, @at)
ON CONFLICT DO NOTHING
RETURNING *;

-- name: PersonList :many
SELECT * FROM person WHERE realm = @realm ORDER BY display_name, person_id;

-- name: AdministratorEverCount :one
-- How many people ever held the role administrator in an account that could be signed in to, now or before.
SELECT count(DISTINCT u.person_id) FROM user_role g JOIN user_account u ON u.realm = g.realm AND u.user_id = g.user_id
WHERE g.realm = @realm AND g.role = 'administrator' AND (u.status <> 'unverified' OR EXISTS (
  SELECT FROM user_setup_use s WHERE s.realm = u.realm AND s.user_id = u.user_id));

-- name: BreakGlassInsert :exec
INSERT INTO break_glass (realm, break_glass_id, user_id, reason, at, deed) VALUES (@realm, @break_glass_id, @user_id, @reason, @at, @deed);

-- name: BreakGlassListAll :many
SELECT * FROM break_glass WHERE @of_realm::text IN ('', realm) ORDER BY realm, break_glass_id;

-- name: BreakGlassList :many
-- What the operator did although there were two administrators, and to which account, since a time, the latest first.
SELECT b.at, b.deed, b.reason, u.name FROM break_glass b JOIN user_account u ON u.realm = b.realm AND u.user_id = b.user_id
WHERE b.realm = @realm AND b.at > @since ORDER BY b.at DESC LIMIT 10;

-- name: AuditRealmInsert :exec
-- What was done to a realm, and not to a message. A change that was applied has a place in the stream of events.
INSERT INTO audit_event (realm, event_id, event, actor_user, actor_person, actor_name, client_id, channel, request_id, source_address, content_hash,
  detail, at, key_id, seal, place)
VALUES (@realm, @event_id, @event, sqlc.narg(actor_user), sqlc.narg(actor_person), @actor_name, sqlc.narg(client_id), @channel,
        sqlc.narg(request_id), sqlc.narg(source_address), sqlc.narg(content_hash), @detail, @at, @key_id, @seal,
        (SELECT o.base + pg_current_xact_id()::text::bigint FROM event_order o WHERE @event::text = 'change.approve'));

-- name: SetUpInsert :exec
INSERT INTO user_setup (realm, setup_id, user_id, link_hash, code_hash, made_at, expires_at)
VALUES (@realm, @setup_id, @user_id, @link_hash, @code_hash, @made_at, @expires_at);

-- name: SetUpByLink :one
-- The set-up of a link that is not used, not over, not tried too often, and the latest of its account.
SELECT sqlc.embed(s), sqlc.embed(u)
FROM user_setup s
JOIN user_account u ON u.realm = s.realm AND u.user_id = s.user_id
WHERE s.realm = @realm AND s.link_hash = ANY (@link_hashes::bytea[]) AND s.expires_at > @at::timestamptz
  AND NOT EXISTS (SELECT FROM user_setup_use x WHERE x.realm = s.realm AND x.setup_id = s.setup_id)
  AND NOT EXISTS (SELECT FROM user_setup later WHERE later.realm = s.realm AND later.user_id = s.user_id AND later.made_at > s.made_at)
  AND (SELECT count(*) FROM user_setup_try t WHERE t.realm = s.realm AND t.setup_id = s.setup_id) < 5;

-- name: SetUpTryInsert :execrows
-- Counts a try at the code. Zero rows: all are used up, or another one was counted at the same moment.
INSERT INTO user_setup_try (realm, setup_id, ordinal, at)
SELECT @realm, @setup_id, count(*) + 1, @at FROM user_setup_try t WHERE t.realm = @realm AND t.setup_id = @setup_id
HAVING count(*) < 5
ON CONFLICT DO NOTHING;

-- name: SetUpUseInsert :execrows
-- Zero rows: somebody else was first.
INSERT INTO user_setup_use (realm, setup_id, user_id, at) VALUES (@realm, @setup_id, @user_id, @at) ON CONFLICT DO NOTHING;

-- name: SetUpListAll :many
SELECT * FROM user_setup WHERE @of_realm::text IN ('', realm) ORDER BY realm, setup_id;

-- name: AdministeredRealmList :many
-- The realms that administrators changed. What checkers decide of beneficiaries is no administration.
SELECT DISTINCT realm FROM realm_change_decision WHERE decider_role = 'administrator' AND action = 'approve' ORDER BY realm;
