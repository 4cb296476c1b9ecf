-- name: DecisionList :many
-- The decisions of messages, of every version, in order, with the names of the people.
SELECT d.*, p.display_name, u.name AS checker_login,
       coalesce((SELECT f.kind FROM factor_use x JOIN second_factor f ON f.realm = x.realm AND f.factor_id = x.factor_id
                 WHERE x.realm = d.realm AND x.use_id = d.factor_use_id), '')::text AS factor_kind
FROM decision d
JOIN person p ON p.realm = d.realm AND p.person_id = d.checker_person
JOIN user_account u ON u.realm = d.realm AND u.user_id = d.checker_user
WHERE d.realm = @realm AND d.message_id = ANY (@message_ids::uuid[])
ORDER BY d.message_id, d.version, d.ordinal;

-- name: NewestKeyList :many
-- The keys that sealed the newest release and the newest version of a realm.
(SELECT r.key_id::text AS key_id FROM release r WHERE r.realm = @realm ORDER BY r.message_id DESC LIMIT 1)
UNION
(SELECT v.key_id::text FROM message_version v WHERE v.realm = @realm AND v.key_id IS NOT NULL ORDER BY v.message_id DESC, v.version DESC LIMIT 1);
