-- +goose Up
-- Identities cannot be written into tables. Tokens and sessions are looked up by a digest that only the holder of the token key can
-- compute, and the data of a session carries a seal; so a row that somebody puts here signs nobody in. Digests of before were plain:
-- whoever is signed in at the upgrade signs in again.
DELETE FROM token_family;
DELETE FROM sessions;
DELETE FROM login_throttle;

-- The service reaches sessions through the functions below and in no other way: it cannot list them, read one whose cookie it was not
-- shown, or write one back. They work before the realm is known, for the cookie is all that a browser sends; that is why this table has
-- no row-level security and no grants instead. Each takes the digests of one token under all keys in force, the first key's first.
REVOKE ALL ON sessions FROM countersign_app;

-- +goose StatementBegin
CREATE FUNCTION session_get(tokens text[]) RETURNS bytea LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT data FROM sessions WHERE token = ANY (tokens) AND expiry > now() AND data <> ''::bytea LIMIT 1
$$;
-- +goose StatementEnd

-- A session that nobody ended, but whose time ran out after the given moment.
-- +goose StatementBegin
CREATE FUNCTION session_get_lapsed(tokens text[], lapsed_after timestamptz) RETURNS bytea
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT data FROM sessions WHERE token = ANY (tokens) AND expiry <= now() AND expiry > lapsed_after AND data <> ''::bytea LIMIT 1
$$;
-- +goose StatementEnd

-- A new session, or new data of one that is open. A request under way cannot bring a session back that was ended meanwhile.
-- +goose StatementBegin
CREATE FUNCTION session_put_if_open(tokens text[], new_data bytea, new_expiry timestamptz) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH kept AS (
    UPDATE sessions SET data = new_data, expiry = new_expiry
    WHERE token = ANY (tokens[2:]) AND expiry > now() AND data <> ''::bytea
  )
  INSERT INTO sessions (token, data, expiry)
  SELECT tokens[1], new_data, new_expiry WHERE NOT EXISTS (SELECT FROM sessions WHERE token = ANY (tokens[2:]))
  ON CONFLICT (token) DO UPDATE SET data = excluded.data, expiry = excluded.expiry
  WHERE sessions.expiry > now() AND sessions.data <> ''::bytea
$$;
-- +goose StatementEnd

-- The row stays without data until it is dropped, so that nothing can write it again.
-- +goose StatementBegin
CREATE FUNCTION session_end(tokens text[]) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE sessions SET data = ''::bytea, expiry = now() WHERE token = ANY (tokens)
$$;
-- +goose StatementEnd

-- Drops sessions that are over, and returns how many it dropped.
-- +goose StatementBegin
CREATE FUNCTION session_drop_expired(expired_before timestamptz, page_size integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH dropped AS (
    DELETE FROM sessions WHERE token IN (SELECT s.token FROM sessions s WHERE s.expiry < least(expired_before, now()) LIMIT page_size)
    RETURNING 1
  )
  SELECT count(*) FROM dropped
$$;
-- +goose StatementEnd

REVOKE EXECUTE ON FUNCTION session_get(text[]), session_get_lapsed(text[], timestamptz), session_put_if_open(text[], bytea, timestamptz),
  session_end(text[]), session_drop_expired(timestamptz, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION session_get(text[]), session_get_lapsed(text[], timestamptz), session_put_if_open(text[], bytea, timestamptz),
  session_end(text[]), session_drop_expired(timestamptz, integer) TO countersign_app;

-- +goose Down
DROP FUNCTION session_get(text[]), session_get_lapsed(text[], timestamptz), session_put_if_open(text[], bytea, timestamptz),
  session_end(text[]), session_drop_expired(timestamptz, integer);
GRANT SELECT, INSERT, UPDATE, DELETE ON sessions TO countersign_app;
