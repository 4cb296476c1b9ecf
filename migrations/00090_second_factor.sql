-- +goose Up
-- Second factors: what somebody shows beside the password. One row for each passkey, each authenticator app (TOTP, RFC 6238) and each set
-- of recovery codes. The secret of an app is encrypted under a subkey of the token key, which is not in the database; recovery codes stand
-- here as digests under another one, 32 bytes each; a passkey is its public part. The seal covers all of it, so a row that somebody writes
-- here lets nobody in. A factor is never changed: it is removed, for good.
CREATE TABLE second_factor (
  realm         text NOT NULL,
  factor_id     uuid NOT NULL,
  user_id       uuid NOT NULL,
  kind          text NOT NULL CHECK (kind IN ('totp', 'passkey', 'recovery')),
  name          text NOT NULL CHECK (name ~ '\S' AND length(name) <= 64),
  secret        bytea NOT NULL CHECK (length(secret) BETWEEN 1 AND 16384),
  credential_id bytea CHECK ((credential_id IS NOT NULL) = (kind = 'passkey') AND length(credential_id) <= 1023),
  made_at       timestamptz NOT NULL CHECK (isfinite(made_at)),
  removed_at    timestamptz CHECK (isfinite(removed_at)),
  key_id        text NOT NULL CHECK (key_id <> ''),
  seal          bytea NOT NULL CHECK (length(seal) = 32),
  PRIMARY KEY (realm, factor_id),
  UNIQUE (realm, factor_id, user_id),
  FOREIGN KEY (realm, user_id) REFERENCES user_account (realm, user_id)
);
CREATE INDEX second_factor_by_user ON second_factor (realm, user_id, made_at);
CREATE UNIQUE INDEX second_factor_credential ON second_factor (realm, credential_id) WHERE credential_id IS NOT NULL;

-- Each time a factor was shown and was right. The token is the digest of what was shown: the time step of an app, the challenge of a
-- passkey, a recovery code. It stands here once, so nothing is good a second time, however many requests come at once. A factor that is
-- used to enrol itself has a row too: one that is deleted whole leaves rows that refer to nothing. Columns about a message say what was
-- approved with it; the seal covers all of them.
CREATE TABLE factor_use (
  realm        text NOT NULL,
  use_id       uuid NOT NULL,
  factor_id    uuid NOT NULL,
  user_id      uuid NOT NULL,
  token        bytea NOT NULL CHECK (length(token) = 32),
  purpose      text NOT NULL CHECK (purpose IN ('enrol', 'sign-in', 'profile', 'approval')),
  at           timestamptz NOT NULL CHECK (isfinite(at)),
  message_id   uuid,
  version      integer,
  content_hash bytea,
  action       text CHECK (action = 'approve'),
  key_id       text NOT NULL CHECK (key_id <> ''),
  seal         bytea NOT NULL CHECK (length(seal) = 32),
  CHECK (CASE WHEN purpose = 'approval'
         THEN message_id IS NOT NULL AND version IS NOT NULL AND content_hash IS NOT NULL AND action IS NOT NULL
         ELSE message_id IS NULL AND version IS NULL AND content_hash IS NULL AND action IS NULL END),
  PRIMARY KEY (realm, use_id),
  UNIQUE (realm, factor_id, token),
  UNIQUE (realm, use_id, user_id, message_id, version, content_hash, action),
  FOREIGN KEY (realm, factor_id, user_id) REFERENCES second_factor (realm, factor_id, user_id)
);

-- +goose StatementBegin
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['second_factor', 'factor_use']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_realm ON %I USING (realm = current_setting(''countersign.realm'', true))', name);
    EXECUTE format('GRANT SELECT, INSERT ON %I TO countersign_app', name);
  END LOOP;
END
$$;
-- +goose StatementEnd
GRANT UPDATE (removed_at, key_id, seal) ON second_factor TO countersign_app;
CREATE POLICY removed_for_good ON second_factor AS RESTRICTIVE FOR UPDATE TO countersign_app USING (true) WITH CHECK (removed_at IS NOT NULL);
-- What is shown belongs to a factor that is in force. A foreign key cannot say "still".
CREATE POLICY in_force ON factor_use AS RESTRICTIVE FOR INSERT TO countersign_app WITH CHECK (
  EXISTS (SELECT FROM second_factor f WHERE f.realm = factor_use.realm AND f.factor_id = factor_use.factor_id AND f.removed_at IS NULL));

-- Which roles a realm wants a second factor of, separated by commas; "" for none. The seal of the realm covers it where it is set.
ALTER TABLE realm ADD COLUMN second_factor_roles text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE realm DROP COLUMN second_factor_roles;
DROP TABLE factor_use, second_factor;
