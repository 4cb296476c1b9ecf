-- +goose Up
-- Editions of code sets and calendars hold for all realms, and each realm's trail is told of them: one that somebody takes away is missed.
CREATE OR REPLACE VIEW master_row WITH (security_invoker = true) AS
SELECT realm, 'realm'::text AS relation, realm::text AS key, created_at AS made_at FROM realm
UNION ALL SELECT realm, 'incoming_account', iban, NULL FROM incoming_account
UNION ALL SELECT realm, 'person', person_id::text, created_at FROM person
UNION ALL SELECT realm, 'user_account', user_id::text, created_at FROM user_account
UNION ALL SELECT realm, 'user_role', grant_id::text, granted_at FROM user_role
UNION ALL SELECT realm, 'client', client_id, created_at FROM client
UNION ALL SELECT realm, 'policy', policy_id::text, created_at FROM policy
UNION ALL SELECT realm, 'debtor_account', iban, NULL FROM debtor_account
UNION ALL SELECT realm, 'spending_limit', limit_id::text, NULL FROM spending_limit
UNION ALL SELECT realm, 'second_factor', factor_id::text, made_at FROM second_factor
UNION ALL SELECT realm, 'identity_provider', provider_id::text, made_at FROM identity_provider
UNION ALL SELECT realm, 'outer_identity', link_id::text, linked_at FROM outer_identity
UNION ALL SELECT realm, 'routing_directory', directory_id::text, loaded_at FROM routing_directory
UNION ALL SELECT realm, 'realm_change', change_id::text, requested_at FROM realm_change
UNION ALL SELECT realm, 'realm_change_decision', change_id::text, decided_at FROM realm_change_decision
UNION ALL SELECT realm, 'beneficiary', beneficiary_id::text, NULL FROM beneficiary
UNION ALL SELECT realm, 'break_glass', break_glass_id::text, at FROM break_glass
UNION ALL SELECT r.realm, 'reference_edition', e.edition_id::text, e.loaded_at FROM realm r CROSS JOIN reference_edition e;

-- +goose Down
CREATE OR REPLACE VIEW master_row WITH (security_invoker = true) AS
SELECT realm, 'realm'::text AS relation, realm::text AS key, created_at AS made_at FROM realm
UNION ALL SELECT realm, 'incoming_account', iban, NULL FROM incoming_account
UNION ALL SELECT realm, 'person', person_id::text, created_at FROM person
UNION ALL SELECT realm, 'user_account', user_id::text, created_at FROM user_account
UNION ALL SELECT realm, 'user_role', grant_id::text, granted_at FROM user_role
UNION ALL SELECT realm, 'client', client_id, created_at FROM client
UNION ALL SELECT realm, 'policy', policy_id::text, created_at FROM policy
UNION ALL SELECT realm, 'debtor_account', iban, NULL FROM debtor_account
UNION ALL SELECT realm, 'spending_limit', limit_id::text, NULL FROM spending_limit
UNION ALL SELECT realm, 'second_factor', factor_id::text, made_at FROM second_factor
UNION ALL SELECT realm, 'identity_provider', provider_id::text, made_at FROM identity_provider
UNION ALL SELECT realm, 'outer_identity', link_id::text, linked_at FROM outer_identity
UNION ALL SELECT realm, 'routing_directory', directory_id::text, loaded_at FROM routing_directory
UNION ALL SELECT realm, 'realm_change', change_id::text, requested_at FROM realm_change
UNION ALL SELECT realm, 'realm_change_decision', change_id::text, decided_at FROM realm_change_decision
UNION ALL SELECT realm, 'beneficiary', beneficiary_id::text, NULL FROM beneficiary
UNION ALL SELECT realm, 'break_glass', break_glass_id::text, at FROM break_glass;
