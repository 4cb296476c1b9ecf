-- +goose Up
-- compatible from 9003
DROP FUNCTION digest_of_older() CASCADE;
DROP FUNCTION digest_for_older() CASCADE;
ALTER TABLE creation_key DROP COLUMN fingerprint;
