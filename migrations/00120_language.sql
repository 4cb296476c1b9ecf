-- +goose Up
-- The language in which a user reads the portal. Empty: as the browser asks.
ALTER TABLE user_preference ADD COLUMN language text NOT NULL DEFAULT '' CHECK (language IN ('', 'de', 'fr', 'it', 'en'));

-- +goose Down
ALTER TABLE user_preference DROP COLUMN language;
