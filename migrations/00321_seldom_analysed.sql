-- +goose Up
-- Analysing messages, versions, moves and events took a tenth of PostgreSQL's processor time while a young database grew: by a tenth of its
-- rows each few seconds, by all columns. They are analysed when they have grown by half, and not by what no page and no step narrows by
-- (names and accounts that are shown, seals, hashes, what a row says of the one before). The columns of indexes, states, people, events and
-- words keep what the planner knows of them, from 30,000 rows as before.
ALTER TABLE message SET (autovacuum_analyze_scale_factor = 0.5);
ALTER TABLE message_version SET (autovacuum_analyze_scale_factor = 0.5);
ALTER TABLE message_history SET (autovacuum_analyze_scale_factor = 0.5);
ALTER TABLE audit_event SET (autovacuum_analyze_scale_factor = 0.5);
-- +goose StatementBegin
DO $$
DECLARE c record;
BEGIN
  FOR c IN SELECT split_part(name, '.', 1) AS relation, split_part(name, '.', 2) AS name FROM unnest(ARRAY[
      'message.channel', 'message.client_id', 'message.external_id', 'message.policy_id', 'message.deadline', 'message.reason',
      'message.state_sequence', 'message.settled_at', 'message.status_text', 'message.inquiries',
      'message_version.document_id', 'message_version.content_hash', 'message_version.makers', 'message_version.previous_version',
      'message_version.previous_makers', 'message_version.first_maker', 'message_version.instruction_id', 'message_version.uetr',
      'message_version.debtor_name', 'message_version.debtor_agent', 'message_version.creditor_agent', 'message_version.remittance',
      'message_version.key_id', 'message_version.seal', 'message_version.ordered_debtor_name', 'message_version.maker_role',
      'message_version.maker_grant_id', 'message_version.maker_granted_at', 'message_version.clients', 'message_version.payee_name',
      'message_version.payee_at',
      'message_history.previous_sequence', 'message_history.version', 'message_history.actor_person', 'message_history.client_id',
      'message_history.channel',
      'audit_event.actor_user', 'audit_event.actor_person', 'audit_event.client_id', 'audit_event.channel', 'audit_event.request_id',
      'audit_event.source_address', 'audit_event.content_hash', 'audit_event.detail']) AS name
  LOOP
    EXECUTE format('ALTER TABLE %I ALTER COLUMN %I SET STATISTICS 0', c.relation, c.name);
  END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
ALTER TABLE message RESET (autovacuum_analyze_scale_factor);
ALTER TABLE message_version RESET (autovacuum_analyze_scale_factor);
ALTER TABLE message_history RESET (autovacuum_analyze_scale_factor);
ALTER TABLE audit_event RESET (autovacuum_analyze_scale_factor);
-- +goose StatementBegin
DO $$
DECLARE c record;
BEGIN
  FOR c IN SELECT a.attrelid::regclass AS relation, a.attname AS name FROM pg_attribute a
    WHERE a.attnum > 0 AND NOT a.attisdropped AND a.attstattarget = 0
      AND a.attrelid = ANY (ARRAY['message', 'message_version', 'message_history', 'audit_event']::regclass[])
  LOOP
    EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET STATISTICS -1', c.relation, c.name);
  END LOOP;
END $$;
-- +goose StatementEnd
