-- name: DecisionListOf :many
-- The decisions of several messages, of every version, in order, with the names of the people.
SELECT d.*, p.display_name
FROM decision d
JOIN person p ON p.realm = d.realm AND p.person_id = d.checker_person
WHERE d.realm = @realm AND d.message_id = ANY (@message_ids::uuid[])
ORDER BY d.message_id, d.version, d.ordinal;

-- name: DecisionList :many
-- The decisions of one message, of every version, in order, with the names of the people.
SELECT d.*, p.display_name
FROM decision d
JOIN person p ON p.realm = d.realm AND p.person_id = d.checker_person
WHERE d.realm = @realm AND d.message_id = @message_id
ORDER BY d.version, d.ordinal;
