-- +goose Up
-- The key of the page from which a draft was written last. Two windows may show one draft: what is kept from the one that shows it as it was
-- never replaces what was kept from the other since. NULL where no page says so.
ALTER TABLE draft ADD COLUMN form_key uuid;
GRANT UPDATE (form_key) ON draft TO countersign_app;

-- +goose Down
ALTER TABLE draft DROP COLUMN form_key;
