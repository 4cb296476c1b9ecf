-- +goose Up
-- Who may act: realms, people, their user accounts and roles, the clients they act through, and how they sign in.

-- A realm is one institution. Written by the operator (demo: by the demo). No secrets, so no row-level security: the mark opens every
-- Global ID of the realm and leads an answer of clearing back to it.
CREATE TABLE realm (
  realm                    text NOT NULL CHECK (realm ~ '^[a-z][a-z0-9-]{0,31}$'),
  name                     text NOT NULL CHECK (name <> ''),
  mark                     text NOT NULL CHECK (mark ~ '^[2-9A-HJKMNP-TV-Z]{2}$'),
  made_by                  text NOT NULL CHECK (made_by IN ('demo', 'operator')),
  access_token_seconds     integer DEFAULT 300 NOT NULL CHECK ((access_token_seconds >= 1) AND (access_token_seconds <= 3600)),
  refresh_token_seconds    integer DEFAULT 1800 NOT NULL CHECK ((refresh_token_seconds >= 1) AND (refresh_token_seconds <= 86400)),
  refresh_absolute_seconds integer DEFAULT 43200 NOT NULL CHECK ((refresh_absolute_seconds >= 1) AND (refresh_absolute_seconds <= 604800)),
  created_at               timestamptz NOT NULL,
  -- Which roles a realm wants a second factor of, separated by commas; "" for none.
  second_factor_roles      text DEFAULT '' NOT NULL,
  -- E-mails may name amounts and creditors.
  notice_details           boolean DEFAULT false NOT NULL,
  CONSTRAINT realm_created_at_finite CHECK (isfinite(created_at)),
  PRIMARY KEY (realm),
  UNIQUE (mark)
);
ALTER TABLE realm ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON realm TO countersign_app USING ((realm = current_setting('countersign.realm', true)) OR
  (current_setting('countersign.realm', true) = '(gateway)'));
CREATE POLICY every_realm ON realm FOR SELECT TO countersign_reader USING (true);
-- Users, roles, clients, policies and accounts are not the service's to change.
GRANT SELECT, UPDATE (second_factor_roles, notice_details) ON realm TO countersign_app;
GRANT SELECT ON realm TO countersign_reader;

-- A person is a human being. Four-eyes compares people, not accounts. The duty keeps administration apart from payments.
CREATE TABLE person (
  realm        text NOT NULL,
  person_id    uuid NOT NULL,
  display_name text NOT NULL CHECK (display_name <> ''),
  duty         text NOT NULL CHECK (duty IN ('payments', 'administration')),
  created_at   timestamptz NOT NULL,
  CONSTRAINT person_created_at_finite CHECK (isfinite(created_at)),
  PRIMARY KEY (realm, person_id),
  UNIQUE (realm, person_id, duty),
  FOREIGN KEY (realm) REFERENCES realm(realm)
);
ALTER TABLE person ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON person USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT ON person TO countersign_app;
GRANT SELECT ON person TO countersign_reader;

-- Which role belongs to which duty: an administrator can hold no maker or checker role, in no account.
CREATE TABLE role_duty (
  role text NOT NULL,
  duty text NOT NULL,
  PRIMARY KEY (role),
  UNIQUE (role, duty)
);
INSERT INTO role_duty (role, duty) VALUES
  ('maker', 'payments'),
  ('checker', 'payments'),
  ('supervisor', 'payments'),
  ('administrator', 'administration');
GRANT SELECT ON role_duty TO countersign_app, countersign_reader;

-- A user account: a name and a password of one person. The name is stored normalised (NFKC, lower case).
CREATE TABLE user_account (
  realm         text NOT NULL,
  user_id       uuid NOT NULL,
  person_id     uuid NOT NULL,
  duty          text NOT NULL,
  name          text NOT NULL CHECK ((name <> '') AND (length(name) <= 128)),
  password_hash text NOT NULL,
  status        text NOT NULL CHECK (status IN ('active', 'unverified', 'suppressed')),
  created_at    timestamptz NOT NULL,
  -- Whatever an account was signed in with before signed_out_at is over: sessions and tokens alike.
  signed_out_at timestamptz,
  -- Where notices go; empty for none.
  email         text DEFAULT '' NOT NULL CHECK ((email = '' OR email ~ '^[!-~]+@[!-~]+$') AND (length(email) <= 254)),
  CONSTRAINT user_account_created_at_finite CHECK (isfinite(created_at)),
  CONSTRAINT user_account_signed_out_at_finite CHECK (isfinite(signed_out_at)),
  PRIMARY KEY (realm, user_id),
  UNIQUE (realm, name),
  UNIQUE (realm, user_id, duty),
  UNIQUE (realm, user_id, person_id),
  FOREIGN KEY (realm, person_id, duty) REFERENCES person(realm, person_id, duty)
);
ALTER TABLE user_account ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON user_account USING (realm = current_setting('countersign.realm', true));
-- The service may change a password and an e-mail address, and end what an account is signed in with. A password hash written without the key opens nothing.
GRANT SELECT, INSERT, UPDATE (password_hash, status, signed_out_at, email) ON user_account TO countersign_app;

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

CREATE TABLE user_role (
  realm      text NOT NULL,
  user_id    uuid NOT NULL,
  duty       text NOT NULL,
  role       text NOT NULL,
  granted_at timestamptz NOT NULL,
  grant_id   uuid DEFAULT gen_random_uuid() NOT NULL,
  ended_at   timestamptz,
  CONSTRAINT user_role_check CHECK (ended_at >= granted_at),
  CONSTRAINT user_role_ended_at_finite CHECK (isfinite(ended_at)),
  CONSTRAINT user_role_granted_at_finite CHECK (isfinite(granted_at)),
  PRIMARY KEY (realm, grant_id),
  UNIQUE (realm, user_id, role, grant_id, granted_at),
  FOREIGN KEY (realm, user_id, duty) REFERENCES user_account(realm, user_id, duty),
  FOREIGN KEY (role, duty) REFERENCES role_duty(role, duty)
);
-- One grant of a role in force.
CREATE UNIQUE INDEX user_role_in_force ON user_role (realm, user_id, role) WHERE ended_at IS NULL;
ALTER TABLE user_role ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON user_role USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT, UPDATE (ended_at) ON user_role TO countersign_app;
GRANT SELECT ON user_role TO countersign_reader;

-- How a user wants the portal to look and behave. Written by the user.
CREATE TABLE user_preference (
  realm     text NOT NULL,
  user_id   uuid NOT NULL,
  theme     text DEFAULT 'auto' NOT NULL CHECK (theme IN ('auto', 'light', 'dark')),
  density   text DEFAULT 'default' NOT NULL CHECK (density IN ('compact', 'default', 'comfortable')),
  shortcuts boolean DEFAULT true NOT NULL,
  -- The language in which a user reads the portal. Empty: as the browser asks.
  language  text DEFAULT '' NOT NULL CHECK (language IN ('', 'de', 'fr', 'it', 'en')),
  PRIMARY KEY (realm, user_id),
  FOREIGN KEY (realm, user_id) REFERENCES user_account(realm, user_id)
);
ALTER TABLE user_preference ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON user_preference USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT, UPDATE ON user_preference TO countersign_app;

-- A client is a program that acts for users; the portal is one of them. Secrets are random and long, so a plain digest is enough.
CREATE TABLE client (
  realm          text NOT NULL,
  client_id      text NOT NULL CHECK ((client_id <> '') AND (length(client_id) <= 64)),
  kind           text NOT NULL CHECK (kind IN ('confidential', 'public', 'portal')),
  secret_hash    bytea,
  may_decide_own boolean NOT NULL,
  created_at     timestamptz NOT NULL,
  -- A client can be shut.
  suppressed_at  timestamptz CHECK (isfinite(suppressed_at)),
  -- A client that unpacks files of many payments may do without the verification of payees, as Regulation (EU) 260/2012 article 5c (6)
  -- lets payers who are no consumers; it may ask for it again at any time. Two administrators change it.
  payee_waived   boolean DEFAULT false NOT NULL,
  -- The roles of the program itself, which then acts without a user. It reads; it never makes or decides anything.
  roles          text DEFAULT '' NOT NULL CHECK (roles IN ('', 'supervisor')),
  CONSTRAINT client_check CHECK ((kind = 'confidential') = (secret_hash IS NOT NULL)),
  CONSTRAINT client_roles_secret CHECK ((roles = '') OR (kind = 'confidential')),
  CONSTRAINT client_created_at_finite CHECK (isfinite(created_at)),
  PRIMARY KEY (realm, client_id),
  FOREIGN KEY (realm) REFERENCES realm(realm)
);
ALTER TABLE client ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON client USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT, UPDATE (secret_hash, suppressed_at, payee_waived, roles) ON client TO countersign_app;

-- A policy says how many approvals a new message needs and how long it may wait for them. Empty columns match everything; of the policies
-- that match, the one with the highest rank counts. Rows are never changed: a message refers to the one it was made under.
CREATE TABLE policy (
  realm                 text NOT NULL,
  policy_id             uuid NOT NULL,
  rank                  integer NOT NULL,
  client_id             text,
  channel               text CHECK (channel IN ('api', 'portal')),
  scheme                text CHECK (scheme IN ('sic-inst', 'sct-inst')),
  kind                  text,
  amount_from           bigint CHECK (amount_from >= 0),
  amount_to             bigint,
  approvals_required    integer NOT NULL CHECK ((approvals_required >= 0) AND (approvals_required <= 9)),
  pending_seconds       integer NOT NULL CHECK ((pending_seconds >= 60) AND (pending_seconds <= 31536000)),
  created_at            timestamptz NOT NULL,
  retired_at            timestamptz,
  -- A policy may ask that every approval names the content it is about (contentHash), also of a message that was never amended.
  content_hash_required boolean DEFAULT false NOT NULL,
  -- A policy may ask that each approver shows a second factor (step-up). A message keeps the policy it was made under, and policies
  -- never change, so what it asks is frozen with it.
  step_up               boolean DEFAULT false NOT NULL,
  -- Whether core banking must reserve the funds before a payment leaves: NULL for yes; preferred leaves without an answer; none does not ask.
  funds                 text CHECK (funds IN ('preferred', 'none')),
  CONSTRAINT policy_check CHECK (amount_to >= amount_from),
  CONSTRAINT policy_created_at_finite CHECK (isfinite(created_at)),
  CONSTRAINT policy_retired_at_finite CHECK (isfinite(retired_at)),
  PRIMARY KEY (realm, policy_id),
  UNIQUE (realm, policy_id, approvals_required),
  FOREIGN KEY (realm, client_id) REFERENCES client(realm, client_id),
  FOREIGN KEY (realm) REFERENCES realm(realm)
);
ALTER TABLE policy ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON policy USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT, UPDATE (retired_at) ON policy TO countersign_app;
GRANT SELECT ON policy TO countersign_reader;

-- The accounts a realm may debit, with the holder's name and address as the bank knows them.
CREATE TABLE debtor_account (
  realm           text NOT NULL,
  iban            text NOT NULL CHECK (iban ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{1,30}$'),
  scheme          text NOT NULL CHECK (scheme IN ('sic-inst', 'sct-inst')),
  currency        text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  holder_name     text NOT NULL CHECK (holder_name <> ''),
  holder_street   text NOT NULL,
  holder_building text NOT NULL,
  holder_postcode text NOT NULL,
  holder_town     text NOT NULL CHECK (holder_town <> ''),
  holder_country  text NOT NULL CHECK (holder_country ~ '^[A-Z]{2}$'),
  agent_bic       text NOT NULL CHECK (agent_bic ~ '^[A-Z0-9]{8}([A-Z0-9]{3})?$'),
  agent_iid       text NOT NULL CHECK (agent_iid ~ '^([0-9]{3,6})?$'),
  open            boolean DEFAULT true NOT NULL,
  PRIMARY KEY (realm, iban),
  FOREIGN KEY (realm) REFERENCES realm(realm)
);
ALTER TABLE debtor_account ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON debtor_account USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT, UPDATE (holder_name, holder_street, holder_building, holder_postcode, holder_town, holder_country, agent_bic,
  agent_iid, open) ON debtor_account TO countersign_app;
GRANT SELECT ON debtor_account TO countersign_reader;

-- A family is one sign-in of a user through a client, with all tokens that follow from it. It ends at a fixed time, however often it is
-- refreshed, and dies at once by logout, by revocation, or because a spent refresh token was used again.
CREATE TABLE token_family (
  realm       text NOT NULL,
  family_id   uuid NOT NULL,
  user_id     uuid, -- NULL: the client acts by itself
  client_id   text NOT NULL,
  scope       text NOT NULL,
  started_at  timestamptz NOT NULL,
  ends_at     timestamptz NOT NULL,
  revoked_at  timestamptz,
  revoked_for text CHECK (revoked_for IN ('logout', 'revocation', 'reuse')),
  -- What is signed in belongs to the account as it was when its password was checked: as_of is what signed_out_at said then, the epoch
  -- where nothing was ended before. A sign-in that was checked before everything ended, and kept after it, has another one and is over
  -- from its beginning, whatever the clocks say.
  as_of       timestamptz,
  CONSTRAINT token_family_check CHECK (ends_at > started_at),
  CONSTRAINT token_family_check1 CHECK ((revoked_at IS NULL) = (revoked_for IS NULL)),
  CONSTRAINT token_family_ends_at_finite CHECK (isfinite(ends_at)),
  CONSTRAINT token_family_revoked_at_finite CHECK (isfinite(revoked_at)),
  CONSTRAINT token_family_started_at_finite CHECK (isfinite(started_at)),
  PRIMARY KEY (realm, family_id),
  FOREIGN KEY (realm, client_id) REFERENCES client(realm, client_id),
  FOREIGN KEY (realm, user_id) REFERENCES user_account(realm, user_id)
);
CREATE INDEX token_family_by_end ON token_family (realm, ends_at);
ALTER TABLE token_family ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON token_family USING (realm = current_setting('countersign.realm', true));
CREATE POLICY over ON token_family AS RESTRICTIVE FOR DELETE TO countersign_app USING (ends_at < now());
-- What ended stays ended: a family that was revoked does not come back to life, by a change or by being deleted and written anew, and a
-- refresh token that was spent stays spent. Only what is over by itself is dropped.
CREATE POLICY revoked_for_good ON token_family AS RESTRICTIVE FOR UPDATE TO countersign_app USING (true) WITH CHECK (revoked_at IS NOT
  NULL);
-- A family can be revoked, a refresh token can be spent; what was issued to whom cannot be changed. Deleting is for what has ended: the
-- tokens of a family go with it.
GRANT SELECT, INSERT, DELETE, UPDATE (revoked_at, revoked_for) ON token_family TO countersign_app;

-- A refresh token is spent by its successor. Spent ones stay as long as the family, so that a second use is noticed.
CREATE TABLE refresh_token (
  realm          text NOT NULL,
  token_hash     bytea NOT NULL CHECK (length(token_hash) = 32),
  family_id      uuid NOT NULL,
  issued_at      timestamptz NOT NULL,
  expires_at     timestamptz NOT NULL,
  spent_at       timestamptz,
  successor_hash bytea CHECK (length(successor_hash) = 32),
  key_id         text NOT NULL,
  seal           bytea NOT NULL CHECK (length(seal) = 32),
  CONSTRAINT refresh_token_check CHECK ((spent_at IS NULL) = (successor_hash IS NULL)),
  CONSTRAINT refresh_token_expires_at_finite CHECK (isfinite(expires_at)),
  CONSTRAINT refresh_token_issued_at_finite CHECK (isfinite(issued_at)),
  CONSTRAINT refresh_token_spent_at_finite CHECK (isfinite(spent_at)),
  PRIMARY KEY (realm, token_hash),
  FOREIGN KEY (realm, family_id) REFERENCES token_family(realm, family_id) ON DELETE CASCADE
);
CREATE INDEX refresh_token_by_family ON refresh_token (realm, family_id);
-- One live refresh token in a family, whatever races.
CREATE UNIQUE INDEX refresh_token_live ON refresh_token (realm, family_id) WHERE spent_at IS NULL;
ALTER TABLE refresh_token ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON refresh_token USING (realm = current_setting('countersign.realm', true));
CREATE POLICY spent_for_good ON refresh_token AS RESTRICTIVE FOR UPDATE TO countersign_app USING (true) WITH CHECK (spent_at IS NOT NULL);
GRANT SELECT, INSERT, UPDATE (spent_at, successor_hash) ON refresh_token TO countersign_app;

CREATE TABLE access_token (
  realm      text NOT NULL,
  token_hash bytea NOT NULL CHECK (length(token_hash) = 32),
  family_id  uuid NOT NULL,
  issued_at  timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  key_id     text NOT NULL,
  seal       bytea NOT NULL CHECK (length(seal) = 32),
  CONSTRAINT access_token_expires_at_finite CHECK (isfinite(expires_at)),
  CONSTRAINT access_token_issued_at_finite CHECK (isfinite(issued_at)),
  PRIMARY KEY (realm, token_hash),
  FOREIGN KEY (realm, family_id) REFERENCES token_family(realm, family_id) ON DELETE CASCADE
);
CREATE INDEX access_token_by_expiry ON access_token (realm, expires_at);
CREATE INDEX access_token_by_family ON access_token (realm, family_id);
ALTER TABLE access_token ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON access_token USING (realm = current_setting('countersign.realm', true));
CREATE POLICY over ON access_token AS RESTRICTIVE FOR DELETE TO countersign_app USING (expires_at < now());
GRANT SELECT, INSERT, DELETE ON access_token TO countersign_app;

-- Tries to sign in since the last success, per name, whether or not the name exists. The name stands as a SHA-256 digest: people type
-- passwords into the wrong field. A row is written before the password is checked, so parallel tries cannot slip past it.
CREATE TABLE login_throttle (
  realm        text NOT NULL,
  name_hash    bytea NOT NULL CHECK (length(name_hash) = 32),
  failures     integer NOT NULL CHECK (failures > 0),
  last_try_at  timestamptz NOT NULL,
  locked_until timestamptz NOT NULL,
  CONSTRAINT login_throttle_last_try_at_finite CHECK (isfinite(last_try_at)),
  CONSTRAINT login_throttle_locked_until_finite CHECK (isfinite(locked_until)),
  PRIMARY KEY (realm, name_hash),
  FOREIGN KEY (realm) REFERENCES realm(realm)
);
CREATE INDEX login_throttle_by_age ON login_throttle (realm, last_try_at);
ALTER TABLE login_throttle ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON login_throttle USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT, DELETE, UPDATE ON login_throttle TO countersign_app;

-- Sessions of the portal. The layout is the one the session library asks for; the token stands as a digest. No realm leads the key,
-- because the cookie is all that is known when a session is looked up; the session's own data names the realm.
CREATE TABLE sessions (
  token  text NOT NULL,
  data   bytea NOT NULL,
  expiry timestamptz NOT NULL,
  -- A person who sends a form after their session was ended (by an administrator, by themselves in another window, because a role went)
  -- is known for a while as after one that ran out, so that what was typed is kept for them. What the session held stays beside it, under
  -- its seal: nothing reads it as a session.
  held   bytea,
  CONSTRAINT sessions_expiry_finite CHECK (isfinite(expiry)),
  PRIMARY KEY (token)
);
CREATE INDEX sessions_by_expiry ON sessions (expiry);

-- Drops sessions that are over, and returns how many it dropped.
-- +goose StatementBegin
CREATE FUNCTION session_drop_expired(expired_before timestamptz, page_size integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH dropped AS (
    DELETE FROM sessions WHERE token IN (SELECT s.token FROM sessions s WHERE s.expiry < least(expired_before, now()) LIMIT page_size)
    RETURNING 1
  )
  SELECT count(*) FROM dropped
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION session_drop_expired(timestamptz, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION session_drop_expired(timestamptz, integer) TO countersign_app;

-- The row stays without data until it is dropped, so that nothing can write it again.
-- +goose StatementBegin
CREATE FUNCTION session_end(tokens text[]) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH ended AS (
    UPDATE sessions SET held = data, data = ''::bytea, expiry = now() WHERE token = ANY (tokens) AND data <> ''::bytea
  )
  INSERT INTO sessions (token, data, expiry)
  SELECT tokens[1], ''::bytea, now() WHERE NOT EXISTS (SELECT FROM sessions WHERE token = ANY (tokens))
  ON CONFLICT (token) DO UPDATE SET held = sessions.data, data = ''::bytea, expiry = now() WHERE sessions.data <> ''::bytea
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION session_end(text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION session_end(text[]) TO countersign_app;

-- +goose StatementBegin
CREATE FUNCTION session_get(tokens text[]) RETURNS bytea LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT data FROM sessions WHERE token = ANY (tokens) AND expiry > now() AND data <> ''::bytea LIMIT 1
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION session_get(text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION session_get(text[]) TO countersign_app;

-- A session that nobody ended, but whose time ran out after the given moment.
-- +goose StatementBegin
CREATE FUNCTION session_get_lapsed(tokens text[], lapsed_after timestamptz) RETURNS bytea
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT coalesce(held, data) FROM sessions
  WHERE token = ANY (tokens) AND expiry <= now() AND expiry > lapsed_after AND (held IS NULL OR expiry > now() - interval '15 minutes')
    LIMIT 1
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION session_get_lapsed(text[], timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION session_get_lapsed(text[], timestamptz) TO countersign_app;

-- A new session, or new data of one that is open. A request under way cannot bring a session back that was ended meanwhile.
-- +goose StatementBegin
CREATE FUNCTION session_put_if_open(tokens text[], new_data bytea, new_expiry timestamptz) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH kept AS (
    UPDATE sessions SET data = new_data, expiry = new_expiry
    WHERE token = ANY (tokens[2:]) AND expiry > now() AND data <> ''::bytea
  )
  INSERT INTO sessions (token, data, expiry)
  SELECT tokens[1], new_data, new_expiry WHERE NOT EXISTS (SELECT FROM sessions WHERE token = ANY (tokens[2:]))
  ON CONFLICT (token) DO UPDATE SET data = excluded.data, expiry = excluded.expiry
  WHERE sessions.expiry > now() AND sessions.data <> ''::bytea
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION session_put_if_open(text[], bytea, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION session_put_if_open(text[], bytea, timestamptz) TO countersign_app;

-- When an account last signed in, to the portal or for a program: an access review asks, and sessions and tokens are dropped soon after their
-- end.
CREATE TABLE last_sign_in (
  realm   text NOT NULL,
  user_id uuid NOT NULL,
  at      timestamptz NOT NULL CHECK (isfinite(at)),
  PRIMARY KEY (realm, user_id),
  FOREIGN KEY (realm, user_id) REFERENCES user_account(realm, user_id)
);
ALTER TABLE last_sign_in ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON last_sign_in USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT, UPDATE (at) ON last_sign_in TO countersign_app;

-- A set-up lets one account choose its password, once: the person who has its link and its six-digit code, which go to two different people.
-- Both stand here as digests under a key outside the database; the seal keeps a row that somebody else wrote from opening an account.
CREATE TABLE user_setup (
  realm      text NOT NULL,
  setup_id   uuid NOT NULL,
  user_id    uuid NOT NULL,
  link_hash  bytea NOT NULL CHECK (length(link_hash) = 32),
  code_hash  bytea NOT NULL CHECK (length(code_hash) = 32),
  made_at    timestamptz NOT NULL CHECK (isfinite(made_at)),
  expires_at timestamptz NOT NULL,
  CONSTRAINT user_setup_check CHECK (isfinite(expires_at) AND (expires_at > made_at)),
  PRIMARY KEY (realm, setup_id),
  UNIQUE (realm, link_hash),
  UNIQUE (realm, setup_id, user_id),
  FOREIGN KEY (realm, user_id) REFERENCES user_account(realm, user_id)
);
CREATE INDEX user_setup_by_user ON user_setup (realm, user_id, made_at);
ALTER TABLE user_setup ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON user_setup USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT ON user_setup TO countersign_app;

-- Five tries at the code; a row is written before the code is compared, so parallel tries cannot slip past.
CREATE TABLE user_setup_try (
  realm    text NOT NULL,
  setup_id uuid NOT NULL,
  ordinal  integer NOT NULL CHECK ((ordinal >= 1) AND (ordinal <= 5)),
  at       timestamptz NOT NULL CHECK (isfinite(at)),
  PRIMARY KEY (realm, setup_id, ordinal),
  FOREIGN KEY (realm, setup_id) REFERENCES user_setup(realm, setup_id)
);
ALTER TABLE user_setup_try ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON user_setup_try USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT ON user_setup_try TO countersign_app;

-- The one use. The transaction that writes it may make the account active, and no other may (below).
CREATE TABLE user_setup_use (
  realm    text NOT NULL,
  setup_id uuid NOT NULL,
  user_id  uuid NOT NULL,
  at       timestamptz NOT NULL CHECK (isfinite(at)),
  used_in  xid8 DEFAULT pg_current_xact_id() NOT NULL,
  PRIMARY KEY (realm, setup_id),
  FOREIGN KEY (realm, setup_id, user_id) REFERENCES user_setup(realm, setup_id, user_id)
);
ALTER TABLE user_setup_use ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON user_setup_use USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT (realm, setup_id, user_id, at) ON user_setup_use TO countersign_app;

-- Second factors: what somebody shows beside the password. One row for each passkey, each authenticator app (TOTP, RFC 6238) and each set
-- of recovery codes. The secret of an app is encrypted under a subkey of the token key, which is not in the database; recovery codes
-- stand here as digests under another one, 32 bytes each; a passkey is its public part. The seal covers all of it, so a row that somebody
-- writes here lets nobody in. A factor is never changed: it is removed, for good.
CREATE TABLE second_factor (
  realm         text NOT NULL,
  factor_id     uuid NOT NULL,
  user_id       uuid NOT NULL,
  kind          text NOT NULL CHECK (kind IN ('totp', 'passkey', 'recovery')),
  name          text NOT NULL CHECK ((name ~ '\S') AND (length(name) <= 64)),
  secret        bytea NOT NULL CHECK ((length(secret) >= 1) AND (length(secret) <= 16384)),
  credential_id bytea,
  made_at       timestamptz NOT NULL CHECK (isfinite(made_at)),
  removed_at    timestamptz CHECK (isfinite(removed_at)),
  CONSTRAINT second_factor_check CHECK (((credential_id IS NOT NULL) = (kind = 'passkey')) AND (length(credential_id) <= 1023)),
  PRIMARY KEY (realm, factor_id),
  UNIQUE (realm, factor_id, user_id),
  FOREIGN KEY (realm, user_id) REFERENCES user_account(realm, user_id)
);
CREATE INDEX second_factor_by_user ON second_factor (realm, user_id, made_at);
CREATE UNIQUE INDEX second_factor_credential ON second_factor (realm, credential_id) WHERE credential_id IS NOT NULL;
ALTER TABLE second_factor ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON second_factor USING (realm = current_setting('countersign.realm', true));
CREATE POLICY removed_for_good ON second_factor AS RESTRICTIVE FOR UPDATE TO countersign_app USING (true) WITH CHECK (removed_at IS NOT
  NULL);
GRANT SELECT, INSERT, UPDATE (removed_at) ON second_factor TO countersign_app;

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
  -- What a passkey counted when it was shown, where it counts at all. It only rises: a device that says less than before, or the same, is
  -- a copy of the one that was taken up, or has one.
  sign_count   bigint CHECK (sign_count > 0),
  CONSTRAINT factor_use_check CHECK (CASE
      WHEN (purpose = 'approval') THEN ((message_id IS NOT NULL) AND (version IS NOT NULL) AND (content_hash IS NOT NULL) AND (action IS
        NOT NULL))
      ELSE ((message_id IS NULL) AND (version IS NULL) AND (content_hash IS NULL) AND (action IS NULL))
  END),
  PRIMARY KEY (realm, use_id),
  UNIQUE (realm, factor_id, token),
  CONSTRAINT factor_use_realm_use_id_user_id_message_id_version_content__key UNIQUE (realm, use_id, user_id, message_id, version,
    content_hash, action),
  FOREIGN KEY (realm, factor_id, user_id) REFERENCES second_factor(realm, factor_id, user_id)
);
CREATE UNIQUE INDEX factor_use_counted ON factor_use (realm, factor_id, sign_count);
ALTER TABLE factor_use ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON factor_use USING (realm = current_setting('countersign.realm', true));
-- What is shown belongs to a factor that is in force. A foreign key cannot say "still".
CREATE POLICY in_force ON factor_use AS RESTRICTIVE FOR INSERT TO countersign_app WITH CHECK (
  EXISTS (SELECT FROM second_factor f WHERE f.realm = factor_use.realm AND f.factor_id = factor_use.factor_id AND f.removed_at IS NULL));
GRANT SELECT, INSERT ON factor_use TO countersign_app;

-- Sessions of the portal as their owners see them: since when, from where, with which browser. The row refers to that of the session by
-- its name, a keyed digest, by which it is ended; it opens nothing itself. What ended stays ended, and says why, for the person who comes back
-- with it.
CREATE TABLE user_session (
  realm        text NOT NULL,
  session_id   uuid NOT NULL,
  user_id      uuid NOT NULL,
  name         text NOT NULL CHECK (name <> ''),
  device       text NOT NULL CHECK (length(device) <= 80),
  address      text NOT NULL CHECK (length(address) <= 64),
  checker      boolean NOT NULL,
  started_at   timestamptz NOT NULL CHECK (isfinite(started_at)),
  last_used_at timestamptz NOT NULL CHECK (isfinite(last_used_at)),
  ends_at      timestamptz NOT NULL CHECK (isfinite(ends_at)),
  ended_at     timestamptz CHECK (isfinite(ended_at)),
  ended_why    text,
  CONSTRAINT user_session_check CHECK (((ended_why IS NULL) = (ended_at IS NULL)) AND (ended_why IN ('sign-out', 'sign-in', 'ended',
    'elsewhere'))),
  PRIMARY KEY (realm, session_id),
  FOREIGN KEY (realm, user_id) REFERENCES user_account(realm, user_id)
);
CREATE INDEX user_session_by_name ON user_session (name);
CREATE INDEX user_session_open ON user_session (realm, user_id) WHERE ended_at IS NULL;
CREATE INDEX user_session_over ON user_session (realm, ends_at);
ALTER TABLE user_session ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON user_session USING (realm = current_setting('countersign.realm', true));
CREATE POLICY ended_for_good ON user_session AS RESTRICTIVE FOR UPDATE TO countersign_app USING (ended_at IS NULL) WITH CHECK (true);
CREATE POLICY over ON user_session AS RESTRICTIVE FOR DELETE TO countersign_app USING (ends_at < now());
GRANT SELECT, INSERT, DELETE, UPDATE (last_used_at, ended_at, ended_why) ON user_session TO countersign_app;

-- Why a session ended, before the realm is known: the cookie is all that a browser sends.
-- +goose StatementBegin
CREATE FUNCTION session_ended_why(names text[]) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT ended_why FROM user_session WHERE name = ANY (names) AND ended_at IS NOT NULL LIMIT 1
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION session_ended_why(text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION session_ended_why(text[]) TO countersign_app;

-- The identity provider of a realm: at most one in force. Rows are never changed but by their end. The secret is encrypted under a subkey
-- of the token key, which is not in the database, and bound to realm, issuer and client; it is NULL for a public client.
CREATE TABLE identity_provider (
  realm               text NOT NULL,
  provider_id         uuid NOT NULL,
  issuer              text NOT NULL CHECK ((issuer <> '') AND (length(issuer) <= 140)),
  client_id           text NOT NULL CHECK ((client_id <> '') AND (length(client_id) <= 255)),
  secret              bytea CHECK ((length(secret) >= 1) AND (length(secret) <= 4096)),
  portal_address      text NOT NULL CHECK ((portal_address <> '') AND (length(portal_address) <= 255)),
  passwords           text NOT NULL CHECK (passwords IN ('everybody', 'break-glass')),
  sign_in_age_seconds integer NOT NULL CHECK ((sign_in_age_seconds >= 0) AND (sign_in_age_seconds <= 43200)),
  made_at             timestamptz NOT NULL CHECK (isfinite(made_at)),
  retired_at          timestamptz CHECK (isfinite(retired_at)),
  PRIMARY KEY (realm, provider_id),
  FOREIGN KEY (realm) REFERENCES realm(realm)
);
CREATE UNIQUE INDEX identity_provider_in_force ON identity_provider (realm) WHERE retired_at IS NULL;
ALTER TABLE identity_provider ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON identity_provider USING (realm = current_setting('countersign.realm', true));
CREATE POLICY retired_for_good ON identity_provider AS RESTRICTIVE FOR UPDATE TO countersign_app USING (retired_at IS NULL)
  WITH CHECK (retired_at IS NOT NULL);
GRANT SELECT, INSERT, UPDATE (retired_at) ON identity_provider TO countersign_app;

-- An address of a client that gets the events of the realm.
CREATE TABLE webhook (
  realm      text NOT NULL,
  webhook_id uuid NOT NULL,
  url        text NOT NULL CHECK ((url <> '') AND (length(url) <= 255)),
  -- The types of events, separated by ", "; empty for all.
  events     text NOT NULL CHECK (length(events) <= 1000),
  -- The secret that signs, encrypted; and the one before, which signs beside it until old_until.
  secret     bytea NOT NULL CHECK (length(secret) BETWEEN 1 AND 1024),
  old_secret bytea CHECK (length(old_secret) BETWEEN 1 AND 1024),
  old_until  timestamptz CHECK (isfinite(old_until)),
  made_at    timestamptz NOT NULL CHECK (isfinite(made_at)),
  retired_at timestamptz CHECK (isfinite(retired_at)),
  CONSTRAINT webhook_old CHECK ((old_secret IS NULL) = (old_until IS NULL)),
  PRIMARY KEY (realm, webhook_id),
  FOREIGN KEY (realm) REFERENCES realm(realm)
);
ALTER TABLE webhook ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON webhook USING (realm = current_setting('countersign.realm', true));
CREATE POLICY retired_for_good ON webhook AS RESTRICTIVE FOR UPDATE TO countersign_app USING (retired_at IS NULL) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE (secret, old_secret, old_until, retired_at) ON webhook TO countersign_app;

-- Who an account is at the provider: one subject of an issuer is one account, and an account one subject. Nothing is said by a name or a
-- mail address, which providers give to others in time.
CREATE TABLE outer_identity (
  realm     text NOT NULL,
  link_id   uuid NOT NULL,
  user_id   uuid NOT NULL,
  issuer    text NOT NULL CHECK ((issuer <> '') AND (length(issuer) <= 140)),
  subject   text NOT NULL CHECK ((subject <> '') AND (length(subject) <= 255)),
  linked_at timestamptz NOT NULL CHECK (isfinite(linked_at)),
  ended_at  timestamptz CHECK (isfinite(ended_at)),
  PRIMARY KEY (realm, link_id),
  FOREIGN KEY (realm, user_id) REFERENCES user_account(realm, user_id)
);
CREATE UNIQUE INDEX outer_identity_subject ON outer_identity (realm, issuer, subject) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX outer_identity_user ON outer_identity (realm, user_id) WHERE ended_at IS NULL;
ALTER TABLE outer_identity ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON outer_identity USING (realm = current_setting('countersign.realm', true));
CREATE POLICY ended_for_good ON outer_identity AS RESTRICTIVE FOR UPDATE TO countersign_app USING (ended_at IS NULL)
  WITH CHECK (ended_at IS NOT NULL);
GRANT SELECT, INSERT, UPDATE (ended_at) ON outer_identity TO countersign_app;

-- The states of sign-ins that came back from the provider, as SHA-256 digests: none counts twice, however many requests bring it at once.
-- A state is good for ten minutes, so a row says nothing any more after an hour.
CREATE TABLE outer_sign_in (
  realm      text NOT NULL,
  state_hash bytea NOT NULL CHECK (length(state_hash) = 32),
  came_at    timestamptz NOT NULL CHECK (isfinite(came_at)),
  PRIMARY KEY (realm, state_hash),
  FOREIGN KEY (realm) REFERENCES realm(realm)
);
CREATE INDEX outer_sign_in_by_time ON outer_sign_in (realm, came_at);
ALTER TABLE outer_sign_in ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON outer_sign_in USING (realm = current_setting('countersign.realm', true));
CREATE POLICY over ON outer_sign_in AS RESTRICTIVE FOR DELETE TO countersign_app USING (came_at < now() - interval '1 hour');
GRANT SELECT, INSERT, DELETE ON outer_sign_in TO countersign_app;
