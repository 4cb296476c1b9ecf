-- +goose Up
-- The service compares the schema with its own migrations before it takes a payment: on an older one it would fail half-way, on a newer
-- one it would not keep rules it does not know. goose's table belongs to the owner, so the service reads it through this function.
GRANT SELECT ON goose_db_version TO countersign_app;

CREATE FUNCTION schema_versions() RETURNS SETOF bigint
LANGUAGE sql STABLE SET search_path = pg_catalog
AS $$ SELECT version_id FROM public.goose_db_version WHERE is_applied AND version_id > 0 $$;

-- +goose Down
DROP FUNCTION schema_versions();
REVOKE SELECT ON goose_db_version FROM countersign_app;
