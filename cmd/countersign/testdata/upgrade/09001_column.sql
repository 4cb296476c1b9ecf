-- +goose Up
ALTER TABLE creation_key ADD COLUMN planted text NOT NULL DEFAULT '';
