-- +goose Up
-- What somebody narrows the queue to again and again, under a name: the end of an address, for oneself or for everybody of the realm.
CREATE TABLE saved_view (
  realm       text NOT NULL,
  view_id     uuid NOT NULL,
  user_id     uuid NOT NULL,
  name        text NOT NULL CHECK (length(name) BETWEEN 1 AND 40),
  -- Only what the queue is narrowed and ordered by; never a place in it.
  query       text NOT NULL CHECK (length(query) <= 1024),
  shared      boolean NOT NULL,
  created_at  timestamptz NOT NULL,
  PRIMARY KEY (realm, view_id),
  UNIQUE (realm, user_id, name),
  FOREIGN KEY (realm, user_id) REFERENCES user_account (realm, user_id)
);

ALTER TABLE saved_view ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON saved_view USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT, UPDATE, DELETE ON saved_view TO countersign_app;

-- +goose Down
DROP TABLE saved_view;
