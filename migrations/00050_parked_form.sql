-- +goose Up
-- What somebody sent after their session had run out: the reason of a rejection, the answers of a check page, a file. Nothing of it is
-- done. It belongs to the person whose session it was, who finds it filled in again after signing in, and is gone after an hour.
CREATE TABLE parked_form (
  realm       text NOT NULL,
  parked_id   uuid NOT NULL,
  user_id     uuid NOT NULL,
  -- The fields as a form sends them.
  fields      bytea NOT NULL CHECK (length(fields) <= 65536),
  -- An uploaded file; empty for a form without one.
  file        bytea NOT NULL CHECK (length(file) <= 262144),
  file_name   text NOT NULL CHECK (length(file_name) <= 255),
  created_at  timestamptz NOT NULL,
  expires_at  timestamptz NOT NULL CHECK (expires_at > created_at),
  PRIMARY KEY (realm, parked_id),
  FOREIGN KEY (realm, user_id) REFERENCES user_account (realm, user_id)
);
CREATE INDEX parked_form_by_expiry ON parked_form (realm, expires_at);

ALTER TABLE parked_form ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON parked_form USING (realm = current_setting('countersign.realm', true));

-- What was typed never changes.
GRANT SELECT, INSERT, DELETE ON parked_form TO countersign_app;

-- +goose Down
DROP TABLE parked_form;
