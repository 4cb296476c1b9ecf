-- The stream of events that clients read: the rows of the audit trail that have a place. A row is read once every transaction with a lower
-- number has ended, so that no row comes later in front of it.

-- name: EventCursor :one
-- The order of an event by its key.
SELECT e.place::bigint AS place, coalesce(e.message_id, e.event_id)::uuid AS about, coalesce(e.sequence, 0)::integer AS sequence
FROM audit_event e WHERE e.realm = @realm AND e.event_id = @event_id AND e.place IS NOT NULL;

-- name: EventList :many
-- The events behind a place of the order, at most page_size, oldest first. about is the message, or the event itself for a change. The places
-- of the page are found first, off the index, and each message by its key: without statistics all events would be sorted, and all messages
-- of the realm compared with each.
WITH horizon AS (
  SELECT o.base + pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS place FROM event_order o
), last AS (
  SELECT max(q.place) AS place FROM (
    SELECT y.place FROM audit_event y
    WHERE y.realm = @realm AND y.place IS NOT NULL AND y.place > @place::bigint AND y.place < (SELECT horizon.place FROM horizon)
    ORDER BY y.place LIMIT @page_size::integer) q
)
SELECT e.event_id, e.at, e.event, e.detail, e.place::bigint AS place, coalesce(e.message_id, e.event_id)::uuid AS about,
       coalesce(e.sequence, 0)::integer AS sequence, e.message_id,
       coalesce(m.global_id, '')::text AS global_id, m.external_id, m.client_id, coalesce(m.kind, '')::text AS kind,
       coalesce(m.scheme, '')::text AS scheme, coalesce(m.direction, '')::text AS direction, m.original_id, m.answers_id,
       coalesce(h.from_state, '')::text AS from_state, coalesce(h.action, '')::text AS action, coalesce(h.to_state, '')::text AS to_state,
       h.reason, coalesce(h.version, 0)::integer AS version, m.status_code
FROM (
  SELECT * FROM audit_event x
  WHERE x.realm = @realm AND x.place IS NOT NULL AND x.place >= @place::bigint
    AND x.place <= coalesce((SELECT last.place FROM last), @place::bigint) AND x.place < (SELECT horizon.place FROM horizon)
    AND (x.place, coalesce(x.message_id, x.event_id), coalesce(x.sequence, 0)) > (@place::bigint, @about::uuid, @sequence::integer)
  ORDER BY x.place, coalesce(x.message_id, x.event_id), coalesce(x.sequence, 0)
  LIMIT @page_size::integer) e
LEFT JOIN LATERAL (SELECT * FROM message n WHERE n.realm = @realm AND n.message_id = e.message_id OFFSET 0) m ON true
LEFT JOIN LATERAL (SELECT * FROM message_history g WHERE g.realm = @realm AND g.message_id = e.message_id AND g.sequence = e.sequence OFFSET 0) h
  ON true
ORDER BY e.place, coalesce(e.message_id, e.event_id), coalesce(e.sequence, 0);

-- name: EventLast :one
-- The last event of the stream at this moment.
SELECT x.event_id FROM audit_event x
WHERE x.realm = @realm AND x.place IS NOT NULL
  AND x.place < (SELECT o.base + pg_snapshot_xmin(pg_current_snapshot())::text::bigint FROM event_order o)
ORDER BY x.place DESC, coalesce(x.message_id, x.event_id) DESC, coalesce(x.sequence, 0) DESC
LIMIT 1;

-- name: EventOrderRenew :one
-- Moves the order of events behind everything stored, where the database was restored into another server. 1 when it was.
SELECT event_order_renew()::bigint AS renewed;

-- name: EventsPassed :many
-- The events of a message from one of them on that are not behind a cursor, in their order.
SELECT e.event_id FROM audit_event e
JOIN audit_event f ON f.realm = @realm AND f.event_id = @first
JOIN audit_event c ON c.realm = @realm AND c.event_id = @cursor
WHERE e.realm = @realm AND e.message_id = @message_id::uuid AND e.place IS NOT NULL AND e.sequence >= f.sequence
  AND (e.place, e.message_id, e.sequence) <= (c.place, coalesce(c.message_id, c.event_id), coalesce(c.sequence, 0))
ORDER BY e.sequence LIMIT 100;
