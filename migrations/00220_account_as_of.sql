-- +goose Up

-- What is signed in belongs to the account as it was when its password was checked: as_of is what signed_out_at said then, the epoch where
-- nothing was ended before. A sign-in that was checked before everything ended, and kept after it, has another one and is over from its
-- beginning, whatever the clocks say. NULL: of before this column.
ALTER TABLE token_family ADD COLUMN as_of timestamptz;

-- +goose Down

ALTER TABLE token_family DROP COLUMN as_of;
