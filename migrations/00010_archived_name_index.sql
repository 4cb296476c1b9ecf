-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS archived_payment_by_name;
CREATE INDEX CONCURRENTLY archived_payment_by_name ON archived_payment USING gin (names);
