-- +goose Up
-- What the auditor could not see: rows that said who gets what, and marks that said what became of something, without a seal. Each carries
-- one from here on; rows of before have none, and countersign check says so: realms and the accounts that receive until they are provisioned
-- again, the others for as long as they are kept.

-- A realm: its mark leads answers of clearing back to it, and its numbers say how long tokens live.
ALTER TABLE realm ADD COLUMN key_id text, ADD COLUMN seal bytea CHECK (length(seal) = 32);

-- Whose an incoming payment is.
ALTER TABLE incoming_account ADD COLUMN key_id text, ADD COLUMN seal bytea CHECK (length(seal) = 32);

-- That clearing has an answer: a row that says so without being sent keeps clearing waiting, and nobody would notice.
ALTER TABLE outbox ADD COLUMN delivery_key_id text, ADD COLUMN delivery_mac bytea CHECK (length(delivery_mac) = 32),
  ADD CONSTRAINT outbox_delivery_sealed CHECK (delivered_at IS NULL OR delivery_key_id IS NOT NULL AND delivery_mac IS NOT NULL) NOT VALID;
GRANT UPDATE (delivery_key_id, delivery_mac) ON outbox TO countersign_app;

-- Whoever works as the service could drop every session by naming a time far ahead. Only what is over can be dropped.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION session_drop_expired(expired_before timestamptz, page_size integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH dropped AS (
    DELETE FROM sessions WHERE token IN (SELECT s.token FROM sessions s WHERE s.expiry < least(expired_before, now()) LIMIT page_size)
    RETURNING 1
  )
  SELECT count(*) FROM dropped
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION session_drop_expired(expired_before timestamptz, page_size integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH dropped AS (
    DELETE FROM sessions WHERE token IN (SELECT s.token FROM sessions s WHERE s.expiry < expired_before LIMIT page_size)
    RETURNING 1
  )
  SELECT count(*) FROM dropped
$$;
-- +goose StatementEnd
REVOKE UPDATE (delivery_key_id, delivery_mac) ON outbox FROM countersign_app;
ALTER TABLE outbox DROP COLUMN delivery_mac, DROP COLUMN delivery_key_id;
ALTER TABLE incoming_account DROP COLUMN seal, DROP COLUMN key_id;
ALTER TABLE realm DROP COLUMN seal, DROP COLUMN key_id;
