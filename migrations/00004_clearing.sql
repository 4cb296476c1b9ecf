-- +goose Up
-- What clearing sent, by scheme and message id, so that a duplicate is recognised whatever it belongs to. It is not known whose a
-- document is before it is read, so the inbox has no realm in its key and no row-level security; a matched document's content stands
-- in the table document, only a quarantined one's stands here. Written by the clearing station, never changed.
CREATE TABLE inbox (
  scheme       text NOT NULL CHECK (scheme IN ('sic-inst', 'sct-inst')),
  reference    text NOT NULL CHECK (length(reference) BETWEEN 1 AND 140),
  name         text NOT NULL,
  content_hash bytea NOT NULL,
  outcome      text NOT NULL CHECK (outcome IN ('matched', 'answered', 'waiting', 'quarantined')),
  reason       text NOT NULL,
  realm        text REFERENCES realm,
  document_id  uuid,
  content      bytea,
  waits_for    text,
  wait_until   timestamptz,
  received_at  timestamptz NOT NULL,
  PRIMARY KEY (scheme, reference),
  CHECK ((outcome = 'matched') = (realm IS NOT NULL AND document_id IS NOT NULL)),
  CHECK (outcome = 'matched' OR content IS NOT NULL),
  CHECK ((outcome = 'waiting') = (wait_until IS NOT NULL))
);
-- Early arrivals: a recall that overtook its payment waits for it here.
CREATE INDEX inbox_waiting ON inbox (scheme, waits_for) WHERE outcome = 'waiting';
GRANT SELECT, INSERT, UPDATE (outcome, reason, realm, document_id, wait_until) ON inbox TO countersign_app;

-- Which realm an incoming payment's account belongs to. Written by the operator.
CREATE TABLE incoming_account (
  iban  text PRIMARY KEY,
  realm text NOT NULL,
  FOREIGN KEY (realm, iban) REFERENCES debtor_account (realm, iban)
);
GRANT SELECT ON incoming_account TO countersign_app;
GRANT SELECT ON incoming_account TO countersign_reader;

-- Transaction ids of other banks' payments, so that a recall or a repeat finds the payment before its realm is known.
CREATE TABLE incoming_payment (
  scheme         text NOT NULL CHECK (scheme IN ('sic-inst', 'sct-inst')),
  transaction_id text NOT NULL CHECK (length(transaction_id) BETWEEN 1 AND 35),
  realm          text NOT NULL,
  message_id     uuid NOT NULL,
  PRIMARY KEY (scheme, transaction_id)
);
GRANT SELECT, INSERT ON incoming_payment TO countersign_app;
GRANT SELECT ON incoming_payment TO countersign_reader;
GRANT SELECT ON inbox TO countersign_reader;

-- Answers of the gateway that belong to no message of ours: the status of an incoming payment, the receipt of a recall. Written with
-- what they answer, in one transaction; delivered by a job, or by the watch if the job died.
CREATE TABLE outbox (
  scheme       text NOT NULL CHECK (scheme IN ('sic-inst', 'sct-inst')),
  reference    text NOT NULL CHECK (length(reference) BETWEEN 1 AND 140),
  name         text NOT NULL,
  content      bytea NOT NULL,
  created_at   timestamptz NOT NULL,
  delivered_at timestamptz,
  PRIMARY KEY (scheme, reference)
);
CREATE INDEX outbox_undelivered ON outbox (created_at) WHERE delivered_at IS NULL;
GRANT SELECT, INSERT, UPDATE (delivered_at) ON outbox TO countersign_app;
GRANT SELECT ON outbox TO countersign_reader;

-- +goose Down
DROP TABLE outbox, inbox, incoming_account, incoming_payment;
