-- +goose Up
-- What the verification of the payee came to (Regulation (EU) 2024/886), kept with the version it is about and covered by its seal: the
-- result, with a close match the name of the account, and when. Nothing where nobody was asked, and for versions of before.
ALTER TABLE message_version
  ADD COLUMN payee_result text,
  ADD COLUMN payee_name text,
  ADD COLUMN payee_at timestamptz,
  ADD CONSTRAINT message_version_payee CHECK (
    (payee_result IS NULL) = (payee_at IS NULL)
    AND payee_result IN ('MTCH', 'CMTC', 'NMTC', 'NOAP', 'LATE', 'WAIVED')
    AND (payee_name IS NULL OR payee_result = 'CMTC' AND length(payee_name) BETWEEN 1 AND 140)) NOT VALID;

CREATE OR REPLACE VIEW message_listed WITH (security_invoker = true) AS
SELECT m.realm, m.message_id, m.global_id, m.kind, m.scheme, m.direction, m.channel, m.client_id, m.external_id, m.maker_user,
       m.policy_id, m.approvals_required, m.expires_at, m.original_id, m.answers_id, m.answer_by, m.deadline, m.reason, m.created_at,
       m.version, m.approvals, m.state, m.state_sequence, m.state_since, m.accepted_at, m.delivered_at, m.settled_at, m.status_code,
       m.status_text, m.inquiries,
       v.document_id, v.content_hash, v.makers, v.amount, v.currency, v.instruction_id, v.end_to_end_id, v.transaction_id, v.uetr,
       v.debtor_name, v.ordered_debtor_name, v.debtor_account, v.debtor_agent, v.creditor_name, v.creditor_account, v.creditor_agent,
       v.remittance, v.key_id, v.seal,
       coalesce((SELECT r.state FROM message r WHERE r.realm = m.realm AND r.original_id = m.message_id AND r.kind = 'recall'
                 ORDER BY r.message_id DESC LIMIT 1), '')::text AS recall_state,
       coalesce((SELECT r.state FROM message r WHERE r.realm = m.realm AND r.original_id = m.message_id AND r.kind = 'return'
                 ORDER BY r.message_id DESC LIMIT 1), '')::text AS return_state,
       coalesce(p.display_name, '')::text AS maker_name, coalesce(u.name, '')::text AS maker_login,
       v.clients, v.payee_result, v.payee_name, v.payee_at
FROM message m
JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = m.version
LEFT JOIN user_account u ON u.realm = m.realm AND u.user_id = m.maker_user
LEFT JOIN person p ON p.realm = u.realm AND p.person_id = u.person_id;

-- +goose Down
DROP VIEW message_listed;
ALTER TABLE message_version DROP COLUMN payee_result, DROP COLUMN payee_name, DROP COLUMN payee_at;
CREATE VIEW message_listed WITH (security_invoker = true) AS
SELECT m.realm, m.message_id, m.global_id, m.kind, m.scheme, m.direction, m.channel, m.client_id, m.external_id, m.maker_user,
       m.policy_id, m.approvals_required, m.expires_at, m.original_id, m.answers_id, m.answer_by, m.deadline, m.reason, m.created_at,
       m.version, m.approvals, m.state, m.state_sequence, m.state_since, m.accepted_at, m.delivered_at, m.settled_at, m.status_code,
       m.status_text, m.inquiries,
       v.document_id, v.content_hash, v.makers, v.amount, v.currency, v.instruction_id, v.end_to_end_id, v.transaction_id, v.uetr,
       v.debtor_name, v.ordered_debtor_name, v.debtor_account, v.debtor_agent, v.creditor_name, v.creditor_account, v.creditor_agent,
       v.remittance, v.key_id, v.seal,
       coalesce((SELECT r.state FROM message r WHERE r.realm = m.realm AND r.original_id = m.message_id AND r.kind = 'recall'
                 ORDER BY r.message_id DESC LIMIT 1), '')::text AS recall_state,
       coalesce((SELECT r.state FROM message r WHERE r.realm = m.realm AND r.original_id = m.message_id AND r.kind = 'return'
                 ORDER BY r.message_id DESC LIMIT 1), '')::text AS return_state,
       coalesce(p.display_name, '')::text AS maker_name, coalesce(u.name, '')::text AS maker_login,
       v.clients
FROM message m
JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = m.version
LEFT JOIN user_account u ON u.realm = m.realm AND u.user_id = m.maker_user
LEFT JOIN person p ON p.realm = u.realm AND p.person_id = u.person_id;
GRANT SELECT ON message_listed TO countersign_app, countersign_reader;
