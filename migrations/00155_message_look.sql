-- +goose Up
-- When a checker first had a version of a message open: what the report of approvals that were faster than reading takes is made of. Nothing
-- that moves a payment reads it, and a row never changes.
CREATE TABLE message_look (
  realm      text NOT NULL,
  message_id uuid NOT NULL,
  version    integer NOT NULL,
  person_id  uuid NOT NULL,
  first_at   timestamptz NOT NULL CHECK (isfinite(first_at)),
  PRIMARY KEY (realm, message_id, version, person_id),
  FOREIGN KEY (realm, person_id) REFERENCES person (realm, person_id)
);
ALTER TABLE message_look ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON message_look USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT ON message_look TO countersign_app;
GRANT SELECT ON message_look TO countersign_reader;

-- +goose Down
DROP TABLE message_look;
