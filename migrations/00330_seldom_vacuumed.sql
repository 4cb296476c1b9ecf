-- +goose Up
-- Each time a table has been looked through or cleaned, every session plans anew what it asks of it, some milliseconds for a statement that
-- names all tables of a step. By the server's own measure that happens every few seconds to each table of a young database (a fifth of its
-- rows is soon changed), which with the looking itself took a tenth of PostgreSQL's processor time while a hundred payments a second were
-- made. The tables of a payment's way are analysed when they have doubled, and cleaned when 20,000 of their rows are out of date or 50,000
-- are new, beside the share that holds for large ones.
-- +goose StatementBegin
DO $$
DECLARE relation text;
BEGIN
  FOREACH relation IN ARRAY ARRAY['message', 'message_version', 'message_history', 'audit_event', 'creation_key', 'document', 'decision',
                                  'release', 'inbox', 'outbox', 'audit_leaf', 'audit_node']
  LOOP
    EXECUTE format('ALTER TABLE %I SET (autovacuum_analyze_threshold = 500, autovacuum_analyze_scale_factor = 1,'
      ' autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_insert_threshold = 50000)', relation);
  END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DO $$
DECLARE relation text;
BEGIN
  FOREACH relation IN ARRAY ARRAY['message', 'message_version', 'message_history', 'audit_event', 'creation_key', 'document', 'decision',
                                  'release', 'inbox', 'outbox', 'audit_leaf', 'audit_node']
  LOOP
    EXECUTE format('ALTER TABLE %I RESET (autovacuum_analyze_threshold, autovacuum_vacuum_threshold, autovacuum_vacuum_insert_threshold)', relation);
    IF relation IN ('message', 'message_version', 'message_history', 'audit_event') THEN
      EXECUTE format('ALTER TABLE %I SET (autovacuum_analyze_scale_factor = 0.5)', relation);
    ELSE
      EXECUTE format('ALTER TABLE %I RESET (autovacuum_analyze_scale_factor)', relation);
    END IF;
  END LOOP;
END $$;
-- +goose StatementEnd
