-- +goose Up
-- A policy may ask that whoever approves shows a second factor (step-up). A message keeps the policy it was made under, and policies never
-- change, so what it asks is frozen with it. Policies of before do not ask; their seals stay good, because a seal covers the column only
-- where it asks.
ALTER TABLE policy ADD COLUMN step_up boolean NOT NULL DEFAULT false;

-- An approval names the use of the factor. The key says that it was this person who showed it, to approve this version with this content; the
-- index that it proves one approval alone. The seal of the decision covers it.
ALTER TABLE decision ADD COLUMN factor_use_id uuid,
  ADD CONSTRAINT decision_factor_of_approval CHECK (factor_use_id IS NULL OR action = 'approve'),
  ADD CONSTRAINT decision_factor_use FOREIGN KEY (realm, factor_use_id, checker_user, message_id, version, content_hash, action)
    REFERENCES factor_use (realm, use_id, user_id, message_id, version, content_hash, action);
CREATE UNIQUE INDEX decision_factor_once ON decision (realm, factor_use_id) WHERE factor_use_id IS NOT NULL;

-- No approval without one where the policy of the message asks. A foreign key cannot say "where".
CREATE POLICY step_up ON decision AS RESTRICTIVE FOR INSERT TO countersign_app WITH CHECK (
  action <> 'approve' OR factor_use_id IS NOT NULL
  OR NOT EXISTS (SELECT FROM message m JOIN policy p ON p.realm = m.realm AND p.policy_id = m.policy_id
                 WHERE m.realm = decision.realm AND m.message_id = decision.message_id AND p.step_up));

-- +goose Down
DROP POLICY step_up ON decision;
DROP INDEX decision_factor_once;
ALTER TABLE decision DROP CONSTRAINT decision_factor_use, DROP CONSTRAINT decision_factor_of_approval, DROP COLUMN factor_use_id;
ALTER TABLE policy DROP COLUMN step_up;
