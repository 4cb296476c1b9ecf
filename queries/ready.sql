-- What the readiness page asks, and what the service asks of itself when it starts.

-- name: SchemaPresent :one
-- Whether migrations ever ran here, and whether they left the function that names them.
SELECT (to_regclass('public.goose_db_version') IS NOT NULL)::boolean AS present,
       (to_regproc('public.schema_versions') IS NOT NULL)::boolean AS told;

-- name: SchemaVersionList :many
-- The migrations that were applied.
SELECT v::bigint AS version FROM schema_versions() AS v;

-- name: SchemaCompatibleFrom :one
-- The newest migration that a program must know to work here.
SELECT coalesce(max(compatible_from), 0)::bigint AS version FROM schema_contract;

-- name: SchemaContractInsert :exec
INSERT INTO schema_contract (version, compatible_from) VALUES (@version, @compatible_from) ON CONFLICT (version) DO NOTHING;

-- name: ProgramOlderList :many
-- The programs with a connection to this database that do not know a migration, by the name that each gives its connections.
SELECT application_name::text AS name, count(*)::bigint AS connections FROM pg_catalog.pg_stat_activity
WHERE datname = current_database() AND application_name ~ '^countersign/[0-9]{1,9}$'
  AND substr(application_name, 13)::bigint < @version::bigint
GROUP BY application_name ORDER BY application_name;

-- name: LoginMember :one
-- Whether the login may work as the service's role; false as well where that role does not exist yet.
SELECT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = @role::text AND pg_has_role(session_user, oid, 'MEMBER'))::boolean AS member,
       EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = @role::text)::boolean AS present;

-- name: LoginDangerList :many
-- The roles this login is or can become (SET ROLE) for which the schema's rules do not hold, the login itself first, each with what is
-- wrong with it. Membership counts even where it could not be used at once: a login that may grant it to itself has it.
SELECT r.rolname::text AS role, (r.rolname = session_user)::boolean AS itself, session_user::text AS login, d.danger::text AS danger
FROM pg_catalog.pg_roles r
CROSS JOIN LATERAL (SELECT CASE
    WHEN r.rolsuper THEN 'superuser'
    WHEN r.rolbypassrls THEN 'bypasses'
    WHEN r.rolcreaterole THEN 'makes roles'
    WHEN r.rolname = 'countersign_reader' THEN 'reads all'
    WHEN EXISTS (SELECT FROM pg_catalog.pg_auth_members m WHERE m.member = r.oid AND m.admin_option) THEN 'gives roles'
    WHEN r.rolname IN ('pg_write_all_data', 'pg_execute_server_program', 'pg_write_server_files', 'pg_read_server_files') THEN 'reaches the server'
    WHEN EXISTS (SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                 WHERE c.relowner = r.oid AND n.nspname = 'public')
      OR EXISTS (SELECT FROM pg_catalog.pg_namespace n WHERE n.nspowner = r.oid AND n.nspname = 'public')
      OR EXISTS (SELECT FROM pg_catalog.pg_database b WHERE b.datname = current_database() AND b.datdba = r.oid) THEN 'owns'
  END AS danger) d
WHERE d.danger IS NOT NULL AND pg_has_role(session_user, r.oid, 'MEMBER')
ORDER BY (r.rolname = session_user) DESC, r.rolsuper DESC, (r.rolname = 'pg_database_owner'), r.rolname
LIMIT 20;

-- name: SchemeInUseList :many
-- The schemes in which the realm may be debited.
SELECT DISTINCT scheme FROM debtor_account WHERE realm = @realm AND open ORDER BY scheme;

-- name: PasswordHashUses :one
-- How many accounts that may sign in have this very hash.
SELECT count(*) FROM user_account WHERE realm = @realm AND password_hash = @password_hash AND status = 'active';

-- name: PolicyForEverything :one
-- The policy that counts for what no narrower one covers.
SELECT approvals_required FROM policy
WHERE realm = @realm AND retired_at IS NULL AND client_id IS NULL AND channel IS NULL AND scheme IS NULL AND kind IS NULL
  AND amount_from IS NULL AND amount_to IS NULL
ORDER BY rank DESC, created_at DESC, policy_id DESC LIMIT 1;

-- name: MessagePresent :one
SELECT EXISTS (SELECT FROM message)::boolean AS present;

-- name: LoginMigrates :one
-- What a login needs to migrate: to make things in this database and its schema public, and to make roles unless the two are there.
SELECT (SELECT count(*) FROM pg_catalog.pg_roles WHERE rolname IN ('countersign_app', 'countersign_reader')) = 2 AS has_roles,
       (SELECT rolsuper OR rolcreaterole FROM pg_catalog.pg_roles WHERE rolname = current_user)::boolean AS makes_roles,
       has_database_privilege(current_database(), 'CREATE')::boolean AS makes_schemas,
       (SELECT pg_has_role(current_user, datdba, 'MEMBER') FROM pg_catalog.pg_database WHERE datname = current_database())::boolean AS owns,
       has_schema_privilege('public', 'CREATE')::boolean AS makes_tables,
       current_user::text AS login, current_database()::text AS database;

-- name: SessionStanding :one
-- As whom a statement outside a transaction works, and in which realm.
SELECT current_user::text AS role, coalesce(current_setting('countersign.realm', true), '')::text AS realm;

-- name: AccountPresent :one
SELECT EXISTS (SELECT FROM user_account)::boolean AS present;

-- name: CheckpointPresent :one
SELECT EXISTS (SELECT FROM audit_checkpoint)::boolean AS present;

-- name: MessageListEnds :many
-- The newest and the oldest messages of a realm: what the keys are tried on.
SELECT * FROM message_listed l
WHERE l.realm = @realm AND l.message_id IN (
  (SELECT n.message_id FROM message n WHERE n.realm = @realm ORDER BY n.message_id DESC LIMIT 10)
  UNION
  (SELECT o.message_id FROM message o WHERE o.realm = @realm ORDER BY o.message_id LIMIT 10));

-- name: DurabilityGet :one
-- The settings of the server that decide whether a commit survives a crash or a failover. Slots of base backups are temporary. without_slot
-- counts the connections of standbys and base backups that hold no slot.
SELECT current_setting('fsync')::text AS fsync, current_setting('synchronous_commit')::text AS synchronous_commit,
  current_setting('synchronous_standby_names')::text AS synchronous_standbys,
  EXISTS (SELECT FROM pg_catalog.pg_replication_slots WHERE slot_type = 'physical' AND active AND NOT temporary)::boolean AS standby,
  ((SELECT count(*) FROM pg_catalog.pg_stat_replication) - (SELECT count(*) FROM pg_catalog.pg_replication_slots WHERE active))::bigint AS without_slot;

-- name: ServerTime :one
SELECT clock_timestamp()::timestamptz AS now;

-- name: StatisticsMissing :many
-- Tables of 1 MiB and more of which the server knows no analysis: it forgets them at a crash, a failover and a restore, and plans with what
-- it has. A smaller table is planned better without: statistics of a few rows lead to plans that read the whole table while it grows.
SELECT s.relname::text AS name FROM pg_catalog.pg_stat_user_tables s
WHERE s.schemaname = 'public' AND s.last_analyze IS NULL AND s.last_autoanalyze IS NULL AND pg_relation_size(s.relid) >= 1048576
ORDER BY s.relname;

-- name: StatisticsMake :exec
SELECT statistics_make(@name::text);
