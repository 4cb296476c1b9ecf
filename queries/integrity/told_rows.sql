-- name: RowsToldList :many
-- The rows of master data that the audit trail tells of, in the order of the changes that wrote them.
SELECT a.realm, a.event_id, coalesce((a.detail::jsonb ->> 'number')::bigint, 0)::bigint AS number,
       coalesce(t.one ->> 'in', '')::text AS relation, coalesce(t.one ->> 'key', '')::text AS key, coalesce(t.one ->> 'digest', '')::text AS digest
FROM audit_event a CROSS JOIN LATERAL jsonb_array_elements(coalesce(a.detail::jsonb -> 'rows', '[]')) AS t (one)
WHERE a.event = 'realm.rows'
ORDER BY a.realm, number, a.event_id, relation, key;
