-- The rows of some messages, @messages of @realm. What clearing sent and was sent is found by its document; what waits, or matched nothing, is
-- read besides: each half has its index. Where the index of a table begins with the message, = ANY would be a condition of it beside that of a
-- join, and the planner would rather read the realm's whole index for each message than look up all of them for each.
WITH message AS NOT MATERIALIZED (SELECT * FROM public.message WHERE realm = @realm AND message_id = ANY (@messages)),
message_version AS NOT MATERIALIZED (SELECT * FROM public.message_version WHERE realm = @realm AND message_id = ANY (@messages)),
message_history AS NOT MATERIALIZED (SELECT * FROM public.message_history WHERE realm = @realm AND message_id = ANY (@messages)),
document AS NOT MATERIALIZED (SELECT * FROM public.document WHERE realm = @realm AND message_id IN (SELECT unnest(@messages::uuid[]))),
decision AS NOT MATERIALIZED (SELECT * FROM public.decision WHERE realm = @realm AND message_id = ANY (@messages)),
release AS NOT MATERIALIZED (SELECT * FROM public.release WHERE realm = @realm AND message_id = ANY (@messages)),
creation_key AS NOT MATERIALIZED (SELECT * FROM public.creation_key WHERE realm = @realm AND message_id IN (SELECT unnest(@messages::uuid[]))),
limit_use AS NOT MATERIALIZED (SELECT * FROM public.limit_use WHERE realm = @realm AND message_id = ANY (@messages)),
core_booking AS NOT MATERIALIZED (SELECT * FROM public.core_booking WHERE realm = @realm AND message_id = ANY (@messages)),
audit_event AS NOT MATERIALIZED (SELECT * FROM public.audit_event WHERE realm = @realm AND message_id IN (SELECT unnest(@messages::uuid[]))),
incoming_payment AS NOT MATERIALIZED (
  SELECT * FROM public.incoming_payment
  WHERE realm = @realm AND message_id = ANY (@messages) AND (scheme, transaction_id) IN (
    SELECT m.scheme, v.transaction_id FROM public.message m JOIN public.message_version v ON v.realm = m.realm AND v.message_id = m.message_id
    WHERE m.realm = @realm AND m.message_id = ANY (@messages))),
inbox AS NOT MATERIALIZED (
  SELECT * FROM public.inbox WHERE outcome = 'quarantined'
  UNION ALL
  SELECT * FROM public.inbox WHERE outcome <> 'quarantined' AND (scheme, reference) IN (
    SELECT scheme, reference FROM public.document WHERE realm = @realm AND message_id = ANY (@messages) AND direction = 'in')),
outbox AS NOT MATERIALIZED (
  SELECT * FROM public.outbox WHERE delivered_at IS NULL AND refused_at IS NULL
  UNION ALL
  SELECT * FROM public.outbox WHERE (delivered_at IS NOT NULL OR refused_at IS NOT NULL) AND (scheme, reference) IN (
    SELECT scheme, reference FROM public.document WHERE realm = @realm AND message_id = ANY (@messages) AND direction = 'out'))
