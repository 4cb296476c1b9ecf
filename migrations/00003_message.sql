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
  ('instruction', 'None',             'submit',   'Approval Pending'),
  ('instruction', 'None',             'submit',   'Processing'),
  ('instruction', 'Approval Pending', 'approve',  'Approval Pending'),
  ('instruction', 'Approval Pending', 'approve',  'Approved'),
  ('instruction', 'Approval Pending', 'reject',   'Rejected'),
  ('instruction', 'Approval Pending', 'withdraw', 'Withdrawn'),
  ('instruction', 'Approval Pending', 'amend',    'Approval Pending'),
  ('instruction', 'Approval Pending', 'expire',   'Expired'),
  ('instruction', 'Approved',         'deliver',  'Processing'),
  ('instruction', 'Approved',         'settle',   'Settled'),
  ('instruction', 'Approved',         'refuse',   'Failed'),
  ('instruction', 'Approved',         'withhold', 'Failed'),
  ('instruction', 'Approved',         'time out', 'Unconfirmed'),
  ('instruction', 'Processing',       'deliver',  'Processing'),
  ('instruction', 'Processing',       'settle',   'Settled'),
  ('instruction', 'Processing',       'refuse',   'Failed'),
  ('instruction', 'Processing',       'withhold', 'Failed'),
  ('instruction', 'Processing',       'time out', 'Unconfirmed'),
  ('instruction', 'Unconfirmed',      'deliver',  'Unconfirmed'),
  ('instruction', 'Unconfirmed',      'inquire',  'Unconfirmed'),
  ('instruction', 'Unconfirmed',      'settle',   'Settled'),
  ('instruction', 'Unconfirmed',      'refuse',   'Failed'),
  ('return', 'None', 'submit', 'Approval Pending'),
  ('return', 'None', 'submit', 'Processing'),
  ('return', 'Approval Pending', 'approve', 'Approval Pending'),
  ('return', 'Approval Pending', 'approve', 'Approved'),
  ('return', 'Approval Pending', 'reject', 'Rejected'),
  ('return', 'Approval Pending', 'withdraw', 'Withdrawn'),
  ('return', 'Approval Pending', 'expire', 'Expired'),
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
  ('recall', 'None', 'submit', 'Approval Pending'),
  ('recall', 'None', 'submit', 'Processing'),
  ('recall', 'Approval Pending', 'approve', 'Approval Pending'),
  ('recall', 'Approval Pending', 'approve', 'Approved'),
  ('recall', 'Approval Pending', 'reject', 'Rejected'),
  ('recall', 'Approval Pending', 'withdraw', 'Withdrawn'),
  ('recall', 'Approval Pending', 'expire', 'Expired'),
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
  ('payment', 'None', 'refuse', 'Failed'),
  ('payment', 'Booked', 'refuse', 'Failed'),
  ('received recall', 'None', 'receive', 'Awaiting Decision'),
  ('received recall', 'Awaiting Decision', 'answer', 'Answered');

-- A message: what a client creates and a checker decides. Identity and frozen policy never change; the columns from "version"
-- on are its state, moved by one guarded statement that also writes the history row the foreign key at the end asks for.
CREATE TABLE message (
  realm              text NOT NULL REFERENCES realm,
  message_id         uuid NOT NULL,
  global_id          text NOT NULL CHECK (global_id ~ '^[0-9A-HJKMNP-TV-Z]{16}$'),
  kind               text NOT NULL,
  scheme             text NOT NULL CHECK (scheme IN ('sic-inst', 'sct-inst')),
  direction          text NOT NULL CHECK (direction IN ('in', 'out')),
  channel            text NOT NULL CHECK (channel IN ('api', 'portal', 'clearing')),
  client_id          text,
  external_id        text CHECK (length(external_id) BETWEEN 1 AND 36),
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
  inquiries          integer NOT NULL DEFAULT 0,
  inquire_at         timestamptz,
  PRIMARY KEY (realm, message_id),
  UNIQUE (realm, global_id),
  UNIQUE (realm, message_id, maker_person, approvals_required),
  FOREIGN KEY (realm, client_id) REFERENCES client (realm, client_id),
  FOREIGN KEY (realm, maker_user, maker_person) REFERENCES user_account (realm, user_id, person_id),
  FOREIGN KEY (realm, policy_id, approvals_required) REFERENCES policy (realm, policy_id, approvals_required),
  FOREIGN KEY (realm, original_id) REFERENCES message (realm, message_id),
  FOREIGN KEY (realm, answers_id) REFERENCES message (realm, message_id),
  -- What comes in has no maker and is never decided; what goes out has one, and a policy.
  CHECK (CASE WHEN direction = 'in' THEN channel = 'clearing' AND maker_person IS NULL AND approvals_required = 0
         ELSE channel <> 'clearing' AND client_id IS NOT NULL AND maker_user IS NOT NULL AND maker_person IS NOT NULL AND policy_id IS NOT NULL END),
  CHECK (direction = (CASE WHEN kind IN ('payment', 'received recall') THEN 'in' ELSE 'out' END)),
  CHECK ((original_id IS NOT NULL) = (kind IN ('recall', 'return', 'resolution', 'received recall'))),
  CHECK (answers_id IS NULL OR kind IN ('return', 'resolution')),
  CHECK (kind <> 'resolution' OR answers_id IS NOT NULL)
);
-- One recall of a payment for ever, unless it was closed before release. A return frees its original when clearing refuses it; a return
-- and a resolution of the same recall exclude each other, also while one merely waits for approval.
CREATE UNIQUE INDEX message_one_recall ON message (realm, original_id)
  WHERE kind = 'recall' AND state NOT IN ('Rejected', 'Withdrawn', 'Expired');
CREATE UNIQUE INDEX message_one_return ON message (realm, original_id)
  WHERE kind = 'return' AND state NOT IN ('Rejected', 'Withdrawn', 'Expired', 'Failed');
CREATE UNIQUE INDEX message_one_answer ON message (realm, answers_id)
  WHERE answers_id IS NOT NULL AND state NOT IN ('Rejected', 'Withdrawn', 'Expired', 'Failed');
CREATE INDEX message_by_original ON message (realm, original_id, message_id) WHERE original_id IS NOT NULL;
CREATE UNIQUE INDEX message_one_received_recall ON message (realm, original_id) WHERE kind = 'received recall';
-- Recalls whose answer is due.
CREATE INDEX message_answer_due ON message (realm, answer_by) WHERE state IN ('Processing', 'Acknowledged', 'Overdue', 'Awaiting Decision');
-- The queue. Keys are UUIDv7, so the key is the order of arrival.
CREATE INDEX message_pending ON message (realm, message_id) WHERE state = 'Approval Pending';
-- Released and not yet with clearing: what the relay picks up again after a crash.
CREATE INDEX message_undelivered ON message (realm, accepted_at) WHERE accepted_at IS NOT NULL AND delivered_at IS NULL;
-- Waiting for an answer of clearing, and without one for too long.
CREATE INDEX message_in_flight ON message (realm, accepted_at) WHERE state IN ('Approved', 'Processing') AND kind IN ('instruction', 'return');
CREATE INDEX message_unconfirmed ON message (realm, inquire_at) WHERE state IN ('Unconfirmed', 'Overdue');
CREATE INDEX message_by_maker ON message (realm, maker_user, message_id);

-- Every ISO 20022 document, in or out, as its exact bytes; a draft is what a checker approves before it is stamped and sent. Written once. Source: the bytes a client sent when the document was
-- made from another form of it (JSON), kept as evidence.
CREATE TABLE document (
  realm        text NOT NULL REFERENCES realm,
  document_id  uuid NOT NULL,
  message_id   uuid,
  scheme       text NOT NULL CHECK (scheme IN ('sic-inst', 'sct-inst')),
  direction    text NOT NULL CHECK (direction IN ('in', 'out', 'draft')),
  name         text NOT NULL CHECK (name ~ '^[a-z]{4}\.[0-9]{3}\.[0-9]{3}\.[0-9]{2}$'),
  reference    text NOT NULL CHECK (length(reference) BETWEEN 1 AND 140),
  content      bytea NOT NULL,
  content_hash bytea NOT NULL CHECK (content_hash = sha256(content)),
  source       bytea,
  source_type  text CHECK ((source IS NULL) = (source_type IS NULL)),
  created_at   timestamptz NOT NULL,
  PRIMARY KEY (realm, document_id),
  UNIQUE (realm, document_id, message_id, content_hash)
);
CREATE INDEX document_by_message ON document (realm, message_id, document_id);
-- An outbound document is made once; its reference is the message id clearing sees on every attempt.
CREATE UNIQUE INDEX document_outbound ON document (realm, reference) WHERE direction = 'out';

-- A version of a message's content: the first by its maker, each later one by an editor. "makers" lists everybody who wrote any
-- version up to this one; the foreign key to the version before keeps the list from losing a name. The searched fields are columns.
CREATE TABLE message_version (
  realm              text NOT NULL,
  message_id         uuid NOT NULL,
  version            integer NOT NULL CHECK (version >= 1),
  document_id        uuid NOT NULL,
  content_hash       bytea NOT NULL,
  maker_user         uuid,
  maker_person       uuid,
  makers             uuid[] NOT NULL,
  previous_version   integer,
  previous_makers    uuid[],
  first_maker        uuid,
  approvals_required integer NOT NULL,
  created_at         timestamptz NOT NULL,
  amount             bigint NOT NULL CHECK (amount > 0),
  currency           text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  instruction_id     text,
  end_to_end_id      text NOT NULL,
  transaction_id     text,
  uetr               text,
  debtor_name        text NOT NULL,
  debtor_account     text NOT NULL,
  debtor_agent       text NOT NULL,
  creditor_name      text NOT NULL,
  creditor_account   text NOT NULL,
  creditor_agent     text NOT NULL,
  remittance         text NOT NULL,
  PRIMARY KEY (realm, message_id, version),
  UNIQUE (realm, message_id, version, makers),
  UNIQUE (realm, message_id, version, makers, content_hash, approvals_required),
  FOREIGN KEY (realm, document_id, message_id, content_hash) REFERENCES document (realm, document_id, message_id, content_hash),
  FOREIGN KEY (realm, maker_user, maker_person) REFERENCES user_account (realm, user_id, person_id),
  -- The first version's maker is the message's maker; the number of approvals is the message's at every version.
  FOREIGN KEY (realm, message_id, first_maker, approvals_required) REFERENCES message (realm, message_id, maker_person, approvals_required),
  FOREIGN KEY (realm, message_id, previous_version, previous_makers) REFERENCES message_version (realm, message_id, version, makers),
  CHECK (CASE WHEN maker_person IS NULL THEN makers = '{}' AND first_maker IS NULL AND version = 1 AND approvals_required = 0
         ELSE first_maker IS NOT NULL AND first_maker = makers[1] END),
  CHECK (CASE WHEN version = 1
         THEN previous_version IS NULL AND previous_makers IS NULL AND (maker_person IS NULL OR makers = ARRAY[maker_person])
         ELSE previous_version IS NOT NULL AND previous_makers IS NOT NULL
              AND previous_version = version - 1 AND makers = array_append(previous_makers, maker_person) END)
);
CREATE INDEX message_version_by_end_to_end_id ON message_version (realm, end_to_end_id);
CREATE INDEX message_version_by_creditor_account ON message_version (realm, creditor_account, message_id);
CREATE INDEX message_version_by_transaction_id ON message_version (realm, transaction_id) WHERE transaction_id IS NOT NULL;
CREATE INDEX message_version_by_amount ON message_version (realm, amount, message_id);
ALTER TABLE message ADD FOREIGN KEY (realm, message_id, version) REFERENCES message_version (realm, message_id, version)
  ;

-- A decision of one person about one version. Ordinals count the decisions of a version: the next one may follow only an approval,
-- and there are never more than the message asks for, so the last ordinal proves that many different people approved.
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
  reason             text,
  previous_ordinal   integer,
  previous_action    text,
  decided_at         timestamptz NOT NULL,
  PRIMARY KEY (realm, message_id, version, ordinal),
  UNIQUE (realm, message_id, version, checker_person),
  UNIQUE (realm, message_id, version, ordinal, action),
  UNIQUE (realm, message_id, version, ordinal, action, content_hash, approvals_required),
  FOREIGN KEY (realm, message_id, version, makers, content_hash, approvals_required)
    REFERENCES message_version (realm, message_id, version, makers, content_hash, approvals_required),
  FOREIGN KEY (realm, checker_user, checker_person) REFERENCES user_account (realm, user_id, person_id),
  FOREIGN KEY (realm, client_id) REFERENCES client (realm, client_id),
  FOREIGN KEY (realm, message_id, version, previous_ordinal, previous_action)
    REFERENCES decision (realm, message_id, version, ordinal, action),
  CHECK (cardinality(makers) > 0 AND checker_person <> ALL (makers)),
  CHECK ((action = 'reject') = (reason IS NOT NULL)),
  CHECK (reason IS NULL OR (reason ~ '\S' AND length(reason) <= 512)),
  CHECK (ordinal BETWEEN 1 AND approvals_required),
  CHECK (CASE WHEN ordinal = 1
         THEN previous_ordinal IS NULL AND previous_action IS NULL
         ELSE previous_ordinal IS NOT NULL AND previous_action IS NOT NULL
              AND previous_ordinal = ordinal - 1 AND previous_action = 'approve' END)
);

-- A release: the approved content handed to clearing, once. It refers to the last approval needed, or to a message that needs none.
-- The MAC is made with a key outside the database; the relay checks it and the digest before it sends.
CREATE TABLE release (
  realm              text NOT NULL,
  message_id         uuid NOT NULL,
  version            integer NOT NULL,
  makers             uuid[] NOT NULL,
  content_hash       bytea NOT NULL,
  approvals_required integer NOT NULL,
  last_ordinal       integer,
  last_action        text,
  accepted_at        timestamptz NOT NULL,
  key_id             text NOT NULL,
  mac                bytea NOT NULL CHECK (length(mac) = 32),
  CHECK (cardinality(makers) > 0),
  PRIMARY KEY (realm, message_id),
  FOREIGN KEY (realm, message_id, version, makers, content_hash, approvals_required)
    REFERENCES message_version (realm, message_id, version, makers, content_hash, approvals_required),
  FOREIGN KEY (realm, message_id, version, last_ordinal, last_action, content_hash, approvals_required)
    REFERENCES decision (realm, message_id, version, ordinal, action, content_hash, approvals_required),
  CHECK (CASE WHEN approvals_required = 0
         THEN last_ordinal IS NULL AND last_action IS NULL
         ELSE last_ordinal IS NOT NULL AND last_action IS NOT NULL
              AND last_ordinal = approvals_required AND last_action = 'approve' END)
);

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
  PRIMARY KEY (realm, message_id, sequence),
  UNIQUE (realm, message_id, sequence, to_state),
  FOREIGN KEY (realm, message_id) REFERENCES message (realm, message_id),
  FOREIGN KEY (kind, from_state, action, to_state) REFERENCES legal_move,
  FOREIGN KEY (realm, message_id, previous_sequence, from_state) REFERENCES message_history (realm, message_id, sequence, to_state),
  CHECK (CASE WHEN sequence = 1 THEN previous_sequence IS NULL AND from_state = 'None'
         ELSE previous_sequence IS NOT NULL AND previous_sequence = sequence - 1 END)
);
-- No state without the history row that leads to it.
ALTER TABLE message ADD FOREIGN KEY (realm, message_id, state_sequence, state)
  REFERENCES message_history (realm, message_id, sequence, to_state);

-- What happened, for the auditor: one row for every change of state and for every refusal that matters. Never changed.
CREATE TABLE audit_event (
  realm          text NOT NULL REFERENCES realm,
  event_id       uuid NOT NULL,
  message_id     uuid,
  sequence       integer,
  event          text NOT NULL CHECK (event <> ''),
  actor_user     uuid,
  actor_person   uuid,
  actor_name     text NOT NULL,
  client_id      text,
  channel        text NOT NULL CHECK (channel IN ('api', 'portal', 'clearing', 'clock')),
  request_id     text,
  source_address text,
  content_hash   bytea,
  detail         text NOT NULL,
  at             timestamptz NOT NULL,
  PRIMARY KEY (realm, event_id)
);
CREATE UNIQUE INDEX audit_event_by_message ON audit_event (realm, message_id, sequence);

-- Keys a client may use once: its externalId, its ISO message id, an Idempotency-Key. The fingerprint is the digest of the request.
CREATE TABLE creation_key (
  realm       text NOT NULL,
  client_id   text NOT NULL,
  scope       text NOT NULL CHECK (scope IN ('external-id', 'message-id', 'idempotency-key')),
  key         text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  message_id  uuid NOT NULL,
  fingerprint bytea NOT NULL,
  created_at  timestamptz NOT NULL,
  PRIMARY KEY (realm, client_id, scope, key),
  FOREIGN KEY (realm, message_id) REFERENCES message (realm, message_id)
);

-- +goose StatementBegin
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['message', 'document', 'message_version', 'decision', 'release', 'message_history', 'audit_event', 'creation_key']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_realm ON %I USING (realm = current_setting(''countersign.realm'', true))', name);
    EXECUTE format('GRANT SELECT, INSERT ON %I TO countersign_app', name);
    EXECUTE format('GRANT SELECT ON %I TO countersign_reader', name);
  END LOOP;
END
$$;
-- +goose StatementEnd
GRANT SELECT ON legal_move TO countersign_app, countersign_reader;
GRANT UPDATE (version, approvals, state, state_sequence, state_since, accepted_at, delivered_at, settled_at,
              status_code, status_text, inquiries, inquire_at, answer_by) ON message TO countersign_app;

-- +goose Down
ALTER TABLE message DROP CONSTRAINT message_realm_message_id_version_fkey;
DROP TABLE creation_key, audit_event, release, decision, message_version, document CASCADE;
DROP TABLE message, message_history, legal_move CASCADE;
