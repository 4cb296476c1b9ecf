-- +goose Up
-- Four-eyes of clients reaches editors: one back end that holds two passwords is one pair of eyes, whichever of them amended the message.
-- A version names the clients through which it and the versions before it came, each once, the first of which created the message. The
-- seal of the version covers them. Versions of before name none and stay as they are: of those the message's own client alone is barred.
ALTER TABLE message_version
  ADD COLUMN clients text[],
  ADD CONSTRAINT message_version_clients CHECK (CASE WHEN maker_user IS NULL THEN clients IS NULL
    ELSE clients IS NOT NULL AND cardinality(clients) BETWEEN 1 AND cardinality(makers) END) NOT VALID;
-- A client decides nothing that came through it by the API, unless its realm lets it. A foreign key cannot say "none of these".
CREATE POLICY another_client ON decision AS RESTRICTIVE FOR INSERT TO countersign_app WITH CHECK (
  channel <> 'api'
  OR EXISTS (SELECT FROM client c WHERE c.realm = decision.realm AND c.client_id = decision.client_id AND c.may_decide_own)
  OR NOT EXISTS (SELECT FROM message_version v
                 WHERE v.realm = decision.realm AND v.message_id = decision.message_id AND v.version = decision.version
                   AND decision.client_id = ANY (v.clients)));

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
       v.clients
FROM message m
JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = m.version
LEFT JOIN user_account u ON u.realm = m.realm AND u.user_id = m.maker_user
LEFT JOIN person p ON p.realm = u.realm AND p.person_id = u.person_id;

-- +goose Down
DROP POLICY another_client ON decision;
DROP VIEW message_listed;
ALTER TABLE message_version DROP COLUMN clients;
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
       coalesce(p.display_name, '')::text AS maker_name, coalesce(u.name, '')::text AS maker_login
FROM message m
JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = m.version
LEFT JOIN user_account u ON u.realm = m.realm AND u.user_id = m.maker_user
LEFT JOIN person p ON p.realm = u.realm AND p.person_id = u.person_id;
GRANT SELECT ON message_listed TO countersign_app, countersign_reader;
