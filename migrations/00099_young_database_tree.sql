-- +goose Up
-- As migration 80, for the indexes that the trees of the audit trail read: they begin with what is looked for in order.
DROP INDEX audit_event_written;
CREATE INDEX audit_event_written ON audit_event (written_in, realm);
DROP INDEX document_written;
CREATE INDEX document_written ON document (written_in, realm);

-- +goose Down
DROP INDEX document_written;
CREATE INDEX document_written ON document (realm, written_in);
DROP INDEX audit_event_written;
CREATE INDEX audit_event_written ON audit_event (realm, written_in);
