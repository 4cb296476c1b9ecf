-- The hash tree over the audit trail. What is sealed is written in batches, after the rows it is about.

-- name: AuditTreeStanding :one
-- How far the tree of a realm is, which server this is, and since when the oldest row waits that the tree does not have:
-- the epoch where none does.
SELECT t.size, t.server, c.system_identifier::text AS this_server, w.since::timestamptz AS waits_since
FROM audit_tree t
CROSS JOIN pg_control_system() c
CROSS JOIN LATERAL (
  SELECT coalesce(min(x.at), 'epoch')::timestamptz AS since FROM (
    (SELECT e.at FROM audit_event e WHERE e.realm = t.realm AND e.written_in >= t.sealed_below
       AND e.written_in < pg_snapshot_xmax(pg_current_snapshot())
       AND NOT EXISTS (SELECT FROM audit_leaf l WHERE l.realm = e.realm AND l.row_id = e.event_id) ORDER BY e.written_in LIMIT 100)
    UNION ALL
    (SELECT d.created_at FROM document d WHERE d.realm = t.realm AND d.written_in >= t.sealed_below
       AND d.written_in < pg_snapshot_xmax(pg_current_snapshot())
       AND NOT EXISTS (SELECT FROM audit_leaf l WHERE l.realm = d.realm AND l.row_id = d.document_id) ORDER BY d.written_in LIMIT 100)) x) w
WHERE t.realm = @realm;

-- name: AuditTreeBegin :exec
-- The empty tree of a realm.
INSERT INTO audit_tree (realm, size, edge, sealed_below, server) VALUES (@realm, 0, '{}', '0'::xid8, '') ON CONFLICT DO NOTHING;

-- name: AuditTreeLock :one
-- The tree, for the one who adds to it; no row while somebody else does.
SELECT size, edge, sealed_below::text AS sealed_below, server FROM audit_tree WHERE realm = @realm FOR UPDATE SKIP LOCKED;

-- name: AuditTreeEnd :one
-- Asked after the lock: the newest checkpoint, and which server this is. Rows of transactions before below are all there to be seen, and
-- none will follow; of those after it some may, so the next look begins there.
SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS below, (SELECT s.system_identifier::text FROM pg_control_system() s)::text AS this_server,
       coalesce((SELECT c.note FROM audit_checkpoint c WHERE c.realm = @realm ORDER BY c.size DESC LIMIT 1), '')::text AS note;

-- name: AuditTreeSize :one
SELECT coalesce(max(t.size), 0)::bigint AS size FROM audit_tree t WHERE t.realm = @realm;

-- name: AuditCheckpointNote :one
SELECT coalesce(c.note, '')::text AS note FROM audit_checkpoint c WHERE c.realm = @realm AND c.size = @size;

-- name: LeafRecentList :many
-- The leaves of messages in a range, the newest first. Each is found by its key, also without statistics of the tables.
SELECT l.row_id, l.hash, m.global_id
FROM (SELECT generate_series(@first::bigint, @last::bigint) AS leaf_index) i
CROSS JOIN LATERAL (SELECT * FROM audit_leaf x WHERE x.realm = @realm::text AND x.leaf_index = i.leaf_index OFFSET 0) l
CROSS JOIN LATERAL (SELECT * FROM audit_event x WHERE x.realm = l.realm AND x.event_id = l.row_id AND x.sequence IS NOT NULL OFFSET 0) e
CROSS JOIN LATERAL (SELECT * FROM message x WHERE x.realm = e.realm AND x.message_id = e.message_id OFFSET 0) m
ORDER BY l.leaf_index DESC;

-- name: LeafLostList :many
-- Which of some leaves the database lost, by their order: it has the row with another hash, or neither leaf nor row. The row of an
-- archived leaf left.
SELECT i.place::integer AS place
FROM (SELECT unnest(@ids::uuid[]) AS row_id, unnest(@hashes::bytea[]) AS hash, generate_subscripts(@ids::uuid[], 1) AS place) i
LEFT JOIN LATERAL (SELECT * FROM audit_leaf x WHERE x.realm = @realm::text AND x.row_id = i.row_id OFFSET 0) l ON true
LEFT JOIN LATERAL (SELECT * FROM audit_event x WHERE x.realm = @realm AND x.event_id = i.row_id OFFSET 0) e ON true
WHERE l.hash <> i.hash OR l.hash IS NULL AND e.event_id IS NULL
ORDER BY i.place;

-- name: UnsealedList :many
-- Rows that the tree does not have, in the order of the transactions that wrote them, from one transaction on. The number of a transaction
-- that is yet to come is that of another server.
SELECT w.kind::text AS kind, w.row_id::uuid AS row_id, w.written_in::text AS written_in
FROM (
  (SELECT 'event' AS kind, e.event_id AS row_id, e.written_in FROM audit_event e
   WHERE e.realm = @realm AND e.written_in >= CAST(@written_from::text AS xid8) AND e.written_in < pg_snapshot_xmax(pg_current_snapshot())
     AND NOT EXISTS (SELECT FROM audit_leaf l WHERE l.realm = e.realm AND l.row_id = e.event_id)
   ORDER BY e.written_in, e.event_id LIMIT @page_size::integer)
  UNION ALL
  (SELECT 'document', d.document_id, d.written_in FROM document d
   WHERE d.realm = @realm AND d.written_in >= CAST(@written_from::text AS xid8) AND d.written_in < pg_snapshot_xmax(pg_current_snapshot())
     AND NOT EXISTS (SELECT FROM audit_leaf l WHERE l.realm = d.realm AND l.row_id = d.document_id)
   ORDER BY d.written_in, d.document_id LIMIT @page_size::integer)) w
ORDER BY w.written_in, w.kind DESC, w.row_id LIMIT @page_size::integer;

-- name: SweptList :many
-- Rows in the order of their keys, first those of the trail, from one on, and whether the tree has each.
SELECT w.kind::text AS kind, w.row_id::uuid AS row_id, EXISTS (SELECT FROM audit_leaf l WHERE l.realm = @realm AND l.row_id = w.row_id)::boolean AS sealed
FROM ((SELECT 'event' AS kind, e.event_id AS row_id FROM audit_event e
       WHERE e.realm = @realm AND @kind::text = 'event' AND e.event_id > @after::uuid ORDER BY e.event_id LIMIT @page_size::integer)
      UNION ALL
      (SELECT 'document', d.document_id FROM document d
       WHERE d.realm = @realm AND (@kind::text = 'event' OR d.document_id > @after::uuid) ORDER BY d.document_id LIMIT @page_size::integer)) w
ORDER BY w.kind DESC, w.row_id LIMIT @page_size::integer;

-- name: EventFactList :many
-- What the leaves of events are made of: the row, the move it tells of, the version that move began or amended, and the decision it was.
-- What is not there is 0, empty or the zero time; UUIDs are texts, as leaves have them. Each row is found by its key, whatever the planner
-- knows of the tables: the OFFSET keeps the inner statements by themselves. On a young database it would else read all of a realm to join
-- a few rows with it.
SELECT e.realm, e.event_id, e.message_id, e.event, e.outcome, e.actor_user, e.actor_person, e.actor_name, e.client_id, e.channel,
       e.request_id, e.source_address, e.content_hash, e.detail, e.at, e.key_id, e.seal,
       coalesce(h.sequence, 0)::integer AS sequence, coalesce(h.kind, '')::text AS kind, coalesce(h.from_state, '')::text AS from_state,
       coalesce(h.action, '')::text AS action, coalesce(h.to_state, '')::text AS to_state, coalesce(h.version, 0)::integer AS version,
       coalesce(h.actor_user::text, '')::text AS move_user, coalesce(h.actor_person::text, '')::text AS move_person,
       coalesce(h.actor_name, '')::text AS move_name, coalesce(h.client_id, '')::text AS move_client,
       coalesce(h.channel, '')::text AS move_channel, coalesce(h.reason, '')::text AS move_reason,
       coalesce(h.at, '0001-01-01 00:00:00+00')::timestamptz AS moved_at,
       coalesce(v.document_id::text, '')::text AS document_id, coalesce(v.content_hash, '')::bytea AS version_hash,
       coalesce(v.amount, 0)::bigint AS amount, coalesce(v.currency, '')::text AS currency,
       coalesce(v.makers, '{}')::uuid[] AS version_makers, coalesce(v.approvals_required, 0)::integer AS approvals_required,
       coalesce(d.ordinal, 0)::integer AS ordinal, coalesce(d.version, 0)::integer AS decision_version,
       coalesce(d.action, '')::text AS decision_action, coalesce(d.content_hash, '')::bytea AS decision_hash,
       coalesce(d.makers, '{}')::uuid[] AS decision_makers, coalesce(d.checker_user::text, '')::text AS checker_user,
       coalesce(d.checker_person::text, '')::text AS checker_person, coalesce(d.client_id, '')::text AS decision_client,
       coalesce(d.channel, '')::text AS decision_channel, coalesce(d.reason, '')::text AS decision_reason,
       coalesce(d.remark, '')::text AS remark, coalesce(d.checker_role, '')::text AS checker_role,
       coalesce(d.grant_id::text, '')::text AS grant_id, coalesce(d.granted_at, '0001-01-01 00:00:00+00')::timestamptz AS granted_at,
       coalesce(d.decided_at, '0001-01-01 00:00:00+00')::timestamptz AS decided_at,
       coalesce(d.factor_use_id::text, '')::text AS factor_use
FROM unnest(@ids::uuid[]) AS i (event_id)
CROSS JOIN LATERAL (SELECT * FROM audit_event x WHERE x.realm = @realm AND x.event_id = i.event_id OFFSET 0) e
LEFT JOIN LATERAL (SELECT * FROM message_history x
  WHERE x.realm = e.realm AND x.message_id = e.message_id AND x.sequence = e.sequence OFFSET 0) h ON true
LEFT JOIN LATERAL (SELECT * FROM message_version x
  WHERE x.realm = h.realm AND x.message_id = h.message_id AND x.version = h.version AND (h.sequence = 1 OR h.action = 'amend')
  OFFSET 0) v ON true
LEFT JOIN LATERAL (SELECT * FROM decision x
  WHERE x.realm = h.realm AND x.message_id = h.message_id AND x.version = h.version AND h.action IN ('approve', 'reject') OFFSET 0) d
  ON d.checker_person = h.actor_person;

-- name: DocumentFactList :many
-- What the leaves of documents are made of, each found by its key, as events are. The digest is made anew of the bytes that are there.
SELECT d.realm, d.document_id, d.message_id, d.scheme, d.direction, d.name, d.reference, sha256(d.content)::bytea AS content_hash,
       d.source_type, sha256(d.source)::bytea AS source_hash, d.created_at, d.key_id, d.mac
FROM unnest(@ids::uuid[]) AS i (document_id)
CROSS JOIN LATERAL (SELECT * FROM document x WHERE x.realm = @realm AND x.document_id = i.document_id OFFSET 0) d;

-- name: AuditLeafInsert :exec
INSERT INTO audit_leaf (realm, leaf_index, kind, row_id, hash, key_id, seal)
SELECT t.realm, unnest(@indexes::bigint[]), unnest(@kinds::text[]), unnest(@ids::uuid[]), unnest(@hashes::bytea[]), @key_id::text,
  unnest(@seals::bytea[])
FROM audit_tree t WHERE t.realm = @realm::text;

-- name: AuditNodeInsert :exec
INSERT INTO audit_node (realm, level, node_index, hash)
SELECT t.realm, unnest(@levels::integer[]), unnest(@indexes::bigint[]), unnest(@hashes::bytea[])
FROM audit_tree t WHERE t.realm = @realm::text;

-- name: AuditCheckpointInsert :exec
INSERT INTO audit_checkpoint (realm, size, note, at) VALUES (@realm, @size, @note, @at);

-- name: AuditTreeUpdate :exec
UPDATE audit_tree SET size = @size, edge = @edge, sealed_below = CAST(@sealed_below::text AS xid8), server = @server WHERE realm = @realm;

-- name: AuditCheckpointNewest :one
SELECT * FROM audit_checkpoint WHERE realm = @realm ORDER BY size DESC LIMIT 1;

-- name: AuditedLeafList :many
SELECT * FROM audit_leaf l WHERE l.realm = @realm AND l.leaf_index > @leaf_index
ORDER BY l.leaf_index LIMIT @page_size::integer;

-- name: AuditedCheckpointList :many
SELECT * FROM audit_checkpoint c WHERE c.realm = @realm AND c.size > @size
ORDER BY c.size LIMIT @page_size::integer;

-- name: AuditedNodeList :many
SELECT * FROM audit_node n WHERE n.realm = @realm AND (n.level, n.node_index) > (@level::integer, @node_index::bigint)
ORDER BY n.level, n.node_index LIMIT @page_size::integer;

-- name: AuditedTreeList :many
-- A tree whose row is gone has its checkpoints still: it is told as empty.
SELECT r.realm::text AS realm, coalesce(t.size, 0)::bigint AS size, coalesce(t.edge, '{}')::bytea[] AS edge, coalesce(t.server = '', false)::boolean AS young,
       CASE WHEN t.server = c.system_identifier::text THEN t.sealed_below::text ELSE '0' END::text AS sealed_below,
       coalesce((SELECT max(l.leaf_index) + 1 FROM audit_leaf l WHERE l.realm = r.realm), 0)::bigint AS leaves,
       coalesce((SELECT max(p.size) FROM audit_checkpoint p WHERE p.realm = r.realm), 0)::bigint AS newest,
       coalesce((SELECT p.note FROM audit_checkpoint p WHERE p.realm = r.realm AND p.size = t.size), '')::text AS note
FROM (SELECT realm FROM audit_tree UNION SELECT realm FROM audit_checkpoint) r
CROSS JOIN pg_control_system() c
LEFT JOIN audit_tree t ON t.realm = r.realm
ORDER BY r.realm;

-- name: AuditedUnsealedList :many
-- Rows that no tree has, of all realms, in the order of their keys, of those that a transaction wrote from one on.
SELECT w.realm::text AS realm, w.kind::text AS kind, w.row_id::uuid AS row_id, w.at::timestamptz AS at
FROM (
  SELECT e.realm, 'event' AS kind, e.event_id AS row_id, e.at FROM audit_event e
  WHERE e.written_in >= CAST(@written_from::text AS xid8)
    AND NOT EXISTS (SELECT FROM audit_leaf l WHERE l.realm = e.realm AND l.row_id = e.event_id)
  UNION ALL
  SELECT d.realm, 'document', d.document_id, d.created_at FROM document d
  WHERE d.written_in >= CAST(@written_from::text AS xid8)
    AND NOT EXISTS (SELECT FROM audit_leaf l WHERE l.realm = d.realm AND l.row_id = d.document_id)) w
ORDER BY w.realm, w.row_id;

-- name: TouchedMessageList :many
-- The messages that leaves from one on, before another, tell of, and all that are about the same payments.
WITH touched AS (
  SELECT e.message_id FROM audit_leaf l JOIN audit_event e ON e.realm = l.realm AND e.event_id = l.row_id
  WHERE l.realm = @realm::text AND l.leaf_index >= @leaf_from::bigint AND l.leaf_index < @leaf_before::bigint AND e.message_id IS NOT NULL
  UNION
  SELECT d.message_id FROM audit_leaf l JOIN document d ON d.realm = l.realm AND d.document_id = l.row_id
  WHERE l.realm = @realm::text AND l.leaf_index >= @leaf_from::bigint AND l.leaf_index < @leaf_before::bigint AND d.message_id IS NOT NULL
), root AS (
  SELECT DISTINCT coalesce(m.original_id, t.message_id) AS id FROM touched t LEFT JOIN message m ON m.realm = @realm::text AND m.message_id = t.message_id
)
SELECT coalesce(r.id, '00000000-0000-0000-0000-000000000000')::uuid AS message_id FROM root r
UNION
SELECT m.message_id FROM root r JOIN message m ON m.realm = @realm::text AND m.original_id = r.id;

-- name: LeafHashList :many
-- The hashes of leaves from one on.
SELECT hash FROM audit_leaf WHERE realm = @realm AND leaf_index >= @leaf_from::bigint AND leaf_index < @leaf_before::bigint ORDER BY leaf_index;

-- name: NodeHashList :many
-- The hashes of kept nodes of a level from one on.
SELECT hash FROM audit_node WHERE realm = @realm AND level = @level AND node_index >= @node_from::bigint AND node_index < @node_before::bigint
ORDER BY node_index;

-- name: LeafListOfRights :many
-- The leaves that tell of the rights of people, and of the changes that brought them, in the order of the tree.
WITH told AS (
  SELECT e.event_id, e.detail::jsonb ->> 'change' AS change FROM audit_event e
  WHERE e.realm = @realm AND e.event = 'user.rights' AND e.detail::jsonb ->> 'person' = ANY (@people::text[])
    AND e.at IN (SELECT t.at FROM user_account u JOIN user_role g ON g.realm = u.realm AND g.user_id = u.user_id
                 CROSS JOIN LATERAL (VALUES (g.granted_at), (g.ended_at)) AS t (at)
                 WHERE u.realm = @realm AND u.person_id::text = ANY (@people::text[]))
), changed AS (
  SELECT e.event_id FROM (SELECT DISTINCT t.change FROM told t) t
  JOIN realm_change c ON c.realm = @realm AND c.change_id::text = t.change
  JOIN realm_change_decision d ON d.realm = c.realm AND d.change_id = c.change_id
  JOIN audit_event e ON e.realm = @realm AND e.at IN (c.requested_at, d.decided_at) AND e.event IN ('change.request', 'change.approve')
    AND e.detail::jsonb ->> 'change' = t.change
)
SELECT l.* FROM audit_leaf l
WHERE l.realm = @realm AND l.row_id IN (SELECT t.event_id FROM told t UNION ALL SELECT c.event_id FROM changed c)
ORDER BY l.leaf_index;

-- name: ChangeContentListOfRights :many
-- What the changes say that brought rights, of events.
SELECT c.change_id, convert_to(c.content, 'UTF8')::bytea AS content FROM realm_change c
WHERE c.realm = @realm AND c.change_id::text IN (
  SELECT e.detail::jsonb ->> 'change' FROM audit_event e WHERE e.realm = @realm AND e.event = 'change.approve' AND e.event_id = ANY (@events::uuid[]))
ORDER BY c.change_id;

-- name: GrantListOfPeople :many
-- The grants of roles that makers and deciders had.
SELECT g.* FROM user_account u JOIN user_role g ON g.realm = u.realm AND g.user_id = u.user_id
WHERE u.realm = @realm AND u.person_id::text = ANY (@people::text[]) AND g.role IN ('maker', 'checker') ORDER BY g.grant_id;

-- name: RowsToldUnder :many
-- The digests of master data under a head, as the audit trail tells of them, in the order of their tables and keys.
SELECT decode(r.digest, 'hex')::bytea AS digest FROM (
  SELECT DISTINCT ON (x.relation, x.key) x.relation, x.key, x.digest FROM (
    SELECT (t.one ->> 'in') COLLATE "C" AS relation, (t.one ->> 'key') COLLATE "C" AS key, t.one ->> 'digest' AS digest,
           (a.detail::jsonb ->> 'number')::bigint AS number
    FROM audit_event a CROSS JOIN LATERAL jsonb_array_elements(a.detail::jsonb -> 'rows') AS t (one)
    WHERE a.realm = @realm AND a.event = 'realm.rows') x
  WHERE x.number <= @number::bigint ORDER BY x.relation, x.key, x.number DESC) r
ORDER BY r.relation, r.key;

-- name: ActorListOfMessages :many
-- The people who wrote or decided each of some messages, in their order, and the heads of the master data under which they did.
SELECT ARRAY(SELECT unnest(v.makers)::text FROM message_version v WHERE v.realm = @realm::text AND v.message_id = i.id
             UNION SELECT d.checker_person::text FROM decision d WHERE d.realm = @realm AND d.message_id = i.id ORDER BY 1)::text[] AS people,
       ARRAY(SELECT DISTINCT coalesce((e.detail::jsonb -> 'head' ->> 'number')::bigint, 0) FROM audit_event e
             WHERE e.realm = @realm AND e.message_id = i.id AND e.sequence IS NOT NULL AND e.detail::jsonb ? 'head' ORDER BY 1)::bigint[] AS heads
FROM (SELECT unnest(@messages::uuid[]) AS id, generate_subscripts(@messages::uuid[], 1) AS place) i
ORDER BY i.place;

-- name: ContentListOfMessages :many
-- The documents of messages, each with the name of the payee's account where it is a version that has one.
SELECT sqlc.embed(d), coalesce(v.payee_name, '')::text AS payee_name
FROM unnest(@messages::uuid[]) AS i (id)
JOIN document d ON d.realm = @realm::text AND d.message_id = i.id
LEFT JOIN message_version v ON v.realm = d.realm AND v.message_id = d.message_id AND v.document_id = d.document_id
ORDER BY d.message_id, d.document_id;
