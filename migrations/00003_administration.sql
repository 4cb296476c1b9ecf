-- +goose Up
-- Dual administration: the changes of master data that one administrator asks for and another approves.

-- An administrator brought in by the operator although there were two already, with the reason. Pages of administrators show it.
CREATE TABLE break_glass (
  realm          text NOT NULL,
  break_glass_id uuid NOT NULL,
  user_id        uuid NOT NULL,
  reason         text NOT NULL CHECK ((reason ~ '\S') AND (length(reason) <= 512)),
  at             timestamptz NOT NULL CHECK (isfinite(at)),
  -- What the operator did past the administrators: brought another one in, or gave somebody another password.
  deed           text DEFAULT 'administrator' NOT NULL CHECK (deed IN ('administrator', 'password')),
  PRIMARY KEY (realm, break_glass_id),
  FOREIGN KEY (realm) REFERENCES realm(realm),
  FOREIGN KEY (realm, user_id) REFERENCES user_account(realm, user_id)
);
ALTER TABLE break_glass ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON break_glass USING (realm = current_setting('countersign.realm', true));
GRANT SELECT ON break_glass TO countersign_app, countersign_reader;

-- What was asked for, for ever. The content is canonical JSON: the values, and the subject before and after. nobody is beneficiary where
-- it is about no person.
CREATE TABLE realm_change (
  realm                text NOT NULL,
  change_id            uuid NOT NULL,
  kind                 text NOT NULL CHECK (kind IN ('realm.factors', 'realm.notices', 'realm.reconciled', 'realm.difference', 'realm.retention', 'realm.archived', 'realm.erased', 'user.email', 'user.link', 'user.unlink', 'provider.set', 'provider.retire',
    'webhook.create', 'webhook.secret', 'webhook.retire',
    'user.create', 'user.roles', 'user.suppress', 'user.restore', 'user.reset', 'client.create', 'client.secret', 'client.suppress',
    'client.payee', 'client.roles', 'account.create', 'account.update', 'account.close', 'policy.create', 'policy.update', 'limit.set', 'policy.retire', 'message.taken',
    'beneficiary.create', 'beneficiary.update', 'beneficiary.remove')),
  subject              text NOT NULL CHECK ((subject <> '') AND (length(subject) <= 140)),
  beneficiary_person   uuid NOT NULL,
  content              text NOT NULL CHECK (((content)::jsonb IS NOT NULL) AND (length(content) <= 65536)),
  content_hash         bytea NOT NULL,
  code_hash            bytea CHECK (length(code_hash) = 32),
  requester_user       uuid NOT NULL,
  requester_person     uuid NOT NULL,
  requester_role       text NOT NULL,
  requester_grant_id   uuid NOT NULL,
  requester_granted_at timestamptz NOT NULL,
  requester_client     text NOT NULL,
  requested_at         timestamptz NOT NULL,
  key_id               text NOT NULL CHECK (key_id <> ''),
  seal                 bytea NOT NULL CHECK (length(seal) = 32),
  -- The decision names the role that its change is decided under: the key of the change says which.
  decided_under        text GENERATED ALWAYS AS (
  CASE
      WHEN (kind ~~ 'beneficiary.%') THEN 'checker'
      ELSE 'administrator'
  END) STORED NOT NULL,
  CONSTRAINT realm_change_check CHECK (content_hash = sha256(convert_to(content, 'UTF8'::name))),
  CONSTRAINT realm_change_check1 CHECK (isfinite(requested_at) AND (requested_at >= requester_granted_at)),
  CONSTRAINT realm_change_check2 CHECK ((code_hash IS NOT NULL) = (kind IN ('user.create', 'user.reset'))),
  CONSTRAINT realm_change_requester_role_check CHECK (requester_role =
  CASE
      WHEN (kind ~~ 'beneficiary.%') THEN 'maker'
      ELSE 'administrator'
  END),
  PRIMARY KEY (realm, change_id),
  UNIQUE (realm, change_id, decided_under),
  CONSTRAINT realm_change_realm_change_id_requester_person_beneficiary_p_key UNIQUE (realm, change_id, requester_person,
    beneficiary_person, content_hash),
  FOREIGN KEY (realm) REFERENCES realm(realm),
  FOREIGN KEY (realm, requester_user, requester_person) REFERENCES user_account(realm, user_id, person_id),
  CONSTRAINT realm_change_realm_requester_user_requester_role_requester_fkey FOREIGN KEY (realm, requester_user, requester_role,
    requester_grant_id, requester_granted_at) REFERENCES user_role(realm, user_id, role, grant_id, granted_at)
);
ALTER TABLE realm_change ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON realm_change USING (realm = current_setting('countersign.realm', true));
-- A grant that has ended asks and decides nothing any more. A foreign key cannot say "still".
CREATE POLICY grant_in_force ON realm_change AS RESTRICTIVE FOR INSERT TO countersign_app WITH CHECK (
  EXISTS (SELECT FROM user_role g WHERE g.realm = realm_change.realm AND g.grant_id = realm_change.requester_grant_id AND g.ended_at IS
    NULL));
GRANT SELECT, INSERT ON realm_change TO countersign_app;
GRANT SELECT ON realm_change TO countersign_reader;

-- What another administrator said of it, once. The ordinal counts the decisions of a realm without a gap; taking it locks the realm's row
-- of realm_administration, so decisions of one realm take turns and none of two can remove the last but one.
CREATE TABLE realm_change_decision (
  realm              text NOT NULL,
  change_id          uuid NOT NULL,
  requester_person   uuid NOT NULL,
  beneficiary_person uuid NOT NULL,
  content_hash       bytea NOT NULL,
  ordinal            bigint NOT NULL CHECK (ordinal > 0),
  action             text NOT NULL CHECK (action IN ('approve', 'reject')),
  reason             text CHECK ((reason ~ '\S') AND (length(reason) <= 512)),
  decider_user       uuid NOT NULL,
  decider_person     uuid NOT NULL,
  decider_role       text NOT NULL CHECK (decider_role IN ('administrator', 'checker')),
  decider_grant_id   uuid NOT NULL,
  decider_granted_at timestamptz NOT NULL,
  decider_client     text NOT NULL,
  decided_at         timestamptz NOT NULL,
  decided_in         xid8 DEFAULT pg_current_xact_id() NOT NULL,
  key_id             text NOT NULL CHECK (key_id <> ''),
  seal               bytea NOT NULL CHECK (length(seal) = 32),
  CONSTRAINT realm_change_decision_check CHECK (isfinite(decided_at) AND (decided_at >= decider_granted_at)),
  CONSTRAINT realm_change_decision_check1 CHECK (decider_person <> requester_person),
  CONSTRAINT realm_change_decision_check2 CHECK (decider_person <> beneficiary_person),
  CONSTRAINT realm_change_decision_check3 CHECK ((action = 'approve') OR (reason IS NOT NULL)),
  PRIMARY KEY (realm, change_id),
  UNIQUE (realm, ordinal),
  CONSTRAINT realm_change_decision_decided_under FOREIGN KEY (realm, change_id, decider_role) REFERENCES realm_change(realm, change_id,
    decided_under),
  CONSTRAINT realm_change_decision_realm_change_id_requester_person_ben_fkey FOREIGN KEY (realm, change_id, requester_person,
    beneficiary_person, content_hash) REFERENCES realm_change(realm, change_id, requester_person, beneficiary_person, content_hash),
  FOREIGN KEY (realm, decider_user, decider_person) REFERENCES user_account(realm, user_id, person_id),
  CONSTRAINT realm_change_decision_realm_decider_user_decider_role_deci_fkey FOREIGN KEY (realm, decider_user, decider_role,
    decider_grant_id, decider_granted_at) REFERENCES user_role(realm, user_id, role, grant_id, granted_at)
);
CREATE INDEX realm_change_decision_in ON realm_change_decision (realm, decided_in);
ALTER TABLE realm_change_decision ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON realm_change_decision USING (realm = current_setting('countersign.realm', true));
CREATE POLICY grant_in_force ON realm_change_decision AS RESTRICTIVE FOR INSERT TO countersign_app WITH CHECK (
  EXISTS (SELECT FROM user_role g WHERE g.realm = realm_change_decision.realm AND g.grant_id = realm_change_decision.decider_grant_id
          AND g.ended_at IS NULL));
GRANT SELECT, INSERT (realm, change_id, requester_person, beneficiary_person, content_hash, ordinal, action, reason, decider_user,
  decider_person, decider_role, decider_grant_id, decider_granted_at, decider_client, decided_at, key_id, seal) ON realm_change_decision
  TO countersign_app;
GRANT SELECT ON realm_change_decision TO countersign_reader;

-- +goose StatementBegin
CREATE FUNCTION beneficiary_approved_here(of_realm text, of_beneficiary uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT EXISTS (SELECT FROM realm_change_decision d
    JOIN realm_change c ON c.realm = d.realm AND c.change_id = d.change_id
    WHERE d.realm = of_realm AND d.decided_in = pg_current_xact_id() AND d.action = 'approve' AND d.decider_role = 'checker'
      AND c.subject = of_beneficiary::text)
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION beneficiary_approved_here(text, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION beneficiary_approved_here(text, uuid) TO countersign_app;

-- Whether this very transaction approved a change of the realm.
-- +goose StatementBegin
CREATE FUNCTION change_approved_here(of_realm text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT EXISTS (SELECT FROM realm_change_decision d
    WHERE d.realm = of_realm AND d.decided_in = pg_current_xact_id() AND d.action = 'approve' AND d.decider_role = 'administrator')
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION change_approved_here(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION change_approved_here(text) TO countersign_app;

CREATE POLICY changed_by_change ON realm AS RESTRICTIVE FOR UPDATE TO countersign_app USING (true) WITH CHECK (change_approved_here(realm));

CREATE POLICY added_by_change ON person AS RESTRICTIVE FOR INSERT TO countersign_app WITH CHECK (change_approved_here(realm));

CREATE POLICY added_by_change ON user_account AS RESTRICTIVE FOR INSERT TO countersign_app WITH CHECK (change_approved_here(realm));

CREATE POLICY status_by_set_up ON user_account AS RESTRICTIVE FOR UPDATE TO countersign_app USING (true) WITH CHECK (
  status = user_status_before(realm, user_id)
  OR (status = 'active' AND user_status_before(realm, user_id) = 'unverified'
      AND EXISTS (SELECT FROM user_setup_use u WHERE u.realm = user_account.realm AND u.user_id = user_account.user_id
                  AND u.used_in = pg_current_xact_id()))
  OR change_approved_here(realm));

CREATE POLICY added_by_change ON user_role AS RESTRICTIVE FOR INSERT TO countersign_app WITH CHECK (change_approved_here(realm));

CREATE POLICY changed_by_change ON user_role AS RESTRICTIVE FOR UPDATE TO countersign_app USING (true) WITH CHECK
  (change_approved_here(realm));

CREATE POLICY added_by_change ON client AS RESTRICTIVE FOR INSERT TO countersign_app WITH CHECK (change_approved_here(realm));

CREATE POLICY changed_by_change ON client AS RESTRICTIVE FOR UPDATE TO countersign_app USING (true) WITH CHECK
  (change_approved_here(realm));

CREATE POLICY added_by_change ON policy AS RESTRICTIVE FOR INSERT TO countersign_app WITH CHECK (change_approved_here(realm));

CREATE POLICY changed_by_change ON policy AS RESTRICTIVE FOR UPDATE TO countersign_app USING (true) WITH CHECK
  (change_approved_here(realm));

CREATE POLICY added_by_change ON debtor_account AS RESTRICTIVE FOR INSERT TO countersign_app WITH CHECK (change_approved_here(realm));

CREATE POLICY changed_by_change ON debtor_account AS RESTRICTIVE FOR UPDATE TO countersign_app USING (true) WITH CHECK
  (change_approved_here(realm));

CREATE POLICY added_by_change ON user_setup AS RESTRICTIVE FOR INSERT TO countersign_app WITH CHECK (change_approved_here(realm));

CREATE POLICY added_by_change ON identity_provider AS RESTRICTIVE FOR INSERT TO countersign_app WITH CHECK (change_approved_here(realm));

CREATE POLICY changed_by_change ON identity_provider AS RESTRICTIVE FOR UPDATE TO countersign_app USING (true) WITH CHECK
  (change_approved_here(realm));

CREATE POLICY added_by_change ON webhook AS RESTRICTIVE FOR INSERT TO countersign_app WITH CHECK (change_approved_here(realm));

CREATE POLICY changed_by_change ON webhook AS RESTRICTIVE FOR UPDATE TO countersign_app USING (true) WITH CHECK
  (change_approved_here(realm));

CREATE POLICY added_by_change ON outer_identity AS RESTRICTIVE FOR INSERT TO countersign_app WITH CHECK (change_approved_here(realm));

CREATE POLICY changed_by_change ON outer_identity AS RESTRICTIVE FOR UPDATE TO countersign_app USING (true) WITH CHECK
  (change_approved_here(realm));

CREATE TABLE realm_administration (
  realm   text NOT NULL,
  decided bigint NOT NULL CHECK (decided > 0),
  PRIMARY KEY (realm),
  FOREIGN KEY (realm) REFERENCES realm(realm)
);
ALTER TABLE realm_administration ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON realm_administration USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT, UPDATE (decided) ON realm_administration TO countersign_app;
GRANT SELECT ON realm_administration TO countersign_reader;

-- Which bank keeps an account, and whether instant payments reach it: an edition of the directory of a scheme, as the operator imported
-- it. The newest of a realm and scheme is in force, older ones stay and say what was known before. The rows of an edition are one
-- document under one seal, so that none of them can be changed, added or taken away by itself. The service only reads.
CREATE TABLE routing_directory (
  realm        text NOT NULL,
  directory_id uuid NOT NULL,
  scheme       text NOT NULL CHECK (scheme IN ('sic-inst', 'sct-inst')),
  edition      text NOT NULL CHECK (edition ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
  source       text NOT NULL CHECK ((length(source) >= 1) AND (length(source) <= 200)),
  entries      integer NOT NULL CHECK ((entries >= 1) AND (entries <= 200000)),
  content      bytea NOT NULL CHECK (length(content) <= 33554432),
  content_hash bytea NOT NULL,
  loaded_at    timestamptz NOT NULL,
  CONSTRAINT routing_directory_check CHECK (content_hash = sha256(content)),
  PRIMARY KEY (realm, directory_id),
  FOREIGN KEY (realm) REFERENCES realm(realm)
);
CREATE INDEX routing_directory_newest ON routing_directory (realm, scheme, directory_id);
ALTER TABLE routing_directory ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON routing_directory USING (realm = current_setting('countersign.realm', true));
GRANT SELECT ON routing_directory TO countersign_app, countersign_reader;

-- Beneficiaries: creditors that two people of payments agreed on. A maker asks for a new one, for another name or account of one, or for
-- its end; a checker who is somebody else decides. It takes the way of a change of administration, with other roles: administrators hold
-- none of payments, and people of payments administer nothing.
CREATE TABLE beneficiary (
  realm              text NOT NULL,
  beneficiary_id     uuid NOT NULL,
  name               text NOT NULL CHECK ((name <> '') AND (length(name) <= 140)),
  iban               text NOT NULL CHECK (iban ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{1,30}$'),
  -- Of its address, what the payment form asks for.
  street             text NOT NULL CHECK (length(street) <= 70),
  building_number    text NOT NULL CHECK (length(building_number) <= 16),
  address_line1      text NOT NULL CHECK (length(address_line1) <= 70),
  address_line2      text NOT NULL CHECK (length(address_line2) <= 70),
  postcode           text NOT NULL CHECK (length(postcode) <= 16),
  town               text NOT NULL CHECK (length(town) <= 35),
  country            text NOT NULL CHECK ((country = '') OR (country ~ '^[A-Z]{2}$')),
  added_at           timestamptz NOT NULL CHECK (isfinite(added_at)),
  -- When its account became another one, and which it was before; NULL and '' while it never did.
  account_changed_at timestamptz CHECK (isfinite(account_changed_at)),
  earlier_iban       text NOT NULL,
  removed            boolean NOT NULL,
  CONSTRAINT beneficiary_check CHECK ((earlier_iban = '') = (account_changed_at IS NULL)),
  PRIMARY KEY (realm, beneficiary_id),
  FOREIGN KEY (realm) REFERENCES realm(realm)
);
-- One name for an account: what is typed for it is compared with this one.
CREATE UNIQUE INDEX beneficiary_account ON beneficiary (realm, iban) WHERE NOT removed;
CREATE INDEX beneficiary_removed ON beneficiary (realm, iban) WHERE removed;
CREATE INDEX beneficiary_earlier ON beneficiary (realm, earlier_iban) WHERE earlier_iban <> '';
CREATE INDEX beneficiary_by_name ON beneficiary (realm, lower(name), beneficiary_id) WHERE NOT removed;
ALTER TABLE beneficiary ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON beneficiary USING (realm = current_setting('countersign.realm', true));
CREATE POLICY added_by_change ON beneficiary AS RESTRICTIVE FOR INSERT TO countersign_app
  WITH CHECK (beneficiary_approved_here(realm, beneficiary_id));
CREATE POLICY changed_by_change ON beneficiary AS RESTRICTIVE FOR UPDATE TO countersign_app USING (true)
  WITH CHECK (beneficiary_approved_here(realm, beneficiary_id));
GRANT SELECT, INSERT, UPDATE (name, iban, street, building_number, address_line1, address_line2, postcode, town, country,
  account_changed_at, earlier_iban, removed) ON beneficiary TO countersign_app;
GRANT SELECT ON beneficiary TO countersign_reader;

-- How much a person, a client or an account may pay: at a time, and on one day. Two administrators set a limit by a change; it stays the
-- one row of whom it binds, without amounts once it is taken away. The seal covers who is bound and by what.
CREATE TABLE spending_limit (
  realm         text NOT NULL,
  limit_id      uuid NOT NULL,
  limit_of      text NOT NULL CHECK (limit_of IN ('person', 'client', 'account')),
  -- the person's id, the client's, the IBAN
  holder        text NOT NULL CHECK ((holder <> '') AND (length(holder) <= 140)),
  currency      text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  -- minor units
  per_payment   bigint CHECK (per_payment > 0),
  per_day       bigint CHECK (per_day > 0),
  -- since when there is a daily amount without a break
  per_day_since timestamptz CHECK (isfinite(per_day_since)),
  set_at        timestamptz NOT NULL CHECK (isfinite(set_at)),
  CONSTRAINT spending_limit_check CHECK ((per_day IS NULL) = (per_day_since IS NULL)),
  CONSTRAINT spending_limit_check1 CHECK (per_payment <= per_day),
  PRIMARY KEY (realm, limit_id),
  UNIQUE (realm, limit_id, limit_of, holder, currency),
  UNIQUE (realm, limit_of, holder, currency),
  FOREIGN KEY (realm) REFERENCES realm(realm)
);
ALTER TABLE spending_limit ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON spending_limit USING (realm = current_setting('countersign.realm', true));
CREATE POLICY added_by_change ON spending_limit AS RESTRICTIVE FOR INSERT TO countersign_app WITH CHECK (change_approved_here(realm));
CREATE POLICY changed_by_change ON spending_limit AS RESTRICTIVE FOR UPDATE TO countersign_app USING (true)
  WITH CHECK (change_approved_here(realm));
GRANT SELECT, INSERT, UPDATE (per_payment, per_day, per_day_since, set_at) ON spending_limit TO countersign_app;
GRANT SELECT ON spending_limit TO countersign_reader;

-- The head of a realm's master data: how often it changed, the digest over every row of it, and a seal over both. Each change of master data
-- raises the number in its own transaction, so an old row or an old seal brings nothing back: a row counts only while it is in the set of
-- the newest head. The service updates the head and cannot insert or delete it; without the key it cannot seal one.
CREATE TABLE realm_head (
  realm     text NOT NULL,
  number    bigint NOT NULL CHECK (number > 0),
  -- The approved change that raised the number; NULL when a person changed their own account, or the operator the realm.
  change_id uuid,
  digest    bytea NOT NULL CHECK (length(digest) = 32),
  key_id    text NOT NULL CHECK (key_id <> ''),
  seal      bytea NOT NULL CHECK (length(seal) = 32),
  PRIMARY KEY (realm),
  FOREIGN KEY (realm) REFERENCES realm(realm),
  FOREIGN KEY (realm, change_id) REFERENCES realm_change_decision(realm, change_id)
);
ALTER TABLE realm_head ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON realm_head USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, UPDATE (number, change_id, digest, key_id, seal) ON realm_head TO countersign_app;
GRANT SELECT ON realm_head TO countersign_reader;

-- Data that others publish for everybody and payments are checked with: external code sets of ISO 20022 and calendars of clearing days,
-- as the operator imported them. They are the same for all realms, so a row belongs to none. Editions stay and say what was known before.
-- An edition is one document under one seal. The service only reads.
CREATE TABLE reference_edition (
  edition_id   uuid NOT NULL,
  kind         text NOT NULL CHECK (kind IN ('codes', 'calendar')),
  edition      text NOT NULL CHECK (edition ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
  -- the first day code sets are in force
  from_day     text NOT NULL CHECK (from_day ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
  -- the schemes of a calendar
  scope        text NOT NULL CHECK (length(scope) <= 200),
  source       text NOT NULL CHECK ((length(source) >= 1) AND (length(source) <= 200)),
  entries      integer NOT NULL CHECK ((entries >= 1) AND (entries <= 2500000)),
  content      bytea NOT NULL CHECK (length(content) <= 33554432),
  content_hash bytea NOT NULL,
  loaded_at    timestamptz NOT NULL,
  key_id       text NOT NULL,
  seal         bytea NOT NULL CHECK (length(seal) = 32),
  CONSTRAINT reference_edition_check CHECK (content_hash = sha256(content)),
  PRIMARY KEY (edition_id)
);
GRANT SELECT ON reference_edition TO countersign_app, countersign_reader;
