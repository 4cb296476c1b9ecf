-- name: DirectoryContentGet :one
-- An edition with its rows.
SELECT * FROM routing_directory WHERE realm = @realm AND directory_id = @directory_id;

-- name: DirectoryNewestList :many
-- The editions in force, without their rows.
SELECT DISTINCT ON (scheme) realm, directory_id, scheme, edition, source, entries, content_hash, loaded_at
FROM routing_directory WHERE realm = @realm
ORDER BY scheme, directory_id DESC;

-- name: DirectoryInsert :exec
INSERT INTO routing_directory (realm, directory_id, scheme, edition, source, entries, content, content_hash, loaded_at)
VALUES (@realm, @directory_id, @scheme, @edition, @source, @entries, @content, @content_hash, @loaded_at);

-- name: DirectoryListAll :many
-- Every edition without its rows; for the auditor, who reads all realms, with the digest that the rows have now.
SELECT realm, directory_id, scheme, edition, source, entries,
  (CASE WHEN @of_realm::text = '' THEN sha256(content) ELSE content_hash END)::bytea AS content_hash, loaded_at
FROM routing_directory WHERE @of_realm::text IN ('', realm) ORDER BY realm, directory_id;
