-- +goose Up
-- What was refused is kept for the auditor, and an approval may carry a remark.

-- A refusal changes nothing, so it has no place in a message's history: no sequence, and no message where none was found.
ALTER TABLE audit_event ADD COLUMN outcome text NOT NULL DEFAULT 'done' CHECK (outcome IN ('done', 'refused'));
ALTER TABLE audit_event ADD CHECK (outcome = 'done' OR sequence IS NULL);
-- The trail of one message, its refusals among its moves.
CREATE INDEX audit_event_in_time ON audit_event (realm, at, event_id);

-- How many refusals of one event there were in a realm in a minute. The first hundred have a row in audit_event; whoever knocks
-- thousands of times is counted here, so that nobody can fill the trail by asking for what is refused.
CREATE TABLE refusal_count (
  realm   text NOT NULL REFERENCES realm,
  event   text NOT NULL CHECK (event <> ''),
  minute  timestamptz NOT NULL,
  refused bigint NOT NULL CHECK (refused > 0),
  PRIMARY KEY (realm, event, minute)
);
ALTER TABLE refusal_count ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON refusal_count USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT ON refusal_count TO countersign_app;
GRANT UPDATE (refused) ON refusal_count TO countersign_app;
GRANT SELECT ON refusal_count TO countersign_reader;

-- What a checker said with an approval. A rejection has its reason.
ALTER TABLE decision ADD COLUMN remark text CHECK (remark ~ '\S' AND length(remark) <= 512);
ALTER TABLE decision ADD CHECK (remark IS NULL OR action = 'approve');

-- +goose Down
ALTER TABLE decision DROP COLUMN remark;
DROP TABLE refusal_count;
DROP INDEX audit_event_in_time;
ALTER TABLE audit_event DROP COLUMN outcome;
