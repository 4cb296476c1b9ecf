-- +goose Up
-- Which waiting message each checker looks at, so that two do not read the same. It is kept for all instances of the service, counts for
-- less than a minute, and may be lost: the table is not in the write-ahead log, and nothing that moves a payment touches it.
CREATE UNLOGGED TABLE presence (
  realm       text NOT NULL,
  person_id   uuid NOT NULL,
  message_id  uuid NOT NULL,
  seen_at     timestamptz NOT NULL,
  PRIMARY KEY (realm, person_id),
  FOREIGN KEY (realm, person_id) REFERENCES person (realm, person_id)
);

ALTER TABLE presence ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON presence USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT, UPDATE ON presence TO countersign_app;

-- +goose Down
DROP TABLE presence;
