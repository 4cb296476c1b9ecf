-- +goose Up
-- How much a person, a client or an account may pay: at a time, and on one day. Two administrators set a limit by a change; it stays the one
-- row of whom it binds, without amounts once it is taken away. The seal covers who is bound and by what.
CREATE TABLE spending_limit (
  realm         text NOT NULL REFERENCES realm,
  limit_id      uuid NOT NULL,
  limit_of      text NOT NULL CHECK (limit_of IN ('person', 'client', 'account')),
  holder        text NOT NULL CHECK (holder <> '' AND length(holder) <= 140), -- the person's id, the client's, the IBAN
  currency      text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  per_payment   bigint CHECK (per_payment > 0), -- minor units
  per_day       bigint CHECK (per_day > 0),
  per_day_since timestamptz CHECK (isfinite(per_day_since)), -- since when there is a daily amount without a break
  set_at        timestamptz NOT NULL CHECK (isfinite(set_at)),
  key_id        text NOT NULL CHECK (key_id <> ''),
  seal          bytea NOT NULL CHECK (length(seal) = 32),
  CHECK ((per_day IS NULL) = (per_day_since IS NULL)),
  CHECK (per_payment <= per_day),
  PRIMARY KEY (realm, limit_id),
  UNIQUE (realm, limit_of, holder, currency),
  UNIQUE (realm, limit_id, limit_of, holder, currency)
);

-- What a released payment took of a daily amount. Each row begins where the one before it ended, by a foreign key, and the day's first at
-- nothing: two that begin at the same sum cannot both be there, so two approvals that only together pass the limit are never both stored,
-- whatever the service did. The row keeps the amount that was allowed then.
CREATE TABLE limit_use (
  realm         text NOT NULL,
  message_id    uuid NOT NULL,
  limit_id      uuid NOT NULL,
  limit_of      text NOT NULL,
  holder        text NOT NULL,
  currency      text NOT NULL,
  day           date NOT NULL, -- of the release, in the zone of the banking day
  used_before   bigint NOT NULL CHECK (used_before >= 0),
  amount        bigint NOT NULL CHECK (amount > 0),
  used_after    bigint NOT NULL CHECK (used_after = used_before + amount),
  allowed       bigint NOT NULL CHECK (used_after <= allowed),
  previous_used bigint CHECK (previous_used = used_before),
  CHECK ((used_before = 0) = (previous_used IS NULL)),
  PRIMARY KEY (realm, message_id, limit_id),
  UNIQUE (realm, limit_id, day, used_before),
  UNIQUE (realm, limit_id, day, used_after),
  FOREIGN KEY (realm, message_id) REFERENCES release (realm, message_id),
  FOREIGN KEY (realm, limit_id, limit_of, holder, currency) REFERENCES spending_limit (realm, limit_id, limit_of, holder, currency),
  FOREIGN KEY (realm, limit_id, day, previous_used) REFERENCES limit_use (realm, limit_id, day, used_after)
);

-- +goose StatementBegin
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['spending_limit', 'limit_use']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_realm ON %I USING (realm = current_setting(''countersign.realm'', true))', name);
    EXECUTE format('GRANT SELECT, INSERT ON %I TO countersign_app', name);
    EXECUTE format('GRANT SELECT ON %I TO countersign_reader', name);
  END LOOP;
END
$$;
-- +goose StatementEnd
GRANT UPDATE (per_payment, per_day, per_day_since, set_at, key_id, seal) ON spending_limit TO countersign_app;
CREATE POLICY added_by_change ON spending_limit AS RESTRICTIVE FOR INSERT TO countersign_app WITH CHECK (change_approved_here(realm));
CREATE POLICY changed_by_change ON spending_limit AS RESTRICTIVE FOR UPDATE TO countersign_app USING (true)
  WITH CHECK (change_approved_here(realm));

-- A new kind of change beside those there are, whichever these are by now.
-- +goose StatementBegin
DO $$
DECLARE
  held text;
BEGIN
  SELECT pg_get_constraintdef(oid) INTO held FROM pg_constraint
  WHERE conrelid = 'realm_change'::regclass AND conname = 'realm_change_kind_check';
  ALTER TABLE realm_change DROP CONSTRAINT realm_change_kind_check;
  EXECUTE 'ALTER TABLE realm_change ADD CONSTRAINT realm_change_kind_check '
    || replace(held, '''policy.create''::text', '''policy.create''::text, ''limit.set''::text');
END
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DO $$
DECLARE
  held text;
BEGIN
  SELECT pg_get_constraintdef(oid) INTO held FROM pg_constraint
  WHERE conrelid = 'realm_change'::regclass AND conname = 'realm_change_kind_check';
  ALTER TABLE realm_change DROP CONSTRAINT realm_change_kind_check;
  EXECUTE 'ALTER TABLE realm_change ADD CONSTRAINT realm_change_kind_check ' || replace(held, ', ''limit.set''::text', '');
END
$$;
-- +goose StatementEnd
DROP TABLE limit_use, spending_limit;
