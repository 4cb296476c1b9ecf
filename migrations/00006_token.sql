-- +goose Up
-- Tokens of the API, and the throttle of both doors. Nothing here can be used to act: tokens stand as SHA-256 digests of random text.

-- A family is one sign-in of a user through a client, with all tokens that follow from it. It ends at a fixed time, however often it
-- is refreshed, and dies at once by logout, by revocation, or because a spent refresh token was used again.
CREATE TABLE token_family (
  realm          text NOT NULL,
  family_id      uuid NOT NULL,
  user_id        uuid NOT NULL,
  client_id      text NOT NULL,
  scope          text NOT NULL,
  started_at     timestamptz NOT NULL,
  ends_at        timestamptz NOT NULL CHECK (ends_at > started_at),
  revoked_at     timestamptz,
  revoked_for    text CHECK (revoked_for IN ('logout', 'revocation', 'reuse')),
  CHECK ((revoked_at IS NULL) = (revoked_for IS NULL)),
  PRIMARY KEY (realm, family_id),
  FOREIGN KEY (realm, user_id) REFERENCES user_account (realm, user_id),
  FOREIGN KEY (realm, client_id) REFERENCES client (realm, client_id)
);
CREATE INDEX token_family_by_end ON token_family (realm, ends_at);

-- A refresh token is spent by its successor. Spent ones stay as long as the family, so that a second use is noticed.
CREATE TABLE refresh_token (
  realm          text NOT NULL,
  token_hash     bytea NOT NULL CHECK (length(token_hash) = 32),
  family_id      uuid NOT NULL,
  issued_at      timestamptz NOT NULL,
  expires_at     timestamptz NOT NULL,
  spent_at       timestamptz,
  successor_hash bytea CHECK (length(successor_hash) = 32),
  CHECK ((spent_at IS NULL) = (successor_hash IS NULL)),
  PRIMARY KEY (realm, token_hash),
  FOREIGN KEY (realm, family_id) REFERENCES token_family (realm, family_id) ON DELETE CASCADE
);
-- One live refresh token in a family, whatever races.
CREATE UNIQUE INDEX refresh_token_live ON refresh_token (realm, family_id) WHERE spent_at IS NULL;
CREATE INDEX refresh_token_by_family ON refresh_token (realm, family_id);

CREATE TABLE access_token (
  realm      text NOT NULL,
  token_hash bytea NOT NULL CHECK (length(token_hash) = 32),
  family_id  uuid NOT NULL,
  issued_at  timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (realm, token_hash),
  FOREIGN KEY (realm, family_id) REFERENCES token_family (realm, family_id) ON DELETE CASCADE
);
CREATE INDEX access_token_by_family ON access_token (realm, family_id);
CREATE INDEX access_token_by_expiry ON access_token (realm, expires_at);

-- Tries to sign in since the last success, per name, whether or not the name exists. The name stands as a SHA-256 digest: people
-- type passwords into the wrong field. A row is written before the password is checked, so parallel tries cannot slip past it.
CREATE TABLE login_throttle (
  realm        text NOT NULL REFERENCES realm,
  name_hash    bytea NOT NULL CHECK (length(name_hash) = 32),
  failures     integer NOT NULL CHECK (failures > 0),
  last_try_at  timestamptz NOT NULL,
  locked_until timestamptz NOT NULL,
  PRIMARY KEY (realm, name_hash)
);
CREATE INDEX login_throttle_by_age ON login_throttle (realm, last_try_at);

ALTER TABLE token_family ENABLE ROW LEVEL SECURITY;
ALTER TABLE refresh_token ENABLE ROW LEVEL SECURITY;
ALTER TABLE access_token ENABLE ROW LEVEL SECURITY;
ALTER TABLE login_throttle ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON token_family USING (realm = current_setting('countersign.realm', true));
CREATE POLICY own_realm ON refresh_token USING (realm = current_setting('countersign.realm', true));
CREATE POLICY own_realm ON access_token USING (realm = current_setting('countersign.realm', true));
CREATE POLICY own_realm ON login_throttle USING (realm = current_setting('countersign.realm', true));

-- A family can be revoked, a refresh token can be spent; what was issued to whom cannot be changed. Deleting is for what has ended:
-- the tokens of a family go with it.
GRANT SELECT, INSERT ON token_family, refresh_token, access_token TO countersign_app;
GRANT UPDATE (revoked_at, revoked_for) ON token_family TO countersign_app;
GRANT UPDATE (spent_at, successor_hash) ON refresh_token TO countersign_app;
GRANT DELETE ON token_family, access_token TO countersign_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON login_throttle TO countersign_app;

-- +goose Down
DROP TABLE login_throttle, access_token, refresh_token, token_family;
