-- +goose Up
-- What expires before a time, and the queue by expiry from a place on, were read from all that waits: under row-level security an index finds
-- only by what certainly tells nothing of a row, and coalesce is not on PostgreSQL's list of that. CASE is, and says the same.
DROP INDEX message_expiring;
CREATE INDEX message_expiring ON message (realm, (CASE WHEN expires_at IS NULL THEN 'infinity'::timestamptz ELSE expires_at END), message_id)
  WHERE state = 'Approval Pending';

-- +goose Down
DROP INDEX message_expiring;
CREATE INDEX message_expiring ON message (realm, (coalesce(expires_at, 'infinity'::timestamptz)), message_id) WHERE state = 'Approval Pending';
