-- Messages and everything that one step of their life writes. Every statement runs in a transaction whose setting countersign.realm
-- names the realm; the realm stands in each condition all the same.
-- Statements that write or ask for several items take them as arrays: each item is an element of every array, in the same place. An absent
-- value is the empty text, the empty bytes, the nil UUID, the zero time or 0, as Go has them; the statement turns it into NULL.

-- name: SubmissionContext :many
-- The realm data for new messages, and for decisions about stored ones (abouts; the nil UUID for none): the realm's mark, the policy in
-- force (Guard.Policy chooses it again), the debtor account and the directory of banks in force; about a stored message also how many approvals
-- the policies of its time asked for, which is the body of the function approvals_asked: a function is planned anew at each call. item is
-- the index of the query; one that no policy matches has no row. Each query looks for its policy before the policies are joined: as a
-- condition of the join it would be looked for once for each policy of the realm.
WITH item AS (
  SELECT unnest(@items::integer[]) AS item, unnest(@client_ids::text[]) AS client_id,
    unnest(@channels::text[]) AS channel, unnest(@schemes::text[]) AS scheme,
    unnest(@kinds::text[]) AS kind, unnest(@amounts::bigint[]) AS amount,
    unnest(@debtor_accounts::text[]) AS debtor_account, unnest(@abouts::uuid[]) AS about
)
SELECT i.item::integer AS item, sqlc.embed(r), sqlc.embed(h), sqlc.embed(p),
       coalesce((SELECT min(coalesce((
                   SELECT x.approvals_required FROM policy x
                   WHERE x.realm = m.realm AND x.created_at <= t.moment AND (x.retired_at IS NULL OR x.retired_at > t.moment)
                     AND (x.client_id IS NULL OR x.client_id = m.client_id) AND (x.channel IS NULL OR x.channel = m.channel)
                     AND (x.scheme IS NULL OR x.scheme = m.scheme) AND (x.kind IS NULL OR x.kind = m.kind)
                     AND (x.amount_from IS NULL OR x.amount_from <= v.amount) AND (x.amount_to IS NULL OR x.amount_to >= v.amount)
                   ORDER BY x.rank DESC, x.created_at DESC, x.policy_id DESC LIMIT 1), 0))
                 FROM message m
                 JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = m.version
                 CROSS JOIN LATERAL (VALUES (v.created_at), (v.created_at - interval '1 minute')) AS t (moment)
                 WHERE m.realm = @realm::text AND m.message_id = i.about AND m.direction = 'out'), 0)::integer AS approvals_asked,
       a.iban AS account_iban, a.scheme AS account_scheme, a.currency AS account_currency, a.holder_name, a.holder_street, a.holder_building, a.holder_postcode,
       a.holder_town, a.holder_country, a.agent_bic, a.agent_iid, a.open AS account_open,
       coalesce((SELECT d.directory_id FROM routing_directory d WHERE d.realm = r.realm AND d.scheme = i.scheme
                 ORDER BY d.directory_id DESC LIMIT 1), '00000000-0000-0000-0000-000000000000')::uuid AS directory_id
FROM item i
CROSS JOIN LATERAL (
  SELECT x.policy_id FROM policy x
  WHERE x.realm = @realm::text AND x.retired_at IS NULL
    AND (x.client_id IS NULL OR x.client_id = i.client_id) AND (x.channel IS NULL OR x.channel = i.channel)
    AND (x.scheme IS NULL OR x.scheme = i.scheme) AND (x.kind IS NULL OR x.kind = i.kind)
    AND (x.amount_from IS NULL OR x.amount_from <= i.amount) AND (x.amount_to IS NULL OR x.amount_to >= i.amount)
  ORDER BY x.rank DESC, x.created_at DESC, x.policy_id DESC LIMIT 1) f
JOIN realm r ON r.realm = @realm::text
JOIN realm_head h ON h.realm = r.realm
LEFT JOIN policy p ON p.realm = r.realm AND p.policy_id = f.policy_id
LEFT JOIN debtor_account a ON a.realm = r.realm AND a.iban = i.debtor_account;

-- name: MessageInsert :many
-- New messages, each with its document, first version, history, audit, creation keys, the words it is found by and, when it needs no
-- approval, its release. It returns the messages that it wrote. A message of which a key is taken is left out, whole: only a message all of
-- whose keys went in is written, and a key that went in without its message breaks the foreign key creation_key_realm_message_id_fkey.
WITH item AS (
  SELECT
    unnest(@message_ids::uuid[]) AS message_id, unnest(@global_ids::text[]) AS global_id, unnest(@kinds::text[]) AS kind,
    unnest(@schemes::text[]) AS scheme, unnest(@directions::text[]) AS direction, unnest(@channels::text[]) AS channel,
    unnest(@client_ids::text[]) AS client_id, unnest(@external_ids::text[]) AS external_id,
    unnest(@maker_users::uuid[]) AS maker_user, unnest(@maker_persons::uuid[]) AS maker_person,
    unnest(@makers::text[]) AS makers, unnest(@policy_ids::uuid[]) AS policy_id,
    unnest(@approvals_requireds::integer[]) AS approvals_required, unnest(@expires_ats::timestamptz[]) AS expires_at,
    unnest(@original_ids::uuid[]) AS original_id, unnest(@answers_ids::uuid[]) AS answers_id,
    unnest(@answer_bys::timestamptz[]) AS answer_by, unnest(@deadlines::timestamptz[]) AS deadline,
    unnest(@reasons::text[]) AS reason, unnest(@created_ats::timestamptz[]) AS created_at, unnest(@actions::text[]) AS action,
    unnest(@states::text[]) AS state, unnest(@accepted_ats::timestamptz[]) AS accepted_at,
    unnest(@settled_ats::timestamptz[]) AS settled_at, unnest(@status_codes::text[]) AS status_code,
    unnest(@status_texts::text[]) AS status_text, unnest(@document_ids::uuid[]) AS document_id,
    unnest(@document_directions::text[]) AS document_direction, unnest(@document_names::text[]) AS document_name,
    unnest(@refs::text[]) AS reference, unnest(@contents::bytea[]) AS content, unnest(@content_hashes::bytea[]) AS content_hash,
    unnest(@sources::bytea[]) AS source, unnest(@source_types::text[]) AS source_type,
    unnest(@document_key_ids::text[]) AS document_key_id, unnest(@document_macs::bytea[]) AS document_mac,
    unnest(@amounts::bigint[]) AS amount, unnest(@currencies::text[]) AS currency,
    unnest(@instruction_ids::text[]) AS instruction_id, unnest(@end_to_end_ids::text[]) AS end_to_end_id,
    unnest(@transaction_ids::text[]) AS transaction_id, unnest(@uetrs::text[]) AS uetr,
    unnest(@debtor_names::text[]) AS debtor_name, unnest(@ordered_debtor_names::text[]) AS ordered_debtor_name,
    unnest(@debtor_accounts::text[]) AS debtor_account, unnest(@debtor_agents::text[]) AS debtor_agent,
    unnest(@creditor_names::text[]) AS creditor_name, unnest(@creditor_accounts::text[]) AS creditor_account,
    unnest(@creditor_agents::text[]) AS creditor_agent, unnest(@remittances::text[]) AS remittance,
    unnest(@version_key_ids::text[]) AS version_key_id, unnest(@version_seals::bytea[]) AS version_seal,
    unnest(@maker_roles::text[]) AS maker_role, unnest(@maker_grant_ids::uuid[]) AS maker_grant_id,
    unnest(@maker_granted_ats::timestamptz[]) AS maker_granted_at, unnest(@clients::text[]) AS clients,
    unnest(@payee_results::text[]) AS payee_result, unnest(@payee_names::text[]) AS payee_name,
    unnest(@payee_ats::timestamptz[]) AS payee_at, unnest(@words::text[]) AS words, unnest(@actor_names::text[]) AS actor_name,
    unnest(@notes::text[]) AS note, unnest(@event_ids::uuid[]) AS event_id, unnest(@events::text[]) AS event, unnest(@event_seals::bytea[]) AS event_seal,
    unnest(@request_ids::text[]) AS request_id, unnest(@source_addresses::text[]) AS source_address,
    unnest(@details::text[]) AS detail, unnest(@fingerprints::bytea[]) AS fingerprint,
    unnest(@key_counts::integer[]) AS key_count, unnest(@key_ids::text[]) AS key_id, unnest(@macs::bytea[]) AS mac,
    unnest(@account_digests::bytea[]) AS account_digest, unnest(@execution_days::timestamptz[]) AS execution_day
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
    policy_id, approvals_required, expires_at, original_id, answers_id, answer_by, deadline, reason, created_at, version, approvals, state,
    state_sequence, state_since, accepted_at, settled_at, status_code, status_text, listed_amount,
    execution_day)
  SELECT @realm::text, message_id, global_id, kind, scheme, direction, channel, nullif(client_id, ''), nullif(external_id, ''),
    nullif(maker_user, '00000000-0000-0000-0000-000000000000'::uuid), nullif(maker_person, '00000000-0000-0000-0000-000000000000'::uuid),
    nullif(policy_id, '00000000-0000-0000-0000-000000000000'::uuid), approvals_required, nullif(expires_at, '0001-01-01 00:00:00+00'::timestamptz),
    nullif(original_id, '00000000-0000-0000-0000-000000000000'::uuid), nullif(answers_id, '00000000-0000-0000-0000-000000000000'::uuid),
    nullif(answer_by, '0001-01-01 00:00:00+00'::timestamptz), nullif(deadline, '0001-01-01 00:00:00+00'::timestamptz), nullif(reason, ''), created_at, 1, 0, state,
    1, created_at, nullif(accepted_at, '0001-01-01 00:00:00+00'::timestamptz), nullif(settled_at, '0001-01-01 00:00:00+00'::timestamptz), nullif(status_code, ''), nullif(status_text, ''), amount,
    nullif(execution_day, '0001-01-01 00:00:00+00'::timestamptz) FROM free
), doc AS (
  INSERT INTO document (realm, document_id, message_id, scheme, direction, name, reference, content, content_hash, source, source_type, created_at,
    key_id, mac)
  SELECT @realm::text, document_id, message_id, scheme, document_direction, document_name, reference, content, content_hash,
    nullif(source, ''::bytea), nullif(source_type, ''), created_at, document_key_id, document_mac FROM free
), written AS (
  INSERT INTO message_version (realm, message_id, version, document_id, content_hash, maker_user, maker_person, makers, first_maker,
    approvals_required, created_at, amount, currency, instruction_id, end_to_end_id, transaction_id, uetr, debtor_name, ordered_debtor_name,
    debtor_account, debtor_agent, creditor_name, creditor_account, creditor_agent, remittance, key_id, seal, maker_role, maker_grant_id,
    maker_granted_at, clients, payee_result, payee_name, payee_at, words)
  SELECT @realm::text, message_id, 1, document_id, content_hash, nullif(maker_user, '00000000-0000-0000-0000-000000000000'::uuid),
    nullif(maker_person, '00000000-0000-0000-0000-000000000000'::uuid), makers::uuid[], nullif(maker_person, '00000000-0000-0000-0000-000000000000'::uuid),
    approvals_required, created_at, amount, currency, nullif(instruction_id, ''), end_to_end_id, nullif(transaction_id, ''), nullif(uetr, ''),
    debtor_name, nullif(ordered_debtor_name, ''), debtor_account, debtor_agent, creditor_name, creditor_account, creditor_agent, remittance,
    version_key_id, version_seal, nullif(maker_role, ''), nullif(maker_grant_id, '00000000-0000-0000-0000-000000000000'::uuid),
    nullif(maker_granted_at, '0001-01-01 00:00:00+00'::timestamptz), nullif(clients, '')::text[], nullif(payee_result, ''), nullif(payee_name, ''),
    nullif(payee_at, '0001-01-01 00:00:00+00'::timestamptz), array_to_tsvector(string_to_array(words, ' ')) FROM free
), history AS (
  INSERT INTO message_history (realm, message_id, sequence, kind, from_state, action, to_state, version, actor_user, actor_person,
    actor_name, client_id, channel, reason, at)
  SELECT @realm::text, message_id, 1, kind, 'None', action, state, 1, nullif(maker_user, '00000000-0000-0000-0000-000000000000'::uuid),
    nullif(maker_person, '00000000-0000-0000-0000-000000000000'::uuid), actor_name, nullif(client_id, ''), channel,
    coalesce(nullif(note, ''), nullif(status_text, '')), created_at FROM free
), audited AS (
  INSERT INTO audit_event (realm, event_id, message_id, sequence, event, actor_user, actor_person, actor_name, client_id, channel,
    request_id, source_address, content_hash, detail, at, key_id, seal, place)
  SELECT @realm::text, event_id, message_id, 1, event, nullif(maker_user, '00000000-0000-0000-0000-000000000000'::uuid),
    nullif(maker_person, '00000000-0000-0000-0000-000000000000'::uuid), actor_name, nullif(client_id, ''), channel,
    nullif(request_id, ''), nullif(source_address, ''), content_hash, detail, created_at, @event_key_id::text, event_seal,
    (SELECT o.base + pg_current_xact_id()::text::bigint FROM event_order o) FROM free
), released AS (
  INSERT INTO release (realm, message_id, version, makers, content_hash, approvals_required, accepted_at, key_id, mac, account_digest)
  SELECT @realm::text, message_id, 1, makers::uuid[], content_hash, approvals_required, nullif(accepted_at, '0001-01-01 00:00:00+00'::timestamptz), key_id, mac,
    nullif(account_digest, ''::bytea) FROM free WHERE key_id <> ''
)
SELECT message_id::uuid AS message_id FROM free;

-- name: MessageLock :one
-- Locks the message until the transaction ends, before anything else of it is read: a statement that joins the current version and
-- waits for the lock would look for the version of before the wait, and find nothing when an amendment was committed meanwhile.
SELECT message_id FROM message WHERE realm = @realm AND message_id = @message_id FOR UPDATE;

-- name: MessageGet :batchone
-- Messages with their current version and content, in one round trip. What came in has no maker. later: the tree has a later move of a
-- message that waits for somebody. The nested SELECT lets row security pass move_event to the index, here and below.
SELECT sqlc.embed(m), d.content,
       (m.state IN ('Approval Pending', 'Question', 'Scheduled', 'Awaiting Decision') AND EXISTS (
         SELECT FROM audit_leaf l WHERE l.realm = m.realm AND l.row_id = (SELECT move_event(m.message_id, m.state_sequence + 1))))::boolean AS later,
       a.iban AS account_iban, a.scheme AS account_scheme, a.currency AS account_currency, a.holder_name, a.holder_street, a.holder_building,
       a.holder_postcode, a.holder_town, a.holder_country, a.agent_bic, a.agent_iid, a.open AS account_open
FROM message_listed m
JOIN document d ON d.realm = m.realm AND d.document_id = m.document_id AND d.message_id = m.message_id
LEFT JOIN debtor_account a ON m.kind = 'instruction' AND a.realm = m.realm AND a.iban = m.debtor_account
WHERE m.realm = @realm AND m.message_id = @message_id;

-- name: MessageApprovalsAsked :many
-- How many approvals the policies of their time asked for the current versions of messages.
SELECT m.message_id, approvals_asked(m.realm, m.message_id, m.version)::integer AS asked FROM message m
WHERE m.realm = @realm AND m.message_id = ANY (@message_ids::uuid[]);

-- name: MessageIDByGlobalID :one
SELECT message_id FROM message WHERE realm = @realm AND global_id = @global_id;

-- name: CreationKeyGet :one
SELECT * FROM creation_key
WHERE realm = @realm AND client_id = @client_id AND scope = @scope AND key = @key;

-- name: RTransactionListOf :many
-- What was asked about a payment before, newest first. The bound is far above what a day's work rejects and tries again; the unique
-- indexes hold without it.
SELECT message_id, global_id, kind, state, answers_id FROM message
WHERE realm = @realm AND original_id = @original_id::uuid
ORDER BY message_id DESC LIMIT 100;

-- name: RecallAnswerList :many
-- What answers these recalls of these payments and was not rejected, newest first.
SELECT message_id, answers_id::uuid AS recall_id, kind, state FROM message
WHERE realm = @realm AND original_id = ANY (@originals::uuid[]) AND answers_id = ANY (@recalls::uuid[]) AND state <> 'Rejected'
ORDER BY message_id DESC;

-- name: ReceivedRecallOf :one
SELECT message_id FROM message WHERE realm = @realm AND original_id = @original_id::uuid AND kind = 'received recall';

-- name: RecallOpenOf :one
-- The recall of a payment that is not closed before release.
SELECT message_id FROM message
WHERE realm = @realm AND original_id = @original_id::uuid AND kind = 'recall' AND state NOT IN ('Rejected', 'Withdrawn', 'Expired');

-- name: MessageListFallingDue :many
-- Recalls of ours whose answer is due before the given time.
SELECT message_id FROM message
WHERE realm = @realm AND kind = 'recall' AND state IN ('Processing', 'Acknowledged') AND answer_by < @due::timestamptz
  AND message_id <> ALL (@held::uuid[])
ORDER BY answer_by LIMIT @page_size;

-- name: MessageListToAnswer :many
-- Returns and resolutions that answered a received recall, without having noted it there.
SELECT a.message_id FROM message m
JOIN message a ON a.realm = m.realm AND a.answers_id = m.message_id AND a.state IN ('Settled', 'Communicated')
WHERE m.realm = @realm AND m.kind = 'received recall' AND m.state = 'Awaiting Decision' AND a.message_id <> ALL (@held::uuid[])
LIMIT @page_size;

-- name: MessageListToConfirm :many
-- Accepted incoming payments whose settlement clearing has not confirmed, oldest first.
SELECT message_id, global_id FROM message
WHERE realm = @realm AND kind = 'payment' AND state = 'Accepted' AND created_at < @received_before::timestamptz
ORDER BY created_at LIMIT @page_size;

-- name: MessageMove :many
-- Steps of messages, each of another one: state, history, audit and, where a step has them, decision and release. A message that is no longer
-- where the caller saw it is left out. It returns the steps that it wrote, by the event each writes. The rows exist, so the INSERT always
-- finds them, by their keys, and changes them: an UPDATE would join them with the items, and on a young database that join is planned to
-- begin with all messages of the realm. The document that brought a step goes to the inbox and the documents, the report of an end to the
-- documents; both name the event of the step.
WITH item AS (
  SELECT unnest(@message_ids::uuid[]) AS message_id, unnest(@from_states::text[]) AS from_state,
    unnest(@sequences::integer[]) AS sequence, unnest(@versions::integer[]) AS version, unnest(@to_states::text[]) AS to_state,
    unnest(@ats::timestamptz[]) AS at, unnest(@approvals::integer[]) AS approvals,
    unnest(@accepted_ats::timestamptz[]) AS accepted_at, unnest(@delivered_ats::timestamptz[]) AS delivered_at,
    unnest(@settled_ats::timestamptz[]) AS settled_at, unnest(@status_codes::text[]) AS status_code,
    unnest(@status_texts::text[]) AS status_text, unnest(@inquireds::integer[]) AS inquired,
    unnest(@inquire_ats::timestamptz[]) AS inquire_at, unnest(@answer_bys::timestamptz[]) AS answer_by,
    unnest(@event_ids::uuid[]) AS event_id, unnest(@actions::text[]) AS action, unnest(@actor_users::uuid[]) AS actor_user,
    unnest(@actor_persons::uuid[]) AS actor_person, unnest(@actor_names::text[]) AS actor_name,
    unnest(@client_ids::text[]) AS client_id, unnest(@channels::text[]) AS channel,
    unnest(@reasons::text[]) AS reason, unnest(@events::text[]) AS event, unnest(@event_seals::bytea[]) AS event_seal,
    unnest(@request_ids::text[]) AS request_id, unnest(@source_addresses::text[]) AS source_address,
    unnest(@content_hashes::bytea[]) AS content_hash, unnest(@details::text[]) AS detail,
    unnest(@decides::boolean[]) AS decides, unnest(@ordinals::integer[]) AS ordinal,
    unnest(@makers::text[]) AS makers, unnest(@approvals_requireds::integer[]) AS approvals_required,
    unnest(@previous_ordinals::integer[]) AS previous_ordinal, unnest(@previous_actions::text[]) AS previous_action,
    unnest(@grant_ids::uuid[]) AS grant_id, unnest(@granted_ats::timestamptz[]) AS granted_at,
    unnest(@factor_use_ids::uuid[]) AS factor_use_id,
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
    g.to_state, o.state_sequence + 1, g.at, coalesce(nullif(g.accepted_at, '0001-01-01 00:00:00+00'::timestamptz), o.accepted_at),
    coalesce(nullif(g.delivered_at, '0001-01-01 00:00:00+00'::timestamptz), o.delivered_at),
    CASE WHEN g.to_state <> 'Failed' THEN coalesce(nullif(g.settled_at, '0001-01-01 00:00:00+00'::timestamptz), o.settled_at) END,
    CASE WHEN g.to_state IN ('Settled', 'Booked', 'Accepted', 'Communicated') THEN nullif(g.status_code, '') ELSE coalesce(nullif(g.status_code, ''), o.status_code) END,
    CASE WHEN g.to_state IN ('Settled', 'Booked', 'Accepted', 'Communicated') THEN nullif(g.status_text, '') ELSE coalesce(nullif(g.status_text, ''), o.status_text) END,
    o.inquiries + g.inquired,
    coalesce(nullif(g.inquire_at, '0001-01-01 00:00:00+00'::timestamptz), o.inquire_at),
    coalesce(nullif(g.answer_by, '0001-01-01 00:00:00+00'::timestamptz), o.answer_by)
  FROM item g CROSS JOIN LATERAL (
    SELECT * FROM message x
    WHERE x.realm = @realm::text AND x.message_id = g.message_id AND x.state = g.from_state AND x.state_sequence = g.sequence
      AND x.version = g.version OFFSET 0) o
  ON CONFLICT (realm, message_id) DO UPDATE
  SET approvals = excluded.approvals, state = excluded.state, state_sequence = excluded.state_sequence, state_since = excluded.state_since,
      accepted_at = excluded.accepted_at, delivered_at = excluded.delivered_at, settled_at = excluded.settled_at,
      status_code = excluded.status_code, status_text = excluded.status_text, inquiries = excluded.inquiries,
      inquire_at = excluded.inquire_at, answer_by = excluded.answer_by
  WHERE m.state_sequence < excluded.state_sequence AND m.version = excluded.version
  RETURNING m.message_id, m.kind, m.created_at
), moved AS (
  SELECT @realm::text AS realm, i.*, i.sequence + 1 AS state_sequence, c.kind, c.created_at FROM item i JOIN changed c ON c.message_id = i.message_id
), history AS (
  INSERT INTO message_history (realm, message_id, sequence, kind, from_state, action, to_state, previous_sequence, version, actor_user,
    actor_person, actor_name, client_id, channel, reason, at)
  SELECT realm, message_id, state_sequence, kind, from_state, action, to_state, sequence, version,
    nullif(actor_user, '00000000-0000-0000-0000-000000000000'::uuid), nullif(actor_person, '00000000-0000-0000-0000-000000000000'::uuid), actor_name, nullif(client_id, ''), channel, nullif(reason, ''), at FROM moved
), audited AS (
  INSERT INTO audit_event (realm, event_id, message_id, sequence, event, actor_user, actor_person, actor_name, client_id, channel,
    request_id, source_address, content_hash, detail, at, key_id, seal, place)
  SELECT realm, event_id, message_id, state_sequence, event, nullif(actor_user, '00000000-0000-0000-0000-000000000000'::uuid), nullif(actor_person, '00000000-0000-0000-0000-000000000000'::uuid), actor_name,
    nullif(client_id, ''), channel, nullif(request_id, ''), nullif(source_address, ''), content_hash, detail, at, @event_key_id::text, event_seal,
    greatest((SELECT o.base + pg_current_xact_id()::text::bigint FROM event_order o),
      (SELECT p.place FROM audit_event p WHERE p.realm = moved.realm AND p.event_id = (SELECT move_event(moved.message_id, moved.sequence))))
  FROM moved
), decided AS (
  INSERT INTO decision (realm, message_id, version, ordinal, makers, content_hash, approvals_required, checker_user, checker_person,
    client_id, channel, action, reason, previous_ordinal, previous_action, decided_at, checker_role, grant_id, granted_at, message_created_at, remark,
    factor_use_id)
  SELECT realm, message_id, version, ordinal, makers::uuid[], content_hash, approvals_required, nullif(actor_user, '00000000-0000-0000-0000-000000000000'::uuid),
    nullif(actor_person, '00000000-0000-0000-0000-000000000000'::uuid), nullif(client_id, ''), channel, action, CASE WHEN action = 'reject' THEN nullif(reason, '') END,
    nullif(previous_ordinal, 0), nullif(previous_action, ''), at, 'checker', nullif(grant_id, '00000000-0000-0000-0000-000000000000'::uuid),
    nullif(granted_at, '0001-01-01 00:00:00+00'::timestamptz), created_at, CASE WHEN action = 'approve' THEN nullif(reason, '') END,
    nullif(factor_use_id, '00000000-0000-0000-0000-000000000000'::uuid)
  FROM moved WHERE decides
), released AS (
  INSERT INTO release (realm, message_id, version, makers, content_hash, approvals_required, last_ordinal, last_action, accepted_at, key_id, mac,
    account_digest)
  SELECT realm, message_id, version, makers::uuid[], content_hash, approvals_required, nullif(ordinal, 0),
    CASE WHEN ordinal > 0 THEN 'approve' END, at, key_id, mac,
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

-- name: MessageAmendIf :one
-- A new version of a pending message. It changes nothing and returns no row when the message is no longer where the caller saw it.
WITH moved AS (
  UPDATE message m
  SET state = 'Approval Pending', state_sequence = m.state_sequence + 1, state_since = @at, approvals = 0, version = m.version + 1,
    listed_amount = @amount, execution_day = sqlc.narg(execution_day)::timestamptz
  WHERE m.realm = @realm AND m.message_id = @message_id AND m.state = @from_state AND m.state_sequence = @sequence AND m.version = @version
  RETURNING m.realm, m.message_id, m.kind, m.scheme, m.state_sequence, m.version, m.approvals_required
), doc AS (
  INSERT INTO document (realm, document_id, message_id, scheme, direction, name, reference, content, content_hash, source, source_type, created_at,
    key_id, mac)
  SELECT realm, @document_id::uuid, message_id, scheme, 'in', @document_name::text, @reference::text, @content::bytea, @content_hash::bytea,
    sqlc.narg(source)::bytea, sqlc.narg(source_type)::text, @at::timestamptz, @document_key_id::text, @document_mac::bytea FROM moved
), written AS (
  INSERT INTO message_version (realm, message_id, version, document_id, content_hash, maker_user, maker_person, makers, previous_version,
    previous_makers, first_maker, approvals_required, created_at, amount, currency, instruction_id, end_to_end_id, uetr, debtor_name,
    ordered_debtor_name, debtor_account, debtor_agent, creditor_name, creditor_account, creditor_agent, remittance, key_id, seal, maker_role,
    maker_grant_id, maker_granted_at, clients, payee_result, payee_name, payee_at, words)
  SELECT realm, message_id, version, @document_id::uuid, @content_hash::bytea, @editor_user::uuid, @editor_person::uuid,
    array_append(@makers::uuid[], @editor_person::uuid), version - 1, @makers::uuid[], (@makers::uuid[])[1], approvals_required,
    @at::timestamptz, @amount::bigint, @currency::text, sqlc.narg(instruction_id)::text, @end_to_end_id::text, sqlc.narg(uetr)::text,
    @debtor_name::text, sqlc.narg(ordered_debtor_name)::text, @debtor_account::text, @debtor_agent::text, @creditor_name::text, @creditor_account::text,
    @creditor_agent::text, @remittance::text, @version_key_id::text, @version_seal::bytea, @editor_role::text, @editor_grant_id::uuid,
    @editor_granted_at::timestamptz, @clients::text[], sqlc.narg(payee_result)::text, sqlc.narg(payee_name)::text,
    sqlc.narg(payee_at)::timestamptz, array_to_tsvector(string_to_array(@words::text, ' ')) FROM moved
), history AS (
  INSERT INTO message_history (realm, message_id, sequence, kind, from_state, action, to_state, previous_sequence, version, actor_user,
    actor_person, actor_name, client_id, channel, reason, at)
  SELECT realm, message_id, state_sequence, kind, @from_state::text, 'amend', 'Approval Pending', state_sequence - 1, version,
    @editor_user::uuid, @editor_person::uuid, @actor_name::text, @client_id::text, @channel::text, sqlc.narg(reason)::text,
    @at::timestamptz FROM moved
), keyed AS (
  INSERT INTO creation_key (realm, client_id, scope, key, message_id, fingerprint, created_at, key_id, seal)
  SELECT moved.realm, @client_id::text, 'message-id', @reference::text, moved.message_id, @content_hash::bytea, @at::timestamptz,
    @version_key_id::text, @key_seal::bytea
  FROM moved WHERE @new_reference::boolean
)
INSERT INTO audit_event (realm, event_id, message_id, sequence, event, actor_user, actor_person, actor_name, client_id, channel,
  request_id, source_address, content_hash, detail, at, key_id, seal, place)
SELECT realm, @event_id::uuid, message_id, state_sequence, @event::text, @editor_user::uuid, @editor_person::uuid, @actor_name::text,
  @client_id::text, @channel::text, sqlc.narg(request_id)::text, sqlc.narg(source_address)::text, @content_hash::bytea, @detail::text,
  @at::timestamptz, @event_key_id::text, @event_seal::bytea,
  greatest((SELECT o.base + pg_current_xact_id()::text::bigint FROM event_order o),
    (SELECT p.place FROM audit_event p WHERE p.realm = moved.realm AND p.event_id = (SELECT move_event(moved.message_id, moved.state_sequence - 1))))
FROM moved
RETURNING sequence;

-- name: ReleaseGet :one
-- The release with the people who approved it, in order.
SELECT sqlc.embed(r),
       array(SELECT x.checker_person FROM decision x
             WHERE x.realm = r.realm AND x.message_id = r.message_id AND x.version = r.version AND x.action = 'approve'
             ORDER BY x.ordinal)::uuid[] AS approvers
FROM release r
WHERE r.realm = @realm AND r.message_id = @message_id;

-- name: MessageListUndelivered :many
-- Messages of a scheme released before the given time, or after the other, which a clock that was set back has yet to reach, and not yet with
-- clearing; without those held, which were tried a moment ago.
SELECT message_id FROM message
WHERE realm = @realm AND scheme = @scheme AND accepted_at IS NOT NULL AND delivered_at IS NULL
  AND (accepted_at <= @accepted_before::timestamptz OR accepted_at > @accepted_after::timestamptz) AND message_id <> ALL (@held::uuid[])
ORDER BY accepted_at LIMIT @page_size;

-- name: MessageListOverdue :many
-- Released before the given time, or after the other, which a clock that was set back has yet to reach, and without an answer.
SELECT message_id FROM message
WHERE realm = @realm AND state IN ('Approved', 'Processing') AND kind IN ('instruction', 'return')
  AND (accepted_at <= @accepted_before::timestamptz OR accepted_at > @accepted_after::timestamptz) AND message_id <> ALL (@held::uuid[])
ORDER BY accepted_at LIMIT @page_size;

-- name: MessageListToInquire :many
-- Unconfirmed ones of a scheme that clearing has: asking about one it never got could end it while it is still to be sent. A payment that is
-- to be asked about after the second time was noted before the clock was set back: it is asked about now.
SELECT message_id FROM message
WHERE realm = @realm AND scheme = @scheme AND state IN ('Unconfirmed', 'Overdue') AND delivered_at IS NOT NULL
  AND (inquire_at <= @due::timestamptz OR state = 'Unconfirmed' AND inquire_at > @never_after::timestamptz)
  AND message_id <> ALL (@held::uuid[])
ORDER BY inquire_at LIMIT @page_size;

-- name: MessageWaits :one
-- Whether a scheme's lane has something to do in a realm: a message to send, one to ask about. As MessageListUndelivered and
-- MessageListToInquire, with those held. The order stands for an index: to find any row at all, statistics of a moment when much was under
-- way had a whole realm read, each time there was none.
SELECT coalesce((SELECT true FROM message u
                 WHERE u.realm = @realm AND u.scheme = @scheme AND u.accepted_at IS NOT NULL AND u.delivered_at IS NULL
                   AND (u.accepted_at <= @accepted_before::timestamptz OR u.accepted_at > @accepted_after::timestamptz)
                 ORDER BY u.accepted_at LIMIT 1), false)::boolean AS undelivered,
       coalesce((SELECT true FROM message a
                 WHERE a.realm = @realm AND a.scheme = @scheme AND a.state IN ('Unconfirmed', 'Overdue') AND a.delivered_at IS NOT NULL
                   AND (a.inquire_at <= @due::timestamptz OR a.state = 'Unconfirmed' AND a.inquire_at > @never_after::timestamptz)
                 ORDER BY a.inquire_at LIMIT 1), false)::boolean AS to_inquire;

-- name: MessageListExpired :many
-- Two reads: each state has an index of its own.
SELECT x.message_id::uuid AS message_id FROM (
  SELECT p.message_id FROM message p WHERE p.realm = @realm AND p.state = 'Approval Pending' AND p.expires_at <= @due::timestamptz
  UNION ALL
  SELECT q.message_id FROM message q WHERE q.realm = @realm AND q.state = 'Question' AND q.expires_at <= @due::timestamptz
) x
WHERE x.message_id <> ALL (@held::uuid[])
ORDER BY x.message_id LIMIT @page_size;

-- name: MessageListScheduled :many
-- Payments whose execution day has come.
SELECT message_id FROM message
WHERE realm = @realm AND state = 'Scheduled' AND execution_day <= @today::timestamptz AND message_id <> ALL (@held::uuid[])
ORDER BY execution_day, message_id LIMIT @page_size;

-- name: AnswerOf :one
-- The return or resolution that answers a received recall.
SELECT message_id FROM message
WHERE realm = @realm AND answers_id = @recall_id::uuid AND state NOT IN ('Approval Pending', 'Question', 'Rejected', 'Withdrawn', 'Expired', 'Failed');
