-- +goose Up
-- A supervisor's first page counts a thousand rejections and a thousand failures by their reasons. They lie apart, each on a page of its own:
-- where nobody had asked for a while, two thousand pages came from the disk. The indexes hold the reasons too.
DROP INDEX message_history_by_state, message_ended_since;
CREATE INDEX message_history_by_state ON message_history (realm, to_state, at) INCLUDE (reason)
  WHERE to_state IN ('Rejected', 'Failed', 'Unconfirmed');
CREATE INDEX message_ended_since ON message (state, realm, state_since) INCLUDE (status_code)
  WHERE state NOT IN ('Approval Pending', 'Approved', 'Processing', 'Settled', 'Booked');

-- +goose Down
DROP INDEX message_history_by_state, message_ended_since;
CREATE INDEX message_ended_since ON message (state, realm, state_since)
  WHERE state NOT IN ('Approval Pending', 'Approved', 'Processing', 'Settled', 'Booked');
CREATE INDEX message_history_by_state ON message_history (realm, to_state, at) WHERE to_state IN ('Rejected', 'Failed', 'Unconfirmed');
