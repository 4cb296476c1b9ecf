-- +goose Up
-- A role is a grant: it was given at a time, may end, and its row never goes away, so that a decision can refer to the very grant it was
-- made under. Rows of master data carry a seal, made outside the database by whoever provisions, over every field; countersign check
-- names those that do not fit. Rows of before have none until they are provisioned again.
ALTER TABLE user_role RENAME COLUMN created_at TO granted_at;
ALTER TABLE user_role
  ADD COLUMN grant_id uuid NOT NULL DEFAULT gen_random_uuid(),
  ADD COLUMN ended_at timestamptz CHECK (ended_at >= granted_at),
  ADD COLUMN key_id text,
  ADD COLUMN seal bytea CHECK (length(seal) = 32),
  DROP CONSTRAINT user_role_pkey,
  ADD PRIMARY KEY (realm, grant_id),
  ADD UNIQUE (realm, user_id, role, grant_id, granted_at);
-- One grant of a role in force.
CREATE UNIQUE INDEX user_role_in_force ON user_role (realm, user_id, role) WHERE ended_at IS NULL;

-- Whatever an account was signed in with before signed_out_at is over: sessions and tokens alike.
ALTER TABLE user_account
  ADD COLUMN signed_out_at timestamptz,
  ADD COLUMN key_id text,
  ADD COLUMN seal bytea CHECK (length(seal) = 32);
ALTER TABLE person ADD COLUMN key_id text, ADD COLUMN seal bytea CHECK (length(seal) = 32);
ALTER TABLE client ADD COLUMN key_id text, ADD COLUMN seal bytea CHECK (length(seal) = 32);
ALTER TABLE policy ADD COLUMN key_id text, ADD COLUMN seal bytea CHECK (length(seal) = 32);
ALTER TABLE debtor_account ADD COLUMN key_id text, ADD COLUMN seal bytea CHECK (length(seal) = 32);

-- The service may change a password, and end what an account is signed in with. It must seal what it writes: a password hash that
-- somebody put here without the key opens nothing, and one without a seal is refused.
GRANT UPDATE (password_hash, signed_out_at, key_id, seal) ON user_account TO countersign_app;
CREATE POLICY sealed ON user_account AS RESTRICTIVE FOR UPDATE TO countersign_app USING (true)
  WITH CHECK (key_id IS NOT NULL AND seal IS NOT NULL);

-- A decision is made under a grant of the role checker that is older than the message: a role given afterwards decides nothing that was
-- there before. The times are copied, and the foreign keys hold the copies. Decisions of before have no grant and stay as they are.
ALTER TABLE message ADD UNIQUE (realm, message_id, created_at);
ALTER TABLE decision
  ADD COLUMN checker_role text,
  ADD COLUMN grant_id uuid,
  ADD COLUMN granted_at timestamptz,
  ADD COLUMN message_created_at timestamptz,
  ADD FOREIGN KEY (realm, checker_user, checker_role, grant_id, granted_at) REFERENCES user_role (realm, user_id, role, grant_id, granted_at),
  ADD FOREIGN KEY (realm, message_id, message_created_at) REFERENCES message (realm, message_id, created_at),
  ADD CONSTRAINT decision_under_a_grant CHECK (
    checker_role IS NOT NULL AND checker_role = 'checker' AND grant_id IS NOT NULL AND granted_at IS NOT NULL
    AND message_created_at IS NOT NULL AND granted_at <= message_created_at) NOT VALID;
-- A grant that has ended decides nothing any more. A foreign key cannot say "still", because the decision outlives the grant.
CREATE POLICY grant_in_force ON decision AS RESTRICTIVE FOR INSERT TO countersign_app WITH CHECK (
  EXISTS (SELECT FROM user_role g WHERE g.realm = decision.realm AND g.grant_id = decision.grant_id AND g.ended_at IS NULL));

-- Old sessions are told by the service's clock alone, as drafts and tokens are.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION session_drop_expired(expired_before timestamptz, page_size integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH dropped AS (
    DELETE FROM sessions WHERE token IN (SELECT s.token FROM sessions s WHERE s.expiry < expired_before LIMIT page_size)
    RETURNING 1
  )
  SELECT count(*) FROM dropped
$$;
-- +goose StatementEnd

-- +goose Down
DROP POLICY grant_in_force ON decision;
ALTER TABLE decision DROP COLUMN message_created_at, DROP COLUMN granted_at, DROP COLUMN grant_id, DROP COLUMN checker_role;
ALTER TABLE message DROP CONSTRAINT message_realm_message_id_created_at_key;
DROP POLICY sealed ON user_account;
REVOKE UPDATE (password_hash, signed_out_at, key_id, seal) ON user_account FROM countersign_app;
ALTER TABLE debtor_account DROP COLUMN seal, DROP COLUMN key_id;
ALTER TABLE policy DROP COLUMN seal, DROP COLUMN key_id;
ALTER TABLE client DROP COLUMN seal, DROP COLUMN key_id;
ALTER TABLE person DROP COLUMN seal, DROP COLUMN key_id;
ALTER TABLE user_account DROP COLUMN seal, DROP COLUMN key_id, DROP COLUMN signed_out_at;
DELETE FROM user_role WHERE ended_at IS NOT NULL;
ALTER TABLE user_role DROP COLUMN seal, DROP COLUMN key_id, DROP COLUMN ended_at, DROP COLUMN grant_id, ADD PRIMARY KEY (realm, user_id, role);
ALTER TABLE user_role RENAME COLUMN granted_at TO created_at;
