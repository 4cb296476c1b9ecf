-- What was sent after a session had run out. The owner stands in each condition, as with drafts.

-- name: ParkedFormInsert :exec
-- Two at a time under one key are two windows of one person: the first is kept.
INSERT INTO parked_form (realm, parked_id, user_id, fields, file, file_name, created_at, expires_at)
VALUES (@realm, @parked_id, @user_id, @fields, @file, @file_name, @created_at, @expires_at)
ON CONFLICT DO NOTHING;

-- name: ParkedFormDrop :exec
DELETE FROM parked_form WHERE realm = @realm AND parked_id = @parked_id AND user_id = @user_id AND created_at <= @until;

-- name: ParkedFormCount :one
SELECT count(*) FROM parked_form WHERE realm = @realm AND user_id = @user_id;

-- name: ParkedFormGet :one
SELECT * FROM parked_form WHERE realm = @realm AND parked_id = @parked_id AND user_id = @user_id AND expires_at > @now::timestamptz;

-- name: ParkedFormDropExpired :execrows
DELETE FROM parked_form WHERE (realm, parked_id) IN (
  SELECT p.realm, p.parked_id FROM parked_form p WHERE p.realm = @realm AND p.expires_at < @now::timestamptz LIMIT @page_size::integer
);
