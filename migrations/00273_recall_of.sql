-- +goose Up
-- The recall and the return of a message are found by the message: few statements know how many recalls there are, and a plan that was made
-- when there were none read all of a realm, by their kind, for each message. An expression is no column of that index.
CREATE OR REPLACE VIEW message_listed WITH (security_invoker = true) AS
SELECT m.realm, m.message_id, m.global_id, m.kind, m.scheme, m.direction, m.channel, m.client_id, m.external_id, m.maker_user,
       m.policy_id, m.approvals_required, m.expires_at, m.original_id, m.answers_id, m.answer_by, m.deadline, m.reason, m.created_at,
       m.version, m.approvals, m.state, m.state_sequence, m.state_since, m.accepted_at, m.delivered_at, m.settled_at, m.status_code,
       m.status_text, m.inquiries,
       v.document_id, v.content_hash, v.makers, v.amount, v.currency, v.instruction_id, v.end_to_end_id, v.transaction_id, v.uetr,
       v.debtor_name, v.ordered_debtor_name, v.debtor_account, v.debtor_agent, v.creditor_name, v.creditor_account, v.creditor_agent,
       v.remittance, v.key_id, v.seal,
       coalesce((SELECT r.state FROM message r WHERE r.realm = m.realm AND r.original_id = m.message_id AND r.kind || '' = 'recall'
                 ORDER BY r.message_id DESC LIMIT 1), '')::text AS recall_state,
       coalesce((SELECT r.state FROM message r WHERE r.realm = m.realm AND r.original_id = m.message_id AND r.kind || '' = 'return'
                 ORDER BY r.message_id DESC LIMIT 1), '')::text AS return_state,
       coalesce(p.display_name, '')::text AS maker_name, coalesce(u.name, '')::text AS maker_login,
       v.clients, v.payee_result, v.payee_name, v.payee_at, v.message_id AS version_key, m.listed_amount,
       m.maker_person
FROM message m
JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = m.version
LEFT JOIN user_account u ON u.realm = m.realm AND u.user_id = m.maker_user
LEFT JOIN person p ON p.realm = u.realm AND p.person_id = u.person_id;

-- +goose Down
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
       v.clients, v.payee_result, v.payee_name, v.payee_at, v.message_id AS version_key, m.listed_amount,
       m.maker_person
FROM message m
JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = m.version
LEFT JOIN user_account u ON u.realm = m.realm AND u.user_id = m.maker_user
LEFT JOIN person p ON p.realm = u.realm AND p.person_id = u.person_id;
