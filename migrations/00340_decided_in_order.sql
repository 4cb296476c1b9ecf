-- +goose Up
-- What a person decided since a time is read newest first, as far as a page or a count goes. Statistics do not tell how many decisions today
-- has, so each look put the whole day in order to find those of one moment in theirs: the index has the order of the list.
DROP INDEX decision_by_checker;
CREATE INDEX decision_by_checker ON decision (checker_person, realm, decided_at, message_id);

-- +goose Down
DROP INDEX decision_by_checker;
CREATE INDEX decision_by_checker ON decision (checker_person, realm, decided_at);
