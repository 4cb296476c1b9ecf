-- +goose Up
-- Whoever comes with a form after their session was ended (by an administrator, by themselves in another window, because a role went) is
-- known for a while as after one that ran out, so that what was typed is kept for them. What the session held stays beside it, under its
-- seal: nothing reads it as a session.
ALTER TABLE sessions ADD COLUMN held bytea;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION session_end(tokens text[]) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE sessions SET held = data, data = ''::bytea, expiry = now() WHERE token = ANY (tokens) AND data <> ''::bytea
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION session_get_lapsed(tokens text[], lapsed_after timestamptz) RETURNS bytea
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT coalesce(held, data) FROM sessions WHERE token = ANY (tokens) AND expiry <= now() AND expiry > lapsed_after LIMIT 1
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION session_get_lapsed(tokens text[], lapsed_after timestamptz) RETURNS bytea
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT data FROM sessions WHERE token = ANY (tokens) AND expiry <= now() AND expiry > lapsed_after AND data <> ''::bytea LIMIT 1
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION session_end(tokens text[]) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE sessions SET data = ''::bytea, expiry = now() WHERE token = ANY (tokens)
$$;
-- +goose StatementEnd
ALTER TABLE sessions DROP COLUMN held;
