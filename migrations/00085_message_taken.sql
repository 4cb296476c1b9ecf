-- +goose Up
-- After a restore from a backup clearing may have a message under the same id with other bytes: it was released after the backup, and again
-- after the restore. Two administrators say so by a change of this kind; clearing is then asked what became of it.
ALTER TABLE realm_change DROP CONSTRAINT realm_change_kind_check;
ALTER TABLE realm_change ADD CONSTRAINT realm_change_kind_check CHECK (kind IN ('user.create', 'user.roles', 'user.suppress', 'user.restore',
  'user.reset', 'client.create', 'client.secret', 'client.suppress', 'account.create', 'account.update', 'account.close', 'policy.create',
  'policy.retire', 'message.taken'));

-- +goose Down
ALTER TABLE realm_change DROP CONSTRAINT realm_change_kind_check;
ALTER TABLE realm_change ADD CONSTRAINT realm_change_kind_check CHECK (kind IN ('user.create', 'user.roles', 'user.suppress', 'user.restore',
  'user.reset', 'client.create', 'client.secret', 'client.suppress', 'account.create', 'account.update', 'account.close', 'policy.create',
  'policy.retire'));
