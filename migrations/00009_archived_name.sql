-- +goose Up
-- The names by which messages that left the database are asked for: Global IDs, UETRs, and the ids of the messages about a payment. NULL for
-- payments that left before.
ALTER TABLE archived_payment ADD COLUMN names text[];
ALTER TABLE archived_payment ALTER COLUMN names SET STATISTICS 0;
