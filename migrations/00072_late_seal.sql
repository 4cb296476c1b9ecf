-- +goose Up
-- Rows that are older than the seals of their table can be sealed afterwards by the operator, who answers for them (countersign seal). Each
-- of them stands here under a seal of its own, so that it is never taken for one that the gateway sealed when it stored it. The running
-- service has no rights on this table.
CREATE TABLE late_seal (
  realm     text NOT NULL, -- '' for a row of no realm
  relation  text NOT NULL CHECK (relation IN ('document', 'decision', 'outbox', 'creation_key', 'release')),
  key       text NOT NULL, -- of the row within its realm, its columns with a space between
  run_id    uuid NOT NULL, -- of one call of the command
  sealed_by text NOT NULL CHECK (length(sealed_by) BETWEEN 1 AND 100),
  reason    text NOT NULL CHECK (length(reason) BETWEEN 1 AND 512),
  before    timestamptz NOT NULL CHECK (isfinite(before)),
  at        timestamptz NOT NULL CHECK (isfinite(at)),
  key_id    text NOT NULL,
  seal      bytea NOT NULL CHECK (length(seal) = 32),
  PRIMARY KEY (realm, relation, key)
);
ALTER TABLE late_seal ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON late_seal USING (realm = current_setting('countersign.realm', true));
GRANT SELECT ON late_seal TO countersign_reader;

-- +goose Down
DROP TABLE late_seal;
