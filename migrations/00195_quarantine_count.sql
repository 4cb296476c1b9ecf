-- +goose Up
-- What is in quarantine is few, and what was received is much: the number on the operators' page is read off an index of the few.
CREATE INDEX inbox_quarantined ON inbox (received_at) WHERE outcome = 'quarantined';

-- +goose Down
DROP INDEX inbox_quarantined;
