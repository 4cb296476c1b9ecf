-- +goose Up
-- What a passkey counted when it was shown, where it counts at all. It only rises: a device that says less than before, or the same, is a copy
-- of the one that was taken up, or has one. Uses of before have none; the seal covers it where there is one.
ALTER TABLE factor_use ADD COLUMN sign_count bigint CHECK (sign_count > 0);
CREATE UNIQUE INDEX factor_use_counted ON factor_use (realm, factor_id, sign_count);

-- +goose Down
DROP INDEX factor_use_counted;
ALTER TABLE factor_use DROP COLUMN sign_count;
