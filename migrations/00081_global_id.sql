-- +goose Up
-- As migration 80, for the last key of messages that no other row refers to: found by the whole of it, it need not begin with the realm.
ALTER TABLE message DROP CONSTRAINT message_realm_global_id_key, ADD CONSTRAINT message_global_id_realm_key UNIQUE (global_id, realm);

-- +goose Down
ALTER TABLE message DROP CONSTRAINT message_global_id_realm_key, ADD CONSTRAINT message_realm_global_id_key UNIQUE (realm, global_id);
