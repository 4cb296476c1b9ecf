-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS creation_key_planted;
CREATE INDEX CONCURRENTLY creation_key_planted ON creation_key (planted);
