-- +goose Up
-- The payments of one file stand as drafts, one each, under the file's key and in the order of its lines.
ALTER TABLE draft ADD COLUMN batch_id uuid, ADD COLUMN batch_line integer CHECK (batch_line > 0),
  ADD CONSTRAINT draft_batch_check CHECK ((batch_id IS NULL) = (batch_line IS NULL));
CREATE INDEX draft_by_batch ON draft (realm, user_id, batch_id, batch_line) WHERE batch_id IS NOT NULL;

-- +goose Down
ALTER TABLE draft DROP COLUMN batch_id, DROP COLUMN batch_line;
