-- +goose Up
-- What is approved, released and sent carries a seal: an HMAC whose key is kept outside the database (docs/security.md, "Keys"). The
-- program makes them and holds every row against its seal before it shows, decides or sends it; the constraints here only keep rows
-- without a seal out. They are NOT VALID: rows from before this migration have none and stay as they are. The program says of such a
-- message that it cannot be proven, lets nobody approve it and sends nothing of it.

-- The release's seal binds the debtor account as the interbank document names it: the digest of IBAN, scheme, currency, holder and agent.
-- NULL for an R-transaction, which debits none.
ALTER TABLE release ADD COLUMN account_digest bytea CHECK (length(account_digest) = 32);

-- The seal of a version covers the message's identity, its makers, how many approvals it needs, the digest of its content and the
-- searched columns: without it, whoever may write rows could show a checker other columns than the content says.
ALTER TABLE message_version ADD COLUMN key_id text, ADD COLUMN seal bytea;
ALTER TABLE message_version ADD CONSTRAINT message_version_sealed
  CHECK (key_id IS NOT NULL AND key_id <> '' AND seal IS NOT NULL AND length(seal) = 32) NOT VALID;

-- What goes out belongs to a message and is sealed: without it, a document written beforehand could be sent in place of the approved one.
ALTER TABLE document ADD COLUMN key_id text, ADD COLUMN mac bytea;
ALTER TABLE document ADD CONSTRAINT document_outbound_sealed
  CHECK (direction <> 'out'
         OR (message_id IS NOT NULL AND key_id IS NOT NULL AND key_id <> '' AND mac IS NOT NULL AND length(mac) = 32)) NOT VALID;

-- The outbox takes answers only, never a payment. A row has either a content of its own, a pacs.002 or camt.025, or it names the sealed
-- document that answered a recall, to send that again. A row that does not fit its seal is refused: it is never delivered, and stays for
-- an operator.
ALTER TABLE outbox ADD COLUMN document_realm text, ADD COLUMN document_id uuid, ADD COLUMN key_id text, ADD COLUMN mac bytea,
  ADD COLUMN refused_at timestamptz, ALTER COLUMN content DROP NOT NULL,
  ADD FOREIGN KEY (document_realm, document_id) REFERENCES document (realm, document_id);
ALTER TABLE outbox ADD CONSTRAINT outbox_content_or_document
  CHECK (CASE WHEN content IS NULL THEN document_realm IS NOT NULL AND document_id IS NOT NULL
         ELSE document_realm IS NULL AND document_id IS NULL END);
-- Rows from before, which have no seal, can be refused all the same.
ALTER TABLE outbox ADD CONSTRAINT outbox_answers_only
  CHECK (refused_at IS NOT NULL
         OR name = ANY (CASE WHEN content IS NULL THEN ARRAY['pacs.004.001.09', 'camt.029.001.09']
                        ELSE ARRAY['pacs.002.001.10', 'camt.025.001.05'] END)) NOT VALID;
ALTER TABLE outbox ADD CONSTRAINT outbox_sealed
  CHECK (refused_at IS NOT NULL OR (key_id IS NOT NULL AND key_id <> '' AND mac IS NOT NULL AND length(mac) = 32)) NOT VALID;
DROP INDEX outbox_undelivered;
CREATE INDEX outbox_undelivered ON outbox (created_at) WHERE delivered_at IS NULL AND refused_at IS NULL;
GRANT UPDATE (refused_at) ON outbox TO countersign_app;

-- +goose Down
DROP INDEX outbox_undelivered;
CREATE INDEX outbox_undelivered ON outbox (created_at) WHERE delivered_at IS NULL;
ALTER TABLE outbox DROP COLUMN document_realm, DROP COLUMN document_id, DROP COLUMN key_id, DROP COLUMN mac, DROP COLUMN refused_at;
ALTER TABLE document DROP COLUMN key_id, DROP COLUMN mac;
ALTER TABLE message_version DROP COLUMN key_id, DROP COLUMN seal;
ALTER TABLE release DROP COLUMN account_digest;
