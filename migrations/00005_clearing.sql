-- +goose Up
-- Documents that clearing sends, payments they bring, and answers that go back.

-- What clearing sent, by scheme and message id, so that a duplicate is recognised whatever it belongs to. It is not known whose a
-- document is before it is read, so the inbox has no realm in its key and no row-level security; a matched document's content stands in
-- the table document, only a quarantined one's stands here. Written by the clearing station, never changed.
CREATE TABLE inbox (
  scheme       text NOT NULL CHECK (scheme IN ('sic-inst', 'sct-inst')),
  reference    text NOT NULL CHECK ((length(reference) >= 1) AND (length(reference) <= 140)),
  name         text NOT NULL,
  content_hash bytea NOT NULL,
  outcome      text NOT NULL CHECK (outcome IN ('matched', 'answered', 'noted', 'waiting', 'quarantined')),
  reason       text NOT NULL,
  realm        text,
  document_id  uuid,
  content      bytea,
  waits_for    text,
  wait_until   timestamptz,
  received_at  timestamptz NOT NULL,
  -- Of a document that waited: it is processed from here.
  key_id       text,
  seal         bytea,
  CONSTRAINT inbox_waited_sealed CHECK (num_nulls(waits_for, key_id, seal) IN (0, 3)),
  CONSTRAINT inbox_check CHECK ((outcome = 'matched') = ((realm IS NOT NULL) AND (document_id IS NOT NULL))),
  CONSTRAINT inbox_check1 CHECK ((outcome = 'matched') OR (content IS NOT NULL)),
  CONSTRAINT inbox_check2 CHECK ((outcome = 'waiting') = (wait_until IS NOT NULL)),
  CONSTRAINT inbox_received_at_finite CHECK (isfinite(received_at)),
  CONSTRAINT inbox_wait_until_finite CHECK (isfinite(wait_until)),
  PRIMARY KEY (scheme, reference),
  FOREIGN KEY (realm) REFERENCES realm(realm)
) WITH (autovacuum_analyze_threshold = 500, autovacuum_analyze_scale_factor = 1, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_insert_threshold = 50000);
-- What is in quarantine is few, and what was received is much: the number on the operators' page is read off an index of the few.
CREATE INDEX inbox_quarantined ON inbox (received_at) WHERE outcome = 'quarantined';
-- Early arrivals: a recall that overtook its payment waits for it here.
CREATE INDEX inbox_waiting ON inbox (scheme, waits_for) WHERE outcome = 'waiting';
ALTER TABLE inbox ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON inbox TO countersign_app USING ((realm = current_setting('countersign.realm', true)) OR
  (current_setting('countersign.realm', true) = '(gateway)'));
CREATE POLICY every_realm ON inbox FOR SELECT TO countersign_reader USING (true);
GRANT SELECT, INSERT ON inbox TO countersign_app;
GRANT SELECT ON inbox TO countersign_reader;
-- Statistics are kept small: the planner needs none of these columns, or few values of them.
ALTER TABLE inbox
  ALTER COLUMN scheme SET STATISTICS 3, ALTER COLUMN reference SET STATISTICS 3, ALTER COLUMN name SET STATISTICS 3, ALTER COLUMN
  content_hash SET STATISTICS 3, ALTER COLUMN outcome SET STATISTICS 3, ALTER COLUMN reason SET STATISTICS 3, ALTER COLUMN realm SET
  STATISTICS 3, ALTER COLUMN document_id SET STATISTICS 3, ALTER COLUMN content SET STATISTICS 3, ALTER COLUMN waits_for SET STATISTICS
  3, ALTER COLUMN wait_until SET STATISTICS 3, ALTER COLUMN received_at SET STATISTICS 3,
  ALTER COLUMN key_id SET STATISTICS 3, ALTER COLUMN seal SET STATISTICS 3;

-- A document that waited found whose it is: the realm takes it, though it could not see it before. Only a document that waits can be
-- taken, once, and by the realm it is given to or by the step before realms. Returns how many were taken.
-- +goose StatementBegin
CREATE FUNCTION inbox_settle(of_scheme text, of_reference text, new_outcome text, new_reason text, new_realm text, new_document uuid)
  RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH settled AS (
    UPDATE inbox SET outcome = new_outcome, reason = new_reason, realm = new_realm, document_id = new_document, wait_until = NULL
    WHERE scheme = of_scheme AND reference = of_reference AND outcome = 'waiting'
      AND (current_setting('countersign.realm', true) = '(gateway)' OR current_setting('countersign.realm', true) = new_realm)
    RETURNING 1
  )
  SELECT count(*) FROM settled
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION inbox_settle(text, text, text, text, text, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION inbox_settle(text, text, text, text, text, uuid) TO countersign_app;

-- Which realm an incoming payment's account belongs to, and which account it is: payments come in by its IBAN, and by the QR-IBAN that
-- stands for it, of which an account has one. Written by the operator.
CREATE TABLE incoming_account (
  iban    text NOT NULL,
  realm   text NOT NULL,
  account text NOT NULL,
  CONSTRAINT incoming_account_qr_iban CHECK ((iban = account) OR ((iban ~ '^(CH|LI)[0-9]{2}3[01][0-9]{3}[A-Z0-9]{12}$') AND (account ~ '^(CH|LI)'))),
  PRIMARY KEY (iban),
  FOREIGN KEY (realm, account) REFERENCES debtor_account(realm, iban)
);
CREATE UNIQUE INDEX incoming_account_one_qr_iban ON incoming_account (realm, account) WHERE iban <> account;
ALTER TABLE incoming_account ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON incoming_account TO countersign_app USING ((realm = current_setting('countersign.realm', true)) OR
  (current_setting('countersign.realm', true) = '(gateway)'));
CREATE POLICY added_by_change ON incoming_account AS RESTRICTIVE FOR INSERT TO countersign_app WITH CHECK (change_approved_here(realm));
CREATE POLICY every_realm ON incoming_account FOR SELECT TO countersign_reader USING (true);
GRANT SELECT, INSERT ON incoming_account TO countersign_app;
GRANT SELECT ON incoming_account TO countersign_reader;

-- Whether another realm receives for an account: it could not be seen else, and only the insert would tell.
-- +goose StatementBegin
CREATE FUNCTION incoming_account_taken(of_iban text, by_other_than text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT EXISTS (SELECT FROM incoming_account WHERE iban = of_iban AND realm <> by_other_than)
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION incoming_account_taken(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION incoming_account_taken(text, text) TO countersign_app;

-- Transaction ids of other banks' payments, so that a recall or a repeat finds the payment before its realm is known. A bank keeps an id
-- unique for a period; afterwards it may use the id again, which counts the uses up.
CREATE TABLE incoming_payment (
  scheme         text NOT NULL CHECK (scheme IN ('sic-inst', 'sct-inst')),
  transaction_id text NOT NULL CHECK ((length(transaction_id) >= 1) AND (length(transaction_id) <= 35)),
  -- The instructing bank: its BIC of eleven characters, else what the document names it by.
  bank           text NOT NULL CHECK (length(bank) <= 200),
  use            integer NOT NULL CHECK (use >= 0),
  received_at    timestamptz NOT NULL CHECK (isfinite(received_at)),
  realm          text NOT NULL,
  message_id     uuid NOT NULL,
  PRIMARY KEY (scheme, transaction_id, bank, use)
);
ALTER TABLE incoming_payment ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON incoming_payment TO countersign_app USING ((realm = current_setting('countersign.realm', true)) OR
  (current_setting('countersign.realm', true) = '(gateway)'));
CREATE POLICY every_realm ON incoming_payment FOR SELECT TO countersign_reader USING (true);
GRANT SELECT, INSERT ON incoming_payment TO countersign_app;
GRANT SELECT ON incoming_payment TO countersign_reader;

-- Answers of the gateway that belong to no message of ours: the status of an incoming payment, the receipt of a recall. Written with what
-- they answer, in one transaction; delivered by a job, or by the watch if the job died.
CREATE TABLE outbox (
  scheme          text NOT NULL CHECK (scheme IN ('sic-inst', 'sct-inst')),
  reference       text NOT NULL CHECK ((length(reference) >= 1) AND (length(reference) <= 140)),
  name            text NOT NULL,
  content         bytea,
  created_at      timestamptz NOT NULL,
  delivered_at    timestamptz,
  -- The outbox takes answers only, never a payment. A row has either a content of its own, a pacs.002 or camt.025, or it names the sealed
  -- document that answered a recall, to send that again. A row that does not fit its seal is refused: it is never delivered, and stays
  -- for an operator.
  document_realm  text,
  document_id     uuid,
  key_id          text NOT NULL CHECK (key_id <> ''),
  mac             bytea NOT NULL CHECK (length(mac) = 32),
  refused_at      timestamptz,
  -- The received document that an automatic refusal answers, without a decision of people: a camt.029 leaves in no other way with a content
  -- of its own. It repeats that document and adds its reason.
  answers         text,
  -- An answer belongs to the realm of the message it is about; NULL for one to a document of nobody here. The writer of it need not
  -- say so: it is his whose transaction it is.
  realm           text DEFAULT NULLIF(NULLIF(current_setting('countersign.realm'::text, true), '(gateway)'::text), ''::text),
  -- That clearing has an answer: a row that says so without being sent keeps clearing waiting, and nobody would notice.
  delivery_key_id text,
  delivery_mac    bytea CHECK (length(delivery_mac) = 32),
  CONSTRAINT outbox_content_or_document CHECK (CASE
      WHEN (content IS NULL) THEN ((document_realm IS NOT NULL) AND (document_id IS NOT NULL))
      ELSE ((document_realm IS NULL) AND (document_id IS NULL))
  END),
  CONSTRAINT outbox_created_at_finite CHECK (isfinite(created_at)),
  CONSTRAINT outbox_delivered_at_finite CHECK (isfinite(delivered_at)),
  CONSTRAINT outbox_refused_at_finite CHECK (isfinite(refused_at)),
  CONSTRAINT outbox_answers_only CHECK ((refused_at IS NOT NULL) OR (name = ANY (
  CASE
      WHEN (content IS NULL) THEN ARRAY['pacs.004.001.09'::text, 'camt.029.001.09'::text]
      WHEN (answers IS NOT NULL) THEN ARRAY['pacs.002.001.10'::text, 'camt.029.001.09'::text]
      ELSE ARRAY['pacs.002.001.10'::text, 'camt.025.001.05'::text]
  END))),
  CONSTRAINT outbox_answers_with_content CHECK ((answers IS NULL) OR (content IS NOT NULL)),
  CONSTRAINT outbox_delivery_sealed CHECK ((delivered_at IS NULL) OR ((delivery_key_id IS NOT NULL) AND (delivery_mac IS NOT NULL))),
  PRIMARY KEY (scheme, reference),
  FOREIGN KEY (document_realm, document_id) REFERENCES document(realm, document_id),
  FOREIGN KEY (scheme, answers) REFERENCES inbox(scheme, reference),
  FOREIGN KEY (realm) REFERENCES realm(realm)
) WITH (autovacuum_analyze_threshold = 500, autovacuum_analyze_scale_factor = 1, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_insert_threshold = 50000);
-- What an answer refers to leaves with an archive together with it.
CREATE INDEX outbox_by_document ON outbox (document_realm, document_id) WHERE document_id IS NOT NULL;
CREATE INDEX outbox_by_answered ON outbox (scheme, answers) WHERE answers IS NOT NULL;
CREATE INDEX outbox_undelivered ON outbox (scheme, created_at) WHERE delivered_at IS NULL AND refused_at IS NULL;
ALTER TABLE outbox ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON outbox TO countersign_app USING ((realm = current_setting('countersign.realm', true)) OR
  (current_setting('countersign.realm', true) = '(gateway)'));
CREATE POLICY every_realm ON outbox FOR SELECT TO countersign_reader USING (true);
GRANT SELECT, INSERT, UPDATE (delivered_at, refused_at, delivery_key_id, delivery_mac) ON outbox TO countersign_app;
GRANT SELECT ON outbox TO countersign_reader;
-- Statistics are kept small: the planner needs none of these columns, or few values of them.
ALTER TABLE outbox
  ALTER COLUMN scheme SET STATISTICS 3, ALTER COLUMN reference SET STATISTICS 3, ALTER COLUMN name SET STATISTICS 3, ALTER COLUMN content
  SET STATISTICS 3, ALTER COLUMN created_at SET STATISTICS 3, ALTER COLUMN delivered_at SET STATISTICS 3, ALTER COLUMN document_realm
  SET STATISTICS 3, ALTER COLUMN document_id SET STATISTICS 3, ALTER COLUMN key_id SET STATISTICS 3, ALTER COLUMN mac SET STATISTICS 3,
  ALTER COLUMN refused_at SET STATISTICS 3, ALTER COLUMN realm SET STATISTICS 3, ALTER COLUMN delivery_key_id SET STATISTICS 3, ALTER
  COLUMN delivery_mac SET STATISTICS 3, ALTER COLUMN answers SET STATISTICS 3;

-- What core banking said of a payment, and what it was told of its end: one row for each payment that went past the port. For a payment of
-- ours it is written before core banking is asked, so that no reservation is made without a row. The seal covers the whole row.
CREATE TABLE core_booking (
  realm         text NOT NULL,
  message_id    uuid NOT NULL,
  version       integer NOT NULL,
  content_hash  bytea NOT NULL,
  asked_at      timestamptz NOT NULL CHECK (isfinite(asked_at)),
  outcome       text CHECK (outcome IN ('not asked', 'accepted', 'refused', 'unreached')),
  -- Of a refusal, or of a payment that a policy stops while core banking is not reached.
  code          text CHECK (length(code) = 4),
  words         text CHECK (length(words) <= 512),
  answered_at   timestamptz CHECK (isfinite(answered_at)),
  told          text CHECK (told IN ('settled', 'failed')),
  told_sequence integer,
  told_at       timestamptz CHECK (isfinite(told_at)),
  key_id        text NOT NULL CHECK (key_id <> ''),
  mac           bytea NOT NULL CHECK (length(mac) = 32),
  CONSTRAINT core_booking_answered CHECK ((outcome IS NULL) = (answered_at IS NULL)),
  CONSTRAINT core_booking_code CHECK (CASE WHEN code IS NULL THEN (outcome IS DISTINCT FROM 'refused') ELSE (outcome IN ('refused', 'unreached')) END),
  CONSTRAINT core_booking_told CHECK (((told IS NULL) = (told_at IS NULL)) AND ((told IS NULL) = (told_sequence IS NULL))),
  PRIMARY KEY (realm, message_id),
  FOREIGN KEY (realm, message_id) REFERENCES message(realm, message_id),
  FOREIGN KEY (realm, message_id, version) REFERENCES message_version(realm, message_id, version)
) WITH (autovacuum_analyze_threshold = 500, autovacuum_analyze_scale_factor = 1, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_insert_threshold = 50000);
CREATE INDEX core_booking_untold ON core_booking (realm, message_id) WHERE told IS NULL;
ALTER TABLE core_booking ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON core_booking USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT, UPDATE (outcome, code, words, answered_at, told, told_sequence, told_at, key_id, mac) ON core_booking TO countersign_app;
GRANT SELECT ON core_booking TO countersign_reader;
