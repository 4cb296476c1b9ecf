-- +goose Up
-- The first step of a split: the digest of a request gets a table of its own. Older programs write and read creation_key.fingerprint,
-- newer ones creation_request.digest; triggers keep both.
CREATE TABLE creation_request (
  realm     text NOT NULL,
  client_id text NOT NULL,
  scope     text NOT NULL,
  key       text NOT NULL,
  digest    bytea NOT NULL,
  PRIMARY KEY (realm, client_id, scope, key),
  FOREIGN KEY (realm, client_id, scope, key) REFERENCES creation_key
);
ALTER TABLE creation_request ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON creation_request USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT ON creation_request TO countersign_app;
ALTER TABLE creation_key ALTER COLUMN fingerprint DROP NOT NULL;

-- +goose StatementBegin
CREATE FUNCTION digest_of_older() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO creation_request VALUES (NEW.realm, NEW.client_id, NEW.scope, NEW.key, NEW.fingerprint) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE FUNCTION digest_for_older() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE creation_key k SET fingerprint = NEW.digest
  WHERE (k.realm, k.client_id, k.scope, k.key) = (NEW.realm, NEW.client_id, NEW.scope, NEW.key) AND k.fingerprint IS NULL;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER digest_of_older AFTER INSERT ON creation_key FOR EACH ROW WHEN (NEW.fingerprint IS NOT NULL) EXECUTE FUNCTION digest_of_older();
CREATE TRIGGER digest_for_older AFTER INSERT ON creation_request FOR EACH ROW EXECUTE FUNCTION digest_for_older();
INSERT INTO creation_request SELECT realm, client_id, scope, key, fingerprint FROM creation_key ON CONFLICT DO NOTHING;
