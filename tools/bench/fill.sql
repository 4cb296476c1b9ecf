-- A piece of a filled realm: messages as a bank has after months, with the rows that their life leaves (versions, documents, steps, audit
-- events, decisions, releases, creation keys). Everything follows from the number of the message, so that a filled realm is the same
-- everywhere. They are made past the program and its seals: lists, searches and counts cost what they cost with real ones, each row is shown
-- as withheld, and nothing of them can be approved or sent. The settings bench.* say which piece; the piece is one transaction.
SET LOCAL session_replication_role = replica;

CREATE TEMP TABLE person_of ON COMMIT DROP AS
SELECT row_number() OVER (PARTITION BY r.role ORDER BY u.name) - 1 AS place, count(*) OVER (PARTITION BY r.role) AS people, r.role, u.user_id,
       u.person_id, p.display_name, r.grant_id, r.granted_at
FROM user_account u
JOIN person p ON p.realm = u.realm AND p.person_id = u.person_id
JOIN user_role r ON r.realm = u.realm AND r.user_id = u.user_id AND r.ended_at IS NULL AND r.role IN ('maker', 'checker')
WHERE u.realm = current_setting('bench.realm')
  AND (SELECT count(*) FROM user_role o WHERE o.realm = u.realm AND o.user_id = u.user_id AND o.ended_at IS NULL AND o.role IN ('maker', 'checker')) = 1;

CREATE TEMP TABLE piece ON COMMIT DROP AS
WITH numbered AS (
  SELECT n, current_setting('bench.until')::timestamptz
           - (current_setting('bench.messages')::bigint - n) * (interval '90 days' / current_setting('bench.messages')::bigint) AS at,
         ('x' || substr(md5('bench' || n), 1, 7))::bit(28)::bigint AS dice, current_setting('bench.messages')::bigint AS messages,
         current_setting('bench.waiting')::bigint AS waiting
  FROM generate_series(current_setting('bench.first')::bigint, current_setting('bench.last')::bigint) n
), kinded AS (
  SELECT *, CASE WHEN n % 500 = 7 AND n > 1000 THEN 'recall' WHEN n % 500 = 19 AND n > 1000 THEN 'received recall' WHEN n % 12 = 5 THEN 'payment'
                 ELSE 'instruction' END AS kind,
         (dice % 20000) AS party, 1 + dice % 1000 + CASE WHEN dice % 10 = 0 THEN dice % 5000000 ELSE dice % 200000 END AS amount,
         CASE WHEN dice % 10 < 7 THEN 'sic-inst' ELSE 'sct-inst' END AS scheme
  FROM numbered
), keyed AS (
  SELECT *, (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0') || '8'
             || lpad(to_hex(n), 15, '0'))::uuid AS message_id,
         CASE WHEN kind = 'payment' THEN CASE WHEN dice % 400 = 1 THEN 'Failed' ELSE 'Booked' END
              WHEN kind = 'recall' THEN CASE WHEN dice % 3 = 0 THEN 'Refused' ELSE 'Accepted' END
              WHEN kind = 'received recall' THEN CASE WHEN n > messages - 2 * waiting THEN 'Awaiting Decision' ELSE 'Answered' END
              WHEN n % 4 = 0 AND n > messages - 4 * waiting THEN 'Approval Pending'
              WHEN dice % 100 = 1 THEN 'Rejected' WHEN dice % 200 = 2 THEN 'Failed' WHEN dice % 300 = 3 THEN 'Withdrawn'
              WHEN dice % 500 = 4 THEN 'Expired' ELSE 'Settled' END AS state
  FROM kinded
), named AS (
  SELECT *,
         (ARRAY['Peter', 'Anna', 'Müller', 'Sophie', 'Luca', 'Zürcher', 'Bäckerei', 'Garage', 'Elektro', 'Société', 'Weingut', 'Praxis', 'Kanzlei',
           'Stadtwerke', 'Gärtnerei', 'Schreinerei'])[1 + party % 16] || ' ' ||
         (ARRAY['Haller', 'Meier', 'Rossi', 'Dubois', 'Keller', 'Brunner', 'Frei', 'Gerber', 'Huber', 'Imhof', 'Jäggi', 'Kunz', 'Lüthi', 'Moser', 'Nägeli',
           'Odermatt', 'Pfister', 'Rüegg', 'Steiner', 'Tobler', 'Vogel', 'Weber', 'Zbinden'])[1 + (party / 16) % 23] || ' ' || (party / 368) AS name,
         CASE WHEN scheme = 'sic-inst' THEN 'CH' || lpad((10 + party % 87)::text, 2, '0') || '21966' || lpad((party * 7919)::text, 12, '0')
              ELSE 'DE' || lpad((10 + party % 87)::text, 2, '0') || '37040044' || lpad((party * 7919)::text, 10, '0') END AS account,
         (ARRAY['Invoice ', 'Lieferung ', 'Rent ', 'Salary ', 'Order ', 'Honorar '])[1 + n % 6] || n || (ARRAY['', ' of last month', ', second reminder', ' net 30 days'])[1 + n % 4]
           AS remittance
  FROM keyed
)
SELECT d.*, CASE WHEN kind IN ('payment', 'received recall') THEN 'in' ELSE 'out' END AS direction, CASE WHEN scheme = 'sic-inst' THEN 'CHF' ELSE 'EUR' END AS currency,
       lpad(translate(upper(to_hex(n)), 'ILOU', 'JMPV'), 16, 'BN00000000000000') AS global_id,
       state NOT IN ('Approval Pending', 'Rejected', 'Withdrawn', 'Expired') AND kind IN ('instruction', 'recall') AS sent,
       CASE WHEN kind IN ('recall', 'received recall') THEN (SELECT (lpad(to_hex((extract(epoch FROM o.at) * 1000)::bigint), 12, '0') || '7'
              || lpad(to_hex(o.n % 4096), 3, '0') || '8' || lpad(to_hex(o.n), 15, '0'))::uuid
            FROM (SELECT d.n - 7 - (d.n - 7) % 2 + CASE WHEN (d.n - 7 - (d.n - 7) % 2) % 4 = 0 THEN 2 ELSE 0 END AS n) x,
            LATERAL (SELECT x.n, d.at - (d.n - x.n) * (interval '90 days' / d.messages) AS at) o) END AS original_id,
       m.user_id AS maker_user, m.person_id AS maker_person, m.display_name AS maker_name, m.grant_id AS maker_grant, m.granted_at AS maker_granted,
       c.user_id AS checker_user, c.person_id AS checker_person, c.display_name AS checker_name, c.grant_id AS checker_grant, c.granted_at AS checker_granted,
       convert_to('Filled for measurements: message ' || n || ' of no client. ' || repeat(md5(n::text), 8), 'UTF8') AS content
FROM named d
LEFT JOIN person_of m ON m.role = 'maker' AND m.place = d.dice % m.people AND d.kind NOT IN ('payment', 'received recall')
LEFT JOIN person_of c ON c.role = 'checker' AND c.place = d.dice % c.people AND d.kind NOT IN ('payment', 'received recall');

INSERT INTO message (realm, message_id, global_id, kind, scheme, direction, channel, client_id, external_id, maker_user, maker_person, policy_id,
  approvals_required, expires_at, original_id, answer_by, reason, created_at, version, approvals, state, state_sequence, state_since, accepted_at,
  delivered_at, settled_at, status_code, status_text, listed_amount)
SELECT current_setting('bench.realm'), message_id, global_id, kind, scheme, direction,
  CASE WHEN direction = 'in' THEN 'clearing' WHEN n % 5 = 0 THEN 'portal' ELSE 'api' END,
  CASE WHEN direction = 'out' THEN current_setting('bench.client') END, CASE WHEN direction = 'out' THEN 'FILL-' || n END, maker_user, maker_person,
  CASE WHEN direction = 'out' THEN (SELECT p.policy_id FROM policy p WHERE p.realm = current_setting('bench.realm') AND p.approvals_required = 1
    AND p.retired_at IS NULL ORDER BY p.rank LIMIT 1) END,
  CASE WHEN direction = 'out' THEN 1 ELSE 0 END, CASE WHEN state = 'Approval Pending' AND n % 8 = 0 THEN current_setting('bench.until')::timestamptz
    + interval '1 year' + (dice % 100000) * interval '1 second' END,
  original_id, CASE WHEN kind IN ('recall', 'received recall') THEN current_setting('bench.until')::timestamptz + interval '1 year' END,
  CASE WHEN kind IN ('recall', 'received recall') THEN 'DUPL' END, at, 1, sent::integer, state,
  CASE WHEN state IN ('Approval Pending', 'Booked', 'Awaiting Decision') OR kind = 'payment' THEN 1 WHEN sent THEN 3 ELSE 2 END,
  CASE WHEN state = 'Approval Pending' THEN at ELSE at + interval '10 seconds' END, CASE WHEN sent THEN at + interval '5 seconds' END,
  CASE WHEN sent THEN at + interval '7 seconds' END, CASE WHEN state IN ('Settled', 'Booked') THEN at + interval '10 seconds' END,
  CASE WHEN state = 'Failed' THEN 'AC04' END, CASE WHEN state = 'Failed' THEN 'The account is closed.' END, amount
FROM piece ORDER BY n;

INSERT INTO message_version (realm, message_id, version, document_id, content_hash, maker_user, maker_person, makers, first_maker, approvals_required,
  created_at, amount, currency, instruction_id, end_to_end_id, transaction_id, debtor_name, debtor_account, debtor_agent, creditor_name,
  creditor_account, creditor_agent, remittance, key_id, seal, maker_role, maker_grant_id, maker_granted_at, clients, words)
SELECT current_setting('bench.realm'), message_id, 1, message_id, sha256(content), maker_user, maker_person,
  CASE WHEN direction = 'out' THEN ARRAY[maker_person] ELSE '{}' END, maker_person, CASE WHEN direction = 'out' THEN 1 ELSE 0 END, at, amount, currency,
  'FILL-' || n, 'E2E-' || lpad(n::text, 12, '0'), CASE WHEN direction = 'in' THEN 'TX' || lpad(n::text, 12, '0') END,
  CASE WHEN direction = 'out' THEN own.holder_name ELSE name END, CASE WHEN direction = 'out' THEN own.iban ELSE account END,
  CASE WHEN scheme = 'sic-inst' THEN '21977' ELSE 'AAAADEFFXXX' END, CASE WHEN direction = 'out' THEN name ELSE own.holder_name END,
  CASE WHEN direction = 'out' THEN account ELSE own.iban END, CASE WHEN scheme = 'sic-inst' THEN '21966' ELSE 'COBADEFFXXX' END, remittance,
  current_setting('bench.key'), sha256(content), CASE WHEN direction = 'out' THEN 'maker' END, maker_grant, CASE WHEN maker_granted IS NOT NULL THEN least(maker_granted, at) END,
  CASE WHEN direction = 'out' THEN ARRAY[current_setting('bench.client')] END,
  array_to_tsvector(ARRAY(SELECT search_tag(current_setting('bench.realm')) || w.word FROM search_words(name || ' ' || remittance, ARRAY[account]) AS w (word)))
FROM piece
CROSS JOIN LATERAL (SELECT a.iban, a.holder_name FROM debtor_account a WHERE a.realm = current_setting('bench.realm') AND a.scheme = piece.scheme
                    ORDER BY a.iban LIMIT 1) own
ORDER BY n;

INSERT INTO document (realm, document_id, message_id, scheme, direction, name, reference, content, content_hash, created_at, key_id, mac, written_in)
SELECT current_setting('bench.realm'), overlay(message_id::text PLACING d.variant FROM 20 FOR 4)::uuid, message_id, scheme, d.direction, d.name, d.reference, content, sha256(content), at, current_setting('bench.key'),
  sha256(content), '3'::xid8
FROM piece
CROSS JOIN LATERAL (VALUES
  ('8000', CASE WHEN kind = 'recall' THEN 'draft' ELSE 'in' END, CASE kind WHEN 'instruction' THEN 'pain.001.001.09' WHEN 'payment' THEN 'pacs.008.001.08'
    ELSE 'camt.056.001.08' END, 'FILL-' || n, true),
  ('8001', 'out', CASE kind WHEN 'instruction' THEN 'pacs.008.001.08' ELSE 'camt.056.001.08' END, 'P8' || global_id, sent),
  ('8002', 'in', 'pacs.002.001.10', 'A2' || global_id, sent AND kind = 'instruction')
) AS d (variant, direction, name, reference, made)
WHERE d.made
ORDER BY n;

INSERT INTO message_history (realm, message_id, sequence, kind, from_state, action, to_state, previous_sequence, version, actor_user, actor_person,
  actor_name, client_id, channel, at)
SELECT current_setting('bench.realm'), message_id, step.sequence, kind, step.from_state, step.action, step.to_state, nullif(step.sequence - 1, 0), 1,
  step.actor, step.person, coalesce(step.actor_name, 'gateway'), CASE WHEN step.actor IS NOT NULL THEN current_setting('bench.client') END,
  CASE WHEN step.actor IS NULL THEN 'clearing' ELSE 'api' END, at + step.later * interval '1 second'
FROM piece
CROSS JOIN LATERAL (VALUES
  (1, 'None', CASE kind WHEN 'payment' THEN 'book' WHEN 'received recall' THEN 'receive' ELSE 'submit' END,
    CASE kind WHEN 'payment' THEN state WHEN 'received recall' THEN 'Awaiting Decision' ELSE 'Approval Pending' END, 0, maker_user, maker_person, maker_name, true),
  (2, 'Approval Pending', 'approve', 'Approved', 5, checker_user, checker_person, checker_name, sent),
  (3, 'Approved', CASE state WHEN 'Settled' THEN 'settle' WHEN 'Failed' THEN 'refuse' WHEN 'Accepted' THEN 'accept' ELSE 'decline' END, state, 10,
    NULL, NULL, NULL, sent),
  (2, CASE kind WHEN 'received recall' THEN 'Awaiting Decision' ELSE 'Approval Pending' END,
    CASE state WHEN 'Rejected' THEN 'reject' WHEN 'Withdrawn' THEN 'withdraw' WHEN 'Expired' THEN 'expire' ELSE 'answer' END, state, 10,
    checker_user, checker_person, checker_name, state IN ('Rejected', 'Withdrawn', 'Expired', 'Answered'))
) AS step (sequence, from_state, action, to_state, later, actor, person, actor_name, happened)
WHERE step.happened
ORDER BY n, step.sequence;

INSERT INTO audit_event (realm, event_id, message_id, sequence, event, actor_user, actor_person, actor_name, client_id, channel, request_id, content_hash,
  detail, at, written_in, place, key_id, seal)
SELECT h.realm, move_event(h.message_id, h.sequence), h.message_id, h.sequence, h.kind || '.' || h.action,
  h.actor_user, h.actor_person, h.actor_name, h.client_id, h.channel, 'fill-' || p.n, sha256(p.content),
  '{"from":"' || h.from_state || '","to":"' || h.to_state || '"}', h.at, '3'::xid8, 3, current_setting('bench.key'), sha256(p.content)
FROM piece p
JOIN message_history h ON h.realm = current_setting('bench.realm') AND h.message_id = p.message_id
ORDER BY p.n, h.sequence;

INSERT INTO decision (realm, message_id, version, ordinal, makers, content_hash, approvals_required, checker_user, checker_person, client_id, channel, action,
  reason, decided_at, checker_role, grant_id, granted_at, message_created_at)
SELECT current_setting('bench.realm'), message_id, 1, 1, ARRAY[maker_person], sha256(content), 1, checker_user, checker_person,
  current_setting('bench.client'), 'api', CASE WHEN sent THEN 'approve' ELSE 'reject' END, CASE WHEN NOT sent THEN 'Wrong account.' END,
  at + interval '5 seconds', 'checker', checker_grant, least(checker_granted, at), at
FROM piece WHERE sent OR state = 'Rejected' ORDER BY n;

INSERT INTO release (realm, message_id, version, makers, content_hash, approvals_required, last_ordinal, last_action, accepted_at, key_id, mac)
SELECT current_setting('bench.realm'), message_id, 1, ARRAY[maker_person], sha256(content), 1, 1, 'approve', at + interval '5 seconds', current_setting('bench.key'), sha256(content)
FROM piece WHERE sent ORDER BY n;

INSERT INTO creation_key (realm, client_id, scope, key, message_id, fingerprint, created_at, key_id, seal)
SELECT current_setting('bench.realm'), current_setting('bench.client'), 'external-id', 'FILL-' || n, message_id, sha256(content), at, current_setting('bench.key'), sha256(content)
FROM piece WHERE direction = 'out' ORDER BY n;
