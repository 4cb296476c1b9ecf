-- +goose Up
-- Row-level security on every table with a realm. What clearing sent is looked up before it is known whose it is; that step names
-- '(gateway)' as its realm, which is none: it sees the tables below and no realm's messages. A transaction of a realm sees its own rows
-- of them. Whoever reads as countersign_reader, which the service cannot become, sees all of them, as before.

-- An answer belongs to the realm of the message it is about; NULL for one to a document of nobody here. Whoever puts it there need not
-- say so: it is his whose transaction it is. Rows of before get their realm where the document they sent says it.
ALTER TABLE outbox ADD COLUMN realm text REFERENCES realm;
UPDATE outbox o SET realm = d.realm FROM document d WHERE d.direction = 'out' AND d.scheme = o.scheme AND d.reference = o.reference;
UPDATE outbox SET realm = document_realm WHERE realm IS NULL;
ALTER TABLE outbox ALTER COLUMN realm SET DEFAULT nullif(nullif(current_setting('countersign.realm', true), '(gateway)'), '');

-- +goose StatementBegin
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['realm', 'inbox', 'outbox', 'incoming_account', 'incoming_payment']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_realm ON %I TO countersign_app USING (realm = current_setting(''countersign.realm'', true)
                    OR current_setting(''countersign.realm'', true) = ''(gateway)'')', name);
    EXECUTE format('CREATE POLICY every_realm ON %I FOR SELECT TO countersign_reader USING (true)', name);
  END LOOP;
END
$$;
-- +goose StatementEnd

-- A document that waited found whose it is: the realm takes it, though it could not see it before. Only a document that waits can be
-- taken, once, and by the realm it is given to or by the step before realms. Returns how many were taken.
-- +goose StatementBegin
CREATE FUNCTION inbox_settle(of_scheme text, of_reference text, new_outcome text, new_reason text, new_realm text, new_document uuid) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH settled AS (
    UPDATE inbox SET outcome = new_outcome, reason = new_reason, realm = new_realm, document_id = new_document, wait_until = NULL
    WHERE scheme = of_scheme AND reference = of_reference AND outcome = 'waiting'
      AND (current_setting('countersign.realm', true) = '(gateway)' OR current_setting('countersign.realm', true) = new_realm)
    RETURNING 1
  )
  SELECT count(*) FROM settled
$$;
-- +goose StatementEnd
REVOKE UPDATE (outcome, reason, realm, document_id, wait_until) ON inbox FROM countersign_app;
REVOKE EXECUTE ON FUNCTION inbox_settle(text, text, text, text, text, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION inbox_settle(text, text, text, text, text, uuid) TO countersign_app;

-- The whole trail of a realm is read by time, and by who acted.
CREATE INDEX audit_event_by_actor ON audit_event (realm, actor_user, at, event_id);

-- +goose Down
DROP INDEX audit_event_by_actor;
GRANT UPDATE (outcome, reason, realm, document_id, wait_until) ON inbox TO countersign_app;
DROP FUNCTION inbox_settle(text, text, text, text, text, uuid);
-- +goose StatementBegin
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['realm', 'inbox', 'outbox', 'incoming_account', 'incoming_payment']
  LOOP
    EXECUTE format('DROP POLICY own_realm ON %I', name);
    EXECUTE format('DROP POLICY every_realm ON %I', name);
    EXECUTE format('ALTER TABLE %I DISABLE ROW LEVEL SECURITY', name);
  END LOOP;
END
$$;
-- +goose StatementEnd
ALTER TABLE outbox DROP COLUMN realm;
