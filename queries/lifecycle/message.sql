-- Messages and everything that one step of their life writes. Every statement runs in a transaction whose setting countersign.realm
-- names the realm; the realm stands in each condition all the same.

-- name: SubmissionContext :one
-- What a new message needs to know: the realm's mark, the policy it falls under, the debtor account, which directory of banks is in
-- force, and whether a limit may bind it. About a stored message it also tells how many approvals the policies of its time asked for.
SELECT sqlc.embed(r), sqlc.embed(p),
       CASE WHEN sqlc.narg(about)::uuid IS NULL THEN 0
       ELSE (SELECT approvals_asked(s.realm, s.message_id, s.version) FROM message s WHERE s.realm = r.realm AND s.message_id = sqlc.narg(about)::uuid)
       END::integer AS approvals_asked,
       a.iban AS account_iban, a.scheme AS account_scheme, a.currency AS account_currency, a.holder_name, a.holder_street, a.holder_building, a.holder_postcode,
       a.holder_town, a.holder_country, a.agent_bic, a.agent_iid, a.open AS account_open, a.key_id AS account_key_id, a.seal AS account_seal,
       coalesce((SELECT d.directory_id FROM routing_directory d WHERE d.realm = r.realm AND d.scheme = @scheme::text
                 ORDER BY d.directory_id DESC LIMIT 1), '00000000-0000-0000-0000-000000000000')::uuid AS directory_id,
       EXISTS (SELECT FROM spending_limit l WHERE l.realm = r.realm AND (l.per_payment IS NOT NULL OR l.per_day IS NOT NULL)
               AND (l.limit_of = 'person' OR l.holder IN (@client_id::text, @debtor_account::text)))::boolean AS limited
FROM realm r
JOIN policy p ON p.realm = r.realm AND p.policy_id = (
  SELECT policy.policy_id FROM policy
  WHERE policy.realm = r.realm AND policy.retired_at IS NULL
    AND (policy.client_id IS NULL OR policy.client_id = @client_id::text)
    AND (policy.channel IS NULL OR policy.channel = @channel::text)
    AND (policy.scheme IS NULL OR policy.scheme = @scheme::text)
    AND (policy.kind IS NULL OR policy.kind = @kind::text)
    AND (policy.amount_from IS NULL OR policy.amount_from <= @amount::bigint)
    AND (policy.amount_to IS NULL OR policy.amount_to >= @amount::bigint)
  ORDER BY policy.rank DESC, policy.created_at DESC LIMIT 1)
LEFT JOIN debtor_account a ON a.realm = r.realm AND a.iban = @debtor_account::text
WHERE r.realm = @realm::text;

-- name: MessageInsert :exec
-- A new message with its document, first version, history, audit, creation keys, the words it is found by and, when it needs no approval,
-- its release.
WITH added AS (
  INSERT INTO message (realm, message_id, global_id, kind, scheme, direction, channel, client_id, external_id, maker_user, maker_person,
    policy_id, approvals_required, expires_at, original_id, answers_id, answer_by, deadline, reason, created_at, version, approvals, state,
    state_sequence, state_since, accepted_at, settled_at, status_code, status_text, listed_amount)
  VALUES (@realm, @message_id, @global_id, @kind, @scheme, @direction, @channel, sqlc.narg(client_id), sqlc.narg(external_id),
    sqlc.narg(maker_user), sqlc.narg(maker_person), sqlc.narg(policy_id), @approvals_required, sqlc.narg(expires_at),
    sqlc.narg(original_id), sqlc.narg(answers_id), sqlc.narg(answer_by), sqlc.narg(deadline), sqlc.narg(reason), @created_at, 1, 0, @state, 1, @created_at,
    sqlc.narg(accepted_at), sqlc.narg(settled_at), sqlc.narg(status_code), sqlc.narg(status_text), @amount)
), doc AS (
  INSERT INTO document (realm, document_id, message_id, scheme, direction, name, reference, content, content_hash, source, source_type, created_at,
    key_id, mac)
  VALUES (@realm, @document_id, @message_id, @scheme, @document_direction, @document_name, @reference, @content, @content_hash,
    sqlc.narg(source)::bytea, sqlc.narg(source_type), @created_at, @document_key_id::text, @document_mac::bytea)
), written AS (
  INSERT INTO message_version (realm, message_id, version, document_id, content_hash, maker_user, maker_person, makers, first_maker,
    approvals_required, created_at, amount, currency, instruction_id, end_to_end_id, transaction_id, uetr, debtor_name, ordered_debtor_name,
    debtor_account, debtor_agent, creditor_name, creditor_account, creditor_agent, remittance, key_id, seal, maker_role, maker_grant_id,
    maker_granted_at, clients, payee_result, payee_name, payee_at, words)
  VALUES (@realm, @message_id, 1, @document_id, @content_hash, sqlc.narg(maker_user), sqlc.narg(maker_person), @makers::uuid[],
    sqlc.narg(maker_person), @approvals_required, @created_at, @amount, @currency, sqlc.narg(instruction_id), @end_to_end_id,
    sqlc.narg(transaction_id), sqlc.narg(uetr), @debtor_name, sqlc.narg(ordered_debtor_name), @debtor_account, @debtor_agent, @creditor_name,
    @creditor_account, @creditor_agent, @remittance, @version_key_id::text, @version_seal::bytea, sqlc.narg(maker_role),
    sqlc.narg(maker_grant_id), sqlc.narg(maker_granted_at), sqlc.narg(clients)::text[],
    sqlc.narg(payee_result), sqlc.narg(payee_name), sqlc.narg(payee_at), array_to_tsvector(string_to_array(@words::text, ' ')))
), history AS (
  INSERT INTO message_history (realm, message_id, sequence, kind, from_state, action, to_state, version, actor_user, actor_person,
    actor_name, client_id, channel, reason, at)
  VALUES (@realm, @message_id, 1, @kind, 'None', @action, @state, 1, sqlc.narg(maker_user), sqlc.narg(maker_person), @actor_name,
    sqlc.narg(client_id), @channel, coalesce(sqlc.narg(note)::text, sqlc.narg(status_text)), @created_at)
), audited AS (
  INSERT INTO audit_event (realm, event_id, message_id, sequence, event, actor_user, actor_person, actor_name, client_id, channel,
    request_id, source_address, content_hash, detail, at)
  VALUES (@realm, @event_id, @message_id, 1, @event, sqlc.narg(maker_user), sqlc.narg(maker_person), @actor_name, sqlc.narg(client_id),
    @channel, sqlc.narg(request_id), sqlc.narg(source_address), @content_hash, @detail, @created_at)
), keyed AS (
  INSERT INTO creation_key (realm, client_id, scope, key, message_id, fingerprint, created_at, key_id, seal)
  SELECT @realm::text AS realm, sqlc.narg(client_id)::text AS client_id, (@key_scopes::text[])[i] AS scope, (@keys::text[])[i] AS key,
    @message_id::uuid AS message_id, @fingerprint::bytea AS fingerprint, @created_at::timestamptz AS created_at,
    @version_key_id::text AS key_id, (@key_seals::bytea[])[i] AS seal
  FROM generate_subscripts(@keys::text[], 1) AS i
)
INSERT INTO release (realm, message_id, version, makers, content_hash, approvals_required, accepted_at, key_id, mac, account_digest)
SELECT @realm::text AS realm, @message_id::uuid AS message_id, 1 AS version, @makers::uuid[] AS makers,
  @content_hash::bytea AS content_hash, @approvals_required::integer AS approvals_required,
  sqlc.narg(accepted_at)::timestamptz AS accepted_at, sqlc.narg(key_id)::text AS key_id, sqlc.narg(mac)::bytea AS mac,
  sqlc.narg(account_digest)::bytea AS account_digest
WHERE sqlc.narg(mac)::bytea IS NOT NULL;

-- name: MessageLock :one
-- Locks the message until the transaction ends, before anything else of it is read: a statement that joins the current version and
-- waits for the lock would look for the version of before the wait, and find nothing when an amendment was committed meanwhile.
SELECT message_id FROM message WHERE realm = @realm AND message_id = @message_id FOR UPDATE;

-- name: MessageGet :one
-- The message with its current version and content. What came in has no maker.
SELECT sqlc.embed(m), d.content,
       a.iban AS account_iban, a.scheme AS account_scheme, a.currency AS account_currency, a.holder_name, a.holder_street, a.holder_building,
       a.holder_postcode, a.holder_town, a.holder_country, a.agent_bic, a.agent_iid, a.open AS account_open
FROM message_listed m
JOIN document d ON d.realm = m.realm AND d.document_id = m.document_id AND d.message_id = m.message_id
LEFT JOIN debtor_account a ON m.kind = 'instruction' AND a.realm = m.realm AND a.iban = m.debtor_account
WHERE m.realm = @realm AND m.message_id = @message_id;

-- name: MessageApprovalsAsked :one
-- How many approvals the policies of its time asked for the current version.
SELECT approvals_asked(m.realm, m.message_id, m.version)::integer AS asked FROM message m WHERE m.realm = @realm AND m.message_id = @message_id;

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
-- Received recalls that a return or resolution has answered, without having noted it.
SELECT DISTINCT m.message_id FROM message m
JOIN message a ON a.realm = m.realm AND a.answers_id = m.message_id AND a.state IN ('Settled', 'Communicated')
WHERE m.realm = @realm AND m.kind = 'received recall' AND m.state = 'Awaiting Decision' AND m.message_id <> ALL (@held::uuid[])
LIMIT @page_size;

-- name: MessageMoveIf :one
-- One step of a message's life: state, history, audit and, where the step has them, decision and release. It changes nothing and
-- returns no row when the message is no longer where the caller saw it.
WITH moved AS (
  UPDATE message m
  SET state = @to_state, state_sequence = m.state_sequence + 1, state_since = @at, approvals = @approvals,
      accepted_at = coalesce(sqlc.narg(accepted_at), m.accepted_at), delivered_at = coalesce(sqlc.narg(delivered_at), m.delivered_at),
      settled_at = coalesce(sqlc.narg(settled_at), m.settled_at), status_code = coalesce(sqlc.narg(status_code), m.status_code),
      status_text = coalesce(sqlc.narg(status_text), m.status_text), inquiries = m.inquiries + @inquired::integer,
      inquire_at = coalesce(sqlc.narg(inquire_at), m.inquire_at), answer_by = coalesce(sqlc.narg(answer_by), m.answer_by)
  WHERE m.realm = @realm AND m.message_id = @message_id AND m.state = @from_state AND m.state_sequence = @sequence AND m.version = @version
  RETURNING m.realm, m.message_id, m.kind, m.state_sequence, m.version, m.created_at
), history AS (
  INSERT INTO message_history (realm, message_id, sequence, kind, from_state, action, to_state, previous_sequence, version, actor_user,
    actor_person, actor_name, client_id, channel, reason, at)
  SELECT realm, message_id, state_sequence, kind, @from_state, @action, @to_state, state_sequence - 1, version, sqlc.narg(actor_user)::uuid,
    sqlc.narg(actor_person)::uuid, @actor_name, sqlc.narg(client_id)::text, @channel, sqlc.narg(reason)::text, @at::timestamptz FROM moved
), audited AS (
  INSERT INTO audit_event (realm, event_id, message_id, sequence, event, actor_user, actor_person, actor_name, client_id, channel,
    request_id, source_address, content_hash, detail, at)
  SELECT realm, @event_id::uuid, message_id, state_sequence, @event::text, sqlc.narg(actor_user)::uuid, sqlc.narg(actor_person)::uuid,
    @actor_name, sqlc.narg(client_id)::text, @channel, sqlc.narg(request_id)::text, sqlc.narg(source_address)::text, @content_hash::bytea,
    @detail::text, @at::timestamptz FROM moved
), decided AS (
  INSERT INTO decision (realm, message_id, version, ordinal, makers, content_hash, approvals_required, checker_user, checker_person,
    client_id, channel, action, reason, previous_ordinal, previous_action, decided_at, checker_role, grant_id, granted_at, message_created_at, remark, key_id, seal,
    factor_use_id)
  SELECT realm, message_id, version, @ordinal::integer, @makers::uuid[], @content_hash::bytea, @approvals_required::integer,
    sqlc.narg(actor_user)::uuid, sqlc.narg(actor_person)::uuid, sqlc.narg(client_id)::text, @channel, @action,
    CASE WHEN @action = 'reject' THEN sqlc.narg(reason)::text END, sqlc.narg(previous_ordinal)::integer,
    sqlc.narg(previous_action)::text, @at::timestamptz, 'checker', sqlc.narg(grant_id)::uuid, sqlc.narg(granted_at)::timestamptz, created_at,
    CASE WHEN @action = 'approve' THEN sqlc.narg(reason)::text END, sqlc.narg(decision_key_id)::text, sqlc.narg(decision_seal)::bytea,
    sqlc.narg(factor_use_id)::uuid
  FROM moved WHERE @decides::boolean
), released AS (
  INSERT INTO release (realm, message_id, version, makers, content_hash, approvals_required, last_ordinal, last_action, accepted_at, key_id, mac,
    account_digest)
  SELECT realm, message_id, version, @makers::uuid[], @content_hash::bytea, @approvals_required::integer, @ordinal::integer, 'approve',
    @at::timestamptz, sqlc.narg(key_id)::text, sqlc.narg(mac)::bytea, sqlc.narg(account_digest)::bytea
  FROM moved WHERE sqlc.narg(mac)::bytea IS NOT NULL
)
SELECT state_sequence FROM moved;

-- name: MessageAmendIf :one
-- A new version of a pending message. It changes nothing and returns no row when the message is no longer where the caller saw it.
WITH moved AS (
  UPDATE message m
  SET state_sequence = m.state_sequence + 1, state_since = @at, approvals = 0, version = m.version + 1, listed_amount = @amount
  WHERE m.realm = @realm AND m.message_id = @message_id AND m.state = 'Approval Pending' AND m.state_sequence = @sequence AND m.version = @version
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
  SELECT realm, message_id, state_sequence, kind, 'Approval Pending', 'amend', 'Approval Pending', state_sequence - 1, version,
    @editor_user::uuid, @editor_person::uuid, @actor_name::text, @client_id::text, @channel::text, sqlc.narg(reason)::text,
    @at::timestamptz FROM moved
), keyed AS (
  INSERT INTO creation_key (realm, client_id, scope, key, message_id, fingerprint, created_at, key_id, seal)
  SELECT moved.realm, @client_id::text, 'message-id', @reference::text, moved.message_id, @content_hash::bytea, @at::timestamptz,
    @version_key_id::text, @key_seal::bytea
  FROM moved WHERE @new_reference::boolean
)
INSERT INTO audit_event (realm, event_id, message_id, sequence, event, actor_user, actor_person, actor_name, client_id, channel,
  request_id, source_address, content_hash, detail, at)
SELECT realm, @event_id::uuid, message_id, state_sequence, @event::text, @editor_user::uuid, @editor_person::uuid, @actor_name::text,
  @client_id::text, @channel::text, sqlc.narg(request_id)::text, sqlc.narg(source_address)::text, @content_hash::bytea, @detail::text,
  @at::timestamptz FROM moved
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
SELECT message_id FROM message
WHERE realm = @realm AND state = 'Approval Pending' AND expires_at <= @due::timestamptz AND message_id <> ALL (@held::uuid[])
ORDER BY message_id LIMIT @page_size;

-- name: AnswerOf :one
-- The return or resolution that answers a received recall.
SELECT message_id FROM message
WHERE realm = @realm AND answers_id = @recall_id::uuid AND state NOT IN ('Approval Pending', 'Rejected', 'Withdrawn', 'Expired', 'Failed');
