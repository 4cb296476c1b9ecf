-- +goose Up
-- A key of a request carries a seal over what it stands for: which client used it, for which request, and which message that became. Without
-- it a planted or changed row made the next request of that key a repeat of another one: the client believes that a payment is on its way
-- which nobody makes. Rows of before have none; countersign seal --before seals them afterwards (docs/operations.md).
ALTER TABLE creation_key ADD COLUMN key_id text, ADD COLUMN seal bytea CHECK (length(seal) = 32),
  ADD CONSTRAINT creation_key_sealed CHECK (key_id IS NOT NULL AND seal IS NOT NULL) NOT VALID;

-- The end of a sign-in and of a session stands in the audit trail from here on, so that one that was brought back is noticed. What ended
-- before has no such row.
DELETE FROM token_family WHERE revoked_at IS NOT NULL;
-- The name of a session's row is made of the digest of its token now, which stands in the row too, so that the auditor can hold a row
-- against its name without knowing a token. Whoever is signed in at the upgrade signs in again.
DELETE FROM sessions;

-- +goose Down
DELETE FROM sessions;
ALTER TABLE creation_key DROP COLUMN seal, DROP COLUMN key_id;
