-- The denominator that does not move: what a create and an approval would cost if nothing had to be proven. Two tables and the indexes
-- that the reads of a queue need; no foreign key, no CHECK, no row-level security, no audit, no queue of jobs. Do not improve it: figures of
-- different days are compared by it.
DROP SCHEMA IF EXISTS bare CASCADE;
CREATE SCHEMA bare;
CREATE TABLE bare.payment (
  realm            text NOT NULL,
  payment_id       uuid NOT NULL,
  external_id      text NOT NULL,
  state            text NOT NULL,
  maker            uuid NOT NULL,
  amount           bigint NOT NULL,
  currency         text NOT NULL,
  debtor_name      text NOT NULL,
  debtor_account   text NOT NULL,
  creditor_name    text NOT NULL,
  creditor_account text NOT NULL,
  end_to_end_id    text NOT NULL,
  content          bytea NOT NULL,
  created_at       timestamptz NOT NULL,
  PRIMARY KEY (realm, payment_id),
  UNIQUE (realm, external_id)
);
CREATE INDEX payment_pending ON bare.payment (realm, payment_id) WHERE state = 'Approval Pending';
CREATE TABLE bare.decision (
  realm      text NOT NULL,
  payment_id uuid NOT NULL,
  checker    uuid NOT NULL,
  action     text NOT NULL,
  decided_at timestamptz NOT NULL,
  PRIMARY KEY (realm, payment_id)
);
-- What every payment is filled with: two kilobytes, as a document and what its client sent have together.
CREATE TABLE bare.content (sample bytea NOT NULL);
INSERT INTO bare.content SELECT string_agg(sha256(n::text::bytea), ''::bytea) FROM generate_series(1, 64) n;
