-- +goose Up
-- Indexes that only reads need: what a person decided, and what entered a state today.
CREATE INDEX decision_by_checker ON decision (realm, checker_person, decided_at);
CREATE INDEX message_history_by_state ON message_history (realm, to_state, at) WHERE to_state IN ('Rejected', 'Failed', 'Unconfirmed');

-- +goose Down
DROP INDEX decision_by_checker, message_history_by_state;
