-- name: RosterTake :execrows
-- Tells the audit trail of rows of master data that it was not told of, at most one batch.
WITH fresh AS (
  INSERT INTO roster (realm, relation, key, made_at)
  SELECT r.realm, r.relation, r.key, r.made_at FROM master_row r
  WHERE r.realm = @realm::text
    AND NOT EXISTS (SELECT FROM roster t WHERE t.realm = r.realm AND t.relation = r.relation AND t.key = r.key)
  ORDER BY r.relation, r.key LIMIT @batch::integer
  ON CONFLICT DO NOTHING
  RETURNING relation, key, made_at
)
INSERT INTO audit_event (realm, event_id, event, actor_name, channel, detail, at)
SELECT @realm, @event_id::uuid, @event::text, @actor_name::text, @channel::text,
  json_build_object('rows', json_agg(json_build_object('in', relation, 'key', key,
    'since', to_char(made_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) ORDER BY relation, key))::text, @at::timestamptz
FROM fresh HAVING count(*) > 0;

-- name: RosterGoneList :many
-- The tables from which rows of master data are gone that the audit trail was told of, or in which they were dated anew.
SELECT DISTINCT t.relation FROM roster t
LEFT JOIN master_row r ON r.realm = t.realm AND r.relation = t.relation AND r.key = t.key
WHERE t.realm = @realm AND (r.key IS NULL OR r.made_at IS DISTINCT FROM t.made_at)
ORDER BY t.relation;
