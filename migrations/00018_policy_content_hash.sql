-- +goose Up
-- A policy may ask that every approval names the content it is about (contentHash), also of a message that was never amended. Policies of
-- before this migration do not ask; their seals stay good, because a seal covers the column only where it asks.
ALTER TABLE policy ADD COLUMN content_hash_required boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE policy DROP COLUMN content_hash_required;
