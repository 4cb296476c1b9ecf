-- +goose Up
-- What the portal keeps for the people who work in it: their sessions and the payments they are about to submit.

-- Sessions of the portal. The layout is the one the session library asks for; the token stands as a digest. No realm leads the key,
-- because the cookie is all that is known when a session is looked up; the session's own data names the realm.
CREATE TABLE sessions (
  token  text PRIMARY KEY,
  data   bytea NOT NULL,
  expiry timestamptz NOT NULL
);
CREATE INDEX sessions_by_expiry ON sessions (expiry);
GRANT SELECT, INSERT, UPDATE, DELETE ON sessions TO countersign_app;

-- A payment between the form and its submission. It belongs to one user and is gone after a day. Its key is the externalId of the
-- message it becomes, so that a form sent twice makes one message.
CREATE TABLE draft (
  realm       text NOT NULL,
  draft_id    uuid NOT NULL,
  user_id     uuid NOT NULL,
  scheme      text NOT NULL CHECK (scheme IN ('sic-inst', 'sct-inst')),
  -- What was typed, as the portal writes it; empty for a file.
  answers     bytea NOT NULL CHECK (length(answers) <= 65536),
  -- The uploaded file; empty for a form.
  file        bytea NOT NULL CHECK (length(file) <= 262144),
  file_name   text NOT NULL CHECK (length(file_name) <= 255),
  -- The message and the version of it that this is an amendment of.
  amends      uuid,
  amends_version integer CHECK ((amends IS NULL) = (amends_version IS NULL)),
  -- The message it became.
  message_id  uuid,
  created_at  timestamptz NOT NULL,
  -- The creation time of the document it becomes: the last time the answers were checked.
  saved_at    timestamptz NOT NULL,
  expires_at  timestamptz NOT NULL CHECK (expires_at > created_at),
  PRIMARY KEY (realm, draft_id),
  FOREIGN KEY (realm, user_id) REFERENCES user_account (realm, user_id)
);
CREATE INDEX draft_by_expiry ON draft (realm, expires_at);

ALTER TABLE draft ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON draft USING (realm = current_setting('countersign.realm', true));

-- A draft never changes its owner, its key or what it amends.
GRANT SELECT, INSERT, DELETE ON draft TO countersign_app;
GRANT UPDATE (scheme, answers, message_id, saved_at) ON draft TO countersign_app;

-- +goose Down
DROP TABLE draft, sessions;
