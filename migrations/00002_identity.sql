-- +goose Up
-- Who may act: realms, people, their user accounts and roles, and the clients they act through.

-- A realm is one institution. Written by the operator (demo: by the demo). No secrets, so no row-level security:
-- the mark opens every Global ID of the realm and leads an answer of clearing back to it.
CREATE TABLE realm (
  realm                    text PRIMARY KEY CHECK (realm ~ '^[a-z][a-z0-9-]{0,31}$'),
  name                     text NOT NULL CHECK (name <> ''),
  mark                     text NOT NULL UNIQUE CHECK (mark ~ '^[2-9A-HJKMNP-TV-Z]{2}$'),
  made_by                  text NOT NULL CHECK (made_by IN ('demo', 'operator')),
  access_token_seconds     integer NOT NULL DEFAULT 300 CHECK (access_token_seconds BETWEEN 1 AND 3600),
  refresh_token_seconds    integer NOT NULL DEFAULT 1800 CHECK (refresh_token_seconds BETWEEN 1 AND 86400),
  refresh_absolute_seconds integer NOT NULL DEFAULT 43200 CHECK (refresh_absolute_seconds BETWEEN 1 AND 604800),
  created_at               timestamptz NOT NULL
);

-- A person is a human being. Four-eyes compares people, not accounts. The duty keeps administration apart from payments.
CREATE TABLE person (
  realm        text NOT NULL REFERENCES realm,
  person_id    uuid NOT NULL,
  display_name text NOT NULL CHECK (display_name <> ''),
  duty         text NOT NULL CHECK (duty IN ('payments', 'administration')),
  created_at   timestamptz NOT NULL,
  PRIMARY KEY (realm, person_id),
  UNIQUE (realm, person_id, duty)
);

-- Which role belongs to which duty: an administrator can hold no maker or checker role, in no account.
CREATE TABLE role_duty (
  role text PRIMARY KEY,
  duty text NOT NULL,
  UNIQUE (role, duty)
);
INSERT INTO role_duty (role, duty) VALUES
  ('maker', 'payments'),
  ('checker', 'payments'),
  ('supervisor', 'payments'),
  ('administrator', 'administration');

-- A user account: a name and a password of one person. The name is stored normalised (NFKC, lower case).
CREATE TABLE user_account (
  realm         text NOT NULL,
  user_id       uuid NOT NULL,
  person_id     uuid NOT NULL,
  duty          text NOT NULL,
  name          text NOT NULL CHECK (name <> '' AND length(name) <= 128),
  password_hash text NOT NULL,
  status        text NOT NULL CHECK (status IN ('active', 'unverified', 'suppressed')),
  created_at    timestamptz NOT NULL,
  PRIMARY KEY (realm, user_id),
  UNIQUE (realm, name),
  UNIQUE (realm, user_id, person_id),
  UNIQUE (realm, user_id, duty),
  FOREIGN KEY (realm, person_id, duty) REFERENCES person (realm, person_id, duty)
);

CREATE TABLE user_role (
  realm      text NOT NULL,
  user_id    uuid NOT NULL,
  duty       text NOT NULL,
  role       text NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (realm, user_id, role),
  FOREIGN KEY (realm, user_id, duty) REFERENCES user_account (realm, user_id, duty),
  FOREIGN KEY (role, duty) REFERENCES role_duty (role, duty)
);

-- How a user wants the portal to look and behave. Written by the user.
CREATE TABLE user_preference (
  realm     text NOT NULL,
  user_id   uuid NOT NULL,
  theme     text NOT NULL DEFAULT 'auto' CHECK (theme IN ('auto', 'light', 'dark')),
  density   text NOT NULL DEFAULT 'default' CHECK (density IN ('compact', 'default', 'comfortable')),
  shortcuts boolean NOT NULL DEFAULT true,
  PRIMARY KEY (realm, user_id),
  FOREIGN KEY (realm, user_id) REFERENCES user_account (realm, user_id)
);

-- A client is a program that acts for users; the portal is one of them. Secrets are random and long, so a plain digest is enough.
CREATE TABLE client (
  realm                 text NOT NULL REFERENCES realm,
  client_id             text NOT NULL CHECK (client_id <> '' AND length(client_id) <= 64),
  kind                  text NOT NULL CHECK (kind IN ('confidential', 'public', 'portal')),
  secret_hash           bytea CHECK ((kind = 'confidential') = (secret_hash IS NOT NULL)),
  may_decide_own        boolean NOT NULL,
  created_at            timestamptz NOT NULL,
  PRIMARY KEY (realm, client_id)
);

-- A policy says how many approvals a new message needs and how long it may wait for them. Empty columns match everything; of the
-- policies that match, the one with the highest rank counts. Rows are never changed: a message refers to the one it was made under.
CREATE TABLE policy (
  realm              text NOT NULL REFERENCES realm,
  policy_id          uuid NOT NULL,
  rank               integer NOT NULL,
  client_id          text,
  channel            text CHECK (channel IN ('api', 'portal')),
  scheme             text CHECK (scheme IN ('sic-inst', 'sct-inst')),
  kind               text,
  amount_from        bigint CHECK (amount_from >= 0),
  amount_to          bigint CHECK (amount_to >= amount_from),
  approvals_required integer NOT NULL CHECK (approvals_required BETWEEN 0 AND 9),
  pending_seconds    integer NOT NULL CHECK (pending_seconds BETWEEN 60 AND 31536000),
  created_at         timestamptz NOT NULL,
  retired_at         timestamptz,
  PRIMARY KEY (realm, policy_id),
  UNIQUE (realm, policy_id, approvals_required),
  FOREIGN KEY (realm, client_id) REFERENCES client (realm, client_id)
);

-- The accounts a realm may debit, with the holder's name and address as the bank knows them.
CREATE TABLE debtor_account (
  realm           text NOT NULL REFERENCES realm,
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
  open            boolean NOT NULL DEFAULT true,
  PRIMARY KEY (realm, iban)
);

ALTER TABLE person ENABLE ROW LEVEL SECURITY;
ALTER TABLE user_account ENABLE ROW LEVEL SECURITY;
ALTER TABLE user_role ENABLE ROW LEVEL SECURITY;
ALTER TABLE user_preference ENABLE ROW LEVEL SECURITY;
ALTER TABLE client ENABLE ROW LEVEL SECURITY;
ALTER TABLE policy ENABLE ROW LEVEL SECURITY;
ALTER TABLE debtor_account ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON person USING (realm = current_setting('countersign.realm', true));
CREATE POLICY own_realm ON user_account USING (realm = current_setting('countersign.realm', true));
CREATE POLICY own_realm ON user_role USING (realm = current_setting('countersign.realm', true));
CREATE POLICY own_realm ON user_preference USING (realm = current_setting('countersign.realm', true));
CREATE POLICY own_realm ON client USING (realm = current_setting('countersign.realm', true));
CREATE POLICY own_realm ON policy USING (realm = current_setting('countersign.realm', true));
CREATE POLICY own_realm ON debtor_account USING (realm = current_setting('countersign.realm', true));

-- Users, roles, clients, policies and accounts are not the service's to change.
GRANT SELECT ON realm, person, role_duty, user_account, user_role, user_preference, client, policy, debtor_account TO countersign_app;
GRANT INSERT, UPDATE ON user_preference TO countersign_app;
GRANT SELECT ON realm, person, role_duty, user_role, policy, debtor_account TO countersign_reader;

-- +goose Down
DROP TABLE debtor_account, policy, client, user_preference, user_role, user_account, role_duty, person, realm;
