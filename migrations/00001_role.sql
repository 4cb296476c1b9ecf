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

-- +goose Down
REVOKE USAGE ON SCHEMA public FROM countersign_app, countersign_reader;
