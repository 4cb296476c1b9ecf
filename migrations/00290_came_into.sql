-- +goose Up
-- A payment that clearing does not answer is asked about every quarter of an hour, and each question is a step from Unconfirmed to
-- Unconfirmed. Whoever lists and counts what came into a state looks past such steps: the index leaves them out, so that they are not read.
DROP INDEX message_history_by_state;
CREATE INDEX message_history_by_state ON message_history (realm, to_state, at) INCLUDE (reason)
  WHERE to_state IN ('Rejected', 'Failed', 'Unconfirmed') AND from_state <> to_state;

-- +goose Down
DROP INDEX message_history_by_state;
CREATE INDEX message_history_by_state ON message_history (realm, to_state, at) INCLUDE (reason)
  WHERE to_state IN ('Rejected', 'Failed', 'Unconfirmed');
