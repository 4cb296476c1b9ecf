-- Pages of the tables whose seals the auditor checks, in the order of their keys, each after a row.

-- name: AuditedVersionList :many
-- Versions with what their seals cover: the message, the content, the account it debits, and the release and the documents that were sent for
-- it. An account or release that is not there is read as zero.
SELECT sqlc.embed(m), sqlc.embed(v), sqlc.embed(a), sqlc.embed(r), coalesce(d.content, '')::bytea AS content,
       coalesce(tsvector_to_array(v.words), '{}')::text[] AS found_by,
       array(SELECT x.checker_person FROM decision x
             WHERE x.realm = v.realm AND x.message_id = v.message_id AND x.version = v.version AND x.action = 'approve'
             ORDER BY x.ordinal)::uuid[] AS approvers,
       array(SELECT s.content FROM document s
             WHERE s.realm = v.realm AND s.message_id = v.message_id AND s.direction = 'out'
               AND s.name IN ('pacs.008.001.08', 'pacs.004.001.09', 'camt.056.001.08', 'camt.029.001.09'))::bytea[] AS sent
FROM message_version v
JOIN message m ON m.realm = v.realm AND m.message_id = v.message_id
LEFT JOIN document d ON d.realm = v.realm AND d.document_id = v.document_id
LEFT JOIN debtor_account a ON m.kind = 'instruction' AND a.realm = v.realm AND a.iban = v.debtor_account
LEFT JOIN release r ON r.realm = v.realm AND r.message_id = v.message_id AND r.version = v.version
WHERE (v.realm, v.message_id, v.version) > (@realm::text, @message_id::uuid, @version::integer)
ORDER BY v.realm, v.message_id, v.version LIMIT @page_size::integer;

-- name: AuditedDocumentList :many
SELECT * FROM document d
WHERE (d.realm, d.document_id) > (@realm::text, @document_id::uuid)
ORDER BY d.realm, d.document_id LIMIT @page_size::integer;

-- name: AuditedInboxList :many
-- Documents of clearing that waited for a payment.
SELECT * FROM inbox WHERE waits_for IS NOT NULL AND (scheme, reference) > (@scheme::text, @reference::text)
ORDER BY scheme, reference LIMIT @page_size::integer;

-- name: AuditedOutboxList :many
-- Rows of the outbox with the document that a row sends again, and the one that it refuses.
SELECT sqlc.embed(o), d.name AS document_name, d.scheme AS document_scheme, coalesce(i.content, r.content)::bytea AS refused
FROM outbox o
LEFT JOIN document d ON d.realm = o.document_realm AND d.document_id = o.document_id AND d.direction = 'out'
LEFT JOIN inbox i ON i.scheme = o.scheme AND i.reference = o.answers
LEFT JOIN document r ON r.realm = i.realm AND r.document_id = i.document_id
WHERE (o.scheme, o.reference) > (@scheme::text, @reference::text)
ORDER BY o.scheme, o.reference LIMIT @page_size::integer;

-- name: AuditedRefreshTokenList :many
SELECT sqlc.embed(t), sqlc.embed(f)
FROM refresh_token t
JOIN token_family f ON f.realm = t.realm AND f.family_id = t.family_id
WHERE (t.realm, t.token_hash) > (@realm::text, coalesce(@token_hash::bytea, ''))
ORDER BY t.realm, t.token_hash LIMIT @page_size::integer;

-- name: AuditedAccessTokenList :many
SELECT sqlc.embed(t), sqlc.embed(f)
FROM access_token t
JOIN token_family f ON f.realm = t.realm AND f.family_id = t.family_id
WHERE (t.realm, t.token_hash) > (@realm::text, coalesce(@token_hash::bytea, ''))
ORDER BY t.realm, t.token_hash LIMIT @page_size::integer;

-- name: AuditedRequestKeyList :many
SELECT * FROM creation_key k
WHERE (k.realm, k.client_id, k.scope, k.key) > (@realm::text, @client_id::text, @scope::text, @key::text)
ORDER BY k.realm, k.client_id, k.scope, k.key LIMIT @page_size::integer;

-- name: AuditedSessionList :many
-- Sessions that are not ended.
SELECT s.token, s.data, s.expiry FROM sessions s
WHERE s.token > @token::text AND s.data <> ''::bytea
ORDER BY s.token LIMIT @page_size::integer;

-- name: SessionEndList :many
-- The sessions that the audit trail says were ended since a time.
SELECT coalesce(a.detail::jsonb ->> 'ended', '')::text AS name FROM audit_event a
WHERE a.sequence IS NULL AND a.event = 'session.ended' AND a.at > @since::timestamptz;

-- name: AuditedCoreBookingList :many
SELECT * FROM core_booking WHERE (realm, message_id) > (@realm::text, @message_id::uuid) ORDER BY realm, message_id LIMIT @page_size;

-- name: AuditedIncomingBankList :many
-- Transaction ids whose bank does not stand in the document as it stands here, with the document: a clearing number may be its name there.
SELECT p.realm, p.scheme, p.transaction_id, p.bank, p.message_id, d.content
FROM incoming_payment p
JOIN message m ON m.realm = p.realm AND m.message_id = p.message_id
JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = m.version
JOIN document d ON d.realm = v.realm AND d.document_id = v.document_id
WHERE p.message_id > @after AND position(convert_to(p.bank, 'UTF8') IN d.content) = 0
ORDER BY p.message_id LIMIT @page_size::integer;
