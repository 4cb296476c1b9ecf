-- +goose Up
-- Each scheme's lane looks for what is still to be sent of its own: the other scheme's, however many of them are stuck, are not in its way.
DROP INDEX message_undelivered;
CREATE INDEX message_undelivered ON message (realm, scheme, accepted_at) WHERE accepted_at IS NOT NULL AND delivered_at IS NULL;
DROP INDEX message_unconfirmed;
CREATE INDEX message_unconfirmed ON message (realm, scheme, inquire_at) WHERE state IN ('Unconfirmed', 'Overdue');
DROP INDEX outbox_undelivered;
CREATE INDEX outbox_undelivered ON outbox (scheme, created_at) WHERE delivered_at IS NULL AND refused_at IS NULL;

-- +goose Down
DROP INDEX outbox_undelivered;
CREATE INDEX outbox_undelivered ON outbox (created_at) WHERE delivered_at IS NULL AND refused_at IS NULL;
DROP INDEX message_unconfirmed;
CREATE INDEX message_unconfirmed ON message (realm, inquire_at) WHERE state IN ('Unconfirmed', 'Overdue');
DROP INDEX message_undelivered;
CREATE INDEX message_undelivered ON message (realm, accepted_at) WHERE accepted_at IS NOT NULL AND delivered_at IS NULL;
