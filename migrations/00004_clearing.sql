-- +goose Up
-- What clearing sent, by scheme and message id, so that a duplicate is recognised whatever it belongs to. It is not known whose a
-- document is before it is read, so the inbox has no realm in its key and no row-level security; a matched document's content stands
-- in the table document, only a quarantined one's stands here. Written by the clearing station, never changed.
CREATE TABLE inbox (
  scheme       text NOT NULL CHECK (scheme IN ('sic-inst', 'sct-inst')),
  reference    text NOT NULL CHECK (length(reference) BETWEEN 1 AND 140),
  name         text NOT NULL,
  content_hash bytea NOT NULL,
  outcome      text NOT NULL CHECK (outcome IN ('matched', 'quarantined')),
  reason       text NOT NULL,
  realm        text REFERENCES realm,
  document_id  uuid,
  content      bytea,
  received_at  timestamptz NOT NULL,
  PRIMARY KEY (scheme, reference),
  CHECK ((outcome = 'matched') = (realm IS NOT NULL AND document_id IS NOT NULL)),
  CHECK ((outcome = 'quarantined') = (content IS NOT NULL))
);
GRANT SELECT, INSERT ON inbox TO countersign_app;
GRANT SELECT ON inbox TO countersign_reader;

-- +goose Down
DROP TABLE inbox;
