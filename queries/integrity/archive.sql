-- What leaves the database with a month: the archive of it, and the rows that are removed afterwards.

-- name: EndedMessageList :many
-- The messages of payments that ended before a time with all messages about them, each with its payment, in the order of both. A payment
-- waits while an answer to clearing is not delivered, while core banking was not told of its end, or while a later payment of another bank
-- has its transaction id and did not end.
WITH ended AS (
  SELECT coalesce(m.original_id, m.message_id) AS payment FROM message m WHERE m.realm = @realm::text
  GROUP BY coalesce(m.original_id, m.message_id)
  HAVING bool_and(m.state_since < @before::timestamptz AND (m.state = ANY (@final::text[]) OR m.state = 'Accepted' AND m.kind = 'recall'))
), waiting AS (
  SELECT coalesce(m.original_id, m.message_id) AS payment
  FROM (SELECT d.message_id FROM outbox o JOIN document d ON d.realm = @realm AND d.direction = 'out' AND d.scheme = o.scheme AND d.reference = o.reference
        WHERE o.delivered_at IS NULL AND o.refused_at IS NULL
        UNION SELECT c.message_id FROM core_booking c WHERE c.realm = @realm AND c.told IS NULL
        UNION SELECT p.message_id FROM incoming_payment later
          JOIN incoming_payment p ON p.scheme = later.scheme AND p.transaction_id = later.transaction_id AND p.bank = later.bank AND p.use < later.use
          WHERE later.use > 0 AND p.realm = @realm
            AND NOT EXISTS (SELECT FROM ended e WHERE later.realm = p.realm AND e.payment = later.message_id)) w
  JOIN message m ON m.realm = @realm AND m.message_id = w.message_id
)
SELECT e.payment::uuid AS payment, m.message_id
FROM ended e
JOIN message m ON m.realm = @realm AND coalesce(m.original_id, m.message_id) = e.payment
WHERE NOT EXISTS (SELECT FROM waiting w WHERE w.payment = e.payment)
ORDER BY e.payment, m.message_id;
