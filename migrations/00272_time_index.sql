-- +goose Up
-- On a young database, which has no statistics, all indexes that begin with the realm look to the planner like the key of the table: messages
-- were looked up by (realm, …, message_id), and events of the trail by the realm alone, through all entries of it. Found by the blocks that an
-- index read, for the rows were few. Without the realm in front these serve the same questions, in which it is given, and their pages begin at a
-- place of both other columns.
DROP INDEX message_by_state_since;
CREATE INDEX message_by_state_since ON message (state_since, message_id, realm);
DROP INDEX audit_event_in_time;
CREATE INDEX audit_event_in_time ON audit_event (at, event_id, realm);
DROP INDEX audit_event_by_message;
CREATE UNIQUE INDEX audit_event_by_message ON audit_event (message_id, realm, sequence);

-- +goose Down
DROP INDEX message_by_state_since;
CREATE INDEX message_by_state_since ON message (realm, state_since, message_id);
DROP INDEX audit_event_in_time;
CREATE INDEX audit_event_in_time ON audit_event (realm, at, event_id);
DROP INDEX audit_event_by_message;
CREATE UNIQUE INDEX audit_event_by_message ON audit_event (realm, message_id, sequence);
