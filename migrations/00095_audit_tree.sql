-- +goose Up
-- The audit trail sealed: each realm has a hash tree (RFC 6962) over the rows of its trail and its documents, whose roots are signed with a
-- key outside the database. Rows are taken up after their commit, in the background; nobody who writes one waits for it.

-- Which transaction wrote a row. Every row of a transaction older than all that still run is there to be seen, so whoever takes them up in this
-- order passes none over. Rows of before have NULL; they, and those of a database that was brought here from another server, are taken up
-- by their key.
ALTER TABLE audit_event ADD COLUMN written_in xid8;
ALTER TABLE audit_event ALTER COLUMN written_in SET DEFAULT pg_current_xact_id();
ALTER TABLE document ADD COLUMN written_in xid8;
ALTER TABLE document ALTER COLUMN written_in SET DEFAULT pg_current_xact_id();
CREATE INDEX audit_event_written ON audit_event (realm, written_in);
CREATE INDEX document_written ON document (realm, written_in);

-- How far the tree of a realm is: its right edge (a root for each bit of its size), up to which transaction rows were taken up, and on which
-- database server that is true; another server counts its transactions anew.
CREATE TABLE audit_tree (
  realm        text PRIMARY KEY REFERENCES realm,
  size         bigint NOT NULL CHECK (size >= 0),
  edge         bytea[] NOT NULL,
  sealed_below xid8 NOT NULL,
  server       text NOT NULL
);

-- A leaf: which row stands at which place, and its hash. The seal is made over all of it, so that a place that somebody changed has a name.
CREATE TABLE audit_leaf (
  realm      text NOT NULL REFERENCES realm,
  leaf_index bigint NOT NULL CHECK (leaf_index >= 0),
  kind       text NOT NULL CHECK (kind IN ('event', 'document')),
  row_id     uuid NOT NULL,
  hash       bytea NOT NULL CHECK (length(hash) = 32),
  key_id     text NOT NULL CHECK (key_id <> ''),
  seal       bytea NOT NULL CHECK (length(seal) = 32),
  PRIMARY KEY (realm, leaf_index),
  UNIQUE (realm, row_id)
);

-- The roots of full subtrees of 256, 65,536, ... leaves, so that a proof reads hundreds of hashes and not all.
CREATE TABLE audit_node (
  realm      text NOT NULL REFERENCES realm,
  level      integer NOT NULL CHECK (level > 0),
  node_index bigint NOT NULL CHECK (node_index >= 0),
  hash       bytea NOT NULL CHECK (length(hash) = 32),
  PRIMARY KEY (realm, level, node_index)
);

-- A checkpoint: a signed note that says how large the tree was, and its root.
CREATE TABLE audit_checkpoint (
  realm text NOT NULL REFERENCES realm,
  size  bigint NOT NULL CHECK (size > 0),
  note  text NOT NULL CHECK (note <> ''),
  at    timestamptz NOT NULL CHECK (isfinite(at)),
  PRIMARY KEY (realm, size)
);

-- +goose StatementBegin
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['audit_tree', 'audit_leaf', 'audit_node', 'audit_checkpoint']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_realm ON %I USING (realm = current_setting(''countersign.realm'', true))', name);
    EXECUTE format('GRANT SELECT, INSERT ON %I TO countersign_app', name);
    EXECUTE format('GRANT SELECT ON %I TO countersign_reader', name);
  END LOOP;
END
$$;
-- +goose StatementEnd
GRANT UPDATE (size, edge, sealed_below, server) ON audit_tree TO countersign_app;

-- +goose Down
DROP TABLE audit_checkpoint, audit_node, audit_leaf, audit_tree;
DROP INDEX document_written;
DROP INDEX audit_event_written;
ALTER TABLE document DROP COLUMN written_in;
ALTER TABLE audit_event DROP COLUMN written_in;
