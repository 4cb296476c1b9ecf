-- +goose Up
-- A client that unpacks files of many payments may do without the verification of payees, as Regulation (EU) 260/2012 article 5c (6) lets payers
-- who are no consumers; it may ask for it again at any time. The seal of the client covers it where it is set. Two administrators change it.
ALTER TABLE client ADD COLUMN payee_waived boolean NOT NULL DEFAULT false;
GRANT UPDATE (payee_waived) ON client TO countersign_app;
ALTER TABLE realm_change DROP CONSTRAINT realm_change_kind_check;
ALTER TABLE realm_change ADD CONSTRAINT realm_change_kind_check CHECK (kind IN ('user.create', 'user.roles', 'user.suppress', 'user.restore',
  'user.reset', 'client.create', 'client.secret', 'client.suppress', 'client.payee', 'account.create', 'account.update', 'account.close',
  'policy.create', 'policy.retire', 'message.taken'));

-- +goose Down
ALTER TABLE realm_change DROP CONSTRAINT realm_change_kind_check;
ALTER TABLE realm_change ADD CONSTRAINT realm_change_kind_check CHECK (kind IN ('user.create', 'user.roles', 'user.suppress', 'user.restore',
  'user.reset', 'client.create', 'client.secret', 'client.suppress', 'account.create', 'account.update', 'account.close', 'policy.create',
  'policy.retire', 'message.taken'));
REVOKE UPDATE (payee_waived) ON client FROM countersign_app;
ALTER TABLE client DROP COLUMN payee_waived;
