-- +goose Up
-- The audit trail, its hash tree, and the signed checkpoints.

-- The id of the event of a move: the id of the message with the version 8 and the number of the move in its 24 bits before the last group.
-- The tree so names each move of a message, and a move can be found there when its row in the trail is gone. As auditlog.MoveID.
-- In plpgsql, because each statement that writes audit_event would parse and plan a function in SQL again for the constraint.
-- +goose StatementBegin
CREATE FUNCTION move_event(message_id uuid, sequence integer) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN overlay(message_id::text PLACING '8' || lpad(to_hex(sequence >> 12), 3, '0') || '-8' || lpad(to_hex(sequence & 4095), 3, '0')
    FROM 15 FOR 9)::uuid;
END
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION move_event(uuid, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION move_event(uuid, integer) TO countersign_app, countersign_reader;

-- What happened, for the auditor: one row for every change of state and for every refusal that matters. Never changed.
CREATE TABLE audit_event (
  realm          text NOT NULL,
  event_id       uuid NOT NULL,
  message_id     uuid,
  sequence       integer,
  event          text NOT NULL CHECK (event <> ''),
  actor_user     uuid,
  actor_person   uuid,
  actor_name     text NOT NULL,
  client_id      text,
  channel        text NOT NULL CHECK (channel IN ('api', 'portal', 'clearing', 'clock', 'operator')),
  request_id     text,
  source_address text,
  content_hash   bytea,
  detail         text NOT NULL,
  at             timestamptz NOT NULL,
  -- A refusal changes nothing, so it has no place in a message's history: no sequence, and no message where none was found.
  outcome        text DEFAULT 'done' NOT NULL CHECK (outcome IN ('done', 'refused')),
  -- Which transaction wrote a row. Every row of a transaction older than all that still run is there to be seen, so a reader that takes them up
  -- in this order passes none over.
  written_in     xid8 DEFAULT pg_current_xact_id() NOT NULL,
  -- The place in the stream of events that clients read; NULL for rows that are not in it. It is at least event_order.base plus the number
  -- of the transaction, and at least the place of the earlier step of the same message (docs/adr/0013-event-order.md).
  place          bigint CHECK (place > 0),
  -- The seal is over the leaf of the row in the tree, and so over the move, the version and the decision that it tells of.
  key_id         text NOT NULL CHECK (key_id <> ''),
  seal           bytea NOT NULL CHECK (length(seal) = 32),
  CONSTRAINT audit_event_at_finite CHECK (isfinite(at)),
  CONSTRAINT audit_event_check CHECK ((outcome = 'done') OR (sequence IS NULL)),
  CONSTRAINT audit_event_move CHECK ((sequence IS NULL) OR (event_id = move_event(message_id, sequence))),
  CONSTRAINT audit_event_detail_json CHECK ((detail)::jsonb IS NOT NULL),
  PRIMARY KEY (realm, event_id),
  FOREIGN KEY (realm) REFERENCES realm(realm)
) WITH (autovacuum_analyze_threshold = 500, autovacuum_analyze_scale_factor = 1, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_insert_threshold = 50000);
CREATE UNIQUE INDEX audit_event_by_message ON audit_event (message_id, realm, sequence);
-- The trail of one message, its refusals among its moves.
CREATE INDEX audit_event_in_time ON audit_event (at, event_id, realm);
CREATE INDEX audit_event_placed ON audit_event (realm, place) WHERE place IS NOT NULL;
CREATE INDEX audit_event_written ON audit_event (written_in, realm);
CREATE INDEX audit_event_of_no_move ON audit_event (realm, event_id) WHERE sequence IS NULL;
-- What releases used of limits.
CREATE INDEX audit_event_limits ON audit_event (realm, at) WHERE detail LIKE '%"limits":[%';
-- The newest changes of master data that the trail tells of.
CREATE INDEX audit_event_master_data ON audit_event (realm, event_id) WHERE event = 'realm.rows';
ALTER TABLE audit_event ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON audit_event USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT ON audit_event TO countersign_app;
GRANT SELECT ON audit_event TO countersign_reader;
-- Statistics are kept small: the planner needs none of these columns, or few values of them.
ALTER TABLE audit_event
  ALTER COLUMN actor_user SET STATISTICS 0, ALTER COLUMN actor_person SET STATISTICS 0, ALTER COLUMN client_id SET STATISTICS 0, ALTER
  COLUMN channel SET STATISTICS 0, ALTER COLUMN request_id SET STATISTICS 0, ALTER COLUMN source_address SET STATISTICS 0, ALTER COLUMN
  content_hash SET STATISTICS 0, ALTER COLUMN detail SET STATISTICS 10, ALTER COLUMN key_id SET STATISTICS 0, ALTER COLUMN seal SET
  STATISTICS 0;

-- What is added to the number of a transaction to get a place in the stream of events. A dump that is restored into another server brings
-- places along and meets lower numbers of transactions there; the base rises so that new places are behind the old ones.
CREATE TABLE event_order (
  only_row boolean DEFAULT true NOT NULL CHECK (only_row),
  base     bigint NOT NULL CHECK (base >= 0),
  -- The server whose transactions the base belongs to.
  server   text NOT NULL CHECK (server <> ''),
  PRIMARY KEY (only_row)
);
INSERT INTO event_order (base, server) SELECT 0, system_identifier::text FROM pg_control_system();
GRANT SELECT ON event_order TO countersign_app, countersign_reader;

-- Raises the base where the server changed. The service calls it before it writes.
-- +goose StatementBegin
CREATE FUNCTION event_order_renew() RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH renewed AS (
    UPDATE event_order o
    SET server = s.system_identifier::text,
        base = greatest(o.base, 1 - pg_current_xact_id()::text::bigint + coalesce((
          SELECT max(l.place) FROM realm r
          CROSS JOIN LATERAL (SELECT e.place FROM audit_event e WHERE e.realm = r.realm AND e.place IS NOT NULL
                              ORDER BY e.place DESC LIMIT 1) l), 0))
    FROM pg_control_system() s
    WHERE o.server <> s.system_identifier::text
    RETURNING 1
  )
  SELECT count(*) FROM renewed
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION event_order_renew() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION event_order_renew() TO countersign_app;

-- Makes the statistics of a table, which only its owner may do. The service calls it where the server has none, as after a failover.
-- +goose StatementBegin
CREATE FUNCTION statistics_make(of_table text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  EXECUTE format('ANALYZE public.%I', of_table);
END
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION statistics_make(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION statistics_make(text) TO countersign_app;

-- How many refusals of one event there were in a realm in a minute. The first hundred have a row in audit_event; a client that knocks thousands
-- of times is counted here, so that nobody can fill the trail by asking for what is refused.
CREATE TABLE refusal_count (
  realm   text NOT NULL,
  event   text NOT NULL CHECK (event <> ''),
  minute  timestamptz NOT NULL,
  refused bigint NOT NULL CHECK (refused > 0),
  PRIMARY KEY (realm, event, minute),
  FOREIGN KEY (realm) REFERENCES realm(realm)
);
ALTER TABLE refusal_count ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON refusal_count USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT, UPDATE (refused) ON refusal_count TO countersign_app;
GRANT SELECT ON refusal_count TO countersign_reader;

-- How far the tree of a realm is: its right edge (a root for each bit of its size), up to which transaction rows were taken up, and on
-- which database server that is true; another server counts its transactions anew.
CREATE TABLE audit_tree (
  realm        text NOT NULL,
  size         bigint NOT NULL CHECK (size >= 0),
  edge         bytea[] NOT NULL,
  sealed_below xid8 NOT NULL,
  server       text NOT NULL,
  PRIMARY KEY (realm),
  FOREIGN KEY (realm) REFERENCES realm(realm)
);
ALTER TABLE audit_tree ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON audit_tree USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT, UPDATE (size, edge, sealed_below, server) ON audit_tree TO countersign_app;
GRANT SELECT ON audit_tree TO countersign_reader;

-- A leaf: which row stands at which place, and its hash. The seal is made over all of it, so that a place that somebody changed has a
-- name.
CREATE TABLE audit_leaf (
  realm      text NOT NULL,
  leaf_index bigint NOT NULL CHECK (leaf_index >= 0),
  kind       text NOT NULL CHECK (kind IN ('event', 'document', 'unverified event', 'unverified document', 'archived event',
    'archived document')),
  row_id     uuid NOT NULL,
  hash       bytea NOT NULL CHECK (length(hash) = 32),
  key_id     text NOT NULL CHECK (key_id <> ''),
  seal       bytea NOT NULL CHECK (length(seal) = 32),
  PRIMARY KEY (realm, leaf_index),
  UNIQUE (realm, row_id)
) WITH (autovacuum_analyze_threshold = 500, autovacuum_analyze_scale_factor = 1, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_insert_threshold = 50000);
ALTER TABLE audit_leaf ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON audit_leaf USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT ON audit_leaf TO countersign_app;
GRANT SELECT ON audit_leaf TO countersign_reader;
-- Statistics are kept small: the planner needs none of these columns, or few values of them.
ALTER TABLE audit_leaf
  ALTER COLUMN realm SET STATISTICS 3, ALTER COLUMN leaf_index SET STATISTICS 3, ALTER COLUMN kind SET STATISTICS 3, ALTER COLUMN row_id
  SET STATISTICS 3, ALTER COLUMN hash SET STATISTICS 3, ALTER COLUMN key_id SET STATISTICS 3, ALTER COLUMN seal SET STATISTICS 3;

-- The roots of full subtrees of 256, 65,536, ... leaves, so that a proof reads hundreds of hashes and not all.
CREATE TABLE audit_node (
  realm      text NOT NULL,
  level      integer NOT NULL CHECK (level > 0),
  node_index bigint NOT NULL CHECK (node_index >= 0),
  hash       bytea NOT NULL CHECK (length(hash) = 32),
  PRIMARY KEY (realm, level, node_index)
) WITH (autovacuum_analyze_threshold = 500, autovacuum_analyze_scale_factor = 1, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_insert_threshold = 50000);
ALTER TABLE audit_node ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON audit_node USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT ON audit_node TO countersign_app;
GRANT SELECT ON audit_node TO countersign_reader;
-- Statistics are kept small: the planner needs none of these columns, or few values of them.
ALTER TABLE audit_node
  ALTER COLUMN realm SET STATISTICS 3, ALTER COLUMN level SET STATISTICS 3, ALTER COLUMN node_index SET STATISTICS 3, ALTER COLUMN hash
  SET STATISTICS 3;

-- A checkpoint: a signed note that says how large the tree was, and its root.
CREATE TABLE audit_checkpoint (
  realm text NOT NULL,
  size  bigint NOT NULL CHECK (size > 0),
  note  text NOT NULL CHECK (note <> ''),
  at    timestamptz NOT NULL CHECK (isfinite(at)),
  PRIMARY KEY (realm, size),
  FOREIGN KEY (realm) REFERENCES realm(realm)
);
ALTER TABLE audit_checkpoint ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON audit_checkpoint USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT ON audit_checkpoint TO countersign_app;
GRANT SELECT ON audit_checkpoint TO countersign_reader;

-- The rows that left the database with an archive which two administrators approved: how many messages, and how many leaves of the tree
-- have no row since. Written by countersign archive, with the rows it removes.
CREATE TABLE archived_month (
  realm     text NOT NULL,
  change_id uuid NOT NULL,
  month     text NOT NULL CHECK (month ~ '^[0-9]{4}-[0-9]{2}$'),
  digest    text NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'),
  messages  bigint NOT NULL CHECK (messages >= 0),
  leaves    bigint NOT NULL CHECK (leaves >= 0),
  at        timestamptz NOT NULL CHECK (isfinite(at)),
  key_id    text NOT NULL CHECK (key_id <> ''),
  seal      bytea NOT NULL CHECK (length(seal) = 32),
  PRIMARY KEY (realm, change_id),
  FOREIGN KEY (realm, change_id) REFERENCES realm_change(realm, change_id)
);
ALTER TABLE archived_month ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON archived_month USING (realm = current_setting('countersign.realm', true));
GRANT SELECT ON archived_month TO countersign_app, countersign_reader;

-- The payments of archives, each with the data key under which archives have its contents. countersign archive writes the keys, and which
-- payments left the database. The service deletes a key once two administrators approved that, and does nothing else here.
CREATE TABLE archived_payment (
  realm      text NOT NULL,
  payment_id uuid NOT NULL,
  key        bytea CHECK (length(key) = 32),
  -- the approval of the archive with which the payment left, and how many messages left with it
  change_id  uuid,
  messages   bigint NOT NULL,
  -- the change that erased it
  erased_by  uuid,
  key_id     text NOT NULL CHECK (key_id <> ''),
  seal       bytea NOT NULL CHECK (length(seal) = 32),
  PRIMARY KEY (realm, payment_id),
  FOREIGN KEY (realm) REFERENCES realm(realm),
  FOREIGN KEY (realm, change_id) REFERENCES realm_change(realm, change_id),
  FOREIGN KEY (realm, erased_by) REFERENCES realm_change(realm, change_id),
  CONSTRAINT archived_payment_left CHECK ((messages > 0) = (change_id IS NOT NULL)),
  CONSTRAINT archived_payment_erased CHECK (((key IS NULL) = (erased_by IS NOT NULL)) AND ((erased_by IS NULL) OR (change_id IS NOT NULL)))
);
CREATE INDEX archived_payment_erased ON archived_payment (realm) WHERE erased_by IS NOT NULL;
ALTER TABLE archived_payment ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON archived_payment USING (realm = current_setting('countersign.realm', true));
CREATE POLICY erased_by_two ON archived_payment AS RESTRICTIVE FOR UPDATE TO countersign_app USING (true)
  WITH CHECK (EXISTS (SELECT FROM realm_change c JOIN realm_change_decision d ON d.realm = c.realm AND d.change_id = c.change_id
    WHERE c.realm = archived_payment.realm AND c.change_id = archived_payment.erased_by AND c.kind = 'realm.erased' AND d.action = 'approve'
      AND strpos(c.content::jsonb #>> '{after,erasedPayments}', archived_payment.payment_id::text) > 0));
GRANT SELECT, UPDATE (key, erased_by, key_id, seal) ON archived_payment TO countersign_app;
GRANT SELECT ON archived_payment TO countersign_reader;
