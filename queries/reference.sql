-- name: ReferenceContentGet :one
-- An edition with what it holds.
SELECT * FROM reference_edition WHERE edition_id = @edition_id;

-- name: ReferenceNewestList :many
-- The last imports of each kind without what they hold, the last one first.
(SELECT edition_id, kind, edition, from_day, scope, source, entries, content_hash, loaded_at, key_id, seal
 FROM reference_edition WHERE kind = 'codes' ORDER BY edition_id DESC LIMIT @most)
UNION ALL
(SELECT edition_id, kind, edition, from_day, scope, source, entries, content_hash, loaded_at, key_id, seal
 FROM reference_edition WHERE kind = 'calendar' ORDER BY edition_id DESC LIMIT @most)
ORDER BY edition_id DESC;

-- name: ReferenceListAll :many
-- Every edition for the auditor, with the digest that its content has now.
SELECT edition_id, kind, edition, from_day, scope, source, entries, sha256(content)::bytea AS content_hash, loaded_at, key_id, seal
FROM reference_edition ORDER BY edition_id;

-- name: ReferenceLock :exec
-- Imports take turns.
LOCK TABLE reference_edition IN SHARE ROW EXCLUSIVE MODE;

-- name: ReferenceInsert :exec
INSERT INTO reference_edition (edition_id, kind, edition, from_day, scope, source, entries, content, content_hash, loaded_at, key_id, seal)
VALUES (@edition_id, @kind, @edition, @from_day, @scope, @source, @entries, @content, @content_hash, @loaded_at, @key_id, @seal);
