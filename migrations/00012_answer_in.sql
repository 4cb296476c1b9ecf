-- +goose Up
-- What other banks answer to our recalls, the money (pacs.004) or a refusal (camt.029), are messages of their own: a return or a
-- resolution that came in. Like everything that comes in they have no maker, are never decided and never released: the CHECKs of
-- decision and release ask for a maker, which CHECKs of message and message_version refuse to them. Answers that came in before this
-- migration stay documents of their recall.
INSERT INTO legal_move (kind, from_state, action, to_state) VALUES
  ('return',     'None', 'receive', 'Settled'),
  ('resolution', 'None', 'receive', 'Communicated');

-- The direction follows from the kind, but returns and resolutions go both ways. One that came in answers a recall and is final from its
-- first moment; without that an outgoing one could skip its approvals by being called incoming. message_one_answer, which holds for both
-- directions, keeps it to one answer for each recall.
ALTER TABLE message DROP CONSTRAINT message_check1;
ALTER TABLE message ADD CONSTRAINT message_direction_of_kind CHECK (CASE
  WHEN kind IN ('payment', 'received recall') THEN direction = 'in'
  WHEN kind IN ('return', 'resolution') AND direction = 'in'
    THEN answers_id IS NOT NULL AND state = (CASE kind WHEN 'return' THEN 'Settled' ELSE 'Communicated' END)
         AND policy_id IS NULL AND accepted_at IS NULL AND delivered_at IS NULL
  ELSE direction = 'out' END);

-- +goose Down
-- Fails while there are such messages: history is not thrown away.
ALTER TABLE message DROP CONSTRAINT message_direction_of_kind;
ALTER TABLE message ADD CONSTRAINT message_check1 CHECK (direction = (CASE WHEN kind IN ('payment', 'received recall') THEN 'in' ELSE 'out' END));
DELETE FROM legal_move WHERE (kind, action) IN (('return', 'receive'), ('resolution', 'receive'));
