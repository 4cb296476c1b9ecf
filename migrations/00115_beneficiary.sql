-- +goose Up
-- Beneficiaries: creditors that two people of payments agreed on. A maker asks for a new one, for another name or account of one, or for its
-- end; a checker who is somebody else decides. It takes the way of a change of administration, with other roles: administrators hold none of
-- payments, and people of payments administer nothing.
CREATE TABLE beneficiary (
  realm              text NOT NULL REFERENCES realm,
  beneficiary_id     uuid NOT NULL,
  name               text NOT NULL CHECK (name <> '' AND length(name) <= 140),
  iban               text NOT NULL CHECK (iban ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{1,30}$'),
  -- Of its address, what the payment form asks for.
  street             text NOT NULL CHECK (length(street) <= 70),
  building_number    text NOT NULL CHECK (length(building_number) <= 16),
  address_line1      text NOT NULL CHECK (length(address_line1) <= 70),
  address_line2      text NOT NULL CHECK (length(address_line2) <= 70),
  postcode           text NOT NULL CHECK (length(postcode) <= 16),
  town               text NOT NULL CHECK (length(town) <= 35),
  country            text NOT NULL CHECK (country = '' OR country ~ '^[A-Z]{2}$'),
  added_at           timestamptz NOT NULL CHECK (isfinite(added_at)),
  -- When its account became another one, and which it was before; NULL and '' while it never did.
  account_changed_at timestamptz CHECK (isfinite(account_changed_at)),
  earlier_iban       text NOT NULL CHECK ((earlier_iban = '') = (account_changed_at IS NULL)),
  removed            boolean NOT NULL,
  key_id             text NOT NULL CHECK (key_id <> ''),
  seal               bytea NOT NULL CHECK (length(seal) = 32),
  PRIMARY KEY (realm, beneficiary_id)
);
-- One name for an account: what is typed for it is compared with this one.
CREATE UNIQUE INDEX beneficiary_account ON beneficiary (realm, iban) WHERE NOT removed;
CREATE INDEX beneficiary_by_name ON beneficiary (realm, lower(name), beneficiary_id) WHERE NOT removed;

ALTER TABLE realm_change DROP CONSTRAINT realm_change_kind_check;
ALTER TABLE realm_change ADD CONSTRAINT realm_change_kind_check CHECK (kind IN ('user.create', 'user.roles', 'user.suppress', 'user.restore',
  'user.reset', 'client.create', 'client.secret', 'client.suppress', 'client.payee', 'account.create', 'account.update', 'account.close',
  'policy.create', 'policy.retire', 'message.taken', 'beneficiary.create', 'beneficiary.update', 'beneficiary.remove'));
ALTER TABLE realm_change DROP CONSTRAINT realm_change_requester_role_check;
ALTER TABLE realm_change ADD CONSTRAINT realm_change_requester_role_check
  CHECK (requester_role = CASE WHEN kind LIKE 'beneficiary.%' THEN 'maker' ELSE 'administrator' END);

-- The decision names the role that its change is decided under: the key of the change says which.
ALTER TABLE realm_change ADD COLUMN decided_under text NOT NULL
  GENERATED ALWAYS AS (CASE WHEN kind LIKE 'beneficiary.%' THEN 'checker' ELSE 'administrator' END) STORED;
ALTER TABLE realm_change ADD UNIQUE (realm, change_id, decided_under);
ALTER TABLE realm_change_decision DROP CONSTRAINT realm_change_decision_decider_role_check;
ALTER TABLE realm_change_decision ADD CONSTRAINT realm_change_decision_decider_role_check CHECK (decider_role IN ('administrator', 'checker'));
ALTER TABLE realm_change_decision ADD CONSTRAINT realm_change_decision_decided_under
  FOREIGN KEY (realm, change_id, decider_role) REFERENCES realm_change (realm, change_id, decided_under);

-- The approval of a checker opens beneficiaries, and nothing that administrators decide.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION change_approved_here(of_realm text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT EXISTS (SELECT FROM realm_change_decision d
    WHERE d.realm = of_realm AND d.decided_in = pg_current_xact_id() AND d.action = 'approve' AND d.decider_role = 'administrator')
$$;
-- +goose StatementEnd
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

ALTER TABLE beneficiary ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON beneficiary USING (realm = current_setting('countersign.realm', true));
CREATE POLICY added_by_change ON beneficiary AS RESTRICTIVE FOR INSERT TO countersign_app
  WITH CHECK (beneficiary_approved_here(realm, beneficiary_id));
CREATE POLICY changed_by_change ON beneficiary AS RESTRICTIVE FOR UPDATE TO countersign_app USING (true)
  WITH CHECK (beneficiary_approved_here(realm, beneficiary_id));
GRANT SELECT ON beneficiary TO countersign_app, countersign_reader;
GRANT INSERT ON beneficiary TO countersign_app;
GRANT UPDATE (name, iban, street, building_number, address_line1, address_line2, postcode, town, country, account_changed_at, earlier_iban,
  removed, key_id, seal) ON beneficiary TO countersign_app;

-- +goose Down
DROP TABLE beneficiary;
DROP FUNCTION beneficiary_approved_here(text, uuid);
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION change_approved_here(of_realm text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT EXISTS (SELECT FROM realm_change_decision d
    WHERE d.realm = of_realm AND d.decided_in = pg_current_xact_id() AND d.action = 'approve')
$$;
-- +goose StatementEnd
ALTER TABLE realm_change_decision DROP CONSTRAINT realm_change_decision_decided_under;
ALTER TABLE realm_change_decision DROP CONSTRAINT realm_change_decision_decider_role_check;
ALTER TABLE realm_change_decision ADD CONSTRAINT realm_change_decision_decider_role_check CHECK (decider_role = 'administrator');
ALTER TABLE realm_change DROP COLUMN decided_under;
ALTER TABLE realm_change DROP CONSTRAINT realm_change_requester_role_check;
ALTER TABLE realm_change ADD CONSTRAINT realm_change_requester_role_check CHECK (requester_role = 'administrator');
ALTER TABLE realm_change DROP CONSTRAINT realm_change_kind_check;
ALTER TABLE realm_change ADD CONSTRAINT realm_change_kind_check CHECK (kind IN ('user.create', 'user.roles', 'user.suppress', 'user.restore',
  'user.reset', 'client.create', 'client.secret', 'client.suppress', 'client.payee', 'account.create', 'account.update', 'account.close',
  'policy.create', 'policy.retire', 'message.taken'));
