-- +goose Up
-- Forms, drafts and views that the portal keeps for its users.

-- A payment between the form and its submission. It belongs to one user and is gone after a day. Its key is the externalId of the message
-- it becomes, so that a form sent twice makes one message.
CREATE TABLE draft (
  realm          text NOT NULL,
  draft_id       uuid NOT NULL,
  user_id        uuid NOT NULL,
  scheme         text NOT NULL CHECK (scheme IN ('sic-inst', 'sct-inst')),
  -- What was typed, as the portal writes it; empty for a file.
  answers        bytea NOT NULL CHECK (length(answers) <= 65664),
  -- The uploaded file; empty for a form.
  file           bytea NOT NULL CHECK (length(file) <= 262272),
  file_name      text NOT NULL CHECK (length(file_name) <= 1400),
  -- The message and the version of it that this is an amendment of.
  amends         uuid,
  amends_version integer,
  -- The message it became.
  message_id     uuid,
  created_at     timestamptz NOT NULL,
  -- The creation time of the document it becomes: the last time the answers were checked.
  saved_at       timestamptz NOT NULL,
  expires_at     timestamptz NOT NULL,
  -- The payments of one file stand as drafts, one each, under the file's key and in the order of its lines.
  batch_id       uuid,
  batch_line     integer CHECK (batch_line > 0),
  -- The key of the page from which a draft was written last. Two windows may show one draft: what is kept from the one that shows it as
  -- it was never replaces what was kept from the other since. NULL where no page says so.
  form_key       uuid,
  -- SHA-256 of the uploaded file; NULL for a form.
  file_hash      bytea CHECK (length(file_hash) = 32),
  CONSTRAINT draft_batch_check CHECK ((batch_id IS NULL) = (batch_line IS NULL)),
  CONSTRAINT draft_check CHECK ((amends IS NULL) = (amends_version IS NULL)),
  CONSTRAINT draft_check1 CHECK (expires_at > created_at),
  CONSTRAINT draft_created_at_finite CHECK (isfinite(created_at)),
  CONSTRAINT draft_expires_at_finite CHECK (isfinite(expires_at)),
  CONSTRAINT draft_saved_at_finite CHECK (isfinite(saved_at)),
  PRIMARY KEY (realm, draft_id),
  FOREIGN KEY (realm, user_id) REFERENCES user_account(realm, user_id)
);
CREATE INDEX draft_by_batch ON draft (realm, user_id, batch_id, batch_line) WHERE batch_id IS NOT NULL;
CREATE INDEX draft_by_expiry ON draft (realm, expires_at);
CREATE INDEX draft_by_file ON draft (realm, file_hash) WHERE file_hash IS NOT NULL;
ALTER TABLE draft ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON draft USING (realm = current_setting('countersign.realm', true));
-- A draft never changes its owner, its key or what it amends.
GRANT SELECT, INSERT, DELETE, UPDATE (scheme, answers, message_id, saved_at, form_key) ON draft TO countersign_app;

-- A batch that a program sent. Its payments are drafts under its key until the dispatcher has made them.
CREATE TABLE batch (
  realm       text NOT NULL,
  batch_id    uuid NOT NULL,
  client_id   text NOT NULL,
  user_id     uuid NOT NULL,
  external_id text NOT NULL CHECK (length(external_id) BETWEEN 1 AND 36),
  -- Of the content, so that a repeat is known.
  fingerprint bytea NOT NULL CHECK (length(fingerprint) = 32),
  payments    integer NOT NULL CHECK (payments BETWEEN 1 AND 1000),
  -- Its maker, client and scheme, encrypted and so authenticated: the dispatcher acts for this person.
  sender      bytea NOT NULL CHECK (length(sender) BETWEEN 1 AND 4096),
  created_at  timestamptz NOT NULL,
  done_at     timestamptz,
  CONSTRAINT batch_created_at_finite CHECK (isfinite(created_at)),
  CONSTRAINT batch_done_at_finite CHECK (isfinite(done_at)),
  PRIMARY KEY (realm, batch_id),
  UNIQUE (realm, client_id, external_id),
  FOREIGN KEY (realm, user_id) REFERENCES user_account(realm, user_id)
);
CREATE INDEX batch_to_do ON batch (realm, batch_id) WHERE done_at IS NULL;
ALTER TABLE batch ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON batch USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT, UPDATE (done_at) ON batch TO countersign_app;

-- The payments of a file (also of one with a single payment) or batch: the message that each became, so that checkers see the file as one, or why none was made of it. Nothing
-- rests on it: each payment is decided for itself, under the digest of its content.
CREATE TABLE batch_payment (
  realm      text NOT NULL,
  batch_id   uuid NOT NULL,
  -- Of the payment in the file, from 1: its number in an order, its line in a table.
  position   integer NOT NULL CHECK (position > 0),
  message_id uuid,
  -- The findings that refuse it, encrypted.
  findings   bytea CHECK (length(findings) <= 1048576),
  file_name  text NOT NULL CHECK (length(file_name) <= 200),
  file_hash  bytea CHECK (length(file_hash) = 32),
  CONSTRAINT batch_payment_result CHECK ((message_id IS NULL) = (findings IS NOT NULL)),
  PRIMARY KEY (realm, batch_id, position),
  UNIQUE (realm, message_id),
  FOREIGN KEY (realm, message_id) REFERENCES message(realm, message_id)
);
CREATE INDEX batch_payment_by_file ON batch_payment (realm, file_hash) WHERE file_hash IS NOT NULL;
ALTER TABLE batch_payment ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON batch_payment USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT, UPDATE (message_id, findings) ON batch_payment TO countersign_app;

-- How far a webhook has delivered the stream of events. A process that delivers holds it for a moment.
CREATE TABLE webhook_progress (
  realm      text NOT NULL,
  webhook_id uuid NOT NULL,
  -- The last event that was passed.
  cursor     uuid,
  held_until timestamptz NOT NULL,
  PRIMARY KEY (realm, webhook_id),
  FOREIGN KEY (realm, webhook_id) REFERENCES webhook(realm, webhook_id)
);
ALTER TABLE webhook_progress ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON webhook_progress USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT, UPDATE ON webhook_progress TO countersign_app;

-- The messages and changes whose next event the receiver did not take. Others pass them; their own later events wait.
CREATE TABLE webhook_retry (
  realm      text NOT NULL,
  webhook_id uuid NOT NULL,
  -- The message, or the event itself for a change.
  about      uuid NOT NULL,
  event_id   uuid NOT NULL,
  failed     integer NOT NULL CHECK (failed > 0),
  since      timestamptz NOT NULL,
  next_at    timestamptz NOT NULL,
  PRIMARY KEY (realm, webhook_id, about),
  FOREIGN KEY (realm, webhook_id) REFERENCES webhook(realm, webhook_id)
);
ALTER TABLE webhook_retry ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON webhook_retry USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT, UPDATE, DELETE ON webhook_retry TO countersign_app;

-- The attempts to deliver, for the page of a webhook; gone after a week.
CREATE TABLE webhook_attempt (
  realm      text NOT NULL,
  attempt_id uuid NOT NULL,
  webhook_id uuid NOT NULL,
  event_id   uuid NOT NULL,
  event_type text NOT NULL CHECK (length(event_type) <= 60),
  at         timestamptz NOT NULL,
  -- Of the HTTP answer; 0 for none.
  status     integer NOT NULL CHECK (status BETWEEN 0 AND 999),
  -- Why it failed; empty for a delivery.
  failure    text NOT NULL CHECK (length(failure) <= 300),
  PRIMARY KEY (realm, attempt_id),
  FOREIGN KEY (realm, webhook_id) REFERENCES webhook(realm, webhook_id)
);
CREATE INDEX webhook_attempt_by_webhook ON webhook_attempt (realm, webhook_id, at DESC);
CREATE INDEX webhook_attempt_by_time ON webhook_attempt (realm, at);
ALTER TABLE webhook_attempt ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON webhook_attempt USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT, DELETE ON webhook_attempt TO countersign_app;

-- How a user wants to get the notices of a kind by e-mail. Written by the user; without a row the default of the program applies.
CREATE TABLE notice_choice (
  realm    text NOT NULL,
  user_id  uuid NOT NULL,
  kind     text NOT NULL CHECK (kind IN ('waiting', 'question', 'answer', 'rejected', 'expiring', 'recall')),
  delivery text NOT NULL CHECK (delivery IN ('at once', 'hourly', 'daily', 'none')),
  -- Of waiting: how long a payment waits before the notice.
  minutes  integer NOT NULL CHECK (minutes BETWEEN 0 AND 1440),
  PRIMARY KEY (realm, user_id, kind),
  FOREIGN KEY (realm, user_id) REFERENCES user_account(realm, user_id)
);
ALTER TABLE notice_choice ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON notice_choice USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT, UPDATE ON notice_choice TO countersign_app;

-- The notices to users, each once. Those of a user that are due together are sent as one e-mail.
CREATE TABLE notice (
  realm      text NOT NULL,
  user_id    uuid NOT NULL,
  kind       text NOT NULL CHECK (kind IN ('waiting', 'question', 'answer', 'rejected', 'expiring', 'recall')),
  message_id uuid NOT NULL,
  -- The step or version of the message that the notice is about.
  occasion   integer NOT NULL,
  made_at    timestamptz NOT NULL,
  -- Of the next attempt. A process that sends moves it on first, so that no other process sends at the same time.
  due_at     timestamptz NOT NULL,
  mail_id    uuid,
  failed     integer DEFAULT 0 NOT NULL,
  failed_at  timestamptz,
  failure    text DEFAULT '' NOT NULL CHECK (length(failure) <= 300),
  done_at    timestamptz,
  result     text CHECK (result IN ('sent', 'dropped', 'failed')),
  CONSTRAINT notice_done CHECK ((done_at IS NULL) = (result IS NULL)),
  PRIMARY KEY (realm, user_id, kind, message_id, occasion),
  FOREIGN KEY (realm, user_id) REFERENCES user_account(realm, user_id),
  FOREIGN KEY (realm, message_id) REFERENCES message(realm, message_id)
);
CREATE INDEX notice_due ON notice (realm, due_at) WHERE done_at IS NULL;
CREATE INDEX notice_by_time ON notice (realm, made_at);
ALTER TABLE notice ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON notice USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT, DELETE, UPDATE (due_at, mail_id, failed, failed_at, failure, done_at, result) ON notice TO countersign_app;

-- What somebody sent after their session had run out: the reason of a rejection, the answers of a check page, a file. Nothing of it is
-- done. It belongs to the person whose session it was, who finds it filled in again after signing in, and is gone after an hour.
CREATE TABLE parked_form (
  realm      text NOT NULL,
  parked_id  uuid NOT NULL,
  user_id    uuid NOT NULL,
  -- The fields as a form sends them.
  fields     bytea NOT NULL CHECK (length(fields) <= 65664),
  -- An uploaded file; empty for a form without one.
  file       bytea NOT NULL CHECK (length(file) <= 2097280),
  file_name  text NOT NULL CHECK (length(file_name) <= 1400),
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT parked_form_check CHECK (expires_at > created_at),
  PRIMARY KEY (realm, parked_id),
  FOREIGN KEY (realm, user_id) REFERENCES user_account(realm, user_id)
);
CREATE INDEX parked_form_by_expiry ON parked_form (realm, expires_at);
ALTER TABLE parked_form ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON parked_form USING (realm = current_setting('countersign.realm', true));
-- What was typed never changes.
GRANT SELECT, INSERT, DELETE ON parked_form TO countersign_app;

-- Which waiting message each checker looks at, so that two do not read the same. It is kept for all instances of the service, counts for
-- less than a minute, and may be lost: the table is not in the write-ahead log, and nothing that moves a payment touches it.
CREATE UNLOGGED TABLE presence (
  realm      text NOT NULL,
  person_id  uuid NOT NULL,
  message_id uuid NOT NULL,
  seen_at    timestamptz NOT NULL,
  PRIMARY KEY (realm, person_id),
  FOREIGN KEY (realm, person_id) REFERENCES person(realm, person_id)
);
ALTER TABLE presence ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON presence USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT, UPDATE ON presence TO countersign_app;

-- What somebody narrows the queue to again and again, under a name: the end of an address, for oneself or for everybody of the realm.
CREATE TABLE saved_view (
  realm      text NOT NULL,
  view_id    uuid NOT NULL,
  user_id    uuid NOT NULL,
  name       text NOT NULL CHECK ((length(name) >= 1) AND (length(name) <= 40)),
  -- Only what the queue is narrowed and ordered by; never a place in it.
  query      text NOT NULL CHECK (length(query) <= 1024),
  shared     boolean NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (realm, view_id),
  UNIQUE (realm, user_id, name),
  FOREIGN KEY (realm, user_id) REFERENCES user_account(realm, user_id)
);
ALTER TABLE saved_view ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON saved_view USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT, DELETE, UPDATE ON saved_view TO countersign_app;

-- A payment that is entered again and again, under a name, for its maker or for every maker of the realm. It fills the form and nothing
-- else.
CREATE TABLE payment_template (
  realm       text NOT NULL,
  template_id uuid NOT NULL,
  user_id     uuid NOT NULL,
  name        text NOT NULL CHECK ((length(name) >= 1) AND (length(name) <= 60)),
  scheme      text NOT NULL CHECK (scheme IN ('sic-inst', 'sct-inst')),
  -- The answers of the form, encrypted.
  answers     bytea NOT NULL CHECK ((length(answers) >= 1) AND (length(answers) <= 65664)),
  shared      boolean NOT NULL,
  saved_at    timestamptz NOT NULL,
  PRIMARY KEY (realm, template_id),
  UNIQUE (realm, user_id, name),
  FOREIGN KEY (realm, user_id) REFERENCES user_account(realm, user_id)
);
ALTER TABLE payment_template ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON payment_template USING (realm = current_setting('countersign.realm', true));
-- A template never changes its owner.
GRANT SELECT, INSERT, DELETE, UPDATE (template_id, name, scheme, answers, shared, saved_at) ON payment_template TO countersign_app;
