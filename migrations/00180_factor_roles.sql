-- +goose Up
-- Of which roles a second factor is asked, two administrators say: in the transaction of their approval and in no other the service writes
-- this column of the realm, and the seal over the row.
GRANT UPDATE (second_factor_roles, key_id, seal) ON realm TO countersign_app;
CREATE POLICY changed_by_change ON realm AS RESTRICTIVE FOR UPDATE TO countersign_app USING (true) WITH CHECK (change_approved_here(realm));

-- The kind of change that is new, beside those there are.
-- +goose StatementBegin
DO $$
DECLARE
  known text;
BEGIN
  SELECT pg_get_constraintdef(oid) INTO STRICT known FROM pg_constraint
  WHERE conrelid = 'realm_change'::regclass AND conname = 'realm_change_kind_check';
  ALTER TABLE realm_change DROP CONSTRAINT realm_change_kind_check;
  EXECUTE 'ALTER TABLE realm_change ADD CONSTRAINT realm_change_kind_check ' || replace(known, 'ARRAY[', 'ARRAY[''realm.factors''::text, ');
END
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DO $$
DECLARE
  known text;
BEGIN
  SELECT pg_get_constraintdef(oid) INTO STRICT known FROM pg_constraint
  WHERE conrelid = 'realm_change'::regclass AND conname = 'realm_change_kind_check';
  ALTER TABLE realm_change DROP CONSTRAINT realm_change_kind_check;
  EXECUTE 'ALTER TABLE realm_change ADD CONSTRAINT realm_change_kind_check ' || replace(known, '''realm.factors''::text, ', '');
END
$$;
-- +goose StatementEnd
DROP POLICY changed_by_change ON realm;
REVOKE UPDATE (second_factor_roles, key_id, seal) ON realm FROM countersign_app;
