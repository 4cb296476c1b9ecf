-- +goose Up
-- What lists are narrowed by, in the order of the list. What most payments are or become (instructions that go out and settle) is in none of
-- them, so that it costs no write: a list narrowed to that finds its page among the newest.
CREATE INDEX message_by_state ON message (state, realm, message_id) WHERE state NOT IN ('Approval Pending', 'Settled');
CREATE INDEX message_by_kind ON message (kind, realm, message_id) WHERE kind <> 'instruction';
CREATE INDEX message_incoming ON message (realm, message_id) WHERE direction = 'in';
-- The queue by expiry; what never expires comes last.
CREATE INDEX message_expiring ON message (realm, (coalesce(expires_at, 'infinity'::timestamptz)), message_id) WHERE state = 'Approval Pending';
-- When a message was made, of its first version, which never moves: an index of messages would be written at each step.
CREATE INDEX message_version_made ON message_version (created_at, realm, message_id) WHERE version = 1;

-- +goose Down
DROP INDEX message_version_made;
DROP INDEX message_expiring, message_incoming, message_by_kind, message_by_state;
