-- +goose Up
-- Jobs are no rows any more: what is to be sent is a message that is released and not delivered, what is to be answered a row of the outbox
-- that is not delivered, and each has an index of its own (internal/store/jobs.go). The tables that earlier programs put jobs into are dropped
-- with whatever waits there: clearing's lanes find in those two what no job carries.
DROP SCHEMA IF EXISTS river CASCADE;

-- +goose Down
-- An earlier program makes its tables itself when it migrates.
SELECT 1;
