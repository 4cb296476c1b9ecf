-- name: DecisionList :many
-- The decisions of one message, of every version, in order, with the names of the people.
SELECT d.*, p.display_name
FROM decision d
JOIN person p ON p.realm = d.realm AND p.person_id = d.checker_person
WHERE d.realm = @realm AND d.message_id = @message_id
ORDER BY d.version, d.ordinal;
