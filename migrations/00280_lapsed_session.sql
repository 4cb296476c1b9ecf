-- +goose Up
-- Whose session ran out may come back from lunch, or from a meeting, to a form that is half typed: how long that is known is asked with the
-- question. Of a session that somebody ended, by signing out, by an administrator or because a role went, it stays a quarter of an hour.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION session_get_lapsed(tokens text[], lapsed_after timestamptz) RETURNS bytea
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT coalesce(held, data) FROM sessions
  WHERE token = ANY (tokens) AND expiry <= now() AND expiry > lapsed_after AND (held IS NULL OR expiry > now() - interval '15 minutes') LIMIT 1
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION session_get_lapsed(tokens text[], lapsed_after timestamptz) RETURNS bytea
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT coalesce(held, data) FROM sessions WHERE token = ANY (tokens) AND expiry <= now() AND expiry > lapsed_after LIMIT 1
$$;
-- +goose StatementEnd
