-- What single statements of message.sql do, for several messages of one realm at a time: each item is an element of every array, in the
-- same place. An absent value is the empty text, the empty bytes, the nil UUID, the zero time or 0, as Go has them; the statement turns it
-- into NULL. Each returns the items it did: an item that is not returned was not done.

-- name: SubmissionContextAll :many
-- SubmissionContext for several new messages; item is the number of the question. Each asks for its policy once, before the policies are
-- joined: as a condition of the join it would be asked once for each policy of the realm.
WITH item AS (
  SELECT unnest(@items::integer[]) AS item, unnest(@client_ids::text[]) AS client_id,
    unnest(@channels::text[]) AS channel, unnest(@schemes::text[]) AS scheme,
    unnest(@kinds::text[]) AS kind, unnest(@amounts::bigint[]) AS amount,
    unnest(@debtor_accounts::text[]) AS debtor_account
)
SELECT i.item::integer AS item, sqlc.embed(r), sqlc.embed(p),
       a.iban AS account_iban, a.scheme AS account_scheme, a.currency AS account_currency, a.holder_name, a.holder_street, a.holder_building, a.holder_postcode,
       a.holder_town, a.holder_country, a.agent_bic, a.agent_iid, a.open AS account_open, a.key_id AS account_key_id, a.seal AS account_seal,
       coalesce((SELECT d.directory_id FROM routing_directory d WHERE d.realm = r.realm AND d.scheme = i.scheme
                 ORDER BY d.directory_id DESC LIMIT 1), '00000000-0000-0000-0000-000000000000')::uuid AS directory_id,
       EXISTS (SELECT FROM spending_limit l WHERE l.realm = r.realm AND (l.per_payment IS NOT NULL OR l.per_day IS NOT NULL)
               AND (l.limit_of = 'person' OR l.holder IN (i.client_id, i.debtor_account)))::boolean AS limited
FROM item i
CROSS JOIN LATERAL (
  SELECT x.policy_id FROM policy x
  WHERE x.realm = @realm::text AND x.retired_at IS NULL
    AND (x.client_id IS NULL OR x.client_id = i.client_id) AND (x.channel IS NULL OR x.channel = i.channel)
    AND (x.scheme IS NULL OR x.scheme = i.scheme) AND (x.kind IS NULL OR x.kind = i.kind)
    AND (x.amount_from IS NULL OR x.amount_from <= i.amount) AND (x.amount_to IS NULL OR x.amount_to >= i.amount)
  ORDER BY x.rank DESC, x.created_at DESC LIMIT 1) f
JOIN realm r ON r.realm = @realm::text
LEFT JOIN policy p ON p.realm = r.realm AND p.policy_id = f.policy_id
LEFT JOIN debtor_account a ON a.realm = r.realm AND a.iban = i.debtor_account;

-- name: MessageConsiderAll :many
-- Instructions with their current version and content, as MessageGet has them, with what a decision about each must know beside it: the
-- policy it falls under now, how many approvals the policies of its time asked for, which directory of banks is in force, and whether a
-- limit may bind it; item is the number of the question. Each message is found by its key, whatever the planner knows of the tables: the
-- OFFSET keeps the inner statement by itself, so that on a young database it is not planned from the wrong end. The policy in force is asked
-- for by the message, and the policies joined to it from outside: else each message is read once for each policy of the realm.
-- approvals_asked stands here in full: the function is read and planned anew at each call, which cost a third of creating and approving.
SELECT i.item::integer AS item, sqlc.embed(r), sqlc.embed(p),
       a.iban AS account_iban, a.scheme AS account_scheme, a.currency AS account_currency, a.holder_name, a.holder_street, a.holder_building,
       a.holder_postcode, a.holder_town, a.holder_country, a.agent_bic, a.agent_iid, a.open AS account_open,
       a.key_id AS account_key_id, a.seal AS account_seal,
       (SELECT coalesce(min(coalesce((
         SELECT x.approvals_required FROM policy x
         WHERE x.realm = m.realm AND x.created_at <= t.moment AND (x.retired_at IS NULL OR x.retired_at > t.moment)
           AND (x.client_id IS NULL OR x.client_id = m.client_id) AND (x.channel IS NULL OR x.channel = m.channel)
           AND (x.scheme IS NULL OR x.scheme = m.scheme) AND (x.kind IS NULL OR x.kind = m.kind)
           AND (x.amount_from IS NULL OR x.amount_from <= m.amount) AND (x.amount_to IS NULL OR x.amount_to >= m.amount)
         ORDER BY x.rank DESC, x.created_at DESC LIMIT 1), 0)), 0)
        FROM (VALUES (m.made_at), (m.made_at - interval '1 minute')) AS t (moment) WHERE m.direction = 'out')::integer AS approvals_asked,
       coalesce((SELECT x.directory_id FROM routing_directory x WHERE x.realm = m.realm AND x.scheme = m.scheme
                 ORDER BY x.directory_id DESC LIMIT 1), '00000000-0000-0000-0000-000000000000')::uuid AS directory_id,
       EXISTS (SELECT FROM spending_limit l WHERE l.realm = r.realm AND (l.per_payment IS NOT NULL OR l.per_day IS NOT NULL)
               AND (l.limit_of = 'person' OR l.holder IN (m.client_id, m.debtor_account)))::boolean AS limited,
       m.*
FROM (SELECT unnest(@places::integer[]) AS item, unnest(@message_ids::uuid[]) AS message_id) i
CROSS JOIN LATERAL (
  SELECT l.*, d.content, v.created_at AS made_at FROM message_listed l
  JOIN message_version v ON v.realm = l.realm AND v.message_id = l.message_id AND v.version = l.version
  JOIN document d ON d.realm = l.realm AND d.document_id = l.document_id AND d.message_id = l.message_id
  WHERE l.realm = @realm::text AND l.message_id = i.message_id AND l.kind = 'instruction' OFFSET 0) m
CROSS JOIN LATERAL (
  SELECT x.policy_id FROM policy x
  WHERE x.realm = m.realm AND x.retired_at IS NULL
    AND (x.client_id IS NULL OR x.client_id = m.client_id) AND (x.channel IS NULL OR x.channel = m.channel)
    AND (x.scheme IS NULL OR x.scheme = m.scheme) AND (x.kind IS NULL OR x.kind = m.kind)
    AND (x.amount_from IS NULL OR x.amount_from <= m.amount) AND (x.amount_to IS NULL OR x.amount_to >= m.amount)
  ORDER BY x.rank DESC, x.created_at DESC LIMIT 1) f
JOIN realm r ON r.realm = m.realm
LEFT JOIN policy p ON p.realm = m.realm AND p.policy_id = f.policy_id
LEFT JOIN debtor_account a ON a.realm = m.realm AND a.iban = m.debtor_account;

-- name: MessageRead :batchone
-- MessageGet, several in one round trip.
SELECT sqlc.embed(m), d.content,
       a.iban AS account_iban, a.scheme AS account_scheme, a.currency AS account_currency, a.holder_name, a.holder_street, a.holder_building,
       a.holder_postcode, a.holder_town, a.holder_country, a.agent_bic, a.agent_iid, a.open AS account_open
FROM message_listed m
JOIN document d ON d.realm = m.realm AND d.document_id = m.document_id AND d.message_id = m.message_id
LEFT JOIN debtor_account a ON m.kind = 'instruction' AND a.realm = m.realm AND a.iban = m.debtor_account
WHERE m.realm = @realm AND m.message_id = @message_id;

-- name: MessageInsertAll :many
-- MessageInsert for several new instructions. One of which a key is taken is left out, whole: only a message all of whose keys went in is
-- written, and a key that went in without its message breaks the foreign key, and with it the statement.
WITH item AS (
  SELECT unnest(@message_ids::uuid[]) AS message_id, unnest(@global_ids::text[]) AS global_id,
    unnest(@schemes::text[]) AS scheme, unnest(@channels::text[]) AS channel,
    unnest(@client_ids::text[]) AS client_id, unnest(@external_ids::text[]) AS external_id,
    unnest(@maker_users::uuid[]) AS maker_user, unnest(@maker_persons::uuid[]) AS maker_person,
    unnest(@policy_ids::uuid[]) AS policy_id, unnest(@approvals_requireds::integer[]) AS approvals_required,
    unnest(@expires_ats::timestamptz[]) AS expires_at, unnest(@created_ats::timestamptz[]) AS created_at,
    unnest(@states::text[]) AS state, unnest(@accepted_ats::timestamptz[]) AS accepted_at,
    unnest(@document_ids::uuid[]) AS document_id, unnest(@document_names::text[]) AS document_name,
    unnest(@refs::text[]) AS reference, unnest(@contents::bytea[]) AS content,
    unnest(@content_hashes::bytea[]) AS content_hash, unnest(@sources::bytea[]) AS source,
    unnest(@source_types::text[]) AS source_type, unnest(@document_key_ids::text[]) AS document_key_id,
    unnest(@document_macs::bytea[]) AS document_mac, unnest(@amounts::bigint[]) AS amount,
    unnest(@currencies::text[]) AS currency, unnest(@instruction_ids::text[]) AS instruction_id,
    unnest(@end_to_end_ids::text[]) AS end_to_end_id, unnest(@transaction_ids::text[]) AS transaction_id,
    unnest(@uetrs::text[]) AS uetr, unnest(@debtor_names::text[]) AS debtor_name,
    unnest(@ordered_debtor_names::text[]) AS ordered_debtor_name, unnest(@debtor_accounts::text[]) AS debtor_account,
    unnest(@debtor_agents::text[]) AS debtor_agent, unnest(@creditor_names::text[]) AS creditor_name,
    unnest(@creditor_accounts::text[]) AS creditor_account, unnest(@creditor_agents::text[]) AS creditor_agent,
    unnest(@remittances::text[]) AS remittance, unnest(@version_key_ids::text[]) AS version_key_id,
    unnest(@version_seals::bytea[]) AS version_seal, unnest(@maker_roles::text[]) AS maker_role,
    unnest(@maker_grant_ids::uuid[]) AS maker_grant_id, unnest(@maker_granted_ats::timestamptz[]) AS maker_granted_at,
    unnest(@actor_names::text[]) AS actor_name, unnest(@notes::text[]) AS note,
    unnest(@event_ids::uuid[]) AS event_id, unnest(@events::text[]) AS event,
    unnest(@request_ids::text[]) AS request_id, unnest(@source_addresses::text[]) AS source_address,
    unnest(@details::text[]) AS detail, unnest(@fingerprints::bytea[]) AS fingerprint,
    unnest(@key_counts::integer[]) AS key_count, unnest(@payee_results::text[]) AS payee_result,
    unnest(@payee_names::text[]) AS payee_name, unnest(@payee_ats::timestamptz[]) AS payee_at,
    unnest(@words::text[]) AS words,
    unnest(@key_ids::text[]) AS key_id, unnest(@macs::bytea[]) AS mac,
    unnest(@account_digests::bytea[]) AS account_digest
), asked AS (
  SELECT unnest(@key_messages::uuid[]) AS message_id, unnest(@key_scopes::text[]) AS scope, unnest(@keys::text[]) AS key,
    unnest(@key_seals::bytea[]) AS seal
), keyed AS (
  INSERT INTO creation_key (realm, client_id, scope, key, message_id, fingerprint, created_at, key_id, seal)
  SELECT @realm::text, i.client_id, a.scope, a.key, i.message_id, i.fingerprint, i.created_at, i.version_key_id, a.seal
  FROM asked a JOIN item i ON i.message_id = a.message_id
  ON CONFLICT DO NOTHING
  RETURNING message_id
), counted AS (
  SELECT keyed.message_id, count(*) AS keys FROM keyed GROUP BY keyed.message_id
), free AS (
  SELECT i.* FROM item i LEFT JOIN counted c ON c.message_id = i.message_id WHERE coalesce(c.keys, 0) = i.key_count
), added AS (
  INSERT INTO message (realm, message_id, global_id, kind, scheme, direction, channel, client_id, external_id, maker_user, maker_person,
    policy_id, approvals_required, expires_at, created_at, version, approvals, state, state_sequence, state_since, accepted_at,
    listed_amount)
  SELECT @realm::text, message_id, global_id, 'instruction', scheme, 'out', channel, client_id, nullif(external_id, ''), maker_user, maker_person,
    policy_id, approvals_required, nullif(expires_at, '0001-01-01 00:00:00+00'::timestamptz), created_at, 1, 0, state, 1, created_at,
    nullif(accepted_at, '0001-01-01 00:00:00+00'::timestamptz), amount FROM free
), doc AS (
  INSERT INTO document (realm, document_id, message_id, scheme, direction, name, reference, content, content_hash, source, source_type, created_at,
    key_id, mac)
  SELECT @realm::text, document_id, message_id, scheme, 'in', document_name, reference, content, content_hash,
    CASE WHEN source_type <> '' THEN source END, nullif(source_type, ''), created_at, document_key_id, document_mac FROM free
), written AS (
  INSERT INTO message_version (realm, message_id, version, document_id, content_hash, maker_user, maker_person, makers, first_maker,
    approvals_required, created_at, amount, currency, instruction_id, end_to_end_id, transaction_id, uetr, debtor_name, ordered_debtor_name,
    debtor_account, debtor_agent, creditor_name, creditor_account, creditor_agent, remittance, key_id, seal, maker_role, maker_grant_id,
    maker_granted_at, clients, payee_result, payee_name, payee_at, words)
  SELECT @realm::text, message_id, 1, document_id, content_hash, maker_user, maker_person, ARRAY[maker_person], maker_person,
    approvals_required, created_at, amount, currency, nullif(instruction_id, ''), end_to_end_id, nullif(transaction_id, ''), nullif(uetr, ''),
    debtor_name, nullif(ordered_debtor_name, ''), debtor_account, debtor_agent, creditor_name, creditor_account, creditor_agent, remittance,
    version_key_id, version_seal, nullif(maker_role, ''), nullif(maker_grant_id, '00000000-0000-0000-0000-000000000000'::uuid),
    nullif(maker_granted_at, '0001-01-01 00:00:00+00'::timestamptz), ARRAY[client_id], nullif(payee_result, ''), nullif(payee_name, ''),
    nullif(payee_at, '0001-01-01 00:00:00+00'::timestamptz), array_to_tsvector(string_to_array(words, ' ')) FROM free
), history AS (
  INSERT INTO message_history (realm, message_id, sequence, kind, from_state, action, to_state, version, actor_user, actor_person,
    actor_name, client_id, channel, reason, at)
  SELECT @realm::text, message_id, 1, 'instruction', 'None', 'submit', state, 1, maker_user, maker_person, actor_name, client_id, channel,
    nullif(note, ''), created_at FROM free
), audited AS (
  INSERT INTO audit_event (realm, event_id, message_id, sequence, event, actor_user, actor_person, actor_name, client_id, channel,
    request_id, source_address, content_hash, detail, at)
  SELECT @realm::text, event_id, message_id, 1, event, maker_user, maker_person, actor_name, client_id, channel,
    nullif(request_id, ''), nullif(source_address, ''), content_hash, detail, created_at FROM free
), released AS (
  INSERT INTO release (realm, message_id, version, makers, content_hash, approvals_required, accepted_at, key_id, mac, account_digest)
  SELECT @realm::text, message_id, 1, ARRAY[maker_person], content_hash, approvals_required, nullif(accepted_at, '0001-01-01 00:00:00+00'::timestamptz), key_id, mac,
    nullif(account_digest, ''::bytea) FROM free WHERE key_id <> ''
)
SELECT message_id::uuid AS message_id FROM free;

-- name: MessageMoveAll :many
-- MessageMoveIf for several messages, of which each takes one step or several, one after the other, and changes once. Steps are known by the
-- event they write. The rows are there, so the INSERT always meets them and changes them: found one by one, by their keys. An UPDATE would
-- join them with the items, and on a young database that join is planned to begin with all messages of the realm. Where a message of several
-- steps was moved by somebody else meanwhile, the keys of history and trail stop the statement. What a step brought (the document of clearing that
-- makes it, in the inbox and among the documents) and what it leaves (the report of an end) is written beside it; both name its event.
WITH goal AS (
  SELECT unnest(@message_ids::uuid[]) AS message_id, unnest(@from_states::text[]) AS from_state,
    unnest(@sequences::integer[]) AS sequence, unnest(@step_counts::integer[]) AS step_count,
    unnest(@versions::integer[]) AS version, unnest(@to_states::text[]) AS to_state,
    unnest(@sinces::timestamptz[]) AS since, unnest(@approvals::integer[]) AS approvals,
    unnest(@accepted_ats::timestamptz[]) AS accepted_at, unnest(@delivered_ats::timestamptz[]) AS delivered_at,
    unnest(@settled_ats::timestamptz[]) AS settled_at, unnest(@status_codes::text[]) AS status_code,
    unnest(@status_texts::text[]) AS status_text, unnest(@inquireds::integer[]) AS inquired,
    unnest(@inquire_ats::timestamptz[]) AS inquire_at, unnest(@answer_bys::timestamptz[]) AS answer_by
), item AS (
  SELECT unnest(@event_ids::uuid[]) AS event_id, unnest(@step_messages::uuid[]) AS message_id,
    unnest(@step_sequences::integer[]) AS sequence, unnest(@step_from_states::text[]) AS from_state,
    unnest(@actions::text[]) AS action, unnest(@step_to_states::text[]) AS to_state,
    unnest(@ats::timestamptz[]) AS at, unnest(@actor_users::uuid[]) AS actor_user,
    unnest(@actor_persons::uuid[]) AS actor_person, unnest(@actor_names::text[]) AS actor_name,
    unnest(@client_ids::text[]) AS client_id, unnest(@channels::text[]) AS channel,
    unnest(@reasons::text[]) AS reason, unnest(@events::text[]) AS event,
    unnest(@request_ids::text[]) AS request_id, unnest(@source_addresses::text[]) AS source_address,
    unnest(@content_hashes::bytea[]) AS content_hash, unnest(@details::text[]) AS detail,
    unnest(@decides::boolean[]) AS decides, unnest(@ordinals::integer[]) AS ordinal,
    unnest(@makers::text[]) AS makers, unnest(@approvals_requireds::integer[]) AS approvals_required,
    unnest(@previous_ordinals::integer[]) AS previous_ordinal, unnest(@previous_actions::text[]) AS previous_action,
    unnest(@grant_ids::uuid[]) AS grant_id, unnest(@granted_ats::timestamptz[]) AS granted_at,
    unnest(@decision_key_ids::text[]) AS decision_key_id, unnest(@decision_seals::bytea[]) AS decision_seal,
    unnest(@key_ids::text[]) AS key_id, unnest(@macs::bytea[]) AS mac,
    unnest(@account_digests::bytea[]) AS account_digest
), brought AS (
  SELECT unnest(@brought_events::uuid[]) AS event_id, unnest(@brought_schemes::text[]) AS scheme,
    unnest(@brought_references::text[]) AS reference, unnest(@brought_names::text[]) AS name,
    unnest(@brought_hashes::bytea[]) AS content_hash, unnest(@brought_documents::uuid[]) AS document_id,
    unnest(@brought_ats::timestamptz[]) AS received_at
), beside AS (
  SELECT unnest(@document_events::uuid[]) AS event_id, unnest(@document_ids::uuid[]) AS document_id,
    unnest(@document_schemes::text[]) AS scheme, unnest(@document_directions::text[]) AS direction,
    unnest(@document_names::text[]) AS name, unnest(@document_references::text[]) AS reference,
    unnest(@document_contents::bytea[]) AS content, unnest(@document_hashes::bytea[]) AS content_hash,
    unnest(@document_ats::timestamptz[]) AS created_at, unnest(@document_key_ids::text[]) AS key_id,
    unnest(@document_macs::bytea[]) AS mac
), changed AS (
  INSERT INTO message AS m (realm, message_id, global_id, kind, scheme, direction, channel, client_id, external_id, maker_user, maker_person,
    policy_id, approvals_required, expires_at, original_id, answers_id, deadline, reason, created_at, version, approvals, state, state_sequence,
    state_since, accepted_at, delivered_at, settled_at, status_code, status_text, inquiries, inquire_at, answer_by)
  SELECT o.realm, o.message_id, o.global_id, o.kind, o.scheme, o.direction, o.channel, o.client_id, o.external_id, o.maker_user, o.maker_person,
    o.policy_id, o.approvals_required, o.expires_at, o.original_id, o.answers_id, o.deadline, o.reason, o.created_at, o.version, g.approvals,
    g.to_state, o.state_sequence + g.step_count, g.since, coalesce(nullif(g.accepted_at, '0001-01-01 00:00:00+00'::timestamptz), o.accepted_at),
    coalesce(nullif(g.delivered_at, '0001-01-01 00:00:00+00'::timestamptz), o.delivered_at),
    coalesce(nullif(g.settled_at, '0001-01-01 00:00:00+00'::timestamptz), o.settled_at),
    coalesce(nullif(g.status_code, ''), o.status_code), coalesce(nullif(g.status_text, ''), o.status_text), o.inquiries + g.inquired,
    coalesce(nullif(g.inquire_at, '0001-01-01 00:00:00+00'::timestamptz), o.inquire_at),
    coalesce(nullif(g.answer_by, '0001-01-01 00:00:00+00'::timestamptz), o.answer_by)
  FROM goal g CROSS JOIN LATERAL (
    SELECT * FROM message x
    WHERE x.realm = @realm::text AND x.message_id = g.message_id AND x.state = g.from_state AND x.state_sequence = g.sequence
      AND x.version = g.version OFFSET 0) o
  ON CONFLICT (realm, message_id) DO UPDATE
  SET approvals = excluded.approvals, state = excluded.state, state_sequence = excluded.state_sequence, state_since = excluded.state_since,
      accepted_at = excluded.accepted_at, delivered_at = excluded.delivered_at, settled_at = excluded.settled_at,
      status_code = excluded.status_code, status_text = excluded.status_text, inquiries = excluded.inquiries,
      inquire_at = excluded.inquire_at, answer_by = excluded.answer_by
  WHERE m.state_sequence < excluded.state_sequence AND m.version = excluded.version
  RETURNING m.message_id, m.kind, m.version, m.created_at
), moved AS (
  SELECT @realm::text AS realm, i.*, i.sequence + 1 AS state_sequence, c.kind, c.version, c.created_at FROM item i JOIN changed c ON c.message_id = i.message_id
), history AS (
  INSERT INTO message_history (realm, message_id, sequence, kind, from_state, action, to_state, previous_sequence, version, actor_user,
    actor_person, actor_name, client_id, channel, reason, at)
  SELECT realm, message_id, state_sequence, kind, from_state, action, to_state, sequence, version,
    nullif(actor_user, '00000000-0000-0000-0000-000000000000'::uuid), nullif(actor_person, '00000000-0000-0000-0000-000000000000'::uuid), actor_name, nullif(client_id, ''), channel, nullif(reason, ''), at FROM moved
), audited AS (
  INSERT INTO audit_event (realm, event_id, message_id, sequence, event, actor_user, actor_person, actor_name, client_id, channel,
    request_id, source_address, content_hash, detail, at)
  SELECT realm, event_id, message_id, state_sequence, event, nullif(actor_user, '00000000-0000-0000-0000-000000000000'::uuid), nullif(actor_person, '00000000-0000-0000-0000-000000000000'::uuid), actor_name,
    nullif(client_id, ''), channel, nullif(request_id, ''), nullif(source_address, ''), content_hash, detail, at FROM moved
), decided AS (
  INSERT INTO decision (realm, message_id, version, ordinal, makers, content_hash, approvals_required, checker_user, checker_person,
    client_id, channel, action, reason, previous_ordinal, previous_action, decided_at, checker_role, grant_id, granted_at, message_created_at, remark, key_id, seal)
  SELECT realm, message_id, version, ordinal, makers::uuid[], content_hash, approvals_required, nullif(actor_user, '00000000-0000-0000-0000-000000000000'::uuid),
    nullif(actor_person, '00000000-0000-0000-0000-000000000000'::uuid), nullif(client_id, ''), channel, action, CASE WHEN action = 'reject' THEN nullif(reason, '') END,
    nullif(previous_ordinal, 0), nullif(previous_action, ''), at, 'checker', nullif(grant_id, '00000000-0000-0000-0000-000000000000'::uuid),
    nullif(granted_at, '0001-01-01 00:00:00+00'::timestamptz), created_at, CASE WHEN action = 'approve' THEN nullif(reason, '') END, decision_key_id, decision_seal
  FROM moved WHERE decides
), released AS (
  INSERT INTO release (realm, message_id, version, makers, content_hash, approvals_required, last_ordinal, last_action, accepted_at, key_id, mac,
    account_digest)
  SELECT realm, message_id, version, makers::uuid[], content_hash, approvals_required, ordinal, 'approve', at, key_id, mac,
    nullif(account_digest, ''::bytea) FROM moved WHERE key_id <> ''
), noted AS (
  INSERT INTO inbox (scheme, reference, name, content_hash, outcome, reason, realm, document_id, received_at)
  SELECT b.scheme, b.reference, b.name, b.content_hash, 'matched', '', m.realm, b.document_id, b.received_at
  FROM brought b JOIN moved m ON m.event_id = b.event_id
), kept AS (
  INSERT INTO document (realm, document_id, message_id, scheme, direction, name, reference, content, content_hash, created_at, key_id, mac)
  SELECT m.realm, d.document_id, m.message_id, d.scheme, d.direction, d.name, d.reference, d.content, d.content_hash, d.created_at, d.key_id,
    d.mac
  FROM beside d JOIN moved m ON m.event_id = d.event_id
)
SELECT event_id::uuid AS event_id FROM moved;

-- name: DocumentInsertAll :many
-- DocumentInsert for several documents of messages. One of a reference that exists already is left as it is, and not returned.
INSERT INTO document (realm, document_id, message_id, scheme, direction, name, reference, content, content_hash, created_at, key_id, mac)
SELECT @realm::text, document_id, message_id, scheme, 'out', name, reference, content, content_hash, created_at, key_id, mac
FROM (SELECT unnest(@document_ids::uuid[]) AS document_id, unnest(@message_ids::uuid[]) AS message_id, unnest(@schemes::text[]) AS scheme,
  unnest(@names::text[]) AS name, unnest(@refs::text[]) AS reference, unnest(@contents::bytea[]) AS content,
  unnest(@content_hashes::bytea[]) AS content_hash, unnest(@created_ats::timestamptz[]) AS created_at,
  unnest(@key_ids::text[]) AS key_id, unnest(@macs::bytea[]) AS mac) AS item
ON CONFLICT (realm, reference) WHERE direction = 'out' DO NOTHING
RETURNING document_id;
