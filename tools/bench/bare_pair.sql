-- One pair: a payment is created in one transaction and approved in another, one statement each.
\set high random(1, 9223372036854775807)
\set low random(1, 9223372036854775807)
INSERT INTO bare.payment
SELECT 'bench', id, id::text, 'Approval Pending', '01900000-0000-7000-8000-000000000001', 19995, 'CHF', 'Muster Handels AG',
  'CH5021977000004331346', 'Beispiel GmbH', 'CH9300762011623852957', 'E2E', sample, now()
FROM bare.content, (SELECT (lpad(to_hex(:high::bigint), 16, '0') || lpad(to_hex(:low::bigint), 16, '0'))::uuid AS id) made;
WITH moved AS (
  UPDATE bare.payment SET state = 'Approved'
  WHERE realm = 'bench' AND payment_id = (lpad(to_hex(:high::bigint), 16, '0') || lpad(to_hex(:low::bigint), 16, '0'))::uuid
    AND state = 'Approval Pending'
  RETURNING realm, payment_id
)
INSERT INTO bare.decision SELECT realm, payment_id, '01900000-0000-7000-8000-000000000002', 'approve', now() FROM moved;
