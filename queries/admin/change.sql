-- Changes: what one person asked for and another decided, of administration by administrators, of beneficiaries by makers and checkers.
-- Every statement runs in a transaction of its realm.

-- name: ChangeInsert :exec
INSERT INTO realm_change (realm, change_id, kind, subject, beneficiary_person, content, content_hash, code_hash, requester_user,
  requester_person, requester_role, requester_grant_id, requester_granted_at, requester_client, requested_at, key_id, seal)
VALUES (@realm, @change_id, @kind, @subject, @beneficiary_person, @content, sha256(convert_to(@content, 'UTF8')), sqlc.narg(code_hash),
  @requester_user, @requester_person, @requester_role, @requester_grant_id, @requester_granted_at, @requester_client, @requested_at,
  @key_id, @seal);

-- name: ChangeWaits :one
-- Whether a person asked for the same change before, and it waits.
SELECT EXISTS (
  SELECT FROM realm_change c
  WHERE c.realm = @realm AND c.kind = @kind AND c.subject = @subject AND c.requester_person = @requester_person
    AND c.content_hash = sha256(convert_to(@content, 'UTF8'))
    AND NOT EXISTS (SELECT FROM realm_change_decision d WHERE d.realm = c.realm AND d.change_id = c.change_id));

-- name: ChangeGet :one
SELECT sqlc.embed(c), u.name AS requester_login, p.display_name AS requester_name
FROM realm_change c
JOIN user_account u ON u.realm = c.realm AND u.user_id = c.requester_user
JOIN person p ON p.realm = c.realm AND p.person_id = c.requester_person
WHERE c.realm = @realm AND c.change_id = @change_id;

-- name: ChangeRequesterHolds :one
-- Whether who asked for a change still has the role that it took, by the same grant, in an active account.
SELECT EXISTS (
  SELECT FROM realm_change c
  JOIN user_account u ON u.realm = c.realm AND u.user_id = c.requester_user AND u.status = 'active'
  JOIN user_role g ON g.realm = c.realm AND g.user_id = c.requester_user AND g.role = c.requester_role AND g.grant_id = c.requester_grant_id
    AND g.ended_at IS NULL
  WHERE c.realm = @realm AND c.change_id = @change_id);

-- name: ChangeList :many
-- Changes of a realm that are decided under a role, newest first or oldest first, or by kind or state and then the newest first, from a key on
-- and in those orders from its kind or state. Runs with custom plans, as every search does: without such an order the word is nothing to sort by.
SELECT sqlc.embed(c), u.name AS requester_login, p.display_name AS requester_name, (d.action IS NOT NULL)::boolean AS decided
FROM realm_change c
JOIN user_account u ON u.realm = c.realm AND u.user_id = c.requester_user
JOIN person p ON p.realm = c.realm AND p.person_id = c.requester_person
LEFT JOIN realm_change_decision d ON d.realm = c.realm AND d.change_id = c.change_id
CROSS JOIN LATERAL (
  SELECT CASE @sort_by::text
    WHEN 'kind' THEN c.kind
    WHEN 'state' THEN CASE coalesce(d.action, 'pending') WHEN 'pending' THEN '1' WHEN 'approve' THEN '2' ELSE '3' END
    ELSE '' END COLLATE "C" AS word) s
WHERE c.realm = @realm AND c.decided_under = @decided_under
  AND (sqlc.narg(from_key)::uuid IS NULL
       OR s.word > @from_word::text
       OR s.word = @from_word::text
          AND CASE WHEN @oldest_first::boolean THEN c.change_id > sqlc.narg(from_key)::uuid ELSE c.change_id < sqlc.narg(from_key)::uuid END)
  AND (sqlc.narg(decidable_by)::uuid IS NULL
       OR c.requester_person <> sqlc.narg(decidable_by)::uuid AND c.beneficiary_person <> sqlc.narg(decidable_by)::uuid)
  AND (sqlc.narg(ids)::uuid[] IS NULL OR c.change_id = ANY (sqlc.narg(ids)::uuid[]))
  AND (sqlc.narg(requester)::uuid IS NULL OR c.requester_person = sqlc.narg(requester)::uuid)
  AND (sqlc.narg(kind)::text IS NULL OR c.kind = sqlc.narg(kind)::text)
  AND (sqlc.narg(subject)::text IS NULL OR c.subject = sqlc.narg(subject)::text)
  AND (sqlc.narg(since)::timestamptz IS NULL OR coalesce(d.decided_at, c.requested_at) >= sqlc.narg(since)::timestamptz)
  AND (sqlc.narg(decision)::text IS NULL OR coalesce(d.action, 'pending') = sqlc.narg(decision)::text)
ORDER BY s.word, CASE WHEN @oldest_first::boolean THEN c.change_id END, c.change_id DESC
LIMIT @page_size::integer;

-- name: ChangeDecisionListOf :many
SELECT sqlc.embed(d), u.name AS decider_login, p.display_name AS decider_name
FROM realm_change_decision d
JOIN user_account u ON u.realm = d.realm AND u.user_id = d.decider_user
JOIN person p ON p.realm = d.realm AND p.person_id = d.decider_person
WHERE d.realm = @realm AND d.change_id = ANY (@change_ids::uuid[]);

-- name: ChangePendingCount :one
-- How many changes wait that this person may decide under a role, up to a limit.
SELECT count(*) FROM (
  SELECT FROM realm_change c
  WHERE c.realm = @realm AND c.decided_under = @decided_under AND c.requester_person <> @person_id AND c.beneficiary_person <> @person_id
    AND NOT EXISTS (SELECT FROM realm_change_decision d WHERE d.realm = c.realm AND d.change_id = c.change_id)
  LIMIT @most::integer) waiting;

-- name: ChangeDecisionInsert :exec
INSERT INTO realm_change_decision (realm, change_id, requester_person, beneficiary_person, content_hash, ordinal, action, reason, decider_user,
  decider_person, decider_role, decider_grant_id, decider_granted_at, decider_client, decided_at, key_id, seal)
VALUES (@realm, @change_id, @requester_person, @beneficiary_person, @content_hash, @ordinal, @action, sqlc.narg(reason), @decider_user,
  @decider_person, @decider_role, @decider_grant_id, @decider_granted_at, @decider_client, @decided_at, @key_id, @seal);

-- name: AdministrationTurn :one
-- The number of the next decision. A second asker waits until this transaction has ended.
INSERT INTO realm_administration AS a (realm, decided) VALUES (@realm, 1)
ON CONFLICT (realm) DO UPDATE SET decided = a.decided + 1
RETURNING decided;

-- name: ChangesDecided :one
-- How many changes of a realm were decided. Another number than before is a reason to look at rights again.
SELECT coalesce((SELECT a.decided FROM realm_administration a WHERE a.realm = @realm), 0)::bigint AS decided;

-- name: ChangeListAll :many
SELECT * FROM realm_change ORDER BY realm, change_id;

-- name: ChangeDecisionListAll :many
SELECT * FROM realm_change_decision ORDER BY realm, ordinal;

-- name: RoleHolderList :many
-- The people who may administer or check at this moment, by account.
SELECT u.name, u.person_id, array_agg(g.role ORDER BY g.role)::text[] AS roles
FROM user_account u JOIN user_role g ON g.realm = u.realm AND g.user_id = u.user_id AND g.ended_at IS NULL
WHERE u.realm = @realm AND u.status = 'active'
GROUP BY u.name, u.person_id
HAVING bool_or(g.role IN ('administrator', 'checker'))
ORDER BY u.name;

-- name: UserSubjectList :many
-- User accounts with their people and the roles of this moment; one, or all of the realm.
SELECT sqlc.embed(u), sqlc.embed(p),
       ARRAY(SELECT g.role FROM user_role g WHERE g.realm = u.realm AND g.user_id = u.user_id AND g.ended_at IS NULL ORDER BY g.role)::text[] AS roles,
       (u.status = 'unverified' OR EXISTS (
          SELECT FROM user_setup s WHERE s.realm = u.realm AND s.user_id = u.user_id
            AND NOT EXISTS (SELECT FROM user_setup later WHERE later.realm = s.realm AND later.user_id = s.user_id AND later.made_at > s.made_at)
            AND NOT EXISTS (SELECT FROM user_setup_use x WHERE x.realm = s.realm AND x.setup_id = s.setup_id)))::boolean AS to_be_set_up,
       EXISTS (SELECT FROM second_factor f WHERE f.realm = u.realm AND f.user_id = u.user_id AND f.removed_at IS NULL
                 AND f.kind <> 'recovery')::boolean AS has_factor
FROM user_account u JOIN person p ON p.realm = u.realm AND p.person_id = u.person_id
WHERE u.realm = @realm AND (sqlc.narg(name)::text IS NULL OR u.name = sqlc.narg(name)::text)
ORDER BY u.name;

-- name: PersonGet :one
SELECT * FROM person WHERE realm = @realm AND person_id = @person_id;

-- name: ClientSubjectList :many
SELECT * FROM client WHERE realm = @realm AND (sqlc.narg(client_id)::text IS NULL OR client_id = sqlc.narg(client_id)::text) ORDER BY client_id;

-- name: DebtorAccountSubjectList :many
SELECT sqlc.embed(a), EXISTS (SELECT FROM incoming_account i WHERE i.realm = a.realm AND i.iban = a.iban)::boolean AS receives,
       coalesce(q.iban, '')::text AS qr_iban
FROM debtor_account a
LEFT JOIN incoming_account q ON q.realm = a.realm AND q.account = a.iban AND q.iban <> a.iban
WHERE a.realm = @realm AND (sqlc.narg(iban)::text IS NULL OR a.iban = sqlc.narg(iban)::text) ORDER BY a.iban;

-- name: PolicySubjectList :many
SELECT * FROM policy WHERE realm = @realm AND (sqlc.narg(policy_id)::uuid IS NULL OR policy_id = sqlc.narg(policy_id)::uuid)
ORDER BY (retired_at IS NULL) DESC, rank DESC, created_at DESC;

-- name: PersonInsert :exec
INSERT INTO person (realm, person_id, display_name, duty, created_at)
VALUES (@realm, @person_id, @display_name, @duty, @created_at);

-- name: UserInsert :exec
INSERT INTO user_account (realm, user_id, person_id, duty, name, password_hash, status, created_at, signed_out_at, email)
VALUES (@realm, @user_id, @person_id, @duty, @name, @password_hash, @status, @created_at, sqlc.narg(signed_out_at), @email);

-- name: GrantInsert :exec
INSERT INTO user_role (realm, user_id, duty, role, granted_at, grant_id, ended_at)
VALUES (@realm, @user_id, @duty, @role, @granted_at, @grant_id, sqlc.narg(ended_at));

-- name: GrantEnd :execrows
-- The end of a grant in force.
UPDATE user_role SET ended_at = @ended_at
WHERE realm = @realm AND grant_id = @grant_id AND ended_at IS NULL;

-- name: ClientInsert :exec
INSERT INTO client (realm, client_id, kind, secret_hash, may_decide_own, created_at, suppressed_at, payee_waived, roles)
VALUES (@realm, @client_id, @kind, @secret_hash, @may_decide_own, @created_at, sqlc.narg(suppressed_at), @payee_waived, @roles);

-- name: ClientPut :execrows
UPDATE client SET secret_hash = @secret_hash, suppressed_at = sqlc.narg(suppressed_at), payee_waived = @payee_waived, roles = @roles
WHERE realm = @realm AND client_id = @client_id AND suppressed_at IS NULL;

-- name: DebtorAccountInsert :exec
INSERT INTO debtor_account (realm, iban, scheme, currency, holder_name, holder_street, holder_building, holder_postcode, holder_town,
                            holder_country, agent_bic, agent_iid, open)
VALUES (@realm, @iban, @scheme, @currency, @holder_name, @holder_street, @holder_building, @holder_postcode, @holder_town,
        @holder_country, @agent_bic, @agent_iid, @open);

-- name: DebtorAccountPut :execrows
UPDATE debtor_account SET holder_name = @holder_name, holder_street = @holder_street, holder_building = @holder_building,
  holder_postcode = @holder_postcode, holder_town = @holder_town, holder_country = @holder_country, agent_bic = @agent_bic,
  agent_iid = @agent_iid, open = @open
WHERE realm = @realm AND iban = @iban;

-- name: IncomingAccountInsert :execrows
-- Zero rows: a realm receives for this account already.
INSERT INTO incoming_account (iban, realm, account) VALUES (@iban, @realm, @account) ON CONFLICT DO NOTHING;

-- name: PolicyDryRun :many
-- The last messages of a realm before a key that a policy can be about, as a policy sees them, newest first.
SELECT m.message_id, m.kind, m.scheme, m.channel, coalesce(m.client_id, '')::text AS client_id, m.approvals_required, m.global_id, m.created_at,
  v.amount, v.currency
FROM message m
JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = m.version
WHERE m.realm = @realm AND m.message_id < @before::uuid AND m.direction = 'out' AND m.maker_user IS NOT NULL
ORDER BY m.message_id DESC LIMIT @most::integer;

-- name: IncomingAccountTaken :one
-- Whether another realm receives payments for the account. The function looks past the realm's own rows, and says no more than that.
SELECT incoming_account_taken(@iban, @realm)::boolean;

-- name: MessageUntaken :one
-- A released message of ours that clearing is not known to have, by its id or its Global ID.
SELECT message_id, global_id FROM message
WHERE realm = @realm AND (message_id = sqlc.narg(message_id)::uuid OR global_id = sqlc.narg(global_id)::text)
  AND direction = 'out' AND accepted_at IS NOT NULL AND delivered_at IS NULL AND state IN ('Approved', 'Processing', 'Unconfirmed');
