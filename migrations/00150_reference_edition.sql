-- +goose Up
-- Data that others publish for everybody and payments are checked with: external code sets of ISO 20022 and calendars of clearing days, as
-- the operator imported them. They are the same for all realms, so a row belongs to none. Editions stay and say what was known before. An
-- edition is one document under one seal. The service only reads.
CREATE TABLE reference_edition (
  edition_id   uuid PRIMARY KEY,
  kind         text NOT NULL CHECK (kind IN ('codes', 'calendar')),
  edition      text NOT NULL CHECK (edition ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
  from_day     text NOT NULL CHECK (from_day ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'), -- the first day code sets are in force
  scope        text NOT NULL CHECK (length(scope) <= 200), -- the schemes of a calendar
  source       text NOT NULL CHECK (length(source) BETWEEN 1 AND 200),
  entries      integer NOT NULL CHECK (entries BETWEEN 1 AND 2500000),
  content      bytea NOT NULL CHECK (length(content) <= 33554432),
  content_hash bytea NOT NULL CHECK (content_hash = sha256(content)),
  loaded_at    timestamptz NOT NULL,
  key_id       text NOT NULL,
  seal         bytea NOT NULL CHECK (length(seal) = 32)
);
GRANT SELECT ON reference_edition TO countersign_app, countersign_reader;

-- +goose Down
DROP TABLE reference_edition;
