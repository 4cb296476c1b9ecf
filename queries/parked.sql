-- What was sent after a session had run out. The owner stands in each condition, as with drafts.

-- name: ParkedFormInsert :exec
INSERT INTO parked_form (realm, parked_id, user_id, fields, file, file_name, created_at, expires_at)
VALUES (@realm, @parked_id, @user_id, @fields, @file, @file_name, @created_at, @expires_at);

-- name: ParkedFormGet :one
SELECT * FROM parked_form WHERE realm = @realm AND parked_id = @parked_id AND user_id = @user_id AND expires_at > @now::timestamptz;

-- name: ParkedFormDropExpired :execrows
DELETE FROM parked_form WHERE (realm, parked_id) IN (
  SELECT p.realm, p.parked_id FROM parked_form p WHERE p.realm = @realm AND p.expires_at < @now::timestamptz LIMIT @page_size::integer
);
