-- +goose Up
-- Sessions of the portal as their owners see them: since when, from where, with which browser. The row refers to that of the session by its
-- name, a keyed digest, by which it is ended; it opens nothing itself. What ended stays ended, and says why, for whoever comes back with it.
CREATE TABLE user_session (
  realm        text NOT NULL,
  session_id   uuid NOT NULL,
  user_id      uuid NOT NULL,
  name         text NOT NULL CHECK (name <> ''),
  device       text NOT NULL CHECK (length(device) <= 80),
  address      text NOT NULL CHECK (length(address) <= 64),
  checker      boolean NOT NULL,
  started_at   timestamptz NOT NULL CHECK (isfinite(started_at)),
  last_used_at timestamptz NOT NULL CHECK (isfinite(last_used_at)),
  ends_at      timestamptz NOT NULL CHECK (isfinite(ends_at)),
  ended_at     timestamptz CHECK (isfinite(ended_at)),
  ended_why    text CHECK ((ended_why IS NULL) = (ended_at IS NULL) AND ended_why IN ('sign-out', 'sign-in', 'ended', 'elsewhere')),
  PRIMARY KEY (realm, session_id),
  FOREIGN KEY (realm, user_id) REFERENCES user_account (realm, user_id)
);
CREATE INDEX user_session_open ON user_session (realm, user_id) WHERE ended_at IS NULL;
CREATE INDEX user_session_by_name ON user_session (name);
CREATE INDEX user_session_over ON user_session (realm, ends_at);
ALTER TABLE user_session ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON user_session USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT, DELETE, UPDATE (last_used_at, ended_at, ended_why) ON user_session TO countersign_app;
CREATE POLICY ended_for_good ON user_session AS RESTRICTIVE FOR UPDATE TO countersign_app USING (ended_at IS NULL) WITH CHECK (true);
CREATE POLICY over ON user_session AS RESTRICTIVE FOR DELETE TO countersign_app USING (ends_at < now());

-- Why a session ended, before the realm is known: the cookie is all that a browser sends.
-- +goose StatementBegin
CREATE FUNCTION session_ended_why(names text[]) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT ended_why FROM user_session WHERE name = ANY (names) AND ended_at IS NOT NULL LIMIT 1
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION session_ended_why(text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION session_ended_why(text[]) TO countersign_app;

-- +goose Down
DROP FUNCTION session_ended_why(text[]);
DROP TABLE user_session;
