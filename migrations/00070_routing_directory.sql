-- +goose Up
-- Which bank keeps an account, and whether instant payments reach it: an edition of the directory of a scheme, as the operator imported it.
-- The newest of a realm and scheme is in force, older ones stay and say what was known before. The rows of an edition are one document under
-- one seal, so that none of them can be changed, added or taken away by itself. The service only reads.
CREATE TABLE routing_directory (
  realm        text NOT NULL REFERENCES realm,
  directory_id uuid NOT NULL,
  scheme       text NOT NULL CHECK (scheme IN ('sic-inst', 'sct-inst')),
  edition      text NOT NULL CHECK (edition ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
  source       text NOT NULL CHECK (length(source) BETWEEN 1 AND 200),
  entries      integer NOT NULL CHECK (entries BETWEEN 1 AND 200000),
  content      bytea NOT NULL CHECK (length(content) <= 33554432),
  content_hash bytea NOT NULL CHECK (content_hash = sha256(content)),
  loaded_at    timestamptz NOT NULL,
  key_id       text NOT NULL,
  seal         bytea NOT NULL CHECK (length(seal) = 32),
  PRIMARY KEY (realm, directory_id)
);
CREATE INDEX routing_directory_newest ON routing_directory (realm, scheme, directory_id);

ALTER TABLE routing_directory ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON routing_directory USING (realm = current_setting('countersign.realm', true));
GRANT SELECT ON routing_directory TO countersign_app, countersign_reader;

-- +goose Down
DROP TABLE routing_directory;
