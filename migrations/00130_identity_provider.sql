-- +goose Up
-- Sign-in to the portal through an identity provider of the bank (OpenID Connect). The provider and who is who there change by two
-- administrators, as all master data do; roles, limits of sessions and four-eyes stay here.

-- The identity provider of a realm: at most one in force. Rows are never changed but by their end. The secret is encrypted under a subkey
-- of the token key, which is not in the database, and bound to realm, issuer and client; it is NULL for a public client.
CREATE TABLE identity_provider (
  realm               text NOT NULL REFERENCES realm,
  provider_id         uuid NOT NULL,
  issuer              text NOT NULL CHECK (issuer <> '' AND length(issuer) <= 140),
  client_id           text NOT NULL CHECK (client_id <> '' AND length(client_id) <= 255),
  secret              bytea CHECK (length(secret) BETWEEN 1 AND 4096),
  portal_address      text NOT NULL CHECK (portal_address <> '' AND length(portal_address) <= 255),
  passwords           text NOT NULL CHECK (passwords IN ('everybody', 'break-glass')),
  sign_in_age_seconds integer NOT NULL CHECK (sign_in_age_seconds BETWEEN 0 AND 43200),
  made_at             timestamptz NOT NULL CHECK (isfinite(made_at)),
  retired_at          timestamptz CHECK (isfinite(retired_at)),
  key_id              text NOT NULL CHECK (key_id <> ''),
  seal                bytea NOT NULL CHECK (length(seal) = 32),
  PRIMARY KEY (realm, provider_id)
);
CREATE UNIQUE INDEX identity_provider_in_force ON identity_provider (realm) WHERE retired_at IS NULL;

-- Who an account is at the provider: one subject of an issuer is one account, and an account one subject. Nothing is said by a name or a
-- mail address, which providers give to others in time.
CREATE TABLE outer_identity (
  realm     text NOT NULL,
  link_id   uuid NOT NULL,
  user_id   uuid NOT NULL,
  issuer    text NOT NULL CHECK (issuer <> '' AND length(issuer) <= 140),
  subject   text NOT NULL CHECK (subject <> '' AND length(subject) <= 255),
  linked_at timestamptz NOT NULL CHECK (isfinite(linked_at)),
  ended_at  timestamptz CHECK (isfinite(ended_at)),
  key_id    text NOT NULL CHECK (key_id <> ''),
  seal      bytea NOT NULL CHECK (length(seal) = 32),
  PRIMARY KEY (realm, link_id),
  FOREIGN KEY (realm, user_id) REFERENCES user_account (realm, user_id)
);
CREATE UNIQUE INDEX outer_identity_subject ON outer_identity (realm, issuer, subject) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX outer_identity_user ON outer_identity (realm, user_id) WHERE ended_at IS NULL;

-- The states of sign-ins that came back from the provider, as SHA-256 digests: none counts twice, however many requests bring it at once.
-- A state is good for ten minutes, so a row says nothing any more after an hour.
CREATE TABLE outer_sign_in (
  realm      text NOT NULL REFERENCES realm,
  state_hash bytea NOT NULL CHECK (length(state_hash) = 32),
  came_at    timestamptz NOT NULL CHECK (isfinite(came_at)),
  PRIMARY KEY (realm, state_hash)
);
CREATE INDEX outer_sign_in_by_time ON outer_sign_in (realm, came_at);

-- +goose StatementBegin
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['identity_provider', 'outer_identity', 'outer_sign_in']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_realm ON %I USING (realm = current_setting(''countersign.realm'', true))', name);
    EXECUTE format('GRANT SELECT, INSERT ON %I TO countersign_app', name);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['identity_provider', 'outer_identity']
  LOOP
    EXECUTE format('CREATE POLICY added_by_change ON %I AS RESTRICTIVE FOR INSERT TO countersign_app WITH CHECK (change_approved_here(realm))', name);
    EXECUTE format('CREATE POLICY changed_by_change ON %I AS RESTRICTIVE FOR UPDATE TO countersign_app USING (true)
                    WITH CHECK (change_approved_here(realm))', name);
  END LOOP;
END
$$;
-- +goose StatementEnd
GRANT UPDATE (retired_at, key_id, seal) ON identity_provider TO countersign_app;
GRANT UPDATE (ended_at, key_id, seal) ON outer_identity TO countersign_app;
GRANT DELETE ON outer_sign_in TO countersign_app;
CREATE POLICY retired_for_good ON identity_provider AS RESTRICTIVE FOR UPDATE TO countersign_app USING (retired_at IS NULL)
  WITH CHECK (retired_at IS NOT NULL);
CREATE POLICY ended_for_good ON outer_identity AS RESTRICTIVE FOR UPDATE TO countersign_app USING (ended_at IS NULL)
  WITH CHECK (ended_at IS NOT NULL);
CREATE POLICY over ON outer_sign_in AS RESTRICTIVE FOR DELETE TO countersign_app USING (came_at < now() - interval '1 hour');

-- The kinds of changes that are new, beside those there are.
-- +goose StatementBegin
DO $$
DECLARE
  known text;
BEGIN
  SELECT pg_get_constraintdef(oid) INTO STRICT known FROM pg_constraint
  WHERE conrelid = 'realm_change'::regclass AND conname = 'realm_change_kind_check';
  ALTER TABLE realm_change DROP CONSTRAINT realm_change_kind_check;
  EXECUTE 'ALTER TABLE realm_change ADD CONSTRAINT realm_change_kind_check ' || replace(known, 'ARRAY[',
    'ARRAY[''user.link''::text, ''user.unlink''::text, ''provider.set''::text, ''provider.retire''::text, ');
END
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DO $$
DECLARE
  known text;
BEGIN
  SELECT pg_get_constraintdef(oid) INTO STRICT known FROM pg_constraint
  WHERE conrelid = 'realm_change'::regclass AND conname = 'realm_change_kind_check';
  ALTER TABLE realm_change DROP CONSTRAINT realm_change_kind_check;
  EXECUTE 'ALTER TABLE realm_change ADD CONSTRAINT realm_change_kind_check ' || replace(known,
    '''user.link''::text, ''user.unlink''::text, ''provider.set''::text, ''provider.retire''::text, ', '');
END
$$;
-- +goose StatementEnd
DROP TABLE outer_sign_in, outer_identity, identity_provider;
