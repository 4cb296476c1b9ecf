-- +goose Up
-- Three roles share the database. The owner runs the migrations and nothing else. countersign_app is the service: it adds rows,
-- moves the state columns of a message, and can neither change nor delete what somebody decided. countersign_reader reads.
-- The roles cannot log in by themselves: the private cluster of the demo lets them, an operator grants them to logins of his own.
-- +goose StatementBegin
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'countersign_app') THEN
    CREATE ROLE countersign_app NOLOGIN NOSUPERUSER NOBYPASSRLS;
  END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'countersign_reader') THEN
    CREATE ROLE countersign_reader NOLOGIN NOSUPERUSER NOBYPASSRLS;
  END IF;
END
$$;
-- +goose StatementEnd

GRANT USAGE ON SCHEMA public TO countersign_app, countersign_reader;

-- Names of people need UTF8, and the search folds letters as UTF8 writes them.
-- +goose StatementBegin
DO $$
BEGIN
  IF current_setting('server_encoding') <> 'UTF8' THEN
    RAISE EXCEPTION 'this database is encoded as %: make one with ENCODING UTF8, and restore into it', current_setting('server_encoding');
  END IF;
END
$$;
-- +goose StatementEnd

-- The service compares the schema with its own migrations before it takes a payment. The table of goose belongs to the owner.
GRANT SELECT ON goose_db_version TO countersign_app;

-- +goose StatementBegin
CREATE FUNCTION schema_versions() RETURNS SETOF bigint
LANGUAGE sql STABLE SET search_path = pg_catalog
AS $$ SELECT version_id FROM public.goose_db_version WHERE is_applied AND version_id > 0 $$;
-- +goose StatementEnd

-- The migrations that take something away (contract), each with the newest migration that a program must know to work after it. All
-- others only add (expand). countersign migrate writes the row before it applies such a file, from its line "-- compatible from N".
CREATE TABLE schema_contract (
  version         bigint PRIMARY KEY,
  compatible_from bigint NOT NULL,
  CHECK (compatible_from < version)
);
GRANT SELECT ON schema_contract TO countersign_app;
