-- +goose Up
-- How people get their first password, and what an operator did to a realm.

-- A set-up lets one account choose its password, once: whoever has its link and its six-digit code, which go to two different people.
-- Both stand here as digests under a key outside the database; the seal keeps a row that somebody else wrote from opening an account.
CREATE TABLE user_setup (
  realm      text NOT NULL,
  setup_id   uuid NOT NULL,
  user_id    uuid NOT NULL,
  link_hash  bytea NOT NULL CHECK (length(link_hash) = 32),
  code_hash  bytea NOT NULL CHECK (length(code_hash) = 32),
  made_at    timestamptz NOT NULL CHECK (isfinite(made_at)),
  expires_at timestamptz NOT NULL CHECK (isfinite(expires_at) AND expires_at > made_at),
  key_id     text NOT NULL CHECK (key_id <> ''),
  seal       bytea NOT NULL CHECK (length(seal) = 32),
  PRIMARY KEY (realm, setup_id),
  UNIQUE (realm, link_hash),
  UNIQUE (realm, setup_id, user_id),
  FOREIGN KEY (realm, user_id) REFERENCES user_account (realm, user_id)
);
CREATE INDEX user_setup_by_user ON user_setup (realm, user_id, made_at);

-- Five tries at the code; a row is written before the code is compared, so parallel tries cannot slip past.
CREATE TABLE user_setup_try (
  realm    text NOT NULL,
  setup_id uuid NOT NULL,
  ordinal  integer NOT NULL CHECK (ordinal BETWEEN 1 AND 5),
  at       timestamptz NOT NULL CHECK (isfinite(at)),
  PRIMARY KEY (realm, setup_id, ordinal),
  FOREIGN KEY (realm, setup_id) REFERENCES user_setup (realm, setup_id)
);

-- The one use. The transaction that writes it may make the account active, and no other may (below).
CREATE TABLE user_setup_use (
  realm    text NOT NULL,
  setup_id uuid NOT NULL,
  user_id  uuid NOT NULL,
  at       timestamptz NOT NULL CHECK (isfinite(at)),
  used_in  xid8 NOT NULL DEFAULT pg_current_xact_id(),
  PRIMARY KEY (realm, setup_id),
  FOREIGN KEY (realm, setup_id, user_id) REFERENCES user_setup (realm, setup_id, user_id)
);

-- An administrator brought in by the operator although there were two already, with the reason. Pages of administrators show it.
CREATE TABLE break_glass (
  realm          text NOT NULL REFERENCES realm,
  break_glass_id uuid NOT NULL,
  user_id        uuid NOT NULL,
  reason         text NOT NULL CHECK (reason ~ '\S' AND length(reason) <= 512),
  at             timestamptz NOT NULL CHECK (isfinite(at)),
  PRIMARY KEY (realm, break_glass_id),
  FOREIGN KEY (realm, user_id) REFERENCES user_account (realm, user_id)
);

-- +goose StatementBegin
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['user_setup', 'user_setup_try', 'user_setup_use', 'break_glass']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_realm ON %I USING (realm = current_setting(''countersign.realm'', true))', name);
    EXECUTE format('GRANT SELECT ON %I TO countersign_app', name);
  END LOOP;
END
$$;
-- +goose StatementEnd
GRANT SELECT ON break_glass TO countersign_reader;
GRANT INSERT ON user_setup_try TO countersign_app;
GRANT INSERT (realm, setup_id, user_id, at) ON user_setup_use TO countersign_app; -- used_in is the database's to say

-- The status of an account as it was before the statement. A policy cannot look at its own table.
-- +goose StatementBegin
CREATE FUNCTION user_status_before(of_realm text, of_user uuid) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT status FROM user_account
  WHERE realm = of_realm AND user_id = of_user AND realm = current_setting('countersign.realm', true)
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION user_status_before(text, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION user_status_before(text, uuid) TO countersign_app;

-- The service makes an account active that waits for its set-up, in the transaction that uses it. It changes no other status.
GRANT UPDATE (status) ON user_account TO countersign_app;
CREATE POLICY status_by_set_up ON user_account AS RESTRICTIVE FOR UPDATE TO countersign_app USING (true) WITH CHECK (
  status = user_status_before(realm, user_id)
  OR (status = 'active' AND user_status_before(realm, user_id) = 'unverified'
      AND EXISTS (SELECT FROM user_setup_use u WHERE u.realm = user_account.realm AND u.user_id = user_account.user_id
                  AND u.used_in = pg_current_xact_id())));

-- What the operator does to a realm with the owner's login stands in its audit trail too.
ALTER TABLE audit_event DROP CONSTRAINT audit_event_channel_check;
ALTER TABLE audit_event ADD CONSTRAINT audit_event_channel_check CHECK (channel IN ('api', 'portal', 'clearing', 'clock', 'operator'));

-- +goose Down
-- Fails while the trail tells of an operator: nothing of it is thrown away.
ALTER TABLE audit_event DROP CONSTRAINT audit_event_channel_check;
ALTER TABLE audit_event ADD CONSTRAINT audit_event_channel_check CHECK (channel IN ('api', 'portal', 'clearing', 'clock'));
DROP POLICY status_by_set_up ON user_account;
REVOKE UPDATE (status) ON user_account FROM countersign_app;
DROP FUNCTION user_status_before(text, uuid);
DROP TABLE break_glass, user_setup_use, user_setup_try, user_setup;
