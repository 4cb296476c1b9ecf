-- name: ReadableTableList :many
-- The tables whose rows are checked against the rules of the schema. A standby has no rows of unlogged tables, and cannot read them.
SELECT c.relname::text AS name FROM pg_catalog.pg_class c
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND NOT (c.relpersistence = 'u' AND pg_is_in_recovery()) ORDER BY c.relname;
