-- +goose Up
-- On a database without statistics all indexes that begin with the realm look alike to the planner, and a plan made then is kept: the check
-- of a foreign key read a whole realm by an index that only lists need, more with each payment, until the first ANALYZE. Indexes that no
-- key rests on begin with the column that tells rows apart; the realm follows it. Keys, and what walks a realm in order, begin with the realm.
DROP INDEX decision_by_checker;
CREATE INDEX decision_by_checker ON decision (checker_person, realm, decided_at);
DROP INDEX document_by_message;
CREATE INDEX document_by_message ON document (message_id, realm, document_id);
DROP INDEX message_version_by_end_to_end_id;
CREATE INDEX message_version_by_end_to_end_id ON message_version (end_to_end_id, realm);
DROP INDEX message_version_by_creditor_account;
CREATE INDEX message_version_by_creditor_account ON message_version (creditor_account, realm, message_id);
DROP INDEX message_version_by_transaction_id;
CREATE INDEX message_version_by_transaction_id ON message_version (transaction_id, realm) WHERE transaction_id IS NOT NULL;
DROP INDEX message_version_by_amount;
CREATE INDEX message_version_by_amount ON message_version (amount, realm, message_id);
DROP INDEX message_by_maker;
CREATE INDEX message_by_maker ON message (maker_user, realm, message_id);

-- +goose Down
DROP INDEX message_by_maker;
CREATE INDEX message_by_maker ON message (realm, maker_user, message_id);
DROP INDEX message_version_by_amount;
CREATE INDEX message_version_by_amount ON message_version (realm, amount, message_id);
DROP INDEX message_version_by_transaction_id;
CREATE INDEX message_version_by_transaction_id ON message_version (realm, transaction_id) WHERE transaction_id IS NOT NULL;
DROP INDEX message_version_by_creditor_account;
CREATE INDEX message_version_by_creditor_account ON message_version (realm, creditor_account, message_id);
DROP INDEX message_version_by_end_to_end_id;
CREATE INDEX message_version_by_end_to_end_id ON message_version (realm, end_to_end_id);
DROP INDEX document_by_message;
CREATE INDEX document_by_message ON document (realm, message_id, document_id);
DROP INDEX decision_by_checker;
CREATE INDEX decision_by_checker ON decision (realm, checker_person, decided_at);
