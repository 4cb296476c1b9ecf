-- +goose Up
-- What people type into forms is encrypted outside the database, under a key that is not in it: whoever reads a backup learns no name and no
-- amount of a draft, a parked form or a template. What is hidden is a little longer than what was typed. Rows of before are read as they
-- are, and gone after a day.
ALTER TABLE draft DROP CONSTRAINT draft_answers_check, DROP CONSTRAINT draft_file_check, DROP CONSTRAINT draft_file_name_check;
ALTER TABLE draft ADD CONSTRAINT draft_answers_check CHECK (length(answers) <= 65664),
  ADD CONSTRAINT draft_file_check CHECK (length(file) <= 262272), ADD CONSTRAINT draft_file_name_check CHECK (length(file_name) <= 1400);
ALTER TABLE parked_form DROP CONSTRAINT parked_form_fields_check, DROP CONSTRAINT parked_form_file_check,
  DROP CONSTRAINT parked_form_file_name_check;
ALTER TABLE parked_form ADD CONSTRAINT parked_form_fields_check CHECK (length(fields) <= 65664),
  ADD CONSTRAINT parked_form_file_check CHECK (length(file) <= 262272), ADD CONSTRAINT parked_form_file_name_check CHECK (length(file_name) <= 1400);

-- A payment that is entered again and again, under a name, for its maker or for every maker of the realm. It fills the form and nothing else.
CREATE TABLE payment_template (
  realm       text NOT NULL,
  template_id uuid NOT NULL,
  user_id     uuid NOT NULL,
  name        text NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
  scheme      text NOT NULL CHECK (scheme IN ('sic-inst', 'sct-inst')),
  -- The answers of the form, encrypted.
  answers     bytea NOT NULL CHECK (length(answers) BETWEEN 1 AND 65664),
  shared      boolean NOT NULL,
  saved_at    timestamptz NOT NULL,
  PRIMARY KEY (realm, template_id),
  UNIQUE (realm, user_id, name),
  FOREIGN KEY (realm, user_id) REFERENCES user_account (realm, user_id)
);
ALTER TABLE payment_template ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON payment_template USING (realm = current_setting('countersign.realm', true));
-- A template never changes its owner.
GRANT SELECT, INSERT, DELETE ON payment_template TO countersign_app;
GRANT UPDATE (template_id, name, scheme, answers, shared, saved_at) ON payment_template TO countersign_app;

-- +goose Down
DROP TABLE payment_template;
DELETE FROM draft;
DELETE FROM parked_form;
ALTER TABLE parked_form DROP CONSTRAINT parked_form_fields_check, DROP CONSTRAINT parked_form_file_check,
  DROP CONSTRAINT parked_form_file_name_check;
ALTER TABLE parked_form ADD CONSTRAINT parked_form_fields_check CHECK (length(fields) <= 65536),
  ADD CONSTRAINT parked_form_file_check CHECK (length(file) <= 262144), ADD CONSTRAINT parked_form_file_name_check CHECK (length(file_name) <= 255);
ALTER TABLE draft DROP CONSTRAINT draft_answers_check, DROP CONSTRAINT draft_file_check, DROP CONSTRAINT draft_file_name_check;
ALTER TABLE draft ADD CONSTRAINT draft_answers_check CHECK (length(answers) <= 65536),
  ADD CONSTRAINT draft_file_check CHECK (length(file) <= 262144), ADD CONSTRAINT draft_file_name_check CHECK (length(file_name) <= 255);
