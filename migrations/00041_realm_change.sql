-- +goose Up
-- Dual administration. People, roles, clients, debtor accounts and policies change by a request of one administrator that another approves,
-- who is neither the requester nor the person it is about. The schema holds it as it holds four-eyes of messages: by keys and checks. The
-- service writes master data in the transaction of such an approval and in no other.

-- What was asked for, for ever. The content is canonical JSON: the values, and the subject before and after. nobody is beneficiary where it
-- is about no person.
CREATE TABLE realm_change (
  realm                text NOT NULL REFERENCES realm,
  change_id            uuid NOT NULL,
  kind                 text NOT NULL CHECK (kind IN ('user.create', 'user.roles', 'user.suppress', 'user.restore', 'user.reset', 'client.create',
                         'client.secret', 'client.suppress', 'account.create', 'account.update', 'account.close', 'policy.create', 'policy.retire')),
  subject              text NOT NULL CHECK (subject <> '' AND length(subject) <= 140),
  beneficiary_person   uuid NOT NULL,
  content              text NOT NULL CHECK (content::jsonb IS NOT NULL AND length(content) <= 65536),
  content_hash         bytea NOT NULL CHECK (content_hash = sha256(convert_to(content, 'UTF8'))),
  code_hash            bytea CHECK (length(code_hash) = 32),
  requester_user       uuid NOT NULL,
  requester_person     uuid NOT NULL,
  requester_role       text NOT NULL CHECK (requester_role = 'administrator'),
  requester_grant_id   uuid NOT NULL,
  requester_granted_at timestamptz NOT NULL,
  requester_client     text NOT NULL,
  requested_at         timestamptz NOT NULL CHECK (isfinite(requested_at) AND requested_at >= requester_granted_at),
  key_id               text NOT NULL CHECK (key_id <> ''),
  seal                 bytea NOT NULL CHECK (length(seal) = 32),
  CHECK ((code_hash IS NOT NULL) = (kind IN ('user.create', 'user.reset'))),
  PRIMARY KEY (realm, change_id),
  UNIQUE (realm, change_id, requester_person, beneficiary_person, content_hash),
  FOREIGN KEY (realm, requester_user, requester_person) REFERENCES user_account (realm, user_id, person_id),
  FOREIGN KEY (realm, requester_user, requester_role, requester_grant_id, requester_granted_at)
    REFERENCES user_role (realm, user_id, role, grant_id, granted_at)
);

-- What another administrator said of it, once. The ordinal counts the decisions of a realm without a gap; taking it locks the realm's row of
-- realm_administration, so decisions of one realm take turns and none of two can remove the last but one.
CREATE TABLE realm_change_decision (
  realm              text NOT NULL,
  change_id          uuid NOT NULL,
  requester_person   uuid NOT NULL,
  beneficiary_person uuid NOT NULL,
  content_hash       bytea NOT NULL,
  ordinal            bigint NOT NULL CHECK (ordinal > 0),
  action             text NOT NULL CHECK (action IN ('approve', 'reject')),
  reason             text CHECK (reason ~ '\S' AND length(reason) <= 512),
  decider_user       uuid NOT NULL,
  decider_person     uuid NOT NULL,
  decider_role       text NOT NULL CHECK (decider_role = 'administrator'),
  decider_grant_id   uuid NOT NULL,
  decider_granted_at timestamptz NOT NULL,
  decider_client     text NOT NULL,
  decided_at         timestamptz NOT NULL CHECK (isfinite(decided_at) AND decided_at >= decider_granted_at),
  decided_in         xid8 NOT NULL DEFAULT pg_current_xact_id(),
  key_id             text NOT NULL CHECK (key_id <> ''),
  seal               bytea NOT NULL CHECK (length(seal) = 32),
  CHECK (decider_person <> requester_person),
  CHECK (decider_person <> beneficiary_person),
  CHECK (action = 'approve' OR reason IS NOT NULL),
  PRIMARY KEY (realm, change_id),
  UNIQUE (realm, ordinal),
  FOREIGN KEY (realm, change_id, requester_person, beneficiary_person, content_hash)
    REFERENCES realm_change (realm, change_id, requester_person, beneficiary_person, content_hash),
  FOREIGN KEY (realm, decider_user, decider_person) REFERENCES user_account (realm, user_id, person_id),
  FOREIGN KEY (realm, decider_user, decider_role, decider_grant_id, decider_granted_at)
    REFERENCES user_role (realm, user_id, role, grant_id, granted_at)
);
CREATE INDEX realm_change_decision_in ON realm_change_decision (realm, decided_in);

CREATE TABLE realm_administration (
  realm   text PRIMARY KEY REFERENCES realm,
  decided bigint NOT NULL CHECK (decided > 0)
);

-- +goose StatementBegin
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['realm_change', 'realm_change_decision', 'realm_administration']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_realm ON %I USING (realm = current_setting(''countersign.realm'', true))', name);
    EXECUTE format('GRANT SELECT ON %I TO countersign_app, countersign_reader', name);
  END LOOP;
END
$$;
-- +goose StatementEnd
GRANT INSERT ON realm_change TO countersign_app;
GRANT INSERT (realm, change_id, requester_person, beneficiary_person, content_hash, ordinal, action, reason, decider_user, decider_person,
  decider_role, decider_grant_id, decider_granted_at, decider_client, decided_at, key_id, seal) ON realm_change_decision TO countersign_app;
GRANT INSERT, UPDATE (decided) ON realm_administration TO countersign_app;

-- A grant that has ended asks and decides nothing any more. A foreign key cannot say "still".
CREATE POLICY grant_in_force ON realm_change AS RESTRICTIVE FOR INSERT TO countersign_app WITH CHECK (
  EXISTS (SELECT FROM user_role g WHERE g.realm = realm_change.realm AND g.grant_id = realm_change.requester_grant_id AND g.ended_at IS NULL));
CREATE POLICY grant_in_force ON realm_change_decision AS RESTRICTIVE FOR INSERT TO countersign_app WITH CHECK (
  EXISTS (SELECT FROM user_role g WHERE g.realm = realm_change_decision.realm AND g.grant_id = realm_change_decision.decider_grant_id
          AND g.ended_at IS NULL));

-- A client can be shut. Seals made before cover no such column, and it is covered only where it is set.
ALTER TABLE client ADD COLUMN suppressed_at timestamptz CHECK (isfinite(suppressed_at));

-- Whether this very transaction approved a change of the realm.
-- +goose StatementBegin
CREATE FUNCTION change_approved_here(of_realm text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT EXISTS (SELECT FROM realm_change_decision d
    WHERE d.realm = of_realm AND d.decided_in = pg_current_xact_id() AND d.action = 'approve')
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION change_approved_here(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION change_approved_here(text) TO countersign_app;

-- Whether another realm receives for an account: it could not be seen else, and only the insert would tell.
-- +goose StatementBegin
CREATE FUNCTION incoming_account_taken(of_iban text, by_other_than text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT EXISTS (SELECT FROM incoming_account WHERE iban = of_iban AND realm <> by_other_than)
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION incoming_account_taken(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION incoming_account_taken(text, text) TO countersign_app;

GRANT INSERT ON person, user_account, user_role, client, policy, debtor_account, incoming_account, user_setup TO countersign_app;
GRANT UPDATE (ended_at, key_id, seal) ON user_role TO countersign_app;
GRANT UPDATE (secret_hash, suppressed_at, key_id, seal) ON client TO countersign_app;
GRANT UPDATE (retired_at, key_id, seal) ON policy TO countersign_app;
GRANT UPDATE (holder_name, holder_street, holder_building, holder_postcode, holder_town, holder_country, agent_bic, agent_iid, open, key_id, seal)
  ON debtor_account TO countersign_app;
-- +goose StatementBegin
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['person', 'user_account', 'user_role', 'client', 'policy', 'debtor_account', 'incoming_account', 'user_setup']
  LOOP
    EXECUTE format('CREATE POLICY added_by_change ON %I AS RESTRICTIVE FOR INSERT TO countersign_app WITH CHECK (change_approved_here(realm))', name);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['user_role', 'client', 'policy', 'debtor_account']
  LOOP
    EXECUTE format('CREATE POLICY changed_by_change ON %I AS RESTRICTIVE FOR UPDATE TO countersign_app USING (true)
                    WITH CHECK (change_approved_here(realm))', name);
  END LOOP;
END
$$;
-- +goose StatementEnd

-- The status of an account: by its set-up, as before, or by a change.
DROP POLICY status_by_set_up ON user_account;
CREATE POLICY status_by_set_up ON user_account AS RESTRICTIVE FOR UPDATE TO countersign_app USING (true) WITH CHECK (
  status = user_status_before(realm, user_id)
  OR (status = 'active' AND user_status_before(realm, user_id) = 'unverified'
      AND EXISTS (SELECT FROM user_setup_use u WHERE u.realm = user_account.realm AND u.user_id = user_account.user_id
                  AND u.used_in = pg_current_xact_id()))
  OR change_approved_here(realm));

-- +goose Down
DROP POLICY status_by_set_up ON user_account;
CREATE POLICY status_by_set_up ON user_account AS RESTRICTIVE FOR UPDATE TO countersign_app USING (true) WITH CHECK (
  status = user_status_before(realm, user_id)
  OR (status = 'active' AND user_status_before(realm, user_id) = 'unverified'
      AND EXISTS (SELECT FROM user_setup_use u WHERE u.realm = user_account.realm AND u.user_id = user_account.user_id
                  AND u.used_in = pg_current_xact_id())));
-- +goose StatementBegin
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['user_role', 'client', 'policy', 'debtor_account']
  LOOP
    EXECUTE format('DROP POLICY changed_by_change ON %I', name);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['person', 'user_account', 'user_role', 'client', 'policy', 'debtor_account', 'incoming_account', 'user_setup']
  LOOP
    EXECUTE format('DROP POLICY added_by_change ON %I', name);
    EXECUTE format('REVOKE INSERT ON %I FROM countersign_app', name);
  END LOOP;
END
$$;
-- +goose StatementEnd
REVOKE UPDATE (ended_at, key_id, seal) ON user_role FROM countersign_app;
REVOKE UPDATE (secret_hash, suppressed_at, key_id, seal) ON client FROM countersign_app;
REVOKE UPDATE (retired_at, key_id, seal) ON policy FROM countersign_app;
REVOKE UPDATE (holder_name, holder_street, holder_building, holder_postcode, holder_town, holder_country, agent_bic, agent_iid, open, key_id, seal)
  ON debtor_account FROM countersign_app;
DROP FUNCTION incoming_account_taken(text, text);
DROP FUNCTION change_approved_here(text);
ALTER TABLE client DROP COLUMN suppressed_at;
DROP TABLE realm_administration, realm_change_decision, realm_change;
