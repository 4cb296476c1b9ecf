-- name: RealmClientGet :one
-- How long tokens of the realm live, and the client if the realm has it.
SELECT sqlc.embed(r), sqlc.embed(h), c.client_id, c.kind, c.secret_hash, c.may_decide_own, c.payee_waived, c.suppressed_at, c.roles, c.created_at
FROM realm r
JOIN realm_head h ON h.realm = r.realm
LEFT JOIN client c ON c.realm = r.realm AND c.client_id = @client_id
WHERE r.realm = @realm;

-- name: HeadGet :one
SELECT * FROM realm_head WHERE realm = @realm;

-- name: HeadTold :one
-- The newest change of master data that the audit trail tells of, among its newest rows. A detail that somebody broke tells of none.
SELECT coalesce(max(substring(n.detail FROM '^."number":([0-9]{1,18}),')::bigint), 0)::bigint AS number
FROM (SELECT a.detail FROM audit_event a WHERE a.realm = @realm AND a.event = 'realm.rows' ORDER BY a.event_id DESC LIMIT 50) n;

-- name: HeadListAll :many
SELECT * FROM realm_head ORDER BY realm;

-- name: HeadLock :one
-- Changes of the master data of a realm run one at a time.
SELECT * FROM realm_head WHERE realm = @realm FOR NO KEY UPDATE;

-- name: HeadInsert :exec
INSERT INTO realm_head (number, change_id, digest, key_id, seal, realm)
VALUES (@number, sqlc.narg(change_id), @digest, @key_id, @seal, @realm);

-- name: HeadPut :execrows
UPDATE realm_head SET number = @number, change_id = sqlc.narg(change_id), digest = @digest, key_id = @key_id, seal = @seal
WHERE realm = @realm;

-- name: UserByName :one
SELECT * FROM user_account WHERE realm = @realm AND name = @name;

-- name: UserGet :one
SELECT * FROM user_account WHERE realm = @realm AND user_id = @user_id;

-- name: UserChangeIf :execrows
-- A new password, another status or e-mail address, or the end of all that an account is signed in with. Zero rows: somebody changed the password or the status meanwhile.
UPDATE user_account SET password_hash = @password_hash, status = @status, signed_out_at = sqlc.narg(signed_out_at), email = @email
WHERE realm = @realm AND user_id = @user_id AND password_hash = @password_before AND status = @status_before;

-- name: UserPrincipalGet :one
-- A user with the roles of this moment, acting through a client, and the head of the realm.
SELECT sqlc.embed(u), sqlc.embed(p), sqlc.embed(c), sqlc.embed(h),
       ARRAY(SELECT r.role FROM user_role r WHERE r.realm = u.realm AND r.user_id = u.user_id AND r.ended_at IS NULL ORDER BY r.role)::text[] AS roles,
       ARRAY(SELECT r.grant_id FROM user_role r WHERE r.realm = u.realm AND r.user_id = u.user_id AND r.ended_at IS NULL ORDER BY r.role)::uuid[] AS grant_ids,
       ARRAY(SELECT r.granted_at FROM user_role r WHERE r.realm = u.realm AND r.user_id = u.user_id AND r.ended_at IS NULL ORDER BY r.role)::timestamptz[] AS granted
FROM user_account u
JOIN person p ON p.realm = u.realm AND p.person_id = u.person_id
JOIN client c ON c.realm = u.realm AND c.client_id = @client_id
JOIN realm_head h ON h.realm = u.realm
WHERE u.realm = @realm AND u.user_id = @user_id;

-- name: PreferenceGet :one
SELECT theme, density, shortcuts, language FROM user_preference WHERE realm = @realm AND user_id = @user_id;

-- name: PreferencePut :exec
INSERT INTO user_preference (realm, user_id, theme, density, shortcuts, language)
VALUES (@realm, @user_id, @theme, @density, @shortcuts, @language)
ON CONFLICT (realm, user_id) DO UPDATE SET theme = excluded.theme, density = excluded.density, shortcuts = excluded.shortcuts,
  language = excluded.language;

-- name: RealmProvision :one
-- No row: another maker's realm, or one with another mark. The mark stands in every Global ID, so it never changes.
INSERT INTO realm (realm, name, mark, made_by, access_token_seconds, refresh_token_seconds, refresh_absolute_seconds,
  second_factor_roles, notice_details, created_at)
VALUES (@realm, @name, @mark, @made_by, @access_token_seconds, @refresh_token_seconds, @refresh_absolute_seconds, @second_factor_roles,
  @notice_details, @at)
ON CONFLICT (realm) DO UPDATE SET name = excluded.name, access_token_seconds = excluded.access_token_seconds,
  refresh_token_seconds = excluded.refresh_token_seconds, refresh_absolute_seconds = excluded.refresh_absolute_seconds,
  second_factor_roles = excluded.second_factor_roles, notice_details = excluded.notice_details
WHERE realm.made_by = excluded.made_by AND realm.mark = excluded.mark
RETURNING *;

-- name: PersonByAccount :many
-- The people behind accounts, each once.
SELECT DISTINCT person_id, duty FROM user_account WHERE realm = @realm AND name = ANY (@names::text[]);

-- name: PersonProvision :one
INSERT INTO person (realm, person_id, display_name, duty, created_at)
VALUES (@realm, @person_id, @display_name, @duty, @created_at)
ON CONFLICT (realm, person_id) DO UPDATE SET display_name = excluded.display_name
RETURNING *;

-- name: UserProvision :one
INSERT INTO user_account (realm, user_id, person_id, duty, name, password_hash, status, created_at, signed_out_at, email)
VALUES (@realm, @user_id, @person_id, @duty, @name, @password_hash, @status, @created_at, sqlc.narg(signed_out_at), @email)
ON CONFLICT (realm, name) DO UPDATE SET password_hash = excluded.password_hash, status = excluded.status,
  signed_out_at = excluded.signed_out_at, email = excluded.email
RETURNING *;

-- name: GrantInForce :many
SELECT * FROM user_role WHERE realm = @realm AND user_id = @user_id AND ended_at IS NULL ORDER BY role;

-- name: GrantEnded :one
SELECT (ended_at IS NOT NULL)::boolean AS ended FROM user_role WHERE realm = @realm AND grant_id = @grant_id;

-- name: ClientProvision :one
INSERT INTO client (realm, client_id, kind, secret_hash, may_decide_own, created_at, suppressed_at, payee_waived, roles)
VALUES (@realm, @client_id, @kind, @secret_hash, @may_decide_own, @created_at, sqlc.narg(suppressed_at), @payee_waived, @roles)
ON CONFLICT (realm, client_id) DO UPDATE SET kind = excluded.kind, secret_hash = excluded.secret_hash,
  may_decide_own = excluded.may_decide_own, payee_waived = excluded.payee_waived,
  roles = excluded.roles
RETURNING *;

-- name: PolicyInForce :many
SELECT * FROM policy WHERE realm = @realm AND retired_at IS NULL ORDER BY policy_id;

-- name: PolicyInsert :exec
INSERT INTO policy (realm, policy_id, rank, client_id, channel, scheme, kind, amount_from, amount_to, approvals_required, pending_seconds,
  created_at, retired_at, content_hash_required, step_up, funds)
VALUES (@realm, @policy_id, @rank, sqlc.narg(client_id), sqlc.narg(channel), sqlc.narg(scheme), sqlc.narg(kind), sqlc.narg(amount_from),
  sqlc.narg(amount_to), @approvals_required, @pending_seconds, @created_at, sqlc.narg(retired_at), @content_hash_required,
  @step_up, sqlc.narg(funds));

-- name: PolicyRetire :execrows
-- What a policy says never changes.
UPDATE policy SET retired_at = @retired_at WHERE realm = @realm AND policy_id = @policy_id;

-- name: IncomingAccountProvision :execrows
-- The first realm that receives for an account keeps it. Zero rows: another realm does.
INSERT INTO incoming_account (iban, realm, account) VALUES (@iban, @realm, @account)
ON CONFLICT (iban) DO UPDATE SET realm = excluded.realm WHERE incoming_account.realm = excluded.realm AND incoming_account.account = excluded.account;

-- name: DebtorAccountProvision :exec
INSERT INTO debtor_account (realm, iban, scheme, currency, holder_name, holder_street, holder_building, holder_postcode, holder_town,
                            holder_country, agent_bic, agent_iid, open)
VALUES (@realm, @iban, @scheme, @currency, @holder_name, @holder_street, @holder_building, @holder_postcode, @holder_town,
        @holder_country, @agent_bic, @agent_iid, @open)
ON CONFLICT (realm, iban) DO UPDATE SET scheme = excluded.scheme, currency = excluded.currency, holder_name = excluded.holder_name,
  holder_street = excluded.holder_street, holder_building = excluded.holder_building, holder_postcode = excluded.holder_postcode,
  holder_town = excluded.holder_town, holder_country = excluded.holder_country, agent_bic = excluded.agent_bic,
  agent_iid = excluded.agent_iid, open = excluded.open;

-- What the seals of master data cover, for the auditor.

-- name: RealmListAll :many
SELECT * FROM realm WHERE @of_realm::text IN ('', realm) ORDER BY realm;

-- name: IncomingAccountListAll :many
SELECT * FROM incoming_account WHERE @of_realm::text IN ('', realm) ORDER BY iban;

-- name: PersonListAll :many
SELECT * FROM person WHERE @of_realm::text IN ('', realm) ORDER BY realm, person_id;

-- name: UserListAll :many
SELECT * FROM user_account WHERE @of_realm::text IN ('', realm) ORDER BY realm, user_id;

-- name: GrantListAll :many
SELECT * FROM user_role WHERE @of_realm::text IN ('', realm) ORDER BY realm, grant_id;

-- name: ClientListAll :many
SELECT * FROM client WHERE @of_realm::text IN ('', realm) ORDER BY realm, client_id;

-- name: PolicyListAll :many
SELECT * FROM policy WHERE @of_realm::text IN ('', realm) ORDER BY realm, policy_id;

-- name: DebtorAccountListAll :many
SELECT * FROM debtor_account WHERE @of_realm::text IN ('', realm) ORDER BY realm, iban;
