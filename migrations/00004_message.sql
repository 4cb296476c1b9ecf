-- +goose Up
-- Four-eyes in declarative form. The constraints below hold whatever the program does: nobody decides what they made or edited,
-- nobody decides twice, nothing is released without the approvals its policy asked for, and what is released is what was approved.

-- Legal moves are rows; every history row refers to one. The same table stands in internal/payment, and a test holds them equal.
CREATE TABLE legal_move (
  kind       text NOT NULL,
  from_state text NOT NULL,
  action     text NOT NULL,
  to_state   text NOT NULL,
  PRIMARY KEY (kind, from_state, action, to_state)
);
INSERT INTO legal_move (kind, from_state, action, to_state) VALUES
  ('instruction', 'None', 'submit', 'Approval Pending'),
  ('instruction', 'None', 'submit', 'Processing'),
  ('instruction', 'None', 'submit', 'Scheduled'),
  ('instruction', 'Approval Pending', 'approve', 'Approval Pending'),
  ('instruction', 'Approval Pending', 'approve', 'Approved'),
  ('instruction', 'Approval Pending', 'approve', 'Scheduled'),
  ('instruction', 'Scheduled', 'release', 'Approved'),
  ('instruction', 'Scheduled', 'cancel', 'Failed'),
  ('instruction', 'Scheduled', 'withdraw', 'Withdrawn'),
  ('instruction', 'Approval Pending', 'reject', 'Rejected'),
  ('instruction', 'Approval Pending', 'withdraw', 'Withdrawn'),
  ('instruction', 'Approval Pending', 'amend', 'Approval Pending'),
  ('instruction', 'Approval Pending', 'expire', 'Expired'),
  ('instruction', 'Approval Pending', 'ask', 'Question'),
  ('instruction', 'Question', 'answer', 'Approval Pending'),
  ('instruction', 'Question', 'amend', 'Approval Pending'),
  ('instruction', 'Question', 'reject', 'Rejected'),
  ('instruction', 'Question', 'withdraw', 'Withdrawn'),
  ('instruction', 'Question', 'expire', 'Expired'),
  ('instruction', 'Approved', 'deliver', 'Processing'),
  ('instruction', 'Approved', 'settle', 'Settled'),
  ('instruction', 'Approved', 'refuse', 'Failed'),
  ('instruction', 'Approved', 'withhold', 'Failed'),
  ('instruction', 'Approved', 'time out', 'Unconfirmed'),
  ('instruction', 'Processing', 'deliver', 'Processing'),
  ('instruction', 'Processing', 'settle', 'Settled'),
  ('instruction', 'Processing', 'refuse', 'Failed'),
  ('instruction', 'Processing', 'withhold', 'Failed'),
  ('instruction', 'Processing', 'time out', 'Unconfirmed'),
  ('instruction', 'Unconfirmed', 'deliver', 'Unconfirmed'),
  ('instruction', 'Unconfirmed', 'inquire', 'Unconfirmed'),
  ('instruction', 'Unconfirmed', 'settle', 'Settled'),
  ('instruction', 'Unconfirmed', 'refuse', 'Failed'),
  ('instruction', 'Approved', 'stop', 'Failed'),
  ('instruction', 'Processing', 'stop', 'Failed'),
  ('instruction', 'Unconfirmed', 'stop', 'Failed'),
  ('return', 'None', 'submit', 'Approval Pending'),
  ('return', 'None', 'submit', 'Processing'),
  ('return', 'Approval Pending', 'approve', 'Approval Pending'),
  ('return', 'Approval Pending', 'approve', 'Approved'),
  ('return', 'Approval Pending', 'reject', 'Rejected'),
  ('return', 'Approval Pending', 'withdraw', 'Withdrawn'),
  ('return', 'Approval Pending', 'expire', 'Expired'),
  ('return', 'Approval Pending', 'ask', 'Question'),
  ('return', 'Question', 'answer', 'Approval Pending'),
  ('return', 'Question', 'reject', 'Rejected'),
  ('return', 'Question', 'withdraw', 'Withdrawn'),
  ('return', 'Question', 'expire', 'Expired'),
  ('return', 'Approved', 'deliver', 'Processing'),
  ('return', 'Approved', 'settle', 'Settled'),
  ('return', 'Approved', 'refuse', 'Failed'),
  ('return', 'Approved', 'withhold', 'Failed'),
  ('return', 'Approved', 'time out', 'Unconfirmed'),
  ('return', 'Processing', 'deliver', 'Processing'),
  ('return', 'Processing', 'settle', 'Settled'),
  ('return', 'Processing', 'refuse', 'Failed'),
  ('return', 'Processing', 'withhold', 'Failed'),
  ('return', 'Processing', 'time out', 'Unconfirmed'),
  ('return', 'Unconfirmed', 'deliver', 'Unconfirmed'),
  ('return', 'Unconfirmed', 'inquire', 'Unconfirmed'),
  ('return', 'Unconfirmed', 'settle', 'Settled'),
  ('return', 'Unconfirmed', 'refuse', 'Failed'),
  ('return', 'Approved', 'stop', 'Failed'),
  ('return', 'Processing', 'stop', 'Failed'),
  ('return', 'Unconfirmed', 'stop', 'Failed'),
  ('recall', 'None', 'submit', 'Approval Pending'),
  ('recall', 'None', 'submit', 'Processing'),
  ('recall', 'Approval Pending', 'approve', 'Approval Pending'),
  ('recall', 'Approval Pending', 'approve', 'Approved'),
  ('recall', 'Approval Pending', 'reject', 'Rejected'),
  ('recall', 'Approval Pending', 'withdraw', 'Withdrawn'),
  ('recall', 'Approval Pending', 'expire', 'Expired'),
  ('recall', 'Approval Pending', 'ask', 'Question'),
  ('recall', 'Question', 'answer', 'Approval Pending'),
  ('recall', 'Question', 'reject', 'Rejected'),
  ('recall', 'Question', 'withdraw', 'Withdrawn'),
  ('recall', 'Question', 'expire', 'Expired'),
  ('recall', 'Approved', 'deliver', 'Processing'),
  ('recall', 'Approved', 'withhold', 'Failed'),
  ('recall', 'Processing', 'deliver', 'Processing'),
  ('recall', 'Processing', 'withhold', 'Failed'),
  ('recall', 'Approved', 'acknowledge', 'Acknowledged'),
  ('recall', 'Processing', 'acknowledge', 'Acknowledged'),
  ('recall', 'Approved', 'accept', 'Accepted'),
  ('recall', 'Approved', 'decline', 'Refused'),
  ('recall', 'Approved', 'refuse', 'Failed'),
  ('recall', 'Processing', 'accept', 'Accepted'),
  ('recall', 'Processing', 'decline', 'Refused'),
  ('recall', 'Processing', 'refuse', 'Failed'),
  ('recall', 'Acknowledged', 'accept', 'Accepted'),
  ('recall', 'Acknowledged', 'decline', 'Refused'),
  ('recall', 'Acknowledged', 'refuse', 'Failed'),
  ('recall', 'Overdue', 'accept', 'Accepted'),
  ('recall', 'Overdue', 'decline', 'Refused'),
  ('recall', 'Overdue', 'refuse', 'Failed'),
  ('recall', 'Processing', 'fall due', 'Overdue'),
  ('recall', 'Acknowledged', 'fall due', 'Overdue'),
  ('recall', 'Overdue', 'inquire', 'Overdue'),
  ('recall', 'Overdue', 'acknowledge', 'Overdue'),
  ('resolution', 'None', 'submit', 'Approval Pending'),
  ('resolution', 'None', 'submit', 'Processing'),
  ('resolution', 'Approval Pending', 'approve', 'Approval Pending'),
  ('resolution', 'Approval Pending', 'approve', 'Approved'),
  ('resolution', 'Approval Pending', 'reject', 'Rejected'),
  ('resolution', 'Approval Pending', 'withdraw', 'Withdrawn'),
  ('resolution', 'Approval Pending', 'expire', 'Expired'),
  ('resolution', 'Approval Pending', 'ask', 'Question'),
  ('resolution', 'Question', 'answer', 'Approval Pending'),
  ('resolution', 'Question', 'reject', 'Rejected'),
  ('resolution', 'Question', 'withdraw', 'Withdrawn'),
  ('resolution', 'Question', 'expire', 'Expired'),
  ('resolution', 'Approved', 'deliver', 'Processing'),
  ('resolution', 'Approved', 'deliver', 'Communicated'),
  ('resolution', 'Approved', 'withhold', 'Failed'),
  ('resolution', 'Processing', 'deliver', 'Processing'),
  ('resolution', 'Processing', 'deliver', 'Communicated'),
  ('resolution', 'Processing', 'withhold', 'Failed'),
  ('resolution', 'Approved', 'acknowledge', 'Communicated'),
  ('resolution', 'Processing', 'acknowledge', 'Communicated'),
  ('resolution', 'Approved', 'refuse', 'Failed'),
  ('resolution', 'Processing', 'refuse', 'Failed'),
  ('payment', 'None', 'book', 'Booked'),
  ('payment', 'None', 'receive', 'Accepted'),
  ('payment', 'Accepted', 'book', 'Booked'),
  ('payment', 'Accepted', 'refuse', 'Failed'),
  ('payment', 'Accepted', 'report', 'Accepted'),
  ('instruction', 'Approved', 'report', 'Approved'),
  ('instruction', 'Processing', 'report', 'Processing'),
  ('instruction', 'Unconfirmed', 'report', 'Unconfirmed'),
  ('return', 'Approved', 'report', 'Approved'),
  ('return', 'Processing', 'report', 'Processing'),
  ('return', 'Unconfirmed', 'report', 'Unconfirmed'),
  ('recall', 'Approved', 'report', 'Approved'),
  ('recall', 'Processing', 'report', 'Processing'),
  ('recall', 'Acknowledged', 'report', 'Acknowledged'),
  ('recall', 'Overdue', 'report', 'Overdue'),
  ('resolution', 'Approved', 'report', 'Approved'),
  ('resolution', 'Processing', 'report', 'Processing'),
  ('payment', 'None', 'refuse', 'Failed'),
  ('payment', 'Booked', 'refuse', 'Failed'),
  ('received recall', 'None', 'receive', 'Awaiting Decision'),
  ('received recall', 'Awaiting Decision', 'answer', 'Answered'),
  ('return', 'None', 'receive', 'Settled'),
  ('resolution', 'None', 'receive', 'Communicated');
GRANT SELECT ON legal_move TO countersign_app, countersign_reader;

-- A message: what a client creates and a checker decides. Identity and frozen policy never change; the columns from "version" on are its
-- state, moved by one guarded statement that also writes the history row the foreign key at the end asks for.
CREATE TABLE message (
  realm              text NOT NULL,
  message_id         uuid NOT NULL,
  global_id          text NOT NULL CHECK (global_id ~ '^[0-9A-HJKMNP-TV-Z]{16}$'),
  kind               text NOT NULL,
  scheme             text NOT NULL CHECK (scheme IN ('sic-inst', 'sct-inst')),
  direction          text NOT NULL CHECK (direction IN ('in', 'out')),
  channel            text NOT NULL CHECK (channel IN ('api', 'portal', 'clearing')),
  client_id          text,
  external_id        text CHECK ((length(external_id) >= 1) AND (length(external_id) <= 36)),
  maker_user         uuid,
  maker_person       uuid,
  policy_id          uuid,
  approvals_required integer NOT NULL,
  expires_at         timestamptz,
  original_id        uuid,
  answers_id         uuid,
  answer_by          timestamptz,
  deadline           timestamptz,
  reason             text CHECK (length(reason) <= 4),
  created_at         timestamptz NOT NULL,
  version            integer NOT NULL,
  approvals          integer NOT NULL,
  state              text NOT NULL,
  state_sequence     integer NOT NULL,
  state_since        timestamptz NOT NULL,
  accepted_at        timestamptz,
  delivered_at       timestamptz,
  settled_at         timestamptz,
  status_code        text CHECK (length(status_code) <= 35),
  status_text        text CHECK (length(status_text) <= 512),
  inquiries          integer DEFAULT 0 NOT NULL,
  inquire_at         timestamptz,
  -- The amount of the current version once more, for orders and charts: the queue by amount reads its page off an index, and not ten
  -- thousand versions to find the largest, and the hours of the dashboard are added up without them. Nothing rests on this amount: what
  -- is shown of a payment and decided is that of its version. What was made more than a day ago and does not wait is left at zero.
  listed_amount      bigint DEFAULT 0 NOT NULL,
  -- Midnight UTC of the requested execution date of the current version; NULL for none. The dispatcher finds due payments by it; the release
  -- reads the date from the content.
  execution_day      timestamptz,
  CONSTRAINT message_accepted_at_finite CHECK (isfinite(accepted_at)),
  CONSTRAINT message_answer_by_finite CHECK (isfinite(answer_by)),
  CONSTRAINT message_check CHECK (CASE
      WHEN (direction = 'in') THEN ((channel = 'clearing') AND (maker_person IS NULL) AND (approvals_required = 0))
      ELSE ((channel <> 'clearing') AND (client_id IS NOT NULL) AND (maker_user IS NOT NULL) AND (maker_person IS NOT NULL) AND (policy_id
        IS NOT NULL))
  END),
  CONSTRAINT message_check2 CHECK ((original_id IS NOT NULL) = (kind IN ('recall', 'return', 'resolution', 'received recall'))),
  CONSTRAINT message_check3 CHECK ((answers_id IS NULL) OR (kind IN ('return', 'resolution'))),
  CONSTRAINT message_check4 CHECK ((kind <> 'resolution') OR (answers_id IS NOT NULL)),
  CONSTRAINT message_created_at_finite CHECK (isfinite(created_at)),
  CONSTRAINT message_deadline_finite CHECK (isfinite(deadline)),
  CONSTRAINT message_delivered_at_finite CHECK (isfinite(delivered_at)),
  CONSTRAINT message_direction_of_kind CHECK (CASE
      WHEN (kind IN ('payment', 'received recall')) THEN (direction = 'in')
      WHEN ((kind IN ('return', 'resolution')) AND (direction = 'in')) THEN ((state =
      CASE kind
          WHEN 'return' THEN 'Settled'
          ELSE 'Communicated'
      END) AND (policy_id IS NULL) AND (accepted_at IS NULL) AND (delivered_at IS NULL))
      ELSE (direction = 'out')
  END),
  CONSTRAINT message_execution_day_finite CHECK (isfinite(execution_day)),
  CONSTRAINT message_expires_at_finite CHECK (isfinite(expires_at)),
  CONSTRAINT message_inquire_at_finite CHECK (isfinite(inquire_at)),
  CONSTRAINT message_settled_at_finite CHECK (isfinite(settled_at)),
  CONSTRAINT message_state_since_finite CHECK (isfinite(state_since)),
  PRIMARY KEY (realm, message_id),
  UNIQUE (global_id, realm),
  UNIQUE (realm, message_id, created_at),
  UNIQUE (realm, message_id, maker_person, approvals_required),
  FOREIGN KEY (realm, answers_id) REFERENCES message(realm, message_id),
  FOREIGN KEY (realm, client_id) REFERENCES client(realm, client_id),
  FOREIGN KEY (realm) REFERENCES realm(realm),
  FOREIGN KEY (realm, maker_user, maker_person) REFERENCES user_account(realm, user_id, person_id),
  FOREIGN KEY (realm, original_id) REFERENCES message(realm, message_id),
  FOREIGN KEY (realm, policy_id, approvals_required) REFERENCES policy(realm, policy_id, approvals_required)
) WITH (autovacuum_analyze_threshold = 500, autovacuum_analyze_scale_factor = 1, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_insert_threshold = 50000);
-- Recalls whose answer is due.
CREATE INDEX message_answer_due ON message (realm, answer_by) WHERE state IN ('Processing', 'Acknowledged', 'Overdue', 'Awaiting Decision');
CREATE INDEX message_by_kind ON message (kind, realm, message_id) WHERE kind <> 'instruction';
CREATE INDEX message_by_maker ON message (maker_user, realm, message_id);
CREATE INDEX message_by_original ON message (realm, original_id, message_id) WHERE original_id IS NOT NULL;
-- What lists are narrowed by, in the order of the list. What most payments are or become (instructions that go out and settle) is in none
-- of them, so that it costs no write: a list narrowed to that finds its page among the newest.
CREATE INDEX message_by_state ON message (state, realm, message_id) WHERE state NOT IN ('Approval Pending', 'Settled');
-- "What changed since" walks the messages of a realm by the time of their state.
CREATE INDEX message_by_state_since ON message (state_since, message_id, realm);
-- What ended otherwise than most payments do, by when: what failed today is found without reading what failed ever, or changed today.
CREATE INDEX message_ended_since ON message (state, realm, state_since) INCLUDE (status_code)
  WHERE state NOT IN ('Approval Pending', 'Approved', 'Processing', 'Settled', 'Booked');
-- The queue by expiry; what never expires comes last.
CREATE INDEX message_expiring ON message (realm, (CASE WHEN expires_at IS NULL THEN 'infinity'::timestamptz ELSE expires_at END),
  message_id)
  WHERE state = 'Approval Pending';
-- Waiting for an answer of clearing, and without one for too long.
CREATE INDEX message_in_flight ON message (realm, accepted_at) WHERE state IN ('Approved', 'Processing') AND kind IN ('instruction',
  'return');
CREATE INDEX message_incoming ON message (realm, message_id) WHERE direction = 'in';
-- Incoming payments whose settlement clearing has not confirmed.
CREATE INDEX message_to_confirm ON message (realm, created_at) WHERE kind = 'payment' AND state = 'Accepted';
-- An answer keeps what it answers from leaving with an archive before it.
CREATE INDEX message_by_answer ON message (realm, answers_id) WHERE answers_id IS NOT NULL;
CREATE UNIQUE INDEX message_one_answer ON message (realm, answers_id)
  WHERE answers_id IS NOT NULL AND state NOT IN ('Rejected', 'Withdrawn', 'Expired', 'Failed');
-- One recall of a payment for ever, unless it was closed before release. A return frees its original when clearing refuses it; a return
-- and a resolution of the same recall exclude each other, also while one merely waits for approval.
CREATE UNIQUE INDEX message_one_recall ON message (realm, original_id)
  WHERE kind = 'recall' AND state NOT IN ('Rejected', 'Withdrawn', 'Expired');
CREATE UNIQUE INDEX message_one_received_recall ON message (realm, original_id) WHERE kind = 'received recall';
CREATE UNIQUE INDEX message_one_return ON message (realm, original_id)
  WHERE kind = 'return' AND state NOT IN ('Rejected', 'Withdrawn', 'Expired', 'Failed');
-- The queue. Keys are UUIDv7, so the key is the order of arrival.
CREATE INDEX message_pending ON message (realm, message_id) WHERE state = 'Approval Pending';
-- Payments that wait for their day.
CREATE INDEX message_scheduled ON message (realm, execution_day) WHERE state = 'Scheduled';
CREATE INDEX message_unconfirmed ON message (realm, scheme, inquire_at) WHERE state IN ('Unconfirmed', 'Overdue');
-- Released and not yet with clearing: what the relay picks up again after a crash.
CREATE INDEX message_undelivered ON message (realm, scheme, accepted_at) WHERE accepted_at IS NOT NULL AND delivered_at IS NULL;
CREATE INDEX message_waiting_by_amount ON message (realm, listed_amount, message_id) WHERE state = 'Approval Pending';
ALTER TABLE message ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON message USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT, UPDATE (answer_by, version, approvals, state, state_sequence, state_since, accepted_at, delivered_at, settled_at,
  status_code, status_text, inquiries, inquire_at, listed_amount, execution_day) ON message TO countersign_app;
GRANT SELECT ON message TO countersign_reader;
-- Statistics are kept small: the planner needs none of these columns, or few values of them.
ALTER TABLE message
  ALTER COLUMN channel SET STATISTICS 0, ALTER COLUMN client_id SET STATISTICS 0, ALTER COLUMN external_id SET STATISTICS 0, ALTER COLUMN
  policy_id SET STATISTICS 0, ALTER COLUMN deadline SET STATISTICS 0, ALTER COLUMN reason SET STATISTICS 0, ALTER COLUMN state_sequence
  SET STATISTICS 0, ALTER COLUMN settled_at SET STATISTICS 0, ALTER COLUMN status_text SET STATISTICS 0, ALTER COLUMN inquiries SET
  STATISTICS 0;

-- Every ISO 20022 document, in or out, as its exact bytes; a draft is what a checker approves before it is stamped and sent. Written
-- once. Source: the bytes a client sent when the document was made from another form of it (JSON), kept as evidence.
CREATE TABLE document (
  realm        text NOT NULL,
  document_id  uuid NOT NULL,
  message_id   uuid,
  scheme       text NOT NULL CHECK (scheme IN ('sic-inst', 'sct-inst')),
  direction    text NOT NULL CHECK (direction IN ('in', 'out', 'draft')),
  name         text NOT NULL CHECK (name ~ '^[a-z]{4}\.[0-9]{3}\.[0-9]{3}\.[0-9]{2}$'),
  reference    text NOT NULL CHECK ((length(reference) >= 1) AND (length(reference) <= 140)),
  content      bytea NOT NULL,
  content_hash bytea NOT NULL,
  source       bytea,
  source_type  text,
  created_at   timestamptz NOT NULL,
  -- Without the seal, a document written beforehand could be sent in place of the approved one.
  key_id       text NOT NULL CHECK (key_id <> ''),
  mac          bytea NOT NULL CHECK (length(mac) = 32),
  written_in   xid8 DEFAULT pg_current_xact_id() NOT NULL,
  CONSTRAINT document_check CHECK (content_hash = sha256(content)),
  CONSTRAINT document_check1 CHECK ((source IS NULL) = (source_type IS NULL)),
  CONSTRAINT document_created_at_finite CHECK (isfinite(created_at)),
  CONSTRAINT document_outbound_of_message CHECK ((direction <> 'out') OR (message_id IS NOT NULL)),
  PRIMARY KEY (realm, document_id),
  UNIQUE (realm, document_id, message_id, content_hash),
  FOREIGN KEY (realm) REFERENCES realm(realm)
) WITH (autovacuum_analyze_threshold = 500, autovacuum_analyze_scale_factor = 1, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_insert_threshold = 50000);
CREATE INDEX document_by_message ON document (message_id, realm, document_id);
-- An outbound document is made once; its reference is the message id clearing sees on every attempt.
CREATE UNIQUE INDEX document_outbound ON document (realm, reference) WHERE direction = 'out';
CREATE INDEX document_written ON document (written_in, realm);
ALTER TABLE document ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON document USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT ON document TO countersign_app;
GRANT SELECT ON document TO countersign_reader;
-- Statistics are kept small: the planner needs none of these columns, or few values of them.
ALTER TABLE document
  ALTER COLUMN realm SET STATISTICS 3, ALTER COLUMN document_id SET STATISTICS 3, ALTER COLUMN message_id SET STATISTICS 3, ALTER COLUMN
  scheme SET STATISTICS 3, ALTER COLUMN direction SET STATISTICS 3, ALTER COLUMN name SET STATISTICS 3, ALTER COLUMN reference SET
  STATISTICS 3, ALTER COLUMN content SET STATISTICS 3, ALTER COLUMN content_hash SET STATISTICS 3, ALTER COLUMN source SET STATISTICS 3,
  ALTER COLUMN source_type SET STATISTICS 3, ALTER COLUMN created_at SET STATISTICS 3, ALTER COLUMN key_id SET STATISTICS 3, ALTER
  COLUMN mac SET STATISTICS 3, ALTER COLUMN written_in SET STATISTICS 3;

-- A version of a message's content: the first by its maker, each later one by an editor. "makers" lists everybody who wrote any version
-- up to this one; the foreign key to the version before keeps the list from losing a name. The searched fields are columns.
CREATE TABLE message_version (
  realm               text NOT NULL,
  message_id          uuid NOT NULL,
  version             integer NOT NULL CHECK (version >= 1),
  document_id         uuid NOT NULL,
  content_hash        bytea NOT NULL,
  maker_user          uuid,
  maker_person        uuid,
  makers              uuid[] NOT NULL,
  previous_version    integer,
  previous_makers     uuid[],
  first_maker         uuid,
  approvals_required  integer NOT NULL,
  created_at          timestamptz NOT NULL,
  amount              bigint NOT NULL CHECK (amount > 0),
  currency            text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  instruction_id      text,
  end_to_end_id       text NOT NULL,
  transaction_id      text,
  uetr                text,
  debtor_name         text NOT NULL,
  debtor_account      text NOT NULL,
  debtor_agent        text NOT NULL,
  creditor_name       text NOT NULL,
  creditor_account    text NOT NULL,
  creditor_agent      text NOT NULL,
  remittance          text NOT NULL,
  -- The seal of a version covers the message's identity, its makers, how many approvals it needs, the digest of its content and the
  -- searched columns: without it, a login that may write rows could show a checker other columns than the content says.
  key_id              text NOT NULL CHECK (key_id <> ''),
  seal                bytea NOT NULL CHECK (length(seal) = 32),
  -- The debtor of a payment order is named as the account's master data name it, because the pacs.008 does: debtor_name is that name, and
  -- what the order said instead stands beside it. NULL: the order says the same.
  ordered_debtor_name text,
  -- Who writes content does so under a grant of the role maker, as a decision is made under one of the role checker: in force, and older
  -- than the content. Each version refers to the grant of its maker or editor, the first one for the message itself. The time is copied,
  -- and the foreign key holds the copy.
  maker_role          text,
  maker_grant_id      uuid,
  maker_granted_at    timestamptz,
  -- Four-eyes of clients reaches editors: one back end that holds two passwords is one pair of eyes, whichever of them amended the
  -- message. A version names the clients through which it and the versions before it came, each once, the first of which created the
  -- message. The seal of the version covers them.
  clients             text[],
  -- What the verification of the payee came to (Regulation (EU) 2024/886), kept with the version it is about and covered by its seal: the
  -- result, with a close match the name of the account, and when.
  payee_result        text,
  payee_name          text,
  payee_at            timestamptz,
  -- What people look for among a million messages, found without reading them: the words of each version's other side and of its purpose.
  -- A column and not rows of their own: a row for each word costs a payment ten times as much (12 µs of the server each, against 10 for
  -- all), because the index takes its entries in batches. An account is a word too, read backwards behind "<": people know its last
  -- digits. Each word begins with four digits of its realm's name, so that one realm's searches do not read another's rows. Nothing rests
  -- on the words: the caller compares what was found with the message itself.
  words               tsvector,
  CONSTRAINT message_version_check CHECK (CASE
      WHEN (maker_person IS NULL) THEN ((makers = '{}'::uuid[]) AND (first_maker IS NULL) AND (version = 1) AND (approvals_required = 0))
      ELSE ((first_maker IS NOT NULL) AND (first_maker = makers[1]))
  END),
  CONSTRAINT message_version_check1 CHECK (CASE
      WHEN (version = 1) THEN ((previous_version IS NULL) AND (previous_makers IS NULL) AND ((maker_person IS NULL) OR (makers =
        ARRAY[maker_person])))
      ELSE ((previous_version IS NOT NULL) AND (previous_makers IS NOT NULL) AND (previous_version = (version - 1)) AND (makers =
        array_append(previous_makers, maker_person)))
  END),
  CONSTRAINT message_version_check2 CHECK (ordered_debtor_name <> debtor_name),
  CONSTRAINT message_version_created_at_finite CHECK (isfinite(created_at)),
  CONSTRAINT message_version_maker_granted_at_finite CHECK (isfinite(maker_granted_at)),
  CONSTRAINT message_version_clients CHECK (CASE
      WHEN (maker_user IS NULL) THEN (clients IS NULL)
      ELSE ((clients IS NOT NULL) AND ((cardinality(clients) >= 1) AND (cardinality(clients) <= cardinality(makers))))
  END),
  CONSTRAINT message_version_payee CHECK (((payee_result IS NULL) = (payee_at IS NULL)) AND (payee_result IN ('MTCH', 'CMTC', 'NMTC',
    'NOAP', 'LATE', 'WAIVED')) AND ((payee_name IS NULL) OR ((payee_result = 'CMTC') AND ((length(payee_name) >= 1) AND
    (length(payee_name) <= 140))))),
  CONSTRAINT message_version_under_a_grant CHECK (CASE
      WHEN (maker_user IS NULL) THEN ((maker_role IS NULL) AND (maker_grant_id IS NULL) AND (maker_granted_at IS NULL))
      ELSE ((maker_role IS NOT NULL) AND (maker_role = 'maker') AND (maker_grant_id IS NOT NULL) AND (maker_granted_at IS NOT NULL) AND
        (maker_granted_at <= created_at))
  END),
  PRIMARY KEY (realm, message_id, version),
  CONSTRAINT message_version_realm_message_id_version_makers_content_has_key UNIQUE (realm, message_id, version, makers, content_hash,
    approvals_required),
  UNIQUE (realm, message_id, version, makers),
  FOREIGN KEY (realm, document_id, message_id, content_hash) REFERENCES document(realm, document_id, message_id, content_hash),
  FOREIGN KEY (realm, maker_user, maker_person) REFERENCES user_account(realm, user_id, person_id),
  CONSTRAINT message_version_realm_maker_user_maker_role_maker_grant_id_fkey FOREIGN KEY (realm, maker_user, maker_role, maker_grant_id,
    maker_granted_at) REFERENCES user_role(realm, user_id, role, grant_id, granted_at),
  CONSTRAINT message_version_realm_message_id_first_maker_approvals_req_fkey FOREIGN KEY (realm, message_id, first_maker,
    approvals_required) REFERENCES message(realm, message_id, maker_person, approvals_required),
  CONSTRAINT message_version_realm_message_id_previous_version_previous_fkey FOREIGN KEY (realm, message_id, previous_version,
    previous_makers) REFERENCES message_version(realm, message_id, version, makers)
) WITH (autovacuum_analyze_threshold = 500, autovacuum_analyze_scale_factor = 1, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_insert_threshold = 50000);
CREATE INDEX message_version_by_amount ON message_version (amount, realm, message_id);
CREATE INDEX message_version_by_creditor_account ON message_version (creditor_account, realm, message_id);
-- Duplicates: payments of one amount to one account, the newest first, however many go there.
CREATE INDEX message_version_by_creditor_amount ON message_version (creditor_account, realm, amount, currency, created_at);
CREATE INDEX message_version_by_end_to_end_id ON message_version (end_to_end_id, realm);
CREATE INDEX message_version_by_uetr ON message_version (uetr, realm) WHERE uetr IS NOT NULL;
CREATE INDEX message_version_by_transaction_id ON message_version (transaction_id, realm) WHERE transaction_id IS NOT NULL;
CREATE INDEX message_version_by_word ON message_version USING gin (words) WITH (fastupdate = on, gin_pending_list_limit = 512);
-- When a message was made, of its first version, which never moves: an index of messages would be written at each step.
CREATE INDEX message_version_made ON message_version (created_at, realm, message_id) WHERE version = 1;
ALTER TABLE message_version ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON message_version USING (realm = current_setting('countersign.realm', true));
-- A grant that has ended makes nothing any more. A foreign key cannot say "still", because the version outlives the grant. A version
-- without one is left to the CHECK above.
CREATE POLICY grant_in_force ON message_version AS RESTRICTIVE FOR INSERT TO countersign_app WITH CHECK (
  maker_grant_id IS NULL
  OR EXISTS (SELECT FROM user_role g WHERE g.realm = message_version.realm AND g.grant_id = message_version.maker_grant_id AND g.ended_at
    IS NULL));
GRANT SELECT, INSERT ON message_version TO countersign_app;
GRANT SELECT ON message_version TO countersign_reader;
-- Statistics are kept small: the planner needs none of these columns, or few values of them.
ALTER TABLE message_version
  ALTER COLUMN document_id SET STATISTICS 0, ALTER COLUMN content_hash SET STATISTICS 0, ALTER COLUMN makers SET STATISTICS 0, ALTER
  COLUMN previous_version SET STATISTICS 0, ALTER COLUMN previous_makers SET STATISTICS 0, ALTER COLUMN first_maker SET STATISTICS 0,
  ALTER COLUMN instruction_id SET STATISTICS 0, ALTER COLUMN debtor_name SET STATISTICS 0, ALTER
  COLUMN debtor_agent SET STATISTICS 0, ALTER COLUMN creditor_agent SET STATISTICS 0, ALTER COLUMN remittance SET STATISTICS 0, ALTER
  COLUMN key_id SET STATISTICS 0, ALTER COLUMN seal SET STATISTICS 0, ALTER COLUMN ordered_debtor_name SET STATISTICS 0, ALTER COLUMN
  maker_role SET STATISTICS 0, ALTER COLUMN maker_grant_id SET STATISTICS 0, ALTER COLUMN maker_granted_at SET STATISTICS 0, ALTER
  COLUMN clients SET STATISTICS 0, ALTER COLUMN payee_name SET STATISTICS 0, ALTER COLUMN payee_at SET STATISTICS 0;

ALTER TABLE message ADD FOREIGN KEY (realm, message_id, version) REFERENCES message_version(realm, message_id, version);

-- How many approvals the policies that were in force when a version was written ask for it: what its message was given is held against
-- this when it is decided, shown for a decision, and by the auditor. 0 when no policy matched. A policy is in force from its row on, and
-- a message reads it a moment later, so of the moment and of one minute before the smaller number counts.
-- +goose StatementBegin
CREATE FUNCTION approvals_asked(of_realm text, of_message uuid, of_version integer) RETURNS integer
LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT coalesce(min(coalesce((
    SELECT p.approvals_required FROM policy p
    WHERE p.realm = m.realm AND p.created_at <= t.moment AND (p.retired_at IS NULL OR p.retired_at > t.moment)
      AND (p.client_id IS NULL OR p.client_id = m.client_id) AND (p.channel IS NULL OR p.channel = m.channel)
      AND (p.scheme IS NULL OR p.scheme = m.scheme) AND (p.kind IS NULL OR p.kind = m.kind)
      AND (p.amount_from IS NULL OR p.amount_from <= v.amount) AND (p.amount_to IS NULL OR p.amount_to >= v.amount)
    ORDER BY p.rank DESC, p.created_at DESC, p.policy_id DESC LIMIT 1), 0)), 0)
  FROM message m
  JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = of_version
  CROSS JOIN LATERAL (VALUES (v.created_at), (v.created_at - interval '1 minute')) AS t (moment)
  WHERE m.realm = of_realm AND m.message_id = of_message AND m.direction = 'out'
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION approvals_asked(text, uuid, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION approvals_asked(text, uuid, integer) TO countersign_app, countersign_reader;

-- A decision of one person about one version. Ordinals count the decisions of a version: the next one may follow only an approval, and
-- there are never more than the message asks for, so the last ordinal proves that many different people approved.
CREATE TABLE decision (
  realm              text NOT NULL,
  message_id         uuid NOT NULL,
  version            integer NOT NULL,
  ordinal            integer NOT NULL,
  makers             uuid[] NOT NULL,
  content_hash       bytea NOT NULL,
  approvals_required integer NOT NULL,
  checker_user       uuid NOT NULL,
  checker_person     uuid NOT NULL,
  client_id          text NOT NULL,
  channel            text NOT NULL CHECK (channel IN ('api', 'portal')),
  action             text NOT NULL CHECK (action IN ('approve', 'reject')),
  reason             text CHECK ((reason IS NULL) OR ((reason ~ '\S') AND (length(reason) <= 512))),
  previous_ordinal   integer,
  previous_action    text,
  decided_at         timestamptz NOT NULL,
  -- What a checker said with an approval. A rejection has its reason.
  remark             text CHECK ((remark ~ '\S') AND (length(remark) <= 512)),
  checker_role       text NOT NULL,
  grant_id           uuid NOT NULL,
  granted_at         timestamptz NOT NULL,
  message_created_at timestamptz NOT NULL,
  -- An approval names the use of the factor. The key says that it was this person who showed it, to approve this version with this
  -- content; the index that it proves one approval alone. The seal of the audit row covers the decision.
  factor_use_id      uuid,
  CONSTRAINT decision_check CHECK ((cardinality(makers) > 0) AND (checker_person <> ALL (makers))),
  CONSTRAINT decision_check1 CHECK ((action = 'reject') = (reason IS NOT NULL)),
  CONSTRAINT decision_check2 CHECK ((ordinal >= 1) AND (ordinal <= approvals_required)),
  CONSTRAINT decision_check3 CHECK (CASE
      WHEN (ordinal = 1) THEN ((previous_ordinal IS NULL) AND (previous_action IS NULL))
      ELSE ((previous_ordinal IS NOT NULL) AND (previous_action IS NOT NULL) AND (previous_ordinal = (ordinal - 1)) AND (previous_action =
        'approve'))
  END),
  CONSTRAINT decision_check4 CHECK ((remark IS NULL) OR (action = 'approve')),
  CONSTRAINT decision_decided_at_finite CHECK (isfinite(decided_at)),
  CONSTRAINT decision_factor_of_approval CHECK ((factor_use_id IS NULL) OR (action = 'approve')),
  CONSTRAINT decision_granted_at_finite CHECK (isfinite(granted_at)),
  CONSTRAINT decision_message_created_at_finite CHECK (isfinite(message_created_at)),
  CONSTRAINT decision_under_a_grant CHECK ((checker_role = 'checker') AND (granted_at <= message_created_at)),
  PRIMARY KEY (realm, message_id, version, ordinal),
  UNIQUE (realm, message_id, version, checker_person),
  CONSTRAINT decision_realm_message_id_version_ordinal_action_content_ha_key UNIQUE (realm, message_id, version, ordinal, action,
    content_hash, approvals_required),
  UNIQUE (realm, message_id, version, ordinal, action),
  CONSTRAINT decision_factor_use FOREIGN KEY (realm, factor_use_id, checker_user, message_id, version, content_hash, action) REFERENCES
    factor_use(realm, use_id, user_id, message_id, version, content_hash, action),
  FOREIGN KEY (realm, checker_user, checker_person) REFERENCES user_account(realm, user_id, person_id),
  CONSTRAINT decision_realm_checker_user_checker_role_grant_id_granted__fkey FOREIGN KEY (realm, checker_user, checker_role, grant_id,
    granted_at) REFERENCES user_role(realm, user_id, role, grant_id, granted_at),
  FOREIGN KEY (realm, client_id) REFERENCES client(realm, client_id),
  FOREIGN KEY (realm, message_id, message_created_at) REFERENCES message(realm, message_id, created_at),
  CONSTRAINT decision_realm_message_id_version_makers_content_hash_appr_fkey FOREIGN KEY (realm, message_id, version, makers,
    content_hash, approvals_required) REFERENCES message_version(realm, message_id, version, makers, content_hash, approvals_required),
  CONSTRAINT decision_realm_message_id_version_previous_ordinal_previou_fkey FOREIGN KEY (realm, message_id, version, previous_ordinal,
    previous_action) REFERENCES decision(realm, message_id, version, ordinal, action)
) WITH (autovacuum_analyze_threshold = 500, autovacuum_analyze_scale_factor = 1, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_insert_threshold = 50000);
-- Indexes that only reads need: what a person decided, and what entered a state today.
CREATE INDEX decision_by_checker ON decision (checker_person, realm, decided_at, message_id);
CREATE UNIQUE INDEX decision_factor_once ON decision (realm, factor_use_id) WHERE factor_use_id IS NOT NULL;
ALTER TABLE decision ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON decision USING (realm = current_setting('countersign.realm', true));
-- A client decides nothing that came through it by the API, unless its realm lets it. A foreign key cannot say "none of these". The version
-- must be there before the statement, so that one statement that writes both passes by nothing.
CREATE POLICY another_client ON decision AS RESTRICTIVE FOR INSERT TO countersign_app WITH CHECK (
  channel <> 'api'
  OR EXISTS (SELECT FROM client c WHERE c.realm = decision.realm AND c.client_id = decision.client_id AND c.may_decide_own)
  OR EXISTS (SELECT FROM message_version v
             WHERE v.realm = decision.realm AND v.message_id = decision.message_id AND v.version = decision.version
               AND decision.client_id <> ALL (v.clients)));
-- A grant that has ended decides nothing any more. A foreign key cannot say "still", because the decision outlives the grant.
CREATE POLICY grant_in_force ON decision AS RESTRICTIVE FOR INSERT TO countersign_app WITH CHECK (
  EXISTS (SELECT FROM user_role g WHERE g.realm = decision.realm AND g.grant_id = decision.grant_id AND g.ended_at IS NULL));
-- No approval without one where the policy of the message asks. A foreign key cannot say "where".
CREATE POLICY step_up ON decision AS RESTRICTIVE FOR INSERT TO countersign_app WITH CHECK (
  action <> 'approve' OR factor_use_id IS NOT NULL
  OR EXISTS (SELECT FROM message m JOIN policy p ON p.realm = m.realm AND p.policy_id = m.policy_id
             WHERE m.realm = decision.realm AND m.message_id = decision.message_id AND NOT p.step_up));
GRANT SELECT, INSERT ON decision TO countersign_app;
GRANT SELECT ON decision TO countersign_reader;
-- Statistics are kept small: the planner needs none of these columns, or few values of them.
ALTER TABLE decision
  ALTER COLUMN realm SET STATISTICS 3, ALTER COLUMN message_id SET STATISTICS 3, ALTER COLUMN version SET STATISTICS 3, ALTER COLUMN
  ordinal SET STATISTICS 3, ALTER COLUMN makers SET STATISTICS 3, ALTER COLUMN content_hash SET STATISTICS 3, ALTER COLUMN
  approvals_required SET STATISTICS 3, ALTER COLUMN checker_user SET STATISTICS 3, ALTER COLUMN checker_person SET STATISTICS 3, ALTER
  COLUMN client_id SET STATISTICS 3, ALTER COLUMN channel SET STATISTICS 3, ALTER COLUMN action SET STATISTICS 3, ALTER COLUMN reason
  SET STATISTICS 3, ALTER COLUMN previous_ordinal SET STATISTICS 3, ALTER COLUMN previous_action SET STATISTICS 3, ALTER COLUMN
  decided_at SET STATISTICS 3, ALTER COLUMN remark SET STATISTICS 3, ALTER COLUMN checker_role SET STATISTICS 3, ALTER COLUMN grant_id
  SET STATISTICS 3, ALTER COLUMN granted_at SET STATISTICS 3, ALTER COLUMN message_created_at SET STATISTICS 3, ALTER COLUMN
  factor_use_id SET STATISTICS 3;

-- A release: the approved content handed to clearing, once. It refers to the last approval needed, or to a message that needs none. The
-- MAC is made with a key outside the database; the relay checks it and the digest before it sends.
CREATE TABLE release (
  realm              text NOT NULL,
  message_id         uuid NOT NULL,
  version            integer NOT NULL,
  makers             uuid[] NOT NULL CHECK (cardinality(makers) > 0),
  content_hash       bytea NOT NULL,
  approvals_required integer NOT NULL,
  last_ordinal       integer,
  last_action        text,
  accepted_at        timestamptz NOT NULL,
  key_id             text NOT NULL,
  mac                bytea NOT NULL CHECK (length(mac) = 32),
  -- The release's seal binds the debtor account as the interbank document names it: the digest of IBAN, scheme, currency, holder and
  -- agent. NULL for an R-transaction, which debits none.
  account_digest     bytea CHECK (length(account_digest) = 32),
  CONSTRAINT release_accepted_at_finite CHECK (isfinite(accepted_at)),
  CONSTRAINT release_check CHECK (CASE
      WHEN (approvals_required = 0) THEN ((last_ordinal IS NULL) AND (last_action IS NULL))
      ELSE ((last_ordinal IS NOT NULL) AND (last_action IS NOT NULL) AND (last_ordinal = approvals_required) AND (last_action = 'approve'))
  END),
  PRIMARY KEY (realm, message_id),
  CONSTRAINT release_realm_message_id_version_last_ordinal_last_action__fkey FOREIGN KEY (realm, message_id, version, last_ordinal,
    last_action, content_hash, approvals_required) REFERENCES decision(realm, message_id, version, ordinal, action, content_hash,
    approvals_required),
  CONSTRAINT release_realm_message_id_version_makers_content_hash_appro_fkey FOREIGN KEY (realm, message_id, version, makers,
    content_hash, approvals_required) REFERENCES message_version(realm, message_id, version, makers, content_hash, approvals_required)
) WITH (autovacuum_analyze_threshold = 500, autovacuum_analyze_scale_factor = 1, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_insert_threshold = 50000);
ALTER TABLE release ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON release USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT ON release TO countersign_app;
GRANT SELECT ON release TO countersign_reader;
-- Statistics are kept small: the planner needs none of these columns, or few values of them.
ALTER TABLE release
  ALTER COLUMN realm SET STATISTICS 3, ALTER COLUMN message_id SET STATISTICS 3, ALTER COLUMN version SET STATISTICS 3, ALTER COLUMN
  makers SET STATISTICS 3, ALTER COLUMN content_hash SET STATISTICS 3, ALTER COLUMN approvals_required SET STATISTICS 3, ALTER COLUMN
  last_ordinal SET STATISTICS 3, ALTER COLUMN last_action SET STATISTICS 3, ALTER COLUMN accepted_at SET STATISTICS 3, ALTER COLUMN
  key_id SET STATISTICS 3, ALTER COLUMN mac SET STATISTICS 3, ALTER COLUMN account_digest SET STATISTICS 3;

-- The life of a message, one row a move, in order without gaps.
CREATE TABLE message_history (
  realm             text NOT NULL,
  message_id        uuid NOT NULL,
  sequence          integer NOT NULL CHECK (sequence >= 1),
  kind              text NOT NULL,
  from_state        text NOT NULL,
  action            text NOT NULL,
  to_state          text NOT NULL,
  previous_sequence integer,
  version           integer NOT NULL,
  actor_user        uuid,
  actor_person      uuid,
  actor_name        text NOT NULL,
  client_id         text,
  channel           text NOT NULL CHECK (channel IN ('api', 'portal', 'clearing', 'clock')),
  reason            text CHECK (length(reason) <= 512),
  at                timestamptz NOT NULL,
  CONSTRAINT message_history_at_finite CHECK (isfinite(at)),
  CONSTRAINT message_history_check CHECK (CASE
      WHEN (sequence = 1) THEN ((previous_sequence IS NULL) AND (from_state = 'None'))
      ELSE ((previous_sequence IS NOT NULL) AND (previous_sequence = (sequence - 1)))
  END),
  PRIMARY KEY (realm, message_id, sequence),
  UNIQUE (realm, message_id, sequence, to_state),
  FOREIGN KEY (kind, from_state, action, to_state) REFERENCES legal_move(kind, from_state, action, to_state),
  FOREIGN KEY (realm, message_id) REFERENCES message(realm, message_id),
  CONSTRAINT message_history_realm_message_id_previous_sequence_from_st_fkey FOREIGN KEY (realm, message_id, previous_sequence,
    from_state) REFERENCES message_history(realm, message_id, sequence, to_state)
) WITH (autovacuum_analyze_threshold = 500, autovacuum_analyze_scale_factor = 1, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_insert_threshold = 50000);
CREATE INDEX message_history_by_state ON message_history (realm, to_state, at) INCLUDE (reason)
  WHERE to_state IN ('Rejected', 'Failed', 'Unconfirmed', 'Question') AND from_state <> to_state;
ALTER TABLE message_history ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON message_history USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT ON message_history TO countersign_app;
GRANT SELECT ON message_history TO countersign_reader;
-- Statistics are kept small: the planner needs none of these columns, or few values of them.
ALTER TABLE message_history
  ALTER COLUMN previous_sequence SET STATISTICS 0, ALTER COLUMN version SET STATISTICS 0, ALTER COLUMN actor_person SET STATISTICS 0,
  ALTER COLUMN client_id SET STATISTICS 0, ALTER COLUMN channel SET STATISTICS 0;

ALTER TABLE message ADD FOREIGN KEY (realm, message_id, state_sequence, state) REFERENCES message_history(realm, message_id, sequence,
  to_state);

-- Keys a client may use once: its externalId, its ISO message id, an Idempotency-Key. The fingerprint is the digest of the request.
CREATE TABLE creation_key (
  realm       text NOT NULL,
  client_id   text NOT NULL,
  scope       text NOT NULL CHECK (scope IN ('external-id', 'message-id', 'idempotency-key')),
  key         text NOT NULL CHECK ((length(key) >= 1) AND (length(key) <= 255)),
  message_id  uuid NOT NULL,
  fingerprint bytea NOT NULL,
  created_at  timestamptz NOT NULL,
  -- A key of a request carries a seal over what it stands for: which client used it, for which request, and which message that became.
  -- Without it a planted or changed row made the next request of that key a repeat of another one: the client believes that a payment is
  -- on its way which nobody makes.
  key_id      text NOT NULL CHECK (key_id <> ''),
  seal        bytea NOT NULL CHECK (length(seal) = 32),
  CONSTRAINT creation_key_created_at_finite CHECK (isfinite(created_at)),
  PRIMARY KEY (realm, client_id, scope, key),
  FOREIGN KEY (realm, message_id) REFERENCES message(realm, message_id)
) WITH (autovacuum_analyze_threshold = 500, autovacuum_analyze_scale_factor = 1, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_insert_threshold = 50000);
CREATE INDEX creation_key_by_message ON creation_key (message_id, realm);
ALTER TABLE creation_key ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON creation_key USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT ON creation_key TO countersign_app;
GRANT SELECT ON creation_key TO countersign_reader;
-- Statistics are kept small: the planner needs none of these columns, or few values of them.
ALTER TABLE creation_key
  ALTER COLUMN realm SET STATISTICS 3, ALTER COLUMN client_id SET STATISTICS 3, ALTER COLUMN scope SET STATISTICS 3, ALTER COLUMN key SET
  STATISTICS 3, ALTER COLUMN message_id SET STATISTICS 3, ALTER COLUMN fingerprint SET STATISTICS 3, ALTER COLUMN created_at SET
  STATISTICS 3, ALTER COLUMN key_id SET STATISTICS 3, ALTER COLUMN seal SET STATISTICS 3;

-- What a released payment took of a daily amount. Each row begins where the one before it ended, by a foreign key, and the day's first at
-- nothing: two that begin at the same sum cannot both be there, so two approvals that only together pass the limit are never both stored,
-- whatever the service did. The row keeps the amount that was allowed then. The release is no foreign key: rows of a day leave together, when
-- the last of its payments left with an archive.
CREATE TABLE limit_use (
  realm         text NOT NULL,
  message_id    uuid NOT NULL,
  limit_id      uuid NOT NULL,
  limit_of      text NOT NULL,
  holder        text NOT NULL,
  currency      text NOT NULL,
  -- of the release, in the zone of the banking day
  day           date NOT NULL,
  used_before   bigint NOT NULL CHECK (used_before >= 0),
  amount        bigint NOT NULL CHECK (amount > 0),
  used_after    bigint NOT NULL,
  allowed       bigint NOT NULL,
  previous_used bigint,
  CONSTRAINT limit_use_check CHECK (used_after = (used_before + amount)),
  CONSTRAINT limit_use_check1 CHECK (used_after <= allowed),
  CONSTRAINT limit_use_check2 CHECK (previous_used = used_before),
  CONSTRAINT limit_use_check3 CHECK ((used_before = 0) = (previous_used IS NULL)),
  PRIMARY KEY (realm, message_id, limit_id),
  UNIQUE (realm, limit_id, day, used_after),
  UNIQUE (realm, limit_id, day, used_before),
  FOREIGN KEY (realm, limit_id, day, previous_used) REFERENCES limit_use(realm, limit_id, day, used_after),
  FOREIGN KEY (realm, limit_id, limit_of, holder, currency) REFERENCES spending_limit(realm, limit_id, limit_of, holder, currency)
);
ALTER TABLE limit_use ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON limit_use USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT ON limit_use TO countersign_app;
GRANT SELECT ON limit_use TO countersign_reader;

-- When a checker first had a version of a message open: what the report of approvals that were faster than reading takes is made of.
-- Nothing that moves a payment reads it, and a row never changes.
CREATE TABLE message_look (
  realm      text NOT NULL,
  message_id uuid NOT NULL,
  version    integer NOT NULL,
  person_id  uuid NOT NULL,
  first_at   timestamptz NOT NULL CHECK (isfinite(first_at)),
  PRIMARY KEY (realm, message_id, version, person_id),
  FOREIGN KEY (realm, person_id) REFERENCES person(realm, person_id)
);
ALTER TABLE message_look ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON message_look USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT ON message_look TO countersign_app;
GRANT SELECT ON message_look TO countersign_reader;
