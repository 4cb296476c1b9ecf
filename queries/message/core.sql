-- What core banking said of payments, and what it was told.

-- name: CoreBookingInsert :execrows
INSERT INTO core_booking (realm, message_id, version, content_hash, asked_at, outcome, code, words, answered_at, key_id, mac)
VALUES (@realm, @message_id, @version, @content_hash, @asked_at, sqlc.narg(outcome), sqlc.narg(code), sqlc.narg(words),
  sqlc.narg(answered_at), @key_id, @mac)
ON CONFLICT DO NOTHING;

-- name: CoreBookingGet :one
SELECT * FROM core_booking WHERE realm = @realm AND message_id = @message_id;

-- name: CoreBookingUpdate :execrows
-- The answer, or what core banking was told. Zero rows: another process changed the row since it was read.
UPDATE core_booking SET outcome = sqlc.narg(outcome), code = sqlc.narg(code), words = sqlc.narg(words), answered_at = sqlc.narg(answered_at),
  told = sqlc.narg(told), told_sequence = sqlc.narg(told_sequence), told_at = sqlc.narg(told_at), key_id = @key_id, mac = @mac
WHERE realm = @realm AND message_id = @message_id AND mac = @seen;

-- name: CoreBookingDueList :many
-- Payments that ended and whose end core banking was not told; and those that clearing rejected, since a time, after it was told that they
-- settled. Without those held.
(SELECT b.message_id FROM core_booking b
 JOIN message m ON m.realm = b.realm AND m.message_id = b.message_id
 WHERE b.realm = @realm AND b.told IS NULL AND m.state IN ('Settled', 'Booked', 'Failed') AND b.message_id <> ALL (@held::uuid[])
 ORDER BY b.message_id LIMIT @page_size::integer)
UNION ALL
(SELECT m.message_id FROM message m
 JOIN core_booking b ON b.realm = m.realm AND b.message_id = m.message_id
 WHERE m.realm = @realm AND m.state = 'Failed' AND m.kind = 'payment' AND m.state_since >= @failed_since AND b.told = 'settled'
   AND m.message_id <> ALL (@held::uuid[])
 LIMIT @page_size::integer);
