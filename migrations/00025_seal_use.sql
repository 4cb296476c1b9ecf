-- +goose Up
-- A token's row carries a seal over all that says whom it stands for and how long, made with a key outside the database. The digest alone
-- proved only that the text of the token is ours: whoever writes rows as the service does could hang the digest of a token of their own
-- onto a sign-in of somebody else. Rows of before have no seal, so whoever is signed in at the upgrade signs in again.
DELETE FROM token_family;
ALTER TABLE refresh_token ADD COLUMN key_id text NOT NULL, ADD COLUMN seal bytea NOT NULL CHECK (length(seal) = 32);
ALTER TABLE access_token ADD COLUMN key_id text NOT NULL, ADD COLUMN seal bytea NOT NULL CHECK (length(seal) = 32);

-- What ended stays ended: a family that was revoked does not come back to life, by a change or by being deleted and written anew, and a
-- refresh token that was spent stays spent. Only what is over by itself is dropped.
CREATE POLICY revoked_for_good ON token_family AS RESTRICTIVE FOR UPDATE TO countersign_app USING (true) WITH CHECK (revoked_at IS NOT NULL);
CREATE POLICY over ON token_family AS RESTRICTIVE FOR DELETE TO countersign_app USING (ends_at < now());
CREATE POLICY spent_for_good ON refresh_token AS RESTRICTIVE FOR UPDATE TO countersign_app USING (true) WITH CHECK (spent_at IS NOT NULL);
CREATE POLICY over ON access_token AS RESTRICTIVE FOR DELETE TO countersign_app USING (expires_at < now());

-- A decision carries a seal over who said what about which content. The release proves who approved, but it is sealed over the decisions
-- that are found: whoever writes rows as the service does could have given the first of two approvals in somebody else's name. Decisions
-- of before have none: a message that still waits with one of them is withheld, and must be withdrawn and entered anew.
ALTER TABLE decision ADD COLUMN key_id text, ADD COLUMN seal bytea CHECK (length(seal) = 32);

-- No time is infinite, and what the trail tells of a step is JSON: nothing that reads a row could read it else, and one such row took lists,
-- pages and the auditor down.
-- +goose StatementBegin
DO $$
DECLARE
  c record;
BEGIN
  FOR c IN
    SELECT table_name, column_name FROM information_schema.columns JOIN information_schema.tables t USING (table_schema, table_name)
    WHERE table_schema = 'public' AND t.table_type = 'BASE TABLE' AND data_type = 'timestamp with time zone'
      AND table_name IN ('realm', 'person', 'user_account', 'user_role', 'client', 'policy', 'token_family', 'refresh_token', 'access_token',
        'login_throttle', 'sessions', 'document', 'message', 'message_version', 'message_history', 'decision', 'release', 'audit_event',
        'creation_key', 'inbox', 'outbox', 'draft')
  LOOP
    EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I CHECK (isfinite(%I))', c.table_name, c.table_name || '_' || c.column_name || '_finite', c.column_name);
  END LOOP;
END
$$;
-- +goose StatementEnd
ALTER TABLE audit_event ADD CONSTRAINT audit_event_detail_json CHECK (detail::jsonb IS NOT NULL);

-- +goose Down
ALTER TABLE audit_event DROP CONSTRAINT audit_event_detail_json;
-- +goose StatementBegin
DO $$
DECLARE
  c record;
BEGIN
  FOR c IN SELECT conrelid::regclass AS place, conname FROM pg_constraint WHERE contype = 'c' AND conname LIKE '%\_finite'
  LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', c.place, c.conname);
  END LOOP;
END
$$;
-- +goose StatementEnd
ALTER TABLE decision DROP COLUMN seal, DROP COLUMN key_id;
DROP POLICY over ON access_token;
DROP POLICY spent_for_good ON refresh_token;
DROP POLICY over ON token_family;
DROP POLICY revoked_for_good ON token_family;
ALTER TABLE access_token DROP COLUMN seal, DROP COLUMN key_id;
ALTER TABLE refresh_token DROP COLUMN seal, DROP COLUMN key_id;
