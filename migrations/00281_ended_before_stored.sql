-- +goose Up
-- A sign-in is noted in one transaction and its session stored in another, with the answer. One that is ended between the two (a checker
-- signed in elsewhere) had no row that could say so, and was stored open: its end leaves a row now, in whose place nothing is written.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION session_end(tokens text[]) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH ended AS (
    UPDATE sessions SET held = data, data = ''::bytea, expiry = now() WHERE token = ANY (tokens) AND data <> ''::bytea
  )
  INSERT INTO sessions (token, data, expiry)
  SELECT tokens[1], ''::bytea, now() WHERE NOT EXISTS (SELECT FROM sessions WHERE token = ANY (tokens))
  ON CONFLICT (token) DO UPDATE SET held = sessions.data, data = ''::bytea, expiry = now() WHERE sessions.data <> ''::bytea
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION session_end(tokens text[]) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE sessions SET held = data, data = ''::bytea, expiry = now() WHERE token = ANY (tokens) AND data <> ''::bytea
$$;
-- +goose StatementEnd
