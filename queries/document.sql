-- name: DocumentInsert :exec
-- An outbound document of a reference that exists already is left as it is.
INSERT INTO document (realm, document_id, message_id, scheme, direction, name, reference, content, content_hash, created_at)
VALUES (@realm, @document_id, sqlc.narg(message_id), @scheme, @direction, @name, @reference, @content, sha256(@content), @created_at)
ON CONFLICT (realm, reference) WHERE direction = 'out' DO NOTHING;

-- name: DocumentGetOutbound :one
SELECT document_id, name, content FROM document
WHERE realm = @realm AND reference = @reference AND direction = 'out';

-- name: DocumentGet :one
SELECT * FROM document WHERE realm = @realm AND document_id = @document_id;

-- name: DocumentList :many
-- Newest first, from a key on; of one message when it is given.
SELECT document_id, message_id, scheme, direction, name, reference, length(content)::integer AS size, created_at FROM document
WHERE realm = @realm AND direction <> 'draft'
  AND (sqlc.narg(message_id)::uuid IS NULL OR message_id = sqlc.narg(message_id)::uuid)
  AND (sqlc.narg(before)::uuid IS NULL OR document_id < sqlc.narg(before)::uuid)
  AND (sqlc.narg(name)::text IS NULL OR name = sqlc.narg(name)::text)
  AND (sqlc.narg(direction)::text IS NULL OR direction = sqlc.narg(direction)::text)
  AND (sqlc.narg(scheme)::text IS NULL OR scheme = sqlc.narg(scheme)::text)
ORDER BY document_id DESC LIMIT @page_size;

-- name: InboxGet :one
SELECT content_hash, outcome FROM inbox WHERE scheme = @scheme AND reference = @reference;

-- name: InboxInsert :execrows
INSERT INTO inbox (scheme, reference, name, content_hash, outcome, reason, realm, document_id, content, received_at)
VALUES (@scheme, @reference, @name, @content_hash, @outcome, @reason, sqlc.narg(realm), sqlc.narg(document_id), sqlc.narg(content), @received_at)
ON CONFLICT DO NOTHING;

-- name: InboxListQuarantined :many
SELECT scheme, reference, name, reason, received_at, content FROM inbox
WHERE outcome = 'quarantined' ORDER BY received_at DESC LIMIT @page_size;

-- name: RealmList :many
SELECT realm, mark, made_by FROM realm ORDER BY realm;

-- name: RealmByMark :one
SELECT realm FROM realm WHERE mark = @mark;
